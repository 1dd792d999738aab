"""Find passwords, PINs and codes that a sentence tells, in many languages.

A small grammar: a noun for the secret, perhaps whose it is, a copula or a colon, and a value that
is no description. The word lists are in `language/vocabulary/secrets.py`.
"""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

import re

from ...language.vocabulary import secrets as words
from .findings import CREDENTIAL, Finding
from .lazy_pattern import lazy
from .secret_values import is_filled_in, is_strong
from .values_in_sentences import (
    OTHER_CODE,
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

Place = tuple[int, int]

WINDOW = 170
"""How many characters after its noun a value may end."""
GAP = 60
"""How many characters may say whose password it is."""

LETTER = "A-Za-z0-9_À-ɏЀ-ӿ"
_BEFORE = rf"(?<![{LETTER}@/.$=])"
_AFTER = rf"(?![{LETTER}]|-[a-z]|[(\[/]|\.\w)"
_NOUNS: tuple[tuple[str, bool, str, str], ...] = (
    # Kind, whether only a text with a number has one, hints, and pattern
    (
        "question",
        False,
        "question answer frage maiden mädchen pregunta respuesta domand pergunta vraag vragen pytani memorable 密保 安全问题 秘密",
        rf"{_BEFORE}(?:{words.SECURITY_QUESTIONS}){_AFTER}",
    ),
    (
        "code",
        True,
        "cod kod код combin combo kombi key schlüssel schloss szyfr segredo",
        rf"{_BEFORE}(?:{words.CODE_NOUNS}){_AFTER}",
    ),
    (
        "pin",
        True,
        "pin puk tan otp 2fa mfa cvv cvc zahl geheim secret segreto confid crypto пин number clave sicher",
        rf"{_BEFORE}(?:{words.PIN_NOUNS}){_AFTER}",
    ),
    (
        "password",
        False,
        "pass pasw psw pwd pw p.w p/w p4 p@ p*  ssw cred word kennw passw zugang login anmelde mdp mot contra palab parol palav senha"
        " wacht waht hasł hasl lösen adgang salas heslo jelsz şifre парол المرور السر पासवर्ड סיסמה phrase",
        rf"{_BEFORE}(?:[a-zäöü]{{2,20}}-?(?=passwort|kennwort|wachtwoord|lösenord|geheimzahl))?(?:{words.PASSWORD_NOUNS}){_AFTER}",
    ),
    (
        "secret",
        True,
        "secret token",
        rf"{_BEFORE}(?:(?:(?:signing|webhook|shared|client|app|jwt|hmac|api) )?secret|token){_AFTER}",
    ),
    (
        "key",
        False,
        "wifi wi-fi wlan wpa router network netz réseau hotspot box ssid sieć rete rede clave internet",
        rf"{_BEFORE}(?:{words.KEY_NOUNS}){_AFTER}",
    ),
    ("sign", False, "🔑 🔐 🔒 🗝", "[🔑🔐🔒🗝\ufe0f]+"),
    ("eastern_code", True, "码 番号 コード キー 密码 번호 ダイヤル 暗号", words.EASTERN_CODES),
    ("eastern", False, "密 口令 パスワード 合言葉 キー 비밀 패스", words.EASTERN_PASSWORDS),
)
_NOUN_PATTERNS = tuple(
    (kind, numbered, tuple(hints.split()), lazy(shape)) for kind, numbered, hints, shape in _NOUNS
)
_LABELS = {
    "question": "security answer",
    "pin": "PIN",
    "code": "access code",
    "eastern_code": "access code",
}
_FILL = (
    r"(?:\s+(?:still|now|just|literally|currently|always|simply|actually|again|only|really|basically|probably|jetzt|nun|wieder|immer noch|noch|ab sofort"
    r"|uh|um|erm|ehm|äh|ähm|euh|eh|like|been|so|ahora|ya|maintenant|désormais|toujours|adesso|ora|agora|teraz|już|nu|nog|weer|encore|ainda|siempre|bara|helt enkelt|simpelthen|rett og slett|fortfarande|stadig|fortsatt|the word|das wort|le mot|spelled|spelt)(?!\w))*"
)
_COPULAS = (
    "is|iz|are|was|be|has been|had been|will be|should be|used to be|heißt|sein|reads|says|equals|remains|stays|becomes|ist|lautet|lauten|war|wäre|bleibt|est|c['’]est|était|sera|reste|es|era|será|está|sigue siendo"
    "|è|rimane|é|continua|jest|brzmi|it['’]s|which is|that is|mine is|still|siendo|immer noch"
)
_LINK = lazy(
    r"(?i)(?P<sign>\s*(?::|：|=+>?|->|→|⇒)\s*(?:(?:now|adesso|ora|ahora|maintenant|jetzt|agora|teraz|nu|it['’]s|it is|c['’]est|is|ist|est|es|è|é|jest|to)\s+){0,2})|\s+(?P<dash>[–—-])\s+|(?P<eastern>\s*(?:是|为|為|は|が|改成|改为)\s*(?:现在|今)?)"
    rf"|(?:(?<=[\s\"'”»*`),])|\s)(?P<copula>{_COPULAS}){_FILL}\s*:?\s+|(?P<apostrophe>['’]s)\s+|\s(?P<northern>är|er|on|je|a|to){_FILL}\s+"
)
_CHANGED = lazy(rf"(?i)(?<!\w)(?:{words.CHANGES})(?!\w)")
_CHANGE_LINK = lazy(r"(?i)\s(?:to|auf|in|en|à|por|para|naar|na|su|a)\s+|\s*改成|\s*改为")
_VERB = lazy(
    r"(?i)(?<!\w)(?:must|should|has to|have to|may|can|will|would|expires?|lives|belongs|muss|soll|wird|steht|liegt|doit|peut|debe|puede|deve|può|moet|staat|musi|"
    r"and (?:nobody|the|it|then)|that|because|but|dass|aber|mais|pero|maar|y (?:el|la)|et (?:le|la)|und (?:der|die|das)|where|when|wenn|quand|cuando|forgot\w*|vergessen|oubli\w*|olvid\w*|reset link|policy)(?!\w)"
)
_NETWORK = lazy(rf"(?i)(?<![{LETTER}])(?:{words.NETWORK_WORDS})(?![{LETTER}])|无线|wi-?fi")
_LOGIN = lazy(rf"(?i)(?<![{LETTER}])(?:{words.LOGIN_WORDS})(?![{LETTER}])")
_GIVEN = lazy(
    r"(?i)(?<!\w)(?:tell|give|say|use[sd]?|type|enter|with|using|have|set|need|needs|requires|wants|brauchst|brauche|als|mit|nenne|sag|come|comme|avec|con|como|com|met|z|jako|dis|donne|di|dì|diga|messo|puesto)(?!\w)"
    r"[^.,;:\n]{0,30}$"
)
_ORDER = lazy(
    r"(?i)[,;]?\s+(?:it['’]s|it is|say|type(?: in)?|enter|use|put(?: in)?|tell (?:them|him|her)|sag|gib|dis|di|pon|scrivi|usa|wpisz|zeg|typ)\s+"
)
_LISTED = lazy(
    r"(?i)(?:[,;/|–—(&+\n]\s*|(?<!\w)(?:and|und|et|y|e|i|en|plus)\s+)(?:(?:the|das|le|la|el|il|het|mein|my|its|sein|o|a)\s+)?$"
)
_SENTENCE_END = lazy(r"[.;!?。！？](?=\s|$|[^\w\s])|[。！？]|\n\s*\n|\x00")
_NEXT_WORD = lazy(r"\s+([^\W\d_]+)")
_ASKED = lazy(
    r"(?i)(?:^|[.!?\n–-]\s*|[\"“„«(¿])\s*(?:what|which|where|who|how|is|was|does|do|wie|welche\w*|wo|quel\w*|où|cuál|qué|dónde|qual\w*|che|wat|welk|jaki\w*|gdzie)\b[^.!?\n]{0,60}$"
)
_NO_VALUE_LIST = """
    policy policies reset resets manager managers field fields file files hash hashes
    hashing rotation protection protected length strength expiry expiration generator
    checker prompt prompts hygiene sharing storage requirements requirement rules rule
    history reuse recovery attempt attempts guessing cracking leak leaks breach login
    authentication must should may can will would forgotten vergessen muss soll darf kann
    wird oublié doit peut debe puede deve può moet kan musi control stamp pad pads
    przewodnie letter
"""
_NO_VALUE = frozenset(_NO_VALUE_LIST.split())


def find_spoken_secrets(text: str) -> Iterator[Finding]:
    """Every secret that a sentence tells, perhaps overlapping."""
    lower = lowered(text)
    number = has_number(lower)
    for kind, noun, end in _nouns(lower, number=number):
        if not (meant := _meaning(text, noun, kind)) or _DENIED.search(
            lower, max(0, noun.start() - 40), noun.start()
        ):
            continue
        place = _told(text, noun, meant, end) or _told_before(text, noun, meant)
        if place is None and meant in ("password", "eastern"):
            place = _odd_word(text, noun, end)
        if place:
            yield Finding(CREDENTIAL, _LABELS.get(meant, "password"), *place)
    from .logins import find_logins, find_typed_codes

    if number:
        yield from find_typed_codes(text, lower)
    yield from find_logins(text, lower)


def _meaning(text: str, noun: re.Match[str], kind: str) -> str:
    """How the value of a noun is read; nothing for a key of a door or the code of a country."""
    if kind == "code" and (
        OTHER_CODE_AFTER.match(text, noun.end())
        or OTHER_CODE.search(text, max(0, noun.start() - 16), noun.start())
        or _SHOP.search(text, max(0, noun.start() - 60), noun.end() + 60)
    ):
        return ""
    if kind == "sign":
        return "password"
    if kind != "key":
        return kind
    if text[noun.start() - 1 : noun.start()] == "-":
        return ""
    if _is_network_key(text, noun) or _CLAVE_OF.match(text, noun.start()):
        return "password"
    return "secret" if noun.group() == "clave" else ""


def _nouns(lower: str, *, number: bool) -> Iterator[tuple[str, re.Match[str], int]]:
    """Every noun for a secret, with its kind and how far its value may stand.

    That is up to the next noun of its kind, so that a row of nouns costs no more than its length.
    """
    for kind, numbered, hints, pattern in _NOUN_PATTERNS:
        if (numbered and not number) or not any(map(lower.__contains__, hints)):
            continue
        last: re.Match[str] | None = None
        for noun in pattern.finditer(lower):
            if last:
                yield kind, last, min(noun.start(), last.end() + WINDOW)
            last = noun
        if last:
            yield kind, last, min(len(lower), last.end() + WINDOW)


_WORD = lazy(r"(?<![^\s\"'“„«(:>–—])[^\s\"“”„«»(),;:<>|/\\={}\[\]`]{5,40}")
_ABOUT = lazy(
    r"(?i)\b(?:hash\w*|algorithm|api|endpoint|field|function|class|method|column|table|schema|test|tests|release|commit|bug|ticket|issue|docs?|documentation|version|standard|"
    r"policy|rule|regex|pattern|length|entropy|manager|must|should|never|always|reset|expir\w+|rotat\w+|leaked|breach\w*|vault|1password|bitwarden|keepass\w*|lastpass)\b"
)


def _odd_word(text: str, noun: re.Match[str], end: int) -> Place | None:
    """A word that is nothing but a password, near the noun in an everyday note."""
    start = max(0, noun.start() - 60)
    if _ABOUT.search(text, start, end):
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
_DENIED = lazy(
    r"(?:(?<!\w)(?:no|without(?: an?)?|needs? no|kein(?:e[nrms]?)?|ohne|sans|pas de|sin|senza|sem|zonder|geen|bez|utan|uden|uten|ingen|inget|без)\s+|"
    r"(?:\be\.\s?g\.|\bfor (?:example|instance)|\bexample|\bz\.\s?b\.|\bpar exemple|\bpor ejemplo|\bad esempio|\bper esempio|\bbijv\.|\bnp\.|\bnapř\.|\bnever use \S+ as an?|\bcommon(?:est)?)[\s:,(\"“„«]*)$"
)
"""There is no password, or only an example of one."""
_SHOP = lazy(rf"(?i){words.SHOP_WORDS}")
OTHER_CODE_AFTER = lazy(rf"(?i)[ -](?:{words.OTHER_CODES_AFTER})(?!\w)")
_CLAVE_OF = lazy(
    r"(?i)clave (?:de|del|para|en) (?!(?:la |el |tu |mi |su )?(?:éxito|vida|felicidad|problema|asunto|todo|receta|cuestión|negocio|sol|fa|do)\b)"
)


def _is_network_key(text: str, noun: re.Match[str]) -> bool:
    return bool(
        _NETWORK.search(text, max(0, noun.start() - 90), noun.end())
        or _NETWORK.search(text, noun.end(), noun.end() + 40)
    )


def _told(text: str, noun: re.Match[str], kind: str, end: int) -> Place | None:  # noqa: PLR0911 - one line for each form of a sentence
    """The place of the value that a sentence gives to a noun."""
    start = noun.end()
    if text[start : start + 1] in "\"'”»*`" and text[start : start + 2] not in ("**", "'s", "’s"):
        start += 1
    if (after := _NEXT_WORD.match(text, start)) and after[1].lower() in _NO_VALUE:
        return None
    asked = bool(_ASKED.search(text, max(0, noun.start() - 80), noun.start()))
    stop = _SENTENCE_END.search(text, start, end)
    limit = stop.start() if stop else end
    if not asked and (beside := _beside(text, noun, kind, start, end)):
        return beside
    for link in _LINK.finditer(text, start, end):
        gap = text[start : link.start()]
        far = (
            link.start() > limit
            or len(gap) > GAP + 20 * bool(link["sign"])
            or bool(_VERB.search(gap))
        )
        if far and not (link["sign"] or link["copula"] in _ANSWERS):
            continue
        if value := _linked(text, noun, kind, link, end, doubtful=asked or far, gap=gap):
            return value
        if link["sign"] and not gap.strip():
            return None
    if (order := _ORDER.match(text, start, end)) and not _is_code(kind) and kind != "question":
        return read_value(text, order.end(), end, plain=True, copula="is")
    for again in _NEW_ONE.finditer(text, start, end):
        value = (
            read_code(text, again.end(), end + 40, letters=kind != "pin")
            if _is_code(kind)
            else read_value(text, again.end(), end + 40, plain=True, copula="is")
        )
        if value:
            return value
    if stop and stop.group() == "?" and (answer := _answered(text, kind, stop.end(), end)):
        return answer
    return None if asked else _changed(text, noun, kind, start, limit, end)


_ANSWERS = ("it's", "it’s", "which is", "c'est", "c’est", "mine is", "is", "ist", "es", "è", "é")
_NEW_ONE = lazy(
    r"(?i)(?<!\w)(?:new one is|new one['’]s|changed it to|now it['’]s|it['’]s now|it is now|richtig ist|das neue ist|neu ist|es ist jetzt|ist jetzt|jetzt ist es|le nouveau(?: est|,? c['’]est)"
    r"|maintenant c['’]est|c['’]est maintenant|la nueva es|el nuevo es|ahora es|la nuova è|adesso è|ora è|a nova é|agora é|het nieuwe is|is nu|nu is het|nowe to|teraz (?:to|jest)|现在是|新的是|今は)(?![A-Za-zÀ-ɏ])\s*:?\s*"
)


_NUMERIC = lazy(r"(?<=[\s,:\"“])(?=\d[\d -]{2,})")


def _answered(text: str, kind: str, at: int, end: int) -> Place | None:
    """The number or the odd word with which somebody answers the question for a code."""
    if _is_code(kind):
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
    if link["northern"] and not _NORTHERN.match(noun.group()):
        return None
    if _is_code(kind):
        return read_code(text, at, end, letters=kind != "pin")
    if kind == "secret":
        value = read_value(text, at, end, plain=False)
        return value if value and _is_mixed(text[slice(*value)]) and not link["sign"] else None
    if kind == "question":
        return _answer(text, at, end)
    copula = (link["copula"] or "").lower()
    eastern = (
        bool(link["eastern"])
        and text[at : at + 1].isascii()
        and not _MANAGED.search(text, at, at + 40)
    )
    aside = gap.count(",") == 1 and not gap.rstrip().endswith(",")
    plain = eastern or not (doubtful or link["eastern"] or aside)
    plain = plain and not _is_general(text, noun, gap)
    if link["apostrophe"] and gap.strip():
        return None
    value = read_value(text, at, end, plain=plain, copula=copula)
    if value and doubtful and not _is_odd(text[slice(*value)]):
        return None
    if value is None or is_fiction(text, noun.start()) or is_fiction(gap, len(gap)):
        return None
    if link["eastern"] and not text[value[0]].isascii() and text[value[0] - 1] not in '「『"“':
        return None
    return value


_SEVERAL = lazy(
    "(?:pass(?:words|phrases|codes)|passwörter|kennwörter|credentials?|creds?|zugangsdaten|logindaten|anmeldedaten|contraseñas|senhas|hasła|wachtwoorden)$"
)
"""Nouns of several things: a plain word after one of them says how they are."""
_ANY = lazy(r"(?i)(?<!\w)(?:an?|any|every|ein|jedes|une?|una|uma|een|ett|en|et)\s$")


def _is_general(text: str, noun: re.Match[str], gap: str) -> bool:
    """Whether a sentence is about several passwords or any: `a password is like a toothbrush`."""
    return bool(
        _SEVERAL.match(noun.group())
        or (not gap.strip() and _ANY.search(text, max(0, noun.start() - 8), noun.start()))
    )


_MANAGED = lazy("加密|暗号化|管理|にあ|保存")
_ASKS = lazy(
    r"(?i)\b(?:name|pet|city|street|school|teacher|favou?rite|first|what|which|annoying|haustier|lieblings\w*|animal|ville|nombre|mascota)\b"
)


def _is_mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _is_odd(value: str) -> bool:
    """A word that cannot be part of a sentence."""
    return bool(re.search(r"\d|[!$#&*_]|[a-z]\.[A-Z]|\w \w \w ", value)) and not re.fullmatch(
        r"\d{1,2}:\d{2}|[\d.,]+", value
    )


_FEW_WORDS = lazy(r"[\"“„«']?([^\W\d_][^.,;:!?\n\"”»()]{2,50})")


def _answer(text: str, at: int, end: int) -> Place | None:
    """The answer to a security question: a few words up to the end of the clause."""
    match = _FEW_WORDS.match(text, at, end)
    if (
        not match
        or is_description(match[1].split()[0], "is")
        or _ASKS.search(match[1])
        or len(match[1].split()) > 6
    ):
        return None
    return match.span(1)


_NORTHERN = lazy("(?i)lösenord|passord|adgangskode|salasana|heslo|jelsz|has[łl]")


def _is_code(kind: str) -> bool:
    return kind in ("pin", "code", "eastern_code")


def _beside(text: str, noun: re.Match[str], kind: str, start: int, end: int) -> Place | None:  # noqa: PLR0911 - one line for each form of a sentence
    """A value right after its noun: `PIN 5520`, `user airflow, password tulip`, `password (…)`."""
    if kind == "eastern":
        match = _IN_ASCII.match(text, start, end)
        return match.span() if match and match.group().lower() not in words.DESCRIPTIONS else None
    if not (gap := _GAP.match(text, start, end)):
        return None
    at = gap.end()
    if _is_code(kind):
        owner = _AFTER_OWNER.match(text, at, end)
        at = owner.end() if owner else at
        value = read_code(text, at, end, letters=kind != "pin")
        return value if value and _is_given_code(text, noun, value) else None
    if kind in ("question", "secret") or text[at : at + 1] in "<[{$":
        return None
    before = text[max(0, noun.start() - 110) : noun.start()]
    listed = bool(_LISTED.search(before[-30:])) and bool(
        _LOGIN.search(before) or _NETWORK.search(before)
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
    value = read_value(text, at, end, plain=plain, phrase=not bare)
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
_GAP = lazy(r"[ \t]+(?:\([^)\n]{1,30}\)\s*|\()?|,\s+(?=\S*[\d!$#&*_])")
_ENDS = lazy(
    r"(?i)[*\"'”»`]{0,2}\s*(?:[.,;!?)/\n–—-]|$|(?:and|then|und|dann|et|puis|y|luego|e|poi|en|dan|i|until|bis)(?!\w))"
)
_IDENTIFIER = lazy(r"[a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|base\d+|[a-z]+=.*|.*\(.*")
_AFTER_OWNER = lazy(
    r"(?i)(?:(?:for|of|to|von|vom|für|fürs|de|del|du|di|do|da|van|voor|od)\s[^.,;:\d\n]{1,40}?\s(?=[#*]?\d))?"
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


def _told_before(text: str, noun: re.Match[str], kind: str) -> Place | None:
    """`Use … as the password`, `… is your verification code`."""
    after = _NEXT_WORD.match(text, noun.end())
    if kind == "secret" or (after and after[1].lower() in _NO_VALUE):
        return None
    if used := _USED_AS.search(text, max(0, noun.start() - 90), noun.start()):
        said = used["value"].strip("\"'“”„«»")
        if is_filled_in(said) and not is_description(said.split()[0]) and not _is_code(kind):
            return used.span("value")
    start = max(0, noun.start() - 90)
    match = _BEFORE_NOUN.search(text, start, noun.start())
    if not match:
        return None
    at = match.start("value")
    as_ = match["link"].lower() in _AS
    if _is_code(kind):
        value = read_code(text, at, match.end("value"), letters=True)
    else:
        value = read_value(text, at, match.end("value") + 1, plain=False)
        used = as_ and _USED.search(text, max(0, at - 25), at)
        opening = not as_ and re.search(r"(?:^|[.!?\n:–—]\s*)$", text[max(0, at - 4) : at])
        if value is None and _is_word(match["value"]) and (used or opening):
            value = at, match.end("value")
    return None if value is None or is_fiction(text, noun.start()) else value


_USED_AS = lazy(
    r"(?i)\b(?:use[sd]?|using|nehme|nimm|nahm|verwende|benutze|utilise|mets|mis|uso|usa|usamos|utilizo|pongo|metto|gebruik|neem|używam|użyj|picked|chose|choose|took|take|set)\s+"
    r"(?P<value>[^.,;:\n]{3,40}?)\s+(?:as|als|comme|como|come|jako)\s+(?:\S+\s+){0,3}$"
)
_AS = ("as", "als", "comme", "como", "come", "jako", "for", "für", "pour", "para", "per")
_BEFORE_NOUN = lazy(
    r"(?i)(?<![\w@/.-])(?P<value>(?!(?:what|which|quel\w*|qual\w*|cuál|was|wat|que|there|here|that|this|it|welche\w*|jak\w*|vil\w*|hvil\w*|как\w*)\b)[\"“„«'][^\"”“»'\n]{2,50}[\"”“»']|\d{1,4}[ -]\d{2,4}|(?!(?:what|which|quel\w*|qual\w*|cuál|was|wat|que|there|here|that|this|it|welche\w*|jak\w*|vil\w*|hvil\w*|как\w*)\b)[^\s,;:()\"“„«¿¡]{3,60})\s+(?P<link>as|als|comme|como|come|jako|is|ist|est|es|è|é|jest|to|är|er|was|war|for)\s+"
    r"(?:(?:the|a|my|our|his|her|their|its|your|new|old|only|das|dein|mein|unser|ihr|ein|le|mon|notre|votre|la|mi|su|tu|el|il|mia|sua|tua|una|un|o|minha|meu|het|mijn|een|moje|de|current|admin|neues|neue|google|bank|unique|one-time)\s+){0,4}$"
)
_USED = lazy(
    r"(?i)\b(?:use[sd]?|with|nimm|nehme|verwende|mit|utilise|mets|avec|usa|pon|con|usamos|metti|com|gebruik|met|użyj|wpisz|set|pick(?:ed)?|chose|take|try|put|enter)\s+[\"“„«']?$"
)


def _is_word(value: str) -> bool:
    return len(value) >= 4 and value.replace("-", "").isalpha() and not is_description(value)


def _changed(
    text: str, noun: re.Match[str], kind: str, start: int, limit: int, end: int
) -> Place | None:
    """`changed the password of the box to …`."""
    if not _CHANGED.search(text, max(0, noun.start() - 50), limit):
        return None
    for link in _CHANGE_LINK.finditer(text, start, limit):
        if _is_code(kind):
            value = read_code(text, link.end(), end, letters=False)
        else:
            plain = link.group().strip().lower() in ("to", "auf", "naar", "por")
            value = read_value(text, link.end(), end, plain=plain)
        if value:
            return value
    return None
