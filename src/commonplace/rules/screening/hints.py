"""Tell from a text's words which detectors it gives a reason to ask.

Most texts give none. A hint can only be in a text that has the hint's rarest two letters in a row,
so one pass over the letter pairs leaves a few of the hints to look for.
"""

from __future__ import annotations

import itertools

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
    "opens with", "opens to", "opened with", "unlocks with", "open it using", "decrypts",
    "protected with", "ouvre avec", "abre con", "abren con", "apre con", "abre com", "öffnet mit",
    "öffnet sich", "entsperrt", "opent met", "otwiera się",
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
    "drzwi", "immeuble", "phone", "handy", "left", "links", "droite", "derecha", "cash box",
    "cashbox",
    "hatch", "shutter", "turnstile", "bollard", "letter box", "storeroom", "disarm", "siren",
    " card", "cashpoint", "voicemail", "tablet", "ipad", "spind", "schließ", "schranke", "tankk",
    "bankk", "sperr", "casier", "serrure", "interphone", "carte", "antivol", "désarm",
    "déverr", "taquilla", "verja", "trastero", "cerradura", "tarjeta", "desbloq", "armadietto",
    "serratura", "bancomat", "sblocc", "cacifo", "fechadura", "slagboom", "bankpas", "szaf",
    "szlaban", "dörr", "skåp", "larm", "dør", "skab", "lås", "dveř", "zámk", "zámek", "trezor",
    "двер", "замо", "замк", "сейф", "ворот", "домофон", "сигнал", "ячейк", "хвіртк", "шлагб",
    "kapı", "kasa", "kilit", "금고", "도어락", "자물쇠", "사물함", "ロッカー", "柜",
)  # fmt: skip
"""Lower-case hints of a code or a lock; they count only beside a number."""
PERSONAL_HINTS = (
    "birth", "born", "dob", "geboren", "passport", "licen", "::", " street", " avenue", " road",
    " ave", " blvd", "boulevard", "straße", "strasse", "str.", "gasse", "allee", " box ", " apt",
)  # fmt: skip
"""Lower-case hints; a text without one, a long number or an @ holds no personal data."""

GROUPS = {
    "syntax": SYNTAX_HINTS,
    "spoken": SPOKEN_HINTS,
    "opening": OPENING_HINTS,
    "code": CODE_HINTS,
    "personal": PERSONAL_HINTS,
}


def _by_hint() -> dict[str, frozenset[str]]:
    """Each hint with the groups it belongs to."""
    groups: dict[str, frozenset[str]] = {}
    for group, hints in GROUPS.items():
        for hint in hints:
            groups[hint] = groups.get(hint, frozenset()) | {group}
    return groups


COMMON_FIRST = " etaoinsrhldcumfpgwybvkxjqz"
"""The letters by how often sentences have them."""


def _rarity(pair: tuple[str, str]) -> int:
    return sum(COMMON_FIRST.find(letter) % 30 for letter in pair)


def _by_pair() -> dict[tuple[str, str], list[tuple[str, frozenset[str]]]]:
    """The hints by the rarest two letters of each, which few texts have."""
    pairs: dict[tuple[str, str], list[tuple[str, frozenset[str]]]] = {}
    for hint, groups in _by_hint().items():
        if len(hint) > 1:
            pair = max(itertools.pairwise(hint), key=_rarity)
            pairs.setdefault(pair, []).append((hint, groups))
    return pairs


_PAIRS = _by_pair()
_SIGNS = tuple((hint, groups) for hint, groups in _by_hint().items() if len(hint) == 1)
_KNOWN_PAIRS = frozenset(_PAIRS)


def reasons(lower: str) -> set[str]:
    """The groups of which a text in lower case has a hint, and `digit`."""
    found: set[str] = {"digit"} if any(map(lower.__contains__, "0123456789")) else set()
    for pair in _KNOWN_PAIRS.intersection(itertools.pairwise(lower)):
        for hint, groups in _PAIRS[pair]:
            if not groups <= found and hint in lower:
                found |= groups
    if not lower.isascii():
        for sign, groups in _SIGNS:
            if sign in lower:
                found |= groups
    return found
