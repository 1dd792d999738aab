"""Find the credentials and personal data of a text.

Cheap checks come first, because most texts hold neither; detectors are imported only when a text
gives a reason.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..parameters import ScreeningPolicy
    from .findings import Finding

LONG_WORD = 16
"""No credential with a format of its own is shorter."""
SYNTAX_HINTS = (
    "pass", "pwd", "pw", "secret", "token", "key", "cred", "auth", "cookie", "sess", "basic",
    "bearer", "otp", "://", "mdp", "clave", "contrase", "senha", "parol", "пароль", "密码",
    "パスワード", "kennwort", "-u ", "--user", "-a ", "echo ", "<<<", "identified", "mysql",
    "mariadb", "mongo", "openssl", "ctl ", "net us", "sqlplus", "lftp", "-p ", "oracle:",
    "code:", "pin:", "code=", "pin=",
)  # fmt: skip
"""Lower-case hints; a text without one and without a long word holds no secret of a program."""
SPOKEN_HINTS = (
    "pass", "pwd", "pw", "mdp", "secret", "segret", "secrèt", "token", "cred", "paswo",
    "pasw", "psw", "ssw", "contra", "senha", "palavra", "palabra", "parol", "mot de", "motde",
    "kennw", "geheim", "zugang", "wacht", "waht", "hasł", "haslo", "lösenord", "adgang",
    "salasana", "heslo", "jelsz", "şifre", "парол", "пин", "密", "口令", "パスワード",
    "暗", "合言葉",
    "秘", "비밀", "패스", "المرور", "पासवर्ड", "סיסמה", "wifi", "wi-fi", "wlan", "wpa", "ssid",
    "clave", "maiden", "y question", "secret q", "sicherheitsfrage", "pregunta", "domanda",
    "pergunta", "pytani", "memorable", "magic word", "seed", "mnemonic", "wallet", "ledger",
    "bitcoin", "crypto", "krypto", "12 w", "twelve word", "palabras", "récup", " mots",
    "wörter", "parole", "woorden", "słów", "助记", "login", "log in", "log into", "logged in",
    "sign in", "account", "🔑", "🔐", "🔒", "🗝", "p/w", "p@", "p*",
)  # fmt: skip
"""Lower-case hints; a text without one tells no password in a sentence, but perhaps a number."""
OPENING_HINTS = (
    "with ", "enter", "type", "unlock", "prompt", "asks", "root", "rotat", "panel", " / ",
    "router", "connect", "anmeld", "meld", "acces", "accès", "avec", "con ", "mit ", "sign",
    "try ", "internet", "p4",
)  # fmt: skip
"""Lower-case hints that count only beside a word that no sentence has, such as `Tr0ut-lake`."""
CODE_HINTS = (
    "code", "códig", "codigo", "codic", "kod", "код", "pin", "puk", "tan", "cvv", "cvc",
    "key", "lock", "alarm", "allarm", "gate", "garage", "garaje", "safe", "combin", "kombi",
    "schloss", "tresor", "schlüssel", "coffre", "cadenas", "portail", "portal", "cajetín",
    "candado", "caja", "cancello", "cassaforte", "lucchetto", "portão", "cadeado", "cofre",
    "kluis", "slot", "poort", "sejf", "bram", "domofon", "番号", "コード", "码", "banking",
    "digicode", "suitcase", "keypad", "sleutel", "klucz", "キー", "answer", "haustür",
    "building", "door", "get in", "entrance", "tür", "porte", "puerta", "porta", "deur",
    "drzwi", "immeuble", "phone", "handy", "left", "links", "droite", "derecha",
)  # fmt: skip
"""Lower-case hints of a code or a lock; they count only beside a number."""
PERSONAL_HINTS = (
    "birth", "born", "dob", "geboren", "passport", "licen", "::", " street", " avenue", " road",
    " ave", " blvd", "boulevard", "straße", "strasse", "str.", "gasse", "allee", " box ", " apt",
)  # fmt: skip
"""Lower-case hints; a text without one, a long number or an @ holds no personal data."""

JOINT_HINTS = ("\n", '" ', "' ", '"+', "'+", "><", '" "')
"""Where a token may be broken into two."""

_NUMBER = (
    r"[0-9]|\b(?:two|three|four|five|six|seven|eight|nine|zwei|drei|vier|deux|trois|sept"
    r"|huit|dos|tres|siete|due|tre|sette|dois|oito|twee|zes|zeven|dwa|trzy)\b"
)
_ODD_WORD = r"[^\W\d_]{2}[!$#&*_%.-]*\d|[^\W\d_][!$#&*_][^\W\d_]|[a-z][.-][A-Z]|\d[^\W\d_]{3}"
_LONG_NUMBER = "[0-9](?:[A-Za-z ().,/:+-]{0,3}[0-9]){5}"

_PERSONS_NUMBER = rf"{_LONG_NUMBER}|[A-Z](?=[A-Z0-9]{{0,6}}[0-9])[A-Z0-9]{{7}}"


def screen(text: str) -> tuple[Finding, ...]:
    """Everything found in a text, in its order and without overlaps."""
    found = _secrets(text)
    if _may_be_personal(text):
        from .personal_data import find_personal_data

        found += find_personal_data(text)
    if not found:
        return ()
    from .findings import without_overlaps

    return without_overlaps(found)


def credentials_removed(text: str) -> str:
    """The text with a note in place of every credential and identity number, for messages."""
    found = _secrets(text)
    if not found:
        return text
    from .findings import PERSONAL, redacted_text, without_overlaps

    return redacted_text(text, without_overlaps(one for one in found if one.kind != PERSONAL))


def loggable(text: str, policy: ScreeningPolicy) -> str:
    """The text as a log may keep it: without credentials, and without what policy keeps out."""
    removed = ("redact", "block")
    if policy.personal not in removed and policy.identity in removed:
        return credentials_removed(text)
    from .findings import IDENTITY, PERSONAL, redacted_text

    kept = {
        kind
        for kind, action in ((PERSONAL, policy.personal), (IDENTITY, policy.identity))
        if action not in removed
    }
    return redacted_text(text, [one for one in screen(text) if one.kind not in kept])


def _secrets(text: str) -> list[Finding]:
    """Credentials, cards and identity numbers, perhaps overlapping."""
    import re

    found = list(_seen(text))
    if not text.isascii() or "%" in text or "\\" in text or "&#" in text:
        from .disguises import undisguised

        if view := undisguised(text):
            found += view.original(_seen(view.text))
    if any(map(text.__contains__, JOINT_HINTS)):
        from .credentials import find_split_credentials

        found += find_split_credentials(text)
    if _has_digit(text) and re.search(_PERSONS_NUMBER, text):
        from .personal_data import find_numbers

        found += find_numbers(text)
    return found


def _seen(text: str) -> Iterator[Finding]:
    long = max(map(len, text.split()), default=0) >= LONG_WORD
    if long:
        from .credentials import find_credentials

        yield from find_credentials(text)
    lower = text.lower()
    if long or any(map(lower.__contains__, SYNTAX_HINTS)):
        from .secrets_in_context import find_secrets

        yield from find_secrets(text)
    if _may_tell(text, lower):
        yield from _told(text)


def _told(text: str) -> Iterator[Finding]:
    """Secrets told in sentences, tables and lists of words."""
    from .findings import in_parts
    from .listed_secrets import find_listed_secrets
    from .spoken_secrets import find_spoken_secrets

    yield from in_parts(text, find_spoken_secrets)
    yield from in_parts(text, find_listed_secrets)


def _may_tell(text: str, lower: str) -> bool:
    """Whether a sentence may tell a password, a code or a list of words."""
    import re

    if any(map(lower.__contains__, SPOKEN_HINTS)):
        return True
    if any(map(lower.__contains__, CODE_HINTS)) and re.search(_NUMBER, lower):
        return True
    return any(map(lower.__contains__, OPENING_HINTS)) and bool(re.search(_ODD_WORD, text))


def _has_digit(text: str) -> bool:
    return any(map(text.__contains__, "0123456789"))


def _may_be_personal(text: str) -> bool:
    import re

    if "@" in text or (_has_digit(text) and re.search(_LONG_NUMBER, text)):
        return True
    lower = text.lower()
    return any(map(lower.__contains__, PERSONAL_HINTS))
