"""Tell from a text's words which detectors it gives a reason to ask.

Most texts give none. A hint can only be in a text that has the hint's first two letters in a row,
so one pass over the letter pairs leaves a few of the hints to look for.
"""

from __future__ import annotations

import itertools

from ...model.lazy_pattern import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

SYNTAX_HINTS = (
    "pass", "pwd", "pw", "secret", "token", "key", "cred", "auth", "cookie", "sess",
    "basic", "bearer", "otp", "://", "mdp", "clave", "contrase", "senha", "parol",
    "пароль", "密码", "パスワード", "kennwort", "-u ", "--user", "-a ", "echo ", "<<<",
    "identified", "mysql", "mariadb", "mongo", "openssl", "ctl ", "net us", "sqlplus",
    "lftp", "-p ", "oracle:", "code:", "pin:", "code=", "pin=", "wifi", "wi-fi", "wlan",
    "serial", "licen", "activation", "ldap", "7z", "ipmitool", "sqlcmd", "bcp", "unzip",
    "snmp", "mosquitto", "smb", "wifi:", "hmac", "convert", "client(", "webhook",
    "private", "magic", "reset", "base64", "digest", "-b ", "chlüssel", "jeton", "sk_",
    "ghp_", "mfa", "2fa", "seed", "community", "signtool", "schtasks", "wacht", "lösenord",
    "hasło", "heslo", "salasana", "palavra", "palabra", "mot de", "mot_de", "motde", "adgang",
)  # fmt: skip
"""Lower-case hints; a text without one and without a long word holds no secret of a program."""
SPOKEN_HINTS = (
    "pass", "pwd", "pw", "mdp", "secret", "segret", "secrèt", "token", "cred", "paswo",
    "pasw", "psw", "ssw", "contra", "senha", "palavra", "palabra", "parol", "mot de",
    "motde", "kennw", "geheim", "zugang", "wacht", "waht", "hasł", "haslo", "lösenord",
    "adgang", "salasana", "heslo", "jelsz", "şifre", "парол", "пин", "密", "口令", "パスワード",
    "暗", "合言葉", "p a s s", "p-a-s-s", "p.a.s.s", "pa5", "pa$", "community", "秘", "비밀",
    "패스", "المرور", "पासवर्ड", "סיסמה", "wifi", "wi-fi", "wlan", "wpa", "ssid", "clave",
    "maiden", "y question", "secret q", "sicherheitsfrage", "pregunta", "domanda",
    "pergunta", "pytani", "memorable", "magic word", "seed", "mnemonic", "wallet",
    "ledger", "bitcoin", "crypto", "krypto", "12 w", "twelve word", "palabras", "récup",
    " mots", "wörter", "parole", "woorden", "słów", "助记", "login", "log in", "log into",
    "logged in", "sign in", "account", "🔑", "🔐", "🔒", "🗝", "p/w", "p@", "p*",
    "psk", "shared key", "shared secret", " word is", "codeword", "code word", "codename",
    "code name", "unlock word", "safe word", "back word", "codewort", "kodord", "kodeord",
    "phrase", " ww", "inlog", "chiave d", "chave de ac", "clé d", "linkage", " question",
    "opens with", "opens to", "opened with", "unlocks with", "open it using", "decrypts",
    "protected with", "ouvre avec", "abre con", "abren con", "apre con", "abre com",
    " // ", "→", " -> ", "entras ", "entri ", "connectes", "accedi", "user ", "usuario", "utente",
    "benutzer",
    "utilisateur", "identifiant", "ident ", "in as ", "on as ", "rein", "conto ", "konto ",
    "frase ", "phrase", "satz",
    "capital ", "uppercase", "lowercase", "upper case", "lower case", "spell", "buchstab", "épel",
    "deletre",
    "letter", "letra", "maiusc", "majusc", "mayúsc", "mayusc", "minusc", "minúsc", "tout attaché",
    "attaccat",
    "todo junto", "spazi", "espac", "espaces", "spaces", "alles klein", "bindestrich", "guion",
    "guión", "trattin", "tiret",
    "first pet", "haustier", "animal,", "mascota", "animale,", "unseal", "vault", "locked out",
    "prompt", "luks", "invite ", "first half", "hälfte", "moitié", "mitad", "metà", "old one",
    "war der alte", "war das alte", "l'ancien", "any more", "nicht mehr", "non è più",
    "what do i type",
    "encrypted", "verschlüssel", "chiffré", "cifrad", "cifrat", "answer to", "antwort auf",
    "respuesta a", "risposta a", "réponse à",
    "öffnet mit", "öffnet sich", "entsperrt", "opent met", "otwiera się",
)  # fmt: skip
"""Lower-case hints; a text without one tells no password in a sentence, but perhaps a number."""
OPENING_HINTS = (
    "with ", "enter", "type", "unlock", "prompt", "asks", "root", "rotat", "panel", " / ",
    "router", "connect", "anmeld", "meld", "acces", "accès", "avec", "con ", "mit ",
    "sign", "try ", "elastic", "guest/", "admin/", "root/", "internet", "p4", "konto",
    "compte", "cuenta", "tape", "komm", "geht ", "mandant", "reset", "open ", "decrypt",
)  # fmt: skip
"""Lower-case hints that count only beside a word that no sentence has, such as `Tr0ut-lake`."""
CODE_HINTS = (
    "code", "códig", "codigo", "codic", "kod", "код", "pin", "puk", "tan", "cvv", "cvc",
    "key", "lock", "alarm", "allarm", "gate", "garage", "garaje", "safe", "combin",
    "kombi", "schloss", "tresor", "schlüssel", "coffre", "cadenas", "portail", "portal",
    "cajetín", "candado", "caja", "cancello", "cassaforte", "lucchetto", "portão",
    "cadeado", "cofre", "kluis", "slot", "poort", "sejf", "bram", "domofon", "番号", "コード",
    "码", "banking", "digicode", "suitcase", "keypad", "sleutel", "klucz", "キー", "answer",
    "haustür", "building", "door", "get in", "entrance", "tür", "porte", "puerta",
    "porta", "deur", "drzwi", "immeuble", "phone", "handy", "left", "links", "droite",
    "derecha", "cash box", "cashbox", "entrer", "local ", "hatch", "shutter", "turnstile",
    "bollard", "letter box", "storeroom", "disarm", "siren", " card", "cashpoint",
    "voicemail", "tablet", "ipad", "spind", "schließ", "schranke", "tankk", "bankk",
    "sperr", "casier", "serrure", "interphone", "carte", "antivol", "désarm", "déverr",
    "taquilla", "verja", "trastero", "cerradura", "tarjeta", "desbloq", "armadietto",
    "serratura", "bancomat", "sblocc", "cacifo", "fechadura", "slagboom", "bankpas",
    "szaf", "szlaban", "dörr", "skåp", "larm", "dør", "skab", "lås", "dveř", "zámk",
    "zámek", "trezor", "двер", "замо", "замк", "сейф", "ворот", "домофон", "сигнал",
    "ячейк", "хвіртк", "шлагб", "kapı", "kasa", "kilit", "금고", "도어락", "자물쇠", "사물함",
    "ロッカー", "柜", "cupboard", "cabinet", "barrier", "shed", " till", "laundry", "tastierino",
    "telefonillo", "almacén", "caisse", "digit", "numbers", "cifre", "ziffern", "chiffres",
    "otp", "sms", "karte", "bank", "banco", "fob", "mobil", "móvil", "cellulare", "telef",
    "téléph", "boîte", "pass",
    "together", "override", "hash", "asterisc", "star,", "buzz", "block",
    "visa", "on the back", "on its back", "au dos", "de atrás", "de detrás", "reverso", "dietro",
    "sul retro", "de trás", "hinten", "rückseite", "tastenfeld", "clavier", "teclado", "portillon",
    "copier", "kopier", "dial ", "wheel", "cassett", "rädchen", "molette", "rueda", "rotell",
)  # fmt: skip
"""Lower-case hints of a code or a lock; they count only beside a number."""
PERSONAL_HINTS = (
    "birth", "born", "dob", "geboren", "passport", "licen", "::", " street", " avenue", " road",
    " ave", " blvd", "boulevard", "straße", "strasse", "str.", "gasse", "allee", " box ", " apt",
)  # fmt: skip
"""Lower-case hints; a text without one, a long number or an @ holds no personal data."""

SHORTEST_SEED = 12
"""How many words the shortest seed phrase of a wallet has."""
_FUNCTION_WORDS_LIST = """
    the and for with from has was are not but your would our his her its were been which who how
    und der die das mit für von ist nicht ein eine auf den dem des que con para los las por una
    del les une dans pour avec est pas sur qui nous vous per che non della sono dos com não uma
    een het voor met niet jest nie się dla
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS_LIST.split())
"""Words of every sentence that no wallet uses."""

GROUPS = {
    "syntax": SYNTAX_HINTS,
    "spoken": SPOKEN_HINTS,
    "opening": OPENING_HINTS,
    "code": CODE_HINTS,
    "personal": PERSONAL_HINTS,
}


_PAIRS: dict[tuple[str, str], list[tuple[str, str]]] = {}
"""The hints and their groups, by their first two letters."""
_SIGNS: list[tuple[str, str]] = []
"""The hints of one letter."""
for _group, _hints in GROUPS.items():
    for _hint in _hints:
        if len(_hint) > 1:
            _PAIRS.setdefault((_hint[0], _hint[1]), []).append((_hint, _group))
        else:
            _SIGNS.append((_hint, _group))
_KNOWN_PAIRS = frozenset(_PAIRS)


def reasons(lower: str) -> set[str]:
    """The groups of which a text in lower case has a hint, and `digit`."""
    found: set[str] = {"digit"} if any(map(lower.__contains__, "0123456789")) else set()
    for pair in _KNOWN_PAIRS.intersection(itertools.pairwise(lower)):
        for hint, group in _PAIRS[pair]:
            if group not in found and hint in lower:
                found.add(group)
    if not lower.isascii():
        found.update(group for sign, group in _SIGNS if sign in lower)
    return found


def has_row_of_words(lower: str) -> bool:
    """Whether short words stand in a row without a sentence around them, as in a seed phrase."""
    if lower.count(" ") + lower.count("\n") < SHORTEST_SEED - 1:
        return False
    row = 0
    for word in lower.split():
        said = word.rstrip(",;.):0123456789") if not word.isalpha() else word
        if not said:
            continue
        if 3 <= len(said) <= 8 and said.isalpha() and said not in FUNCTION_WORDS:
            row += 1
            if row == SHORTEST_SEED:
                return True
            if word[-1] not in ".:)":
                continue
        row = 0
    return False


def odd_word(before: int, after: int) -> re.Pattern[str]:
    """A word that no sentence has: so many letters before a digit or after it, or a sign inside.

    It begins with the digit or the sign, because the search for one of these is fast.
    """
    letter, sign = r"[^\W\d_]", r"[!$#&*_%.-]"
    return lazy(
        rf"[\d!$#&*_%.-](?:(?<={letter}{{{before}}}\d)|(?<=\d){letter}{{{after}}}"
        rf"|(?<={letter}{{{before}}}{sign}){sign}*\d|(?<={letter}[!$#&*_]){letter}"
        r"|(?<=[a-z][.-])[A-Z])"
    )
