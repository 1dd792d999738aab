"""Tell a password from a placeholder, a variable, a path and the next word of a sentence."""

from __future__ import annotations

import re
from itertools import pairwise

from ...model.lazy_pattern import lazy
from .findings import UUID

_PLACEHOLDER = lazy(
    r"(?i)(?:(?P<one>[*•.x#_~?…?0\-])(?:(?P=one)|-){2,}|\.{2,}|.*…|.*\.{3}|\$[\w({].*|%\w+%|\{(?!(?:noop|plain|xor|b(?:ase)?64)\}).*|<.*|\[.*|&\w.*|@\w+|@[A-Z]\w+\.\w+\(.*|:'?\w+'?|"
    r"(?:your|my|the|some|an?|example|sample|dummy|fake|test|foo|bar|placeholder|insert|enter|replace|change|add|put|paste)"
    r"(?:[ _.-]?(?:me|here|this|it)|[_.-].*|\d*)|changeit|"
    r".*(?:_here|-here|placeholder|example(?:key)?|redacted|replace[_-]?me|change[_-]?me|dummy)|"
    r"redacted.*|removed.*|hidden|masked|secret|pass|password|passwd|passwort|pwd|pw|token|api_?key|key|value|"
    r"none|null|nil|undefined|nan|true|false|yes|no|required|optional|string|str|bytes|empty|unset|"
    r"(?:annotated|option(?:al)?|vec|box|arc|list|union|literal|maybe|promise|readonly|secret)[\[<].*|"
    r"(?:wrong|incorrect|invalid|bad|(?:too[-_]?)?(?:short|weak|long)|falsch|faux|errat[ao])(?:[-_\s]?(?:password|passwd|passwort|pw|pass|one|token|key|secret))?\d?|"
    r"[\w.$]+\([^()\n]*\)\.\w+\(.*|\w+=\{.*|id_(?:rsa|dsa|ecdsa|ed25519)\w*(?:\.pub)?\.?|"
    r"\w+=(?:self|this|os|env|config|settings|args|request)\..*|option(?:al)?|"
    r"(?:confirm(?:ed|ation)?|repeat(?:ed)?)(?:_?passw(?:or)?d)?\d?:?|pw\d|"
    r"(?:xxx+|yyy+|zzz+|aaa+|abc|abcd|foo|bar|baz|foobar|lorem|user(?:name)?|pass(?:word)?|me)|"
    r".*(?:\\[swd][*+{?]|\[\^|\(\?).*|pk_(?:live|test)_.*|!(?:vault|secret|env|env_var|ref|sub|getatt|include|reference)\b.*|sealed:.*|enc\[.*|encrypted.*|"
    r"(?:focus|hover|active|visited|disabled|invalid|placeholder\S{0,20}|before|after|not|first-\w+|last-\w+)[{:(,].*|\((?!.*\)).*|"
    r"(?:os|process|env|config|settings|self|this|options|opts|args|params|secrets|vault|req|request|ctx|var|local|"
    r"module|data|props|state|user|form|cfg|conf|app|values|import|input|event|body|account|credentials?)"
    r"[.\[(].*|(?:get|read|load|fetch|ext|input|prompt|getpass|lookup|ref|file|env|op|arn|vault|ssm|keyring|gcp|aws|azure"
    r"|secretsmanager|projects|bao|pass|sops|kv):.*|[a-z]+://.*|"
    r"(?:ctrl|strg|alt|shift|cmd|win|fn|option)\+.*|[\w.$]+\((?:[^)]*|.*\)[\]).;,}]*)|(?:~|\.{0,2})/.*|[a-z]:\\.*|\w+_(?:password|passwd|pass|secret|token|key)(?:,\w+)*|"
    r"\w*(?:Password|Passwd|Secret|Token)(?:Field|Input|Hash)?)"
)
_WORDS = lazy(r"[^\W\d_]+(?:[-'’/.][^\W\d_]+)*")
_DOTTED = lazy(r"[a-zß-ÿ]\.[A-Z]")
_COUNT = lazy(
    r"(?i)\d+[-–.:%]?(?:[a-z]{0,5}|(?:minute|second|character|letter|month|digit)s?|percent)"
)
_MAIL = lazy(r"(?i)[^@\s]+@[^@\s]+\.[a-z]{2,}")
_NAME = lazy(r"[A-Za-z]+(?:[._-]+[A-Za-z]+\d{0,3})*")
_DATA = lazy(
    r"[a-z]+(?:[/-][a-z]+)*/v?\d+(?:\.\d+)*|\d{4}-\d{2}-\d{2}.*|v?\d+(?:\.\d+)+.*|[a-z]+(?:-[a-z0-9]+)+"
)
_UUID = lazy(f"(?i){UUID}")
_ROW = lazy(r"(.)\1{3,}")
_CURRENCY = r"(?:€|\$|£|¥|(?:eur|usd|gbp|chf|jpy|sek|nok|dkk|pln|czk|cad|aud|inr)\b)"
_MEASURE = lazy(
    rf"(?i){_CURRENCY}[ \t]?\d[\d.,'’]*(?!\w)|\d[\d.,'’]*[ \t]?(?:{_CURRENCY}|%)"
    r"|(?:19|20)\d\d-[01]\d-[0-3]\d(?![\w-])|[0-3]?\d[./][01]?\d[./](?:19|20)\d\d(?!\w)"
)
_WITH_UNIT = lazy(r"(?P<count>\d[\d.,'’]*|[^\W\d_]+)[ \t]+(?P<unit>[^\W\d_]+)")
_TICKET = lazy(
    r"(?i)(?<![a-z])(?:lift|ski|bus|boarding|season|day|week|month(?:ly)?|year(?:ly)?|annual|museum"
    r"|gym|rail|train|tram|travel|transit|parking|mountain|interrail|swim|park|festival)"
    r"[ _.-]?pass\W{0,6}$"
)
_BARE_NUMBER = lazy(r"\d[\d.,]*(?!\w)")
LONG_ROWS, FEW_LETTERS = 12, 6
_FILE = lazy(
    r"(?i)[\w./-]*\.(?:py|js|ts|tsx|go|rs|java|md|txt|json|ya?ml|toml|env|cfg|conf|ini|pem|key|crt|sh|sql"
    r"|html?|css|png|jpe?g|svg|pdf|com|org|net|io|dev|example|local|internal)"
)


def is_filled_in(value: str) -> bool:
    """Not a placeholder, a variable or a path, also where invisible letters or escapes hide one."""
    if "&#" in value or not value.isascii():
        from .disguises import undisguised

        value = view.text if (view := undisguised(value)) else value
    if _PLACEHOLDER.fullmatch(value) or _asks_for_one(value):
        return False
    return len(value) < 8 or not _is_in_rows(value)


_PARTS = lazy(r"[^\W\d_]+")
_HUMP = lazy(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])")
_NUMBERED_END = lazy(r"[^\d\n]*\d{0,3}")
_ASKED_IN_ONE_WORD = lazy(
    r"(?:dein|ihr|mein|votre|ton|mon|tu|tua|sua|su|mi|minha|la)(?:passwort|kennwort|schlüssel|schluessel"
    r"|contraseña|contrasena|clave|motdepasse|senha|password|token|chave|chiave|clé|cle|jeton)"
    r"(?:aqui|aquí|ici|hier|qui)?"
)


def _asks_for_one(value: str) -> bool:
    """Whether a value asks in words for a value of the reader's: `dein-passwort-hier`, `cambiami`.

    Every word but one belongs to such a demand, and one of them makes it one.
    """
    from ...language.vocabulary.secrets import ASKED_FOR_WORDS, ASKING_FILLERS, ASKING_WORDS

    if not 4 <= len(value) <= 60 or not _NUMBERED_END.fullmatch(value):
        return False
    words = value if value.isupper() or value.islower() else _HUMP.sub("-", value)
    parts = _PARTS.findall(words.lower())
    if ASKING_WORDS.isdisjoint(parts):
        return len(parts) == 1 and bool(_ASKED_IN_ONE_WORD.fullmatch(parts[0]))
    strange = {*parts} - ASKING_WORDS - ASKED_FOR_WORDS - ASKING_FILLERS
    return not strange or (len(strange) == 1 and not ASKED_FOR_WORDS.isdisjoint(parts))


def _is_in_rows(value: str) -> bool:
    """Whether a value is rows of one letter, which documentation writes where a key would stand.

    A password may have a short row or two, but more letters beside them.
    """
    rows = sum(len(match.group()) for match in _ROW.finditer(value))
    return rows * 2 >= len(value) and (rows >= LONG_ROWS or len(set(value)) <= FEW_LETTERS)


def is_sample(value: str) -> bool:
    """Whether a manual made it up: `…EXAMPLE`, or rows of one letter."""
    return (
        _is_in_rows(value)
        or "EXAMPLE" in value
        or bool(re.search(r"(?i)x{8}|(?:123456789|abcdefgh)", value))
    )


def is_quoted(value: str) -> bool:
    """A quoted password: anything but a sentence or a placeholder."""
    return is_filled_in(value) and " " not in value.strip()


def is_assigned(value: str) -> bool:
    """A value that a file or a command gives to a password; a plain word is one too."""
    return len(value) >= 3 and is_filled_in(value) and not _FILE.fullmatch(value)


def is_written(value: str) -> bool:
    """A value in a file or a command, but no description such as `required`."""
    from ...language.vocabulary.secrets import DESCRIPTIONS

    return is_assigned(value) and value.lower().strip(".,;:!?)") not in DESCRIPTIONS


def is_measure(text: str, start: int) -> bool:
    """Whether an amount of money, a count with its unit, a percentage or a date begins there.

    `lift_pass: 132 euros` names a ticket, and so does a number alone after such a word.
    """
    from ...language.vocabulary.secrets import NUMERALS, UNITS

    if _MEASURE.match(text, start):
        return True
    counted = _WITH_UNIT.match(text, start)
    if counted and counted["unit"].lower() in UNITS:
        count = counted["count"].lower()
        return count[0].isdigit() or count in NUMERALS
    return bool(_TICKET.search(text[:start]) and _BARE_NUMBER.match(text, start))


def is_sealed(text: str, start: int) -> bool:
    """Whether a value can be opened by its cluster only; such a value begins with `Ag`."""
    return text.startswith("Ag", start) and bool(_SEALED.search(text))


_SEALED = lazy("(?i)sealedsecret|encrypteddata")


def is_in_url(value: str) -> bool:
    """A password in an address, and not the capitals with which a manual writes one."""
    return is_filled_in(value) and not re.fullmatch("[A-Z_]+(?:[@:/][A-Z_]+)*", value.rstrip("`"))


def is_plain(value: str) -> bool:
    """Whether a word is written as words of a sentence are."""
    return (
        bool(_WORDS.fullmatch(value))
        and not has_inner_capitals(value)
        and not _DOTTED.search(value)
    )


def is_strong(value: str) -> bool:
    """A word that no sentence has: digits or signs among letters, or capitals inside."""
    if (
        len(value) < 4
        or not is_filled_in(value)
        or _MAIL.fullmatch(value)
        or _FILE.fullmatch(value)
    ):
        return False
    if _COUNT.fullmatch(value) or re.fullmatch(r"[\d.,:/+-]+", value):
        return False
    return not is_plain(value) or has_inner_capitals(value)


def is_token(value: str) -> bool:
    """A secret without a format of its own has letters and digits, and is no name, date or path."""
    if not is_filled_in(value) or _NAME.fullmatch(value) or _MAIL.fullmatch(value):
        return False
    if not any(c.isdigit() for c in value) or not any(c.isalpha() for c in value):
        return False
    return not _DATA.fullmatch(value) or bool(_UUID.match(value))


def is_random(value: str) -> bool:
    """Letters and digits that no person would make up as a name."""
    if not is_token(value) or len(value) < 16 or _FILE.fullmatch(value):
        return False
    digits = sum(c.isdigit() for c in value)
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))
    return digits >= 2 and turns >= 3 and value.count("/") < 3


def is_basic(value: str) -> bool:
    """Whether the value of a `Basic` header is an encoded `user:password`."""
    password = encoded_password(value)
    return password is not None and is_filled_in(password)


def encoded_password(value: str) -> str | None:
    """The password of an encoded `user:password`."""
    import base64

    try:
        said = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except ValueError:
        return None
    user, colon, password = said.partition(":")
    return password if colon and user and said.isprintable() else None


def is_bearer(value: str) -> bool:
    """A token, rather than `bearer authentication`."""
    return is_filled_in(value) and any(c.isdigit() for c in value)


def has_inner_capitals(value: str) -> bool:
    """As in `korrectHorseBattery`, but not `README` or `GitHub`."""
    return len(value) >= 8 and not value.isupper() and sum(c.isupper() for c in value[1:]) >= 2
