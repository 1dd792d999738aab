"""Find passwords, PINs and codes that a sentence tells, in many languages.

A small grammar: a noun for the secret (`secret_nouns.py`), perhaps whose it is, a copula or a colon,
and a value that is no description (`values_in_sentences.py`).
"""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

import re

from ...language.vocabulary import secrets as words
from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding
from .secret_nouns import NETWORK, find_nouns
from .secret_values import is_filled_in, is_strong
from .values_before_nouns import NEXT_WORD, NO_VALUE, Place, is_code, told_before
from .values_in_sentences import (
    AFTERWORDS,
    LETTER,
    TECHNICAL,
    has_number,
    is_description,
    is_fiction,
    lowered,
    read_code,
    read_value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GAP = 60
"""How many characters may say whose password it is."""

_LABELS = {
    "question": "security answer",
    "pin": "PIN",
    "code": "access code",
    "eastern_code": "access code",
}
_FILL = (
    r"(?:\s+(?:still|now|just|literally|currently|always|simply|actually|again|only|really|basically|probably|jetzt|nun|wieder|immer noch|noch|ab sofort|schlicht(?: und einfach)?|einfach|bloß|nur|tout (?:simplement|bêtement)|simplement|semplicemente|simplemente|sencillamente|soltanto|solamente|solo|sólo|juste|seulement|justo"
    r"|uh|um|erm|ehm|äh|ähm|euh|eh|like|been|so|ahora|ya|maintenant|désormais|toujours|adesso|ora|agora|teraz|już|nu|nog|weer|encore|ainda|siempre|bara|helt enkelt|simpelthen|rett og slett|fortfarande|stadig|fortsatt|the word|das wort|le mot|spelled|spelt)(?!\w))*"
)
_COPULAS = (
    "is|iz|are|was|be|has been|had been|will be|should be|used to be|heißt|sein|reads|says|equals|remains|stays|becomes|ist|lautet|lauten|war|wäre|bleibt|est|c['’]est|était|sera|reste|es|era|será|está|sigue siendo"
    "|è|rimane|é|continua|jest|brzmi|qued[óo] (?:como|en)|fic(?:ou|a) (?:como|em)|est devenue?|est restée?|è diventat[ao]|è rimast[ao]|is geworden|it['’]s|which is|that is|mine is|still|siendo|immer noch"
)
_LINK = lazy(
    r"(?i)(?P<sign>\s*(?::|：|=+>?|->|→|⇒)\s*(?:(?:now|adesso|ora|ahora|maintenant|jetzt|agora|teraz|nu|it['’]s|it is|c['’]est|is|ist|est|es|è|é|jest|to)\s+){0,2})|\s+(?P<dash>[–—-])\s+|(?P<eastern>\s*(?:是|为|為|は|が|改成|改为)\s*(?:现在|今)?)"
    rf"|(?:(?<=[\s\"'”»*`),])|\s)(?P<copula>{_COPULAS}){_FILL}\s*:?\s+|(?P<apostrophe>['’]s)\s+|\s(?P<northern>är|er|on|je|a|to){_FILL}\s+"
)
_CHANGED = lazy(rf"(?i)(?<!\w)(?:{words.CHANGES})(?!\w)")
_CHANGE_LINK = lazy(r"(?i)\s(?:to|auf|in|en|à|por|para|naar|na|su|a)\s+|\s*改成|\s*改为")
_PASSIVE = lazy(r"(?i)(?<!\w)(?:fue|ha sido|foi|era|été|stat[ao]|wurde|was|been)\s+\w+")
_VERB = lazy(
    r"(?i)(?<!\w)(?:must|should|has to|have to|may|can|will|would|expires?|lives|belongs|muss|soll|wird|steht|liegt|doit|peut|debe|puede|deve|può|moet|staat|musi|"
    r"and (?:nobody|the|it|then)|that|because|but|dass|aber|mais|pero|maar|y (?:el|la)|et (?:le|la)|und (?:der|die|das)|where|when|wenn|quand|cuando|forgot\w*|vergessen|oubli\w*|olvid\w*|reset link|policy)(?!\w)"
)
_REASON = lazy(
    r"(?i)(?<!\w)(?:c['’]est|es|è|é|is|it['’]s|ist) (?:que|qu['’]|che|perch[éè]|porque|because|weil|dass|parce)(?!\w)"
)
"""`If it asks for a password it's because …` gives the noun no value."""
_LOGIN = lazy(rf"(?i)(?<![{LETTER}])(?:{words.LOGIN_WORDS})(?![{LETTER}])")
_GIVEN = lazy(
    r"(?i)(?<!\w)(?:tell|give|say|use[sd]?|type|enter|with|using|have|set|need|needs|requires|wants|brauchst|brauche|als|mit|nenne|sag|(?:has|had|got|takes) the|come|comme|avec|con|como|com|met|z|jako|dis|donne|di|dì|diga|messo|puesto)(?!\w)"
    r"[^.,;:\n]{0,30}$"
)
_ORDER = lazy(
    r"(?i)[,;]?\s+(?:(?:just|then|simply) )?(?:give it|feed it|it['’]s|it is|say|type(?: in)?|enter|use|put(?: in)?|tell (?:them|him|her)|sag|gib|dis|di|pon|scrivi|usa|wpisz|zeg|typ|(?:nimmst|verwendest|nutzt|benutzt|setzt|tippst|gibst) du|nehmt ihr|nimm|nehme ich|nehmen wir|pones|usas|metti|mets|tu mets|gebruik(?: je)?|antworte\w{0,3}(?: ihr| du)?(?: bitte)? mit|answer(?: with)?|reply(?: with)?|réponds|contesta|rispondi)\s+"
)
_LISTED = lazy(
    r"(?i)(?:[,;/|–—(&+\n]\s*|(?<!\w)(?:and|und|et|y|e|i|en|plus)\s+)(?:(?:the|das|le|la|el|il|het|mein|my|its|sein|o|a)\s+)?$"
)
_OWNED = lazy(
    r"(?i)\s+(?:on|for|of|to|für|vom|von|de|du|del|di|della|da|van|voor)\s[^\s.,;:]{1,30}(?:\s(?!just|then)[^\s.,;:]{1,20}){0,2}?(?=,?\s+(?:just |then |simply )?(?:give|feed|type|enter|use|put|say|tell|nimm|mets|usa|pon)(?!\w))"
)
_SENTENCE_END = lazy(r"[.;!?。！？](?=\s|$|[^\w\s])|[。！？]|\n\s*\n|\x00")
_ASKED = lazy(
    r"(?i)(?:^|[.!?\n–-]\s*|[\"“„«(¿])\s*(?:what|which|where|who|how|is|was|does|do|wie|welche\w*|wo|quel\w*|où|cuál|qué|dónde|qual\w*|che|wat|welk|jaki\w*|gdzie)\b(?!,)[^.!?\n]{0,60}$"
)


def find_spoken_secrets(text: str) -> Iterator[Finding]:
    """Every secret that a sentence tells, perhaps overlapping."""
    lower = lowered(text)
    number = has_number(lower)
    for kind, noun, end in find_nouns(text, lower, number=number):
        place = _told(text, noun, kind, end) or told_before(text, noun, kind)
        if place is None and kind in ("password", "eastern"):
            place = _odd_word(text, noun, end)
        if place and not _is_mention(text, noun):
            yield Finding(CREDENTIAL, _LABELS.get(kind, "password"), *place)
    from .codes_by_shape import find_shaped_codes
    from .logins import find_logins, find_typed_codes
    from .noted_passwords import find_noted_passwords
    from .secrets_in_turns import find_secrets_in_turns
    from .spelled_secrets import find_spelled_secrets
    from .told_answers import find_told_answers

    if number:
        yield from find_typed_codes(text, lower)
        yield from find_shaped_codes(text, lower)
    yield from find_logins(text, lower)
    yield from find_spelled_secrets(text, lower)
    yield from find_noted_passwords(text, lower)
    yield from find_told_answers(text, lower)
    if "\n" in text:
        yield from find_secrets_in_turns(text)


_ADDRESS = lazy(r"://\S{0,200}$|(?:^|\n)[0-9a-f]{7,40} (?:\([^)\n]{0,60}\) )?$")
_ENCRYPTED = lazy(r"\s{0,3}[:=]\s{0,3}ENC\[")


def _is_mention(text: str, noun: re.Match[str]) -> bool:
    """Whether a noun is part of a URL, the subject of a commit, or the name of something sealed."""
    before = _ADDRESS.search(text, max(0, noun.start() - 200), noun.start())
    return bool(before or _ENCRYPTED.match(text, noun.end()))


_WORD = lazy(r"(?<![^\s\"'“„«(:>–—])[^\s\"“”„«»(),;:<>|/\\={}\[\]`]{5,40}")
_ABOUT = lazy(
    r"(?i)\b(?:hash\w*|algorithm|api|endpoint|field|function|class|method|column|table|schema|test|tests|release|commit|bug|ticket|issue|docs?|documentation|version|standard|"
    r"policy|rule|regex|pattern|length|entropy|manager|must|should|never|always|reset|expir\w+|rotat\w+|leaked|breach\w*|vault|1password|bitwarden|keepass\w*|lastpass)\b"
)


_PROGRAM = lazy(r"[={}<>\[\]]|\w\(|;[ \t]*$")
"""Signs that a line of a program has and an everyday note has not."""


def _odd_word(text: str, noun: re.Match[str], end: int) -> Place | None:
    """A word that is nothing but a password, near the noun in an everyday note."""
    if noun.group() == "passwd" and text.startswith(" -", noun.end()):
        return None
    start = max(0, noun.start() - 60)
    start = max(start, text.rfind("\n", 0, noun.start()) + 1)
    end = text.find("\n", noun.end(), end) if "\n" in text[noun.end() : end] else end
    if _ABOUT.search(text, start, end) or _PROGRAM.search(text, start, end):
        return None
    for match in _WORD.finditer(text, start, end):
        said = match.group().rstrip(".,;:!?)…'’")
        if (
            ".md" not in said
            and _ODD.search(said)
            and is_strong(said)
            and not TECHNICAL.fullmatch(said)
            and not _USER_NAME.search(text, max(0, match.start() - 30), match.start())
        ):
            return match.start(), match.start() + len(said)
    return None


_USER_NAME = lazy(
    r"(?i)(?<!\w)(?:user(?:name)?|login|account|handle|nick(?:name)?|benutzer(?:name)?|nutzer(?:name)?|identifiant|utilisateur|usuario|usuário|utilizador|(?:nome )?utente|gebruiker(?:snaam)?|użytkownik|mine|ssid|network|called)"
    r"(?:\s(?:is|ist|est|es|è|é|to|name|called|heißt))?[:\s\"'“„«]*$"
)
_ODD = lazy(
    r"[^\W\d_]{3,}[-_.!]?\d{1,6}!?$|[^\W\d_]{2,}[!$&*#%+~_][^\W_]{2,}|[^\W\d_]{2,}[!$#&*]$|^\d{1,4}[-_.!]?[^\W\d_]{4,}$|[^\W\d_]-?\d+-[^\W\d_]{2,}|[a-zß-ÿ]\.[A-Z]"
)


def _told(text: str, noun: re.Match[str], kind: str, end: int) -> Place | None:  # noqa: PLR0911 - one line for each form of a sentence
    """The place of the value that a sentence gives to a noun."""
    start = noun.end()
    if noun.group() == "passwd" and text.startswith(" -", start):
        return None
    if text[start : start + 1] in "\"'”»*`" and text[start : start + 2] not in ("**", "'s", "’s"):
        start += 1
    if (after := NEXT_WORD.match(text, start)) and after[1].lower() in NO_VALUE:
        return None
    asked = bool(_ASKED.search(text, max(0, noun.start() - 80), noun.start()))
    stop = _SENTENCE_END.search(text, start, end)
    limit = stop.start() if stop else end
    if not asked and (beside := _beside(text, noun, kind, start, end)):
        return beside
    if (
        not is_code(kind)
        and kind != "question"
        and (namely := _NAMELY.match(text, start, end))
        and (value := read_value(text, namely.end(), end, plain=True, copula="is"))
    ):
        return value
    for link in _LINK.finditer(text, start, end):
        gap = text[start : link.start()]
        far = (
            link.start() > limit
            or len(gap) > GAP + 20 * bool(link["sign"])
            or bool(_VERB.search(gap))
            or "<" in gap
            or bool(_REASON.search(gap))
        )
        if far and not (link["sign"] or (link["copula"] or "").lower() in _ANSWERS):
            continue
        if _names_another(text, start, link):
            continue
        if value := _linked(text, noun, kind, link, end, doubtful=asked or far, gap=gap):
            return value
        if link["sign"] and not gap.strip():
            return None
    if value := _told_otherwise(text, noun, kind, start, limit, end):
        return value
    if stop and stop.group() == "?" and (answer := _answered(text, kind, stop.end(), end)):
        return answer
    return None if asked else _changed(text, noun, kind, start, limit, end)


def _told_otherwise(
    text: str, noun: re.Match[str], kind: str, start: int, limit: int, end: int
) -> Place | None:
    """The value of an order, a correction or an answer, which no link gives to its noun."""
    owner = _OWNED.match(text, start, limit)
    order = _ORDER.match(text, owner.end() if owner else start, end)
    if order and not is_code(kind) and kind != "question":
        return read_value(text, order.end(), end, plain=True, copula="is")
    for again in _NEW_ONE.finditer(text, start, end):
        value = (
            read_code(text, again.end(), end + 40, letters=kind != "pin")
            if is_code(kind)
            else read_value(text, again.end(), end + 40, plain=True, copula="is")
        )
        if value:
            return value
    if kind == "password" and (value := _literal(text, noun, start, end)):
        return value
    if kind == "password" and (
        whole := _ENCODED.match(text, start, end) or _IN_PIECES.search(text, start, limit)
    ):
        return whole.span("value")
    return _answered_with(text, start, end + GAP) if kind == "question" else None


_FIELD_NAME = lazy(r"[\w\])}\"'`-]$")
_NEXT_FIELD = lazy(r"[\"']\s?,\s?[\"']")
_OTHER_SUBJECT = lazy(
    r"(?i)(?<!\w)(?:modelo?|modell|modèle|s[ée]ries?|serial(?: number)?|versi[oó]n\w?|address|adresse|usuario|user(?:name)?|benutzer(?:name)?|utente|identifiant|nom|name|nombre|nome|naam|host|port|flight|vuelo|vol|volo|flug|train|room|seat|booking|order|plate|reg|model)\s*$"
)
"""Nouns whose value, after a copula or a sign, is no password."""


def _names_another(text: str, start: int, link: re.Match[str]) -> bool:
    """Whether a sign or a copula gives its value to another field or noun than that at the start."""
    at = link.start()
    gap = text[start:at]
    if not gap.strip():
        return False
    if link["sign"]:
        tight = not text[at].isspace() and not text[link.end() - 1].isspace()
        in_field = tight and bool(_FIELD_NAME.search(gap)) and (text[at] == "=" or "/" in gap)
        if "\n" in gap or _NEXT_FIELD.search(text, start - 1, at) or in_field:
            return True
    return bool(_OTHER_SUBJECT.search(gap))


_ASIDE = lazy(r",\s[^,.\n]{3,50},\s+")
_SAME_WORD = lazy(
    r"(?i)\b(?P<value>\w{4,20})\b[^\n]{1,60}?\bthe (?:actual |literal |very )?word (?P=value)\b"
)
_DEFAULT = lazy(
    r"(?i)\s(?:is|was|still|it['’]s)\s+(?:still |literally |actually |really |just |simply ){1,3}[\"“'`]?(?P<value>change-?(?:me|it)|admin|letmein|qwerty|password|welcome|example-[\w-]{4,20})(?!\w)"
)
"""A placeholder that somebody left where the password belongs."""


def _literal(text: str, noun: re.Match[str], start: int, end: int) -> Place | None:
    """A word that is the password although it looks like none, or an odd one behind an aside."""
    if (aside := _ASIDE.match(text, start, end)) and (
        value := read_value(text, aside.end(), end, plain=False)
    ):
        return value if _is_odd(text[slice(*value)]) else None
    meant = _SAME_WORD.search(text, start, end) or _DEFAULT.search(text, start, end)
    return meant.span("value") if meant and not is_fiction(text, noun.start()) else None


_ENCODED = lazy(
    r"(?i),? (?:in|as|als|en|in) (?:hex\w*|base ?(?:32|64)|binary|rot-?13)(?: is)?[\s:=]+(?P<value>(?:0x)?[0-9a-f]{8,}(?: (?:0x)?[0-9a-f]{2,}){0,8}|(?=\S*[A-Z\d])[A-Za-z0-9+/]{8,}={0,2})(?!\w)"
)
_IN_PIECES = lazy(
    r"(?i)(?:, |\s)(?P<value>[^\W\d_]{3,20},? (?:followed by|gefolgt von|suivi(?: de)?|seguid[oa] (?:de|da|di))(?: the)?(?: \w+){0,2}? [\"']?\d+[^.\n]{0,40})"
)
"""`hex of …` tells a password in other letters, and `…, followed by 2014` one in pieces."""
_NAMELY = lazy(
    r"(?i)[^.;:!?\n]{0,60}?(?:(?<!\w)(?:cioè|ossia|vale a dire|namely|i\.?e\.?,?|nämlich|c['’]est[- ]à[- ]dire|à savoir|es decir|o sea|che sarebbe|qui serait|que sería|que viene a ser)\s+"
    r"|(?:in|en) (?:two|2|zwei|deux|dos|due|twee) (?:bits|parts|halves|pieces|teilen?|hälften|stücken|parties|morceaux|partes|mitades|trozos|parti|metà|pezzi|delen)\s*[,:]\s*(?:first |zuerst |d['’]abord |primero |prima )?)"
)
"""Words after which the value itself comes, also a plain one."""
_ANSWERS = ("it's", "it’s", "which is", "c'est", "c’est", "mine is", "is", "ist", "es", "è", "é")
_NEW_ONE = lazy(
    r"(?i)(?<!\w)(?:(?:n['’]est (?:plus|pas)|is no longer|isn['’]t|is not|ist nicht(?: mehr)?|non è(?: più)?|(?:ya )?no es|is niet(?: meer)?) [^\s,.]{3,40}(?: \w+)?,? (?:mais|but|sondern|ma|sino|maar|it['’]s|c['’]est)|i\.e\.,?|namely|nämlich|c['’]est[- ]à[- ]dire|es decir|cioè|new one is|new one['’]s|changed it to|now it['’]s|it['’]s now|it is now|richtig ist|das neue ist|neu ist|es ist jetzt|ist jetzt|jetzt ist es|le nouveau(?: est|,? c['’]est)"
    r"|maintenant c['’]est|c['’]est maintenant|la nueva es|el nuevo es|ahora es|la nuova è|adesso è|ora è|a nova é|agora é|het nieuwe is|is nu|nu is het|nowe to|teraz (?:to|jest)|现在是|新的是|今は)(?![A-Za-zÀ-ɏ])\s*:?\s*"
)


_REPLY = lazy(
    r"\s+(?:[-–—]\s*)?(?:\w{1,20}:\s*)?(?:(?i:yes|yep|sure|ja|oui|sí|sì),?\s+)?(?:(?i:still|it['’]s|c['’]est|es|è|ist|try|use)\s+)?[\"“„«']?(?P<value>[a-zß-ÿ0-9][^\s\"”»?]{3,40}?)[\"”»']?(?=[.,;!]?(?:\s*$|\s*\n|[.!]\s)|\s+[A-Z]\w{0,12}:)"
)
_REPLIES_LIST = """
    yeah nope nothing sorry please done same click reset later what this
"""
_REPLIES = frozenset(_REPLIES_LIST.split())


_NUMERIC = lazy(r"(?<=[\s,:\"“])(?=\d[\d -]{2,})")


def _answered(text: str, kind: str, at: int, end: int) -> Place | None:
    """The number or the odd word with which somebody answers the question for a code."""
    if kind == "password" and (said := _REPLY.match(text, at, end)):
        word = said["value"].rstrip(".,;!")
        if not is_description(word) and is_filled_in(word) and word.lower() not in _REPLIES:
            return said.start("value"), said.start("value") + len(word)
    if is_code(kind):
        for number in _NUMERIC.finditer(text, at, end):
            if value := read_code(text, number.start(), end, letters=False):
                return value
    return None


def _linked(  # noqa: PLR0911 - one line for each form of a sentence
    text: str,
    noun: re.Match[str],
    kind: str,
    link: re.Match[str],
    end: int,
    *,
    doubtful: bool,
    gap: str,
) -> Place | None:
    at = link.end()
    if "\n" in link.group() and not _ALONE.match(text, at):
        return None
    if link["northern"] and not _NORTHERN.match(noun.group()):
        return None
    # In German `es` is no verb: `das Kennwort ist zu kurz, es fehlt ein Zeichen`.
    if (link["copula"] or "").lower() == "es" and _GERMAN.search(noun.group()):
        return None
    if is_code(kind):
        value = read_code(text, at, end, letters=kind != "pin")
        return None if value and _is_status(text, noun, value) else value
    if kind == "secret":
        value = read_value(text, at, end, plain=False)
        return value if value and _is_mixed(text[slice(*value)]) and not link["sign"] else None
    if kind == "question":
        return _answer(text, at, end)
    copula = (link["copula"] or "").lower()
    eastern = (
        bool(link["eastern"])
        and text[at : at + 1].isascii()
        and not _MANAGED.search(text, at, at + 60)
    )
    aside = (
        gap.count(",") == 1 and not gap.rstrip().endswith(",") and not _OF_IT.search(gap.rstrip())
    )
    plain = eastern or not (doubtful or link["eastern"] or aside)
    plain = plain and not _is_general(text, noun, gap)
    if link["apostrophe"] and gap.strip():
        return None
    if (
        link["sign"]
        and _PHRASE_NOUN.search(noun.group())
        and (phrase := _read_phrase(text, at, end))
    ):
        return phrase
    value = read_value(text, at, end, plain=plain, copula=copula)
    if value is None and doubtful and copula in _ANSWERS:
        hyphens = _HYPHENS.match(text, at, end)
        value = hyphens.span() if hyphens and not is_description(hyphens.group()) else None
    if value and doubtful and not _is_odd(text[slice(*value)]):
        return None
    if value is None or is_fiction(text, noun.start()) or is_fiction(gap, len(gap)):
        return None
    if link["eastern"] and not text[value[0]].isascii() and text[value[0] - 1] not in '「『"“':
        return None
    return value


_ALONE = lazy(r"(?<!\n[ \t\n])(?![-\[#]|[\w.\"'-]+[ \t]*[:=]+(?:[ \t\n]|$)|[\w.-]+=)")
"""A line that is a value, and no field or section of its own."""
_HYPHENS = lazy(r"[^\W_]+(?:-[^\W_]+){2,4}(?!\w)")
_SEVERAL = lazy(
    "(?:pass(?:words|phrases|codes)|passwörter|kennwörter|credentials?|creds?|zugangsdaten|logindaten|anmeldedaten|contraseñas|senhas|hasła|wachtwoorden)$"
)
"""Nouns of several things: a plain word after one of them says how they are."""
_PORTUGUESE = lazy("senha|palavra|chave")
"""Before these nouns `a` is the definite article."""
_ANY = lazy(r"(?i)(?<!\w)(?:an?|any|every|ein|jedes|une?|una|uma|een|ett|en|et)\s$")


_PHRASE_NOUN = lazy(r"phrase|frase|satz$|spruch$|zin$|sentence")
_SEVERAL_WORDS = lazy(r"[^\W\d_][\w'’-]*(?: [\w'’-]+){2,9}(?=\s*(?:[.,;!?)\n]|$))")


_SAYS_WHERE = lazy(
    r"(?i)(?:see|ask|in|on|at|under|from|with|stored|saved|kept|not|none|no|the same|same|as|like|every|any|use|must|should|is|was|it|this|that|you|we|they|i|he|she|siehe|frag|im|unter|bei|wie|nicht|kein\w*|steht|liegt|muss|ist|wird|man|ich|wir"
    r"|voir|demande|dans|sous|chez|comme|pas|il faut|on|je|tu|elle|ver|pide|pregunta|en|bajo|como|no|hay|está|vedi|chiedi|nel\w*|sotto|come|non|è|si|ci|at least|mindestens|au moins|al menos|almeno|what|which|how|was|wer|wie|que|qué|che)(?!\w)"
)
"""Words that begin no phrase of a secret, but tell where it is or how it has to be."""


def _read_phrase(text: str, at: int, end: int) -> Place | None:
    """A whole clause, which a noun that means several words gives as its value."""
    said = _SEVERAL_WORDS.match(text, at, end)
    if not said or said.group().count(" ") > 8:
        return None
    return None if _SAYS_WHERE.match(said.group()) else said.span()


_OF_IT = lazy(r"(?i),\s+(?:es|das|it|that|elle|il|ça|che|que|eso|ella|quella|quello|lei)$")
"""A clause that goes on about the noun before it."""


def _is_general(text: str, noun: re.Match[str], gap: str) -> bool:
    """Whether a sentence is about several passwords or any: `a password is like a toothbrush`."""
    return bool(
        _SEVERAL.match(noun.group())
        or (
            not gap.strip()
            and not _PORTUGUESE.match(noun.group())
            and _ANY.search(text, max(0, noun.start() - 8), noun.start())
        )
    )


_MANAGED = lazy("加密|暗号化|管理|にあ|保存|参照|確認|聞いて|見て|请|請")
_ASKS = lazy(
    r"(?i)\b(?:name|pet|city|street|school|teacher|favou?rite|first|what|which|annoying|haustier|lieblings\w*|animal|ville|nombre|mascota)\b"
)


_ASKED_FOR = lazy(
    r"(?i)(?:(?:the|il|la|le|el|lo|der|die|das|l['’])\s*)?(?:nome|nombre|nom|ville|città|ciudad|prim[oa]|primer\w*|premi\w+|erste\w*|lieblings\w*|marca|modelo|geburtsort|vorname|lugar|luogo|lieu|année|anno|año|mother|mutter|mère|madre|maiden)\b"
)
"""Words that repeat a security question before its answer, such as `mother's maiden name`."""


def _is_mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _is_odd(value: str) -> bool:
    """A word that cannot be part of a sentence."""
    return bool(
        re.search(r"\d|[!$#&*_]|[a-z]\.[A-Z]|\w \w \w |\w-\w+-\w", value)
    ) and not re.fullmatch(r"\d{1,2}:\d{2}|[\d.,]+", value)


_REPLIED = lazy(
    r"(?i)(?<!\w)(?:(?:i|we|he|she|they|mum|dad)(?: have|['’]ve| had|['’]d| just| always| actually| once)? (?:put|answered|said|used|wrote|typed|gave|chose|picked|entered|went (?:for|with)|told them)(?: down| in)?|(?:my |the |our |her |his )?answer(?: (?:i|we) (?:gave|put|used))? (?:is|was)|answer:"
    r"|j['’]ai (?:r[ée]pondu|mis|[ée]crit|choisi|donn[ée]|pris)|on a (?:mis|r[ée]pondu)|(?:ma |la )?r[ée]ponse,? (?:est|c['’]est)|r[ée]ponse ?:"
    r"|ho (?:messo|risposto|scritto|scelto|usato|dato)|abbiamo messo|(?:la )?risposta (?:è|che ho dato è)|risposta:|rispondo|(?:he|hemos) (?:puesto|respondido|contestado|escrito)|puse|pusimos|contest[ée]|respondí|escribí|eleg[ií]|(?:la )?respuesta (?:es|que di es)|respuesta:"
    r"|(?:die |meine )?antwort (?:ist|lautet|war)|antwort:|(?:geantwortet|angegeben|eingetragen) hab(?:e)? ich|ik heb)(?: (?:just|simply|einfach|simplemente|semplicemente|simplement|qu['’]?|che|que|dass|with|con))?\s+"
)
_REPLIED_LAST = lazy(
    r"(?i)(?<!\w)(?:hab(?:e|en|t|s|['’]s)?(?: ich| wir)?|heb ik)(?: (?:aber|da|dort|einfach|als antwort|stattdessen|nur|halt|mal|immer|dafür|als)){0,4}\s+(?P<value>[^.,;:!?\n]{3,40}?)\s+(?:als antwort\s+)?(?:genommen|angegeben|eingetragen|geschrieben|hingeschrieben|reingeschrieben|geantwortet|hinterlegt|gesetzt|eingegeben|ingevuld)(?!\w)"
)
_ARTICLES_LIST = """
    the a an la le les el los il lo der die das den dem l my mein
"""
_ARTICLES = frozenset(_ARTICLES_LIST.split())


def _answered_with(text: str, start: int, end: int) -> Place | None:
    """The answer that somebody says to have given: its first words up to the end of the clause."""
    if last := _REPLIED_LAST.search(text, start, end):
        return None if is_description(last["value"].split()[0]) else last.span("value")
    for reply in _REPLIED.finditer(text, start, end):
        match = _FEW_WORDS.match(text, reply.end(), end + GAP)
        if not match:
            continue
        said = match[1].split()
        first = said[1] if said[0].lower() in _ARTICLES and len(said) > 1 else said[0]
        if not is_description(first, "is") and not _ASKS.search(match[1].split(",")[0]):
            kept = next((n for n, one in enumerate(said) if n and one.lower() in AFTERWORDS), 4)
            length = len(" ".join(said[: min(kept, 4)]))
            return match.start(1), min(match.end(1), match.start(1) + length)
    return None


_FEW_WORDS = lazy(r"[\"“„«']?([^\W\d_][^.,;:!?\n\"”»()]{2,50})")


def _answer(text: str, at: int, end: int) -> Place | None:
    """The answer to a security question: a few words up to the end of the clause."""
    match = _FEW_WORDS.match(text, at, end)
    if (
        not match
        or is_description(match[1].split()[0], "is")
        or _ASKS.search(match[1])
        or _ASKED_FOR.match(match[1])
        or len(match[1].split()) > 6
    ):
        return None
    return match.span(1)


_GERMAN = lazy("passw[oö]rt|kenn?w[oö]rt|zugang|anmelde")
_ANY_CODE = lazy(r"(?:the|der|den|le|el|il|o|de|ten) (?:code|c[oó]digo|codice|kod)")


def _is_status(text: str, noun: re.Match[str], value: Place) -> bool:
    """Three digits of `the code` that no door has: `the code is 404 when the page is missing`."""
    from .logins import names_lock

    return (
        value[1] - value[0] == 3
        and bool(_ANY_CODE.fullmatch(noun.group()))
        and not names_lock(lowered(text), noun.start())
    )


_NORTHERN = lazy("(?i)lösenord|passord|adgangskode|salasana|heslo|jelsz|has[łl]")


def _beside(text: str, noun: re.Match[str], kind: str, start: int, end: int) -> Place | None:  # noqa: PLR0911 - one line for each form of a sentence
    """A value right after its noun: `PIN 5520`, `user airflow, password tulip`, `password (…)`."""
    if kind == "eastern":
        match = _IN_ASCII.match(text, start + (text[start : start + 1] == " "), end)
        return match.span() if match and match.group().lower() not in words.DESCRIPTIONS else None
    if kind == "eastern_code" and text[start : start + 1].isdigit():
        return read_code(text, start, end, letters=False)
    if not (gap := _GAP.match(text, start, end)):
        return None
    at = gap.end()
    if text[at : at + 1] == "\n":
        return None
    if is_code(kind):
        owner = _AFTER_OWNER.match(text, at, end)
        at = owner.end() if owner else at
        value = read_code(text, at, end, letters=kind != "pin")
        return value if value and _is_given_code(text, noun, value) else None
    if kind in ("question", "secret") or text[at : at + 1] in "<[{$":
        return None
    before = text[max(0, noun.start() - 110) : noun.start()]
    listed = bool(_LISTED.search(before[-30:])) and bool(
        _LOGIN.search(before) or NETWORK.search(before)
    )
    plain = listed or bool(_GIVEN.search(before[-45:]))
    # Two letters may be a name, so that a plain word after them must end its clause.
    bare = not plain and noun.group() in ("mdp", "pw", "pwd")
    if bare:
        plain = True
        owner = _AFTER_NAME.match(text, at, end)
        at = owner.end() if owner else at
    if _INVERTED.search(before[-40:]) and (owner := _OWNER.match(text, at, end)):
        at, plain = owner.end(), True
    value = read_value(text, at, end, plain=plain, phrase=not bare, copula="was" if plain else "")
    if value and plain and text[slice(*value)].isalpha() and not _ENDS.match(text, value[1]):
        return None
    if value is None or is_fiction(text, noun.start()):
        return None
    said = text[slice(*value)]
    if not listed and _IDENTIFIER.fullmatch(said):
        return None
    if plain and re.match(r"\s*[:=]", text[value[1] : value[1] + 3]):
        return None
    return value


_IN_ASCII = lazy(r"[A-Za-z0-9][\x21-\x7e]{4,40}(?=[，。、\s]|$)")
_INVERTED = lazy(
    r"(?i)\b(?:ist|lautet|heißt|is|luidt|est|es|è|é)\s+(?:jetzt\s+|nun\s+|nu\s+)?(?:\w+\s+){1,2}$"
)
_OWNER = lazy(
    r"(?i)(?:für|fürs|vom|von|zum|zur|beim|bei|im|am|van|voor|op|bij)\s(?:[^\s.,;:!?]+\s){1,3}?(?=[^\s.,;:!?]+\s*[.,;!\n])"
)
_GAP = lazy(r"[ \t]+(?:\([^)\n]{1,30}\)[ \t]*|\()?|,\s+(?=\S*[\d!$#&*_])")
_ENDS = lazy(
    r"(?i)[*\"'”»`]{0,2}\s*(?:[.,;!?)/\n–—-]|$|(?:and|then|und|dann|et|puis|y|luego|e|poi|en|dan|i|until|bis)(?!\w))"
)
_IDENTIFIER = lazy(r"[a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|base\d+|[a-z]+=.*|.*\(.*")
_AFTER_OWNER = lazy(
    r"(?i)(?:(?:for|of|to|von|vom|für|fürs|de|del|du|di|do|da|van|voor|od)\s[^.,;:\d\n]{1,40}?\s(?=[#*]?\d)|(?:résidence|immeuble|bâtiment|hall|parking|garage|bureau|maison|portail|lobby|building|office|edificio|portone|palazzo|haus|büro)\s(?=[#*]?\d))?"
)
_AFTER_NAME = lazy(
    r"(?i)(?:(?:for|vom|von|für|du|de|del|des|do|da)\s(?:[^\s.,;:]+\s){1,4}?(?=[^\s,.;]+[,.;\n]))?"
)
_PIN_NUMBER = lazy(r"(?i)\b(?:gpio|header|connector|chip|led|town|city)\b")


def _is_given_code(text: str, noun: re.Match[str], value: Place) -> bool:
    """A number beside `pin` opens something, unless the pin is part of a circuit or a verb."""
    near = text[max(0, noun.start() - 40) : value[1] + 40]
    return noun.group() != "pin" or not (
        _PIN_NUMBER.search(near)
        or not re.search(r"\d{4}|\d(?:[ -]\d){3}|[A-Za-z]\d", text[slice(*value)])
    )


def _changed(
    text: str, noun: re.Match[str], kind: str, start: int, limit: int, end: int
) -> Place | None:
    """`changed the password of the box to …`."""
    if not _CHANGED.search(text, max(0, noun.start() - 50), limit):
        return None
    for link in _CHANGE_LINK.finditer(text, start, limit):
        if is_code(kind):
            value = read_code(text, link.end(), end, letters=False)
        else:
            plain = link.group().strip().lower() in ("to", "auf", "naar", "por")
            # `fue cambiada ayer por Marta` says who did it.
            plain = plain and not _PASSIVE.search(text, start, link.start())
            value = read_value(text, link.end(), end, plain=plain)
        if value:
            return value
    return None
