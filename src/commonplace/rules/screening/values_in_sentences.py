"""Read the value that a sentence gives to a password or a code, and refuse descriptions of one."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

import re

from ...language.vocabulary import STOPWORDS
from ...language.vocabulary.secrets import (
    DESCRIPTIONS,
    FICTION,
    NUMERALS,
    OTHER_CODES_BEFORE,
    SPELLING,
    UNITS,
)
from ...model.lazy_pattern import lazy
from .secret_values import is_filled_in, is_plain, is_strong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LETTER = "A-Za-z0-9_À-ɏЀ-ӿ"
"""Letters of a word, as a set in a pattern; scripts without spaces are left out."""
LONGEST = 90
"""A longer value is a text of its own."""

_QUOTES = {
    '"': '"',
    "“": "”",
    "„": "“”",
    "«": "»",
    "‘": "’",
    "'": "'",
    "`": "`",
    "「": "」",
    "『": "』",
    "**": "**",
    "”": "”",
    "‚": "‘",
}
_OPEN = lazy(r"\*\*|[\"“„«‘'`「『”‚]")
_LEAD = lazy(r"[\s(*]*_?(?!_)|[\s(*]*")
_TOKEN = lazy(r"[^\s,;、。，；「」『』（）<>|\"]+")
_TAIL = ".,;:!?)}]”\"'»*`’…"
_SPACED = lazy(r"(?:[^\W_]|[^\w\s]|_)(?:[ -](?:[^\W_]|[!$#&*%@_.?+])){3,40}(?![^\s.,;:!?)])")
_CHAINED = lazy(
    r"(?i)(?:,?\s+(?:then|plus|followed by|gefolgt von|suivi de|seguid[oa] (?:de|da|di)|and then|dann|puis|luego|poi)\s+(?:an?\s+|ein\w{0,2}\s+|une?\s+|una?\s+)?(?:[\"'“„«][^\"'”»\n]{1,30}[\"'”“»]|\w{1,20})){1,6}"
)
"""After a quoted part: `then an underscore then 'moon42'`."""
_CHOPPED = lazy(r"[^\W_]{1,8}(?: [-–] [^\W_]{1,8}){3,9}(?![^\s.,;:!?)])")
_NUMBER = lazy(
    r"[#*]?(?:[A-Z]{1,2}[ -]?)?\d(?:[ -]?\d){2,23}(?:[A-Za-z]| [A-Z])?[#*]?(?![A-Za-z0-9_])(?![.,:/]\d|[ ]?[%€$£°])"
)
_GROUPS = lazy(
    r"[A-Z0-9]{2,8}(?:[- ][A-Z0-9]{2,8}){1,11}(?![A-Za-z0-9_])|[a-z0-9]{4,8}(?:-[a-z0-9]{4,8}){1,7}(?![A-Za-z0-9_])"
)
_SIDE = (
    r"(?:left|right|links|rechts|à droite|à gauche|a la derecha|a la izquierda|derecha|izquierda|destra|sinistra|a destra"
    r"|a sinistra|à direita|à esquerda|direita|esquerda|clockwise|anticlockwise)"
)
_TURNS = lazy(
    rf"(?i)(?:{_SIDE}\s+)?\d{{1,3}}(?:\s*{_SIDE})?(?:(?:[\s,–-]+(?:then |dann |puis |luego |poi |and |und |et |y )?)(?:{_SIDE}\s+)?"
    rf"\d{{1,3}}(?:\s*{_SIDE})?){{2,4}}(?![\w/:%]|\.\d|\s*[€$£]|(?-i: [A-Z](?!\w)))"
)
_DATE = lazy(
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}|\d{1,2} ?h(?: ?\d{2})?(?!\w)|\d{1,3}(?:[.,]\d{3})+(?!\d)"
)
_TIME = lazy(r"\d{1,2} h(?: \d\d)?(?!\w)")
_CLAUSE_END = lazy(r"[.,;:!?)\]\n\"”»|(–—。，]|\s[-/–—]\s|$")
_WORD = lazy(r"[^\W\d_][\w'’-]*")
_ENGLISH = r"(?:[^e]ed|ing|able|ible|ly|less)$"
_GERMAN = r"^(?:ge|ver|be|ent|er|zer|ab|an|auf|aus|ein|hinter|über|unter|nach|vor|zu)\w{3,}(?:t|en)$|(?:bar|lich|los)$"
_DUTCH = r"^(?:ge|ver|be|ont|her|in|uit|op|af)\w{3,}(?:d|t|en)$"
_STATES = {
    "is": f"{_ENGLISH}|{_DUTCH}",
    "was": _ENGLISH,
    "are": _ENGLISH,
    "be": _ENGLISH,
    "remains": _ENGLISH,
    "ist": _GERMAN,
    "lautet": _GERMAN,
    "war": _GERMAN,
    "est": r"(?:ée?s?|ment|ible|able)$",
    "es": r"(?:able|ible|mente)$",
    "está": ".",
    "è": r"(?:[^n]ato|[^n]ata|uto|uta|ito|ita|abile|ibile|mente)$",
    "será": r"(?:[ai]d[ao]s?|regue)$",
    "é": r"(?:ável|ível|mente)$",
    "jest": r"(?:ny|na|ne|ty|ta|te|kie|ki|we)$",
}
"""By its copula, the endings with which a language says in which state something is."""
_FOLLOWERS_LIST = """
    until till for and but or with in on at if because since please so now again all just
    don't dont do same yes when while as everywhere from und aber oder mit für im bei weil
    falls bis bitte alles ja et mais avec pour si jusqu'au parce y pero con para hasta
    porque e ma per se mas com en maar met voor als want i ale z dla bo jeśli without ohne
    sans sin senza sem zonder bez that then it yeah yep okay ok thanks bye remember that's
    which cause oh lol haha also genau danke tschüss voilà merci gracias vale ciao grazie
    obrigado dank dzięki capital lowercase uppercase all-lowercase written spelled
    geschrieben groß klein
"""
_FOLLOWERS = frozenset(_FOLLOWERS_LIST.split())
AFTERWORDS = _FOLLOWERS | STOPWORDS
"""Words that may follow a password in its sentence."""


def read_value(  # noqa: PLR0911 - one line for each form of a sentence
    text: str, at: int, end: int, *, plain: bool, phrase: bool = True, copula: str = ""
) -> tuple[int, int] | None:
    """The place of a password that begins here, or None where the sentence goes on.

    plain allows a word without digits and signs, phrase several of them.
    """
    at = _skip(_LEAD, text, at, end)
    if at >= end:
        return None
    if _OPEN.match(text, at, end):
        quoted = _quoted(text, at, end)
        chain = _CHAINED.match(text, quoted[1] + 1, end) if quoted else None
        return (quoted[0], chain.end()) if quoted and chain else quoted
    if (spaced := _SPACED.match(text, at, end)) and _is_spaced(spaced.group()):
        return spaced.span()
    if chopped := _CHOPPED.match(text, at, end):
        return chopped.span()
    if spelled := read_spelled(text, at, end):
        return spelled
    if not (token := _TOKEN.match(text, at, end)):
        return None
    word, stop = _without_tail(token.group(), at)
    if (number := _NUMBER.match(text, at, end)) and not _is_count(text, number):
        return number.span() if sum(map(str.isdigit, number.group())) >= 4 else None
    if (groups := _GROUPS.match(text, at, end)) and sum(map(str.isdigit, groups.group())) >= 4:
        return groups.span()
    if is_strong(word) and not re.fullmatch(r"\d+\W*", word):
        return None if word.lower() in DESCRIPTIONS else (at, stop)
    if plain and is_plain(word) and len(word) >= 3 and is_filled_in(word):
        return _plain(text, at, stop, end, phrase=phrase, copula=copula)
    return None


def _skip(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    match = pattern.match(text, at, end)
    return (
        match.end()
        if match and "**" not in match.group()
        else at + len(text[at:end]) - len(text[at:end].lstrip())
    )


def _without_tail(token: str, at: int) -> tuple[str, int]:
    """A word without the punctuation of its sentence, and without the next script's letters."""
    if token[0].isascii() and not token.isascii():
        cut = re.match(r"[\x21-\x7eÀ-ɏ]+", token)
        token = cut.group() if cut else token
    word = token.rstrip(_TAIL)
    # A password may end in a mark; an exclamation belongs to it when it also has one inside.
    if token[len(word) : len(word) + 1] == "!" and any(c.isdigit() or c in "!$#&_" for c in word):
        word += "!"
    return word, at + len(word)


def _is_spaced(found: str) -> bool:
    letters = found.replace(" ", "").replace("-", "")
    return len(letters) >= 4 and (not letters.isalpha() or len(letters) >= 5)


def _quoted(text: str, at: int, end: int) -> tuple[int, int] | None:
    if not (open_ := _OPEN.match(text, at, end)):
        return None
    start = open_.end()
    places = (
        [
            found
            for mark in _QUOTES[open_.group()]
            if (found := text.find(mark, start, min(end, start + LONGEST))) > 0
        ]
        if open_.group() != "**"
        else [text.find("**", start, min(end, start + LONGEST))]
    )
    if not places or (stop := min(places)) <= start + 1:
        return None
    said = text[start:stop].strip()
    if not is_filled_in(said) or said.lower() in DESCRIPTIONS or len(said) < 3:
        return None
    # In backticks stands a command, and in long quotations what somebody said.
    if (open_.group() == "`" and " " in said) or said.count(" ") > 5 or "'t " in said:
        return None
    if " " in said and said.split()[0].lower() in _SAID_OF_ONE:
        return None
    return start, stop


_SAID_OF_ONE_LIST = """
    at enter your please must minimum use type choose min. max.
"""
_SAID_OF_ONE = frozenset(_SAID_OF_ONE_LIST.split())
"""First words of a form that asks for a password: `At least 12 characters`."""
_ITEM = lazy(r"[\s,]*(?:([^\W_][\w'’]*)|([!#$&*-](?=[\s,])))")


_WHOLE_WORD = lazy(
    r"(?i)[\s,]+(?:(?:then |dann |puis |luego |poi )?(?:the word|das wort|le mot|la palabra|la parola|het woord)"
    r"|(?:as in|for|wie|comme|como|come|van|jak))\s+[\"'“„«]?\w+[\"'”“»]?"
)
"""Inside of a spelled value: `M as in Mike`, `then the word lantern`."""


def read_spelled(text: str, at: int, end: int) -> tuple[int, int] | None:
    """The place of a value that is spelled: letters, numerals and names of signs, one by one."""
    stop, counted, letters = at, 0, 0
    for match in _ITEM.finditer(text, at, end):
        if match.start() < stop:
            continue
        if match.start() != stop or match.start() - at > LONGEST:
            break
        item = (match[1] or match[2]).lower()
        if whole := counted and _WHOLE_WORD.match(text, stop, end):
            counted += 1
            stop = whole.end()
            continue
        if len(item) == 1 or item in NUMERALS or item.isdigit():
            letters += 1
        elif item not in SPELLING and not (item[:1].isupper() and letters >= 2):
            break
        counted += 1
        stop = match.end()
    spelled = counted >= 3 and letters >= 2 and counted + letters >= 6
    if spelled and _TIME.match(text, at):
        return None
    # Two stars in a row are the times of a job.
    return (at, stop) if spelled and "* *" not in text[at:stop] else None


def _plain(  # noqa: PLR0911 - one line for each form of a sentence
    text: str, at: int, stop: int, end: int, *, phrase: bool, copula: str
) -> tuple[int, int] | None:
    """A plain word, or a few, that end a clause and describe nothing."""
    word = text[at:stop]
    if phrase and word.lower() in NUMERALS and (stop_at := _counted_phrase(text, stop, end)):
        return at, stop_at
    if is_description(word, copula):
        return _adjective_first(text, at, stop, end) if phrase else None
    if chain := _CHAINED.match(text, stop, end):
        return at, chain.end()
    rest = text[stop:end]
    close = _CLAUSE_END.search(rest)
    clause = rest[: close.start()] if close else rest
    if close and (
        rest[close.start() : close.start() + 1] == "?" or _SAYING.match(rest, close.start())
    ):
        return None
    words = clause.split()
    if words and words[0].lower() in _OF_STATES:
        return None
    if words and words[0].lower() in _SIGN_NAMES:
        kept = next((n for n, one in enumerate(words) if one.lower() in _FOLLOWERS), len(words))
        return at, _end_of(text, stop, words[: min(kept, 9)])
    if not words or words[0].lower() in AFTERWORDS:
        if phrase and words and (longer := _phrase(text, stop, words)):
            return at, longer
        return at, stop
    if not phrase:
        return None
    kept = next((n for n, one in enumerate(words) if one.lower() in AFTERWORDS and n), len(words))
    if kept > 4 or any(one.lower().strip("'’") in _SENTENCE for one in words[:kept]):
        return None
    if words[kept : kept + 1] and words[kept].lower() in _OF_STATES:
        return None
    return at, _end_of(text, stop, words[:kept])


def _adjective_first(text: str, at: int, stop: int, end: int) -> tuple[int, int] | None:
    """`correct horse battery`: a description that two more nouns follow, and then nothing."""
    close = _CLAUSE_END.search(text, stop, end)
    words = text[stop : close.start() if close else end].split()
    kept = next((n for n, one in enumerate(words) if one.lower() in AFTERWORDS), len(words))
    silent = DESCRIPTIONS | STOPWORDS | UNITS
    if text[at:stop].lower() in STOPWORDS or not 2 <= kept <= 4:
        return None
    if any(one.lower() in silent or not one.isalpha() for one in words[:kept]):
        return None
    if close and _SAYING.match(text, close.start()):
        return None
    return at, _end_of(text, stop, words[:kept])


def _counted_phrase(text: str, stop: int, end: int) -> int | None:
    """The end of `four cats on the pier`: a numeral, a noun that counts nothing, and more of it."""
    close = _CLAUSE_END.search(text, stop, end)
    words = text[stop : close.start() if close else end].lower().split()
    if not 2 <= len(words) <= 5 or not all(map(str.isalpha, words)):
        return None
    silent = DESCRIPTIONS | UNITS | _SENTENCE
    if words[0] in silent | STOPWORDS or words[-1] in silent | STOPWORDS:
        return None
    return stop + len(text[stop : close.start() if close else end].rstrip())


_SAYING = lazy(r"(?i),\s+(?:said|says|diceva|dice|disait|dit|sagte?|decía|zei)\s")
"""Somebody is quoted whose watchword it was."""
_OF_STATES_LIST = """
    than to by of par von przez por av af qui who
"""
_OF_STATES = frozenset(_OF_STATES_LIST.split())
"""After these words the one before says how a password is: `older than`, `known to`."""
_SIGN_NAMES_LIST = """
    hyphen dash underscore dot minus hash bindestrich unterstrich punkt tiret guion guión
    trattino hífen streepje myślnik
"""
_SIGN_NAMES = frozenset(_SIGN_NAMES_LIST.split())
_SENTENCE_LIST = """
    is are was were has have had will would can could should must ist sind war hat wird muss
    kann est sont a ont doit es son está fue ha debe è sono deve é são foi tem zijn heeft
    moet jest są ma the der die das le la les el los of by von than not nicht pas no non não
    niet nie
"""
_SENTENCE = frozenset(_SENTENCE_LIST.split())


def _phrase(text: str, stop: int, words: list[str]) -> int | None:
    """The end of `pasta al forno 8` or `palomitas con sal`: two or three words more, then a stop."""
    if (
        2 <= len(words) <= 3
        and words[0].lower()
        in ("con", "z", "al", "com", "mit", "and", "with", "in", "y", "et", "en", "und")
        and not any(one.lower() in DESCRIPTIONS for one in words[1:])
    ):
        return _end_of(text, stop, words)
    return None


def _end_of(text: str, at: int, words: list[str]) -> int:
    for word in words:
        at = text.index(word, at) + len(word)
    return at


def is_description(word: str, copula: str = "") -> bool:
    """Whether a word says how a password is, and not what it is."""
    lower = word.lower().replace("’", "'").rstrip("'")
    if lower in DESCRIPTIONS or lower in NUMERALS or lower.endswith(("'s", "n't")):
        return True
    head, apostrophe, tail = lower.partition("'")
    if apostrophe:
        return tail in DESCRIPTIONS or len(head) < 3
    parts = lower.split("-")
    if len(parts) > 1:
        return all(part in DESCRIPTIONS for part in parts) or parts[-1] in _ENDINGS
    states = _STATES.get(copula)
    return bool(states and word.islower() and re.search(states, lower))


_ENDINGS = ("sensitive", "protected", "based", "only", "free", "encoded", "encrypted", "hashed")


def read_code(text: str, at: int, end: int, *, letters: bool) -> tuple[int, int] | None:  # noqa: PLR0911 - one line for each form of a sentence
    """The place of a number that opens something; letters allows groups such as X7QK-M2PV."""
    at = _skip(_LEAD, text, at, end)
    if open_ := _OPEN.match(text, at, end):
        at = open_.end()
    if letters and (turns := _TURNS.match(text, at, end)):
        return turns.span()
    if (number := _NUMBER.match(text, at, end)) and not _is_count(text, number):
        return number.span()
    if spelled := read_spelled(text, at, end):
        return spelled
    if (
        letters
        and (groups := _GROUPS.match(text, at, end))
        and any(c.isdigit() for c in groups.group())
    ):
        return groups.span()
    if token := _TOKEN.match(text, at, end):
        word, stop = _without_tail(token.group(), at)
        if word[:2].lower() == "0x":
            return None
        if (
            re.fullmatch(r"(?=.*\d.*\d)[A-Za-z0-9#*]{4,12}", word)
            and not word.isdigit()
            and not re.fullmatch(r"\d+(?:st|nd|rd|th|[a-z]{2,})", word)
        ):
            return at, stop
        if letters and len(word) <= 24 and is_strong(word) and any(c.isdigit() for c in word):
            return at, stop
    return None


def _is_count(text: str, number: re.Match[str]) -> bool:
    """A date, a time, a year after `in`, or a number of things."""
    if _DATE.match(text, number.start()):
        return True
    if counts(text, number.end()):
        return True
    digits = re.sub(r"\D", "", number.group())
    if len(digits) == 4 and _MONTH.search(text, max(0, number.start() - 14), number.start()):
        return True
    before = text[max(0, number.start() - 12) : number.start()].lower().split()
    return bool(
        len(digits) == 4
        and digits[:2] in ("19", "20")
        and before
        and before[-1]
        in (
            "in",
            "since",
            "seit",
            "en",
            "depuis",
            "desde",
            "dal",
            "nel",
            "od",
            "w",
            "until",
            "by",
            "before",
            "after",
            "from",
        )
    )


_MONTH = lazy(
    r"(?i)(?<!\w)(?:january|february|march|april|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|avril|juin|juillet|août|septembre|octobre|novembre|décembre"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro),? (?:de |of |del )?$"
)


def counts(text: str, end: int) -> bool:
    """Whether a unit follows a number, which makes it a number of things."""
    after = _WORD.match(text, end + 1) if text[end : end + 1] in (" ", "-") else None
    return bool(after and after.group().lower() in UNITS)


TECHNICAL = lazy(
    r"(?:[a-z]\w*\.)+[A-Z][a-z]+(?:[A-Z][a-z]+)+|(?i:scram-sha|oauth|sha|tls|ssl|ipv|python|node|java|ios|https?|md|aes|rsa|utf|base|argon|ed|win(?:dows)?|ubuntu|debian|postgres|mysql|php|ruby|saml|openid|fido|web|log|ec|gpt|claude|x?chacha|x?salsa|poly|serpent|twofish|threefish|blowfish|camellia|kyber|dilithium|blake|scrypt|bcrypt|pbkdf|curve|secp|clevis|keycloak|entra|okta|authelia|authentik|vault|kerberos|yubikey|webauthn|totp|hotp|luks|bitlocker|filevault|veracrypt|[svkpq])[-_. ]?\d[\w.-]*"
    r"|0[xX][0-9a-fA-F]+|[a-z]+-\d{1,3}|[A-Z]{1,5}-?\d+|[a-z]+(?:_[a-z0-9]+)+|[A-Z]+(?:_[A-Z0-9]+)+|\d+[a-z]{1,4}|\S+@[\w.]+|[\w-]+\.[a-z]{2,4}|#\w+|@\w+|(?:[A-Z][a-z]+){2,}\d?|\d[\d.,:%/-]*\w?|\d?[a-z]{1,3}\d{1,3}"
)
"""Words with digits that everybody writes: names of protocols, hosts, files and tickets."""
OTHER_CODE = lazy(rf"(?i)(?<!\w)(?:{OTHER_CODES_BEFORE})[ -]$")
"""Before `code` these words make it one of a post office, a program or a shop."""
_SPELLED = lazy(
    rf"(?<!\w)(?:{'|'.join(sorted(NUMERALS, key=len, reverse=True))})(?:[\s,-]+(?:y |e |und )?(?:{'|'.join(sorted(NUMERALS, key=len, reverse=True))})){{2,11}}(?!\w)"
)
SIDE_HINTS = (
    "left",
    "right",
    "links",
    "rechts",
    "droite",
    "gauche",
    "derecha",
    "izquierda",
    "destra",
    "sinistra",
    "direita",
    "esquerda",
    "clockwise",
)
_SIDED = lazy(
    rf"(?:{_SIDE}\s+(?:to |bis |auf |jusqu'à |hasta )?\d{{1,3}}|\d{{1,3}}\s+{_SIDE})(?:[\s,–-]+(?:then |dann |puis |luego |poi |and |und |et |y )?(?:{_SIDE}\s+(?:to |bis |auf |jusqu'à |hasta )?\d{{1,3}}|\d{{1,3}}\s+{_SIDE})){{1,4}}"
)
_ALPHABET = lazy(r"(?<!\w)[A-ZÄÖÜ][a-zäöü]+(?:,\s*[A-Za-zäöüÄÖÜ]+){3,11}(?!\w)")


def lowered(text: str) -> str:
    """The text in lower case, with every character at its place."""
    lower = text.lower()
    return (
        lower
        if len(lower) == len(text)
        else "".join(c if len(c.lower()) > 1 else c.lower() for c in text)
    )


_EACH_WORD = lazy(r"\w+")
_LONGER_NUMERALS = frozenset(one for one in NUMERALS if len(one) > 2)


def has_number(lower: str) -> bool:
    """Whether a text in lower case has a digit or a numeral."""
    return any(map(lower.__contains__, "0123456789")) or has_numerals(lower)


def has_numerals(lower: str) -> bool:
    """Whether a text in lower case has a numeral of more than two letters."""
    return not _LONGER_NUMERALS.isdisjoint(_EACH_WORD.findall(lower))


def has_code(text: str, lower: str) -> bool:
    """Whether somebody may be told to type something: three digits, turns, or something spelled."""
    if sum(map(str.isdigit, text)) >= 3 or any(map(lower.__contains__, SIDE_HINTS)):
        return True
    said = _EACH_WORD.findall(lower)
    return not _LONGER_NUMERALS.isdisjoint(said) and sum(map(_is_spelled, said)) >= 2


def _is_spelled(word: str) -> bool:
    return len(word) == 1 or word in NUMERALS or word.isdigit()


def spelled_codes(text: str, lower: str) -> Iterator[re.Match[str]]:
    """Rows of numerals, turns of a dial, and words of a spelling alphabet."""
    if sum(map(NUMERALS.__contains__, _EACH_WORD.findall(lower))) >= 3:
        yield from _SPELLED.finditer(lower)
    if any(map(lower.__contains__, SIDE_HINTS)):
        yield from _SIDED.finditer(lower)
    for match in _ALPHABET.finditer(text) if text.count(",") >= 3 else ():
        listed = [one.strip().lower() for one in match.group().split(",")]
        if sum(one in SPELLING or one in NUMERALS for one in listed) >= max(4, len(listed) - 1):
            yield match


def is_fiction(text: str, at: int) -> bool:
    """Whether the sentence before tells a story."""
    return not FICTION.isdisjoint(re.findall(r"\w+", text[max(0, at - 80) : at].lower()))
