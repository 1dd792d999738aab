"""Find the nouns by which a sentence names a secret, and tell what kind of value each wants.

The word lists are in `language/vocabulary/secrets.py`.
"""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...language.vocabulary import secrets as words
from ...model.lazy_pattern import lazy
from .values_in_sentences import LETTER, OTHER_CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

WINDOW = 170
"""How many characters after its noun a value may end."""

_BEFORE = rf"(?<![{LETTER}@/.$=])"
_AFTER = rf"(?![{LETTER}]|-[a-z]|[(\[/]|\.\w)"
_NOUNS: tuple[tuple[str, bool, str, str], ...] = (
    # Kind, whether only a text with a number has one, hints, and pattern
    (
        "question",
        False,
        "maiden question answer frage maiden mädchen pregunta respuesta domand pergunta vraag vragen pytani memorable 密保 安全问题 秘密",
        rf"{_BEFORE}(?:{words.SECURITY_QUESTIONS}){_AFTER}",
    ),
    (
        "code",
        True,
        "cod cód kod код combin combo kombi key schlüssel schloss szyfr segredo",
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
        "p-a-s p.a.s pass pasw psw pwd pw p.w p/w p4 p@ p*  ssw cred word kennw passw zugang login anmelde mdp mot contra palab parol palav senha"
        " community psk share ww chiave chave clé clave inlog linkage kod codew codename code-n wacht waht hasł hasl lösen adgang salas heslo jelsz şifre парол المرور السر पासवर्ड סיסמה phrase frase satz spruch zin wifi wi-fi wlan",
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
NETWORK = lazy(rf"(?i)(?<![{LETTER}])(?:{words.NETWORK_WORDS})(?![{LETTER}])|无线|wi-?fi")
_DENIED = lazy(
    r"(?:(?<!\w)(?:no|without(?: an?)?|needs? no|kein(?:e[nrms]?)?|ohne|sans|pas de|sin|senza|sem|zonder|geen|bez|utan|uden|uten|ingen|inget|без)\s+|"
    r"(?:\be\.\s?g\.|\bfor (?:example|instance)|(?<![.@\w])example|\bz\.\s?b\.|\bpar exemple|\bpor ejemplo|\bad esempio|\bper esempio|\bbijv\.|\bnp\.|\bnapř\.|\bnever use \S+ as an?|\bcommon(?:est)?)[\s:,(\"“„«]*)$"
)
"""There is no password, or only an example of one."""
_NETWORK_DASH = lazy(r"(?i)(?<!\w)(?:wlan|wi-?fi|netzwerk|wpa2?)-$")
_SHOP = lazy(rf"(?i){words.SHOP_WORDS}")
_OTHER_CODE_AFTER = lazy(rf"(?i)[ -](?:{words.OTHER_CODES_AFTER})(?!\w)")
_CLAVE_OF = lazy(
    r"(?i)clave (?:de|del|para|en) (?!(?:la |el |tu |mi |su )?(?:éxito|vida|felicidad|problema|asunto|todo|receta|cuestión|negocio|sol|fa|do)\b)"
)


def find_nouns(text: str, lower: str, *, number: bool) -> Iterator[tuple[str, re.Match[str], int]]:
    """Every noun for a secret that a text may have: what its value is, and how far it may stand."""
    for kind, noun, end in _nouns(lower, number=number):
        meant = _meaning(text, noun, kind)
        if meant and not _DENIED.search(lower, max(0, noun.start() - 40), noun.start()):
            yield meant, noun, end


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


def _meaning(text: str, noun: re.Match[str], kind: str) -> str:
    """How the value of a noun is read; nothing for a key of a door or the code of a country."""
    if kind == "code" and (
        _OTHER_CODE_AFTER.match(text, noun.end())
        or OTHER_CODE.search(text, max(0, noun.start() - 16), noun.start())
        or _SHOP.search(text, max(0, noun.start() - 60), noun.end() + 60)
    ):
        return ""
    if kind == "sign":
        return "password"
    if kind != "key":
        return kind
    if text[noun.start() - 1 : noun.start()] == "-" and not _NETWORK_DASH.search(
        text, max(0, noun.start() - 12), noun.start()
    ):
        return ""
    if (
        _is_login_key(text, noun)
        or _is_network_key(text, noun)
        or _CLAVE_OF.match(text, noun.start())
    ):
        return "password"
    return "secret" if noun.group() == "clave" else ""


_LOGIN_KEY = lazy(
    r"(?i)(?<!\w)(?:usuario|user|login|cuenta)\W[^.\n]{1,30}(?:\s(?:y|con)|,)\s+(?:la\s+)?$|(?<!\w)como\s+$"
)


def _is_login_key(text: str, noun: re.Match[str]) -> bool:
    """`con el usuario soporte y la clave …`, `… como clave`."""
    start = max(0, noun.start() - 60)
    return noun.group() == "clave" and bool(_LOGIN_KEY.search(text, start, noun.start()))


def _is_network_key(text: str, noun: re.Match[str]) -> bool:
    return bool(
        NETWORK.search(text, max(0, noun.start() - 90), noun.end())
        or NETWORK.search(text, noun.end(), noun.end() + 40)
    )
