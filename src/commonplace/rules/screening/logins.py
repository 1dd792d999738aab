"""Find logins that a sentence tells, and numbers that somebody is told to type at a lock."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

import re

from ...language.vocabulary import STOPWORDS
from ...language.vocabulary import secrets as words
from ...model.lazy_pattern import lazy
from .codes_by_shape import is_other
from .findings import CREDENTIAL, Finding
from .hints import odd_word
from .secret_values import is_filled_in, is_strong
from .values_in_sentences import (
    LETTER,
    OTHER_CODE,
    SIDE_HINTS,
    TECHNICAL,
    counts,
    has_code,
    has_numerals,
    is_description,
    is_fiction,
    read_code,
    read_value,
    spelled_codes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NEAR = 130
"""How far from a lock or a PIN an order to type a number may stand."""

# A number that somebody is told to type, near a lock or a PIN

_NUMERAL = "|".join(sorted(one for one in words.NUMERALS if len(one) > 2))
_TYPED = lazy(
    rf"(?:(?<![{LETTER}])(?P<entry>{words.ENTRY_VERBS})\s+|(?<![{LETTER}])(?P<carrier>{words.CARRIERS})(?![{LETTER}])\s*|(?P<sign>[:：→=–—]\s*|(?<=[a-z]),\s+|[「\"“„«]|，|按|输入|是|は))"
    rf"(?=[\"“„«]?[#*]?[a-z]{{0,2}}\d|(?:{_NUMERAL})\s|{words.SIDES}\s)"
)
_LOCK = lazy(
    rf"(?<![{LETTER}])(?:{words.LOCKED_THINGS}|{words.CODE_NOUNS}|{words.PIN_NOUNS}|{words.PASSWORD_NOUNS}|banking app|(?P<code>c[oó]d(?:es?|igos?|ic[ei])|kod))(?![{LETTER}])|{words.EASTERN_CODES}|门|金庫|鍵"
)
_ENTRANCE = lazy(rf"(?<![{LETTER}])(?:{words.ENTRANCES})(?![{LETTER}])")
_OPENS = lazy(rf"(?<![{LETTER}])(?:{words.LOCKED_THINGS}|{words.ENTRANCES})(?![{LETTER}])")
_OTHER_CODE_AFTER = lazy(
    rf"(?i)(?<!\w)c[oó]d(?:e|igo|ice|ici|igos|es)[ -](?:{words.OTHER_CODES_AFTER})(?!\w)|(?<!\w)kod (?:pocztowy|kreskowy)"
)
_OTHER_CODE_NEAR = lazy(rf"(?i)(?<!\w)(?:{words.OTHER_CODES_BEFORE})[ -]?codes?(?!\w)")
_CALLS = lazy(
    r"(?i)(?<!\w)(?:call|ring|phone (?:me|him|her|us|them)|phone (?=\W)|tel|anrufen|telefon|appel|llam|chiama|lig|bel|dzwo)\w{0,20}\W+(?:\w{1,40}\W+){0,2}$"
)
_GOES_ON = lazy(
    r"(?i)\s*(?:[.,;!?)\]\"”»–—\n。，、#*]|$|(?:and|then|und|et|y|e|i|en|dann|puis|luego|poi|if|from|before|antes|avant|prima|bevor|for|für|pour|para|per|when|but|seit|ab|"
    r"gets|to|please|until|bis|danach|in case|within|opens?|öffnet|ouvre|abre|apre|eintippen|eingeben|einstellen|drehen|tippen|drücken|wählen|intoetsen|auf(?!\w)|rein(?!\w)|on the|at the|since|wenn|und|because|ok|okay)(?!\w)|です|だ|吧)"
)


_FOLLOWER = lazy(r"\s+([^\W\d_]+)")
_NO_FOLLOWERS_LIST = """
    of de di der des del van von do da a per is are was were has have had will can does ist sind war
    hat wird est sont était es son era è sono é são jest
"""
_NO_FOLLOWERS = frozenset(_NO_FOLLOWERS_LIST.split())
"""After a number these words count or tell something of it: `4402 of them`, `0042 is safe`."""
_STRICT = lazy(
    rf"(?<![{LETTER}])(?:{words.LOCKED_THINGS}|{words.CODE_NOUNS}|{words.PIN_NOUNS})(?![{LETTER}])|{words.EASTERN_CODES}"
)
_LOOSE = lazy(
    r"(?<![\w.,:/+@#€$£-])(?!(?:19|20)\d\d(?!\d))\d(?:[ -]?\d){3,7}[A-Z]?[#*]?(?![\w%€$£°]|[.,:/-]\d| ?[€$£%])"
)
_NO_CODE = lazy(
    r"(?i)(?:(?<!\w)(?:rfc|iso|din|at|from|desde|dalle|um|gegen|à|vers|las|los|alle|alla|às|om|o|costs?|kostet|since|in|by|about|around|circa|weighs?|has|have|of|over|under|than|until|till|order|number|"
    r"room|ral|pantone|ncs|zimmer|flat|page|bus|line|model|modell|type|typ|nr\.?|no\.?|year|call|phone|tel\.?|fax|ring|seit|von|bis|for|slot|shard|row|über|für|invoice|ticket|flight|postcode|plz|cap|cp|cep|version|"
    r"street|straße|rue|calle|via|isbn|kennzeichen|plate|matrícula|house|error|exit|status|postal|zip|ports?(?: is| are)?|listens on|pid|line|issue|pr|bug|lines|score|level|row|article|euro|eur|usd|only|"
    r"serial|reference|ref|case|kundennummer|customer|account|konto|iban|plot|process|extension|nummer|nr|numéro|meeting id|id|job|paid|drawing|bestellung|pedido|commande|ordine|the|telefon|telefoon|teléfono|téléphone|telefono|item|meeting id is)|(?<=\d) (?:to|bis|till)|[#$€£(])\W{0,3}$"
)


_PROGRAM = lazy(
    r"(?<![\w-])(?:(?<!at the )(?<!in the )ports?|listen(?:s|ing)?|servers?(?! (?:room|rack|cabinet|cage))|services?(?! (?:door|entrance|lift|gate))|builds?(?! site)|deploy(?:s|ed|ment)?|commits?|endpoints?|time-?outs?|times out|thresholds?|queues?|caches?|databases?|kafka|postgres|redis|"
    r"retr(?:y|ies|ied)|threads?|workers?|heartbeats?|sockets?|players|packets?|latency|layouts?|pixels?|refactor\w*|parsers?|compil\w+|merged?|linter|unit tests)(?![\w-])"
)
"""Words of programs, not of locks: numbers beside them are ports, builds and limits."""
_NAMED_CODE = lazy(
    rf"(?<![{LETTER}])(?:{words.CODE_NOUNS}|{words.PIN_NOUNS}|key ?pads?)(?![{LETTER}])|{words.EASTERN_CODES}"
)


def is_of_program(lower: str, at: int) -> bool:
    """Whether the talk around a number is of a program, and nobody names a code."""
    start, end = max(0, at - NEAR), at + 70
    talk = _PROGRAM.search(lower, start, end)
    return bool(talk) and not _NAMED_CODE.search(lower, start, end)


def find_typed_codes(text: str, lower: str) -> Iterator[Finding]:
    """Numbers to type at a lock, a gate or an alarm that the text names nearby."""
    if has_code(text, lower):
        for start, end in _stretches(lower):
            for typed in _TYPED.finditer(lower, start, end):
                if place := _ordered(text, lower, typed):
                    yield Finding(CREDENTIAL, "access code", *place)
    # A log has thousands of numbers, and no lock.
    locked = bool(_LOOSE.search(text) and _STRICT.search(lower))
    for number in _LOOSE.finditer(text) if locked else ():
        if place := _mentioned(text, lower, number):
            yield Finding(CREDENTIAL, "access code", *place)
    for match in _DIALLED.finditer(text):
        if (
            names_lock(lower, match.start())
            and not _IS_DATE.fullmatch(match.group())
            and not is_other(text, match.start())
        ):
            yield Finding(CREDENTIAL, "access code", *match.span())
    for match in spelled_codes(text, lower):
        called = _CALLS.search(text, max(0, match.start() - 30), match.start())
        if called or _EMERGENCY.fullmatch(match.group()) or counts(lower, match.end()):
            continue
        counted = _COUNTED_DIGITS.search(lower, max(0, match.start() - 45), match.start())
        if counted or _is_near_lock(lower, match.start()) or _is_near_lock(lower, match.end()):
            yield Finding(CREDENTIAL, "access code", *match.span())


_EMERGENCY = lazy(
    r"nine\W+nine\W+nine|nine\W+one\W+one|one\W+one\W+(?:two|nine)|eins\W+eins\W+(?:zwei|null)|un\W+un\W+deux|uno\W+uno\W+(?:dos|due|otto|tre)|um\W+um\W+dois|nove\W+uno\W+uno|nueve\W+uno\W+uno|zero\W+zero\W+zero"
)
"""Numbers that everybody may call."""
_COUNTED_DIGITS = lazy(
    r"(?<!\w)(?:[3-8]|three|four|five|six|eight|drei|vier|fünf|sechs|trois|quatre|cinq|six|tres|cuatro|cinco|seis|quattro|cinque|sei)[ -](?:digits?|numbers|ziffern|zahlen|chiffres|cifras|números|cifre|numeri)\W{1,4}(?:\w+ ){0,3}$"
)


def _stretches(lower: str) -> Iterator[tuple[int, int]]:
    """The parts of a text in which an order to type something may stand: before a number.

    The patterns of all languages are slow, and most of a long text is far from any number.
    """
    if any(map(lower.__contains__, SIDE_HINTS)) or has_numerals(lower):
        yield 0, len(lower)
        return
    start = end = 0
    for number in _NUMBER.finditer(lower):
        if number.start() - ORDER > end:
            if end:
                yield start, end
            start = number.start() - ORDER
        end = number.end() + 4
    if end:
        yield start, min(end, len(lower))


_DIALLED = lazy(r"(?<![\w.,:/–-])\d{1,2}(?: ?[–-] ?\d{1,2}){2,4}(?![\w:/–-]|[.,]\d)")
"""Turns of a dial: `11 – 35 – 4`."""
_IS_DATE = lazy(r"[0-3]?\d-[0-3]?\d-\d\d")
_UNTIL = lazy(
    r"\d\s+(?:to|bis|till|à|a)\s+$"
    r"|(?i:opens?|closes?|starts?|shuts?|öffnet|schließt|ouvre|ferme|abre|cierra|apre|chiude|fecha) (?:at|um|à|a las|alle|às) $"
    r"|\+\d{1,3}[ (-]{1,2}(?:\d{1,4}[ )-]{1,2})*$"
)
"""From one time to another, when a door opens, or after the first digits of a telephone number."""
_NUMBER = lazy(r"\d\D{0,12}?\d\D{0,12}?\d")
ORDER = 40
"""No order to type a number is longer."""


def _ordered(text: str, lower: str, typed: re.Match[str]) -> tuple[int, int] | None:
    """The number after `enter` or `opens with`, unless it is called or belongs to a shop."""
    at, entry = typed.end(), typed["entry"]
    value = read_code(text, at, min(len(text), at + 70), letters=bool(entry))
    if not value or not _goes_on(text, value[1]):
        return None
    digits = sum(c.isdigit() for c in text[slice(*value)])
    if digits in (1, 2) or (digits == 3 and not entry and text[value[0]] != "0"):
        return None
    if (
        _CALLS.search(text, max(0, at - 30), typed.start())
        or _UNTIL.search(text, max(0, at - 24), at)
        or _OTHER_CODE_AFTER.search(text, max(0, at - 45), at)
        or _is_of_other(text, typed)
        or is_of_program(lower, at)
        or (entry and OTHER_CODE.search(text, max(0, typed.start() - 16), typed.start()))
        or not (_is_near_lock(lower, at) or (entry and _near(_ENTRANCE, lower, at)))
    ):
        return None
    return value


_FIELD = lazy(
    r"(?i)(?<!\w)(?:[\w.-]*(?:port|konto|iban|bic|nummer|id|timeout|size|limit|max|min|count|total|version|year|jahr|année|año|anno|date)|konto|account|acct|cuenta|compte|conto"
    r"|tel|phone|fax|handy|mobile|móvil|telefono|téléphone|room|zimmer|chambre|stanza|habitación|zip|plz|cap|cp|ref\w*|serial|s/?n|order|bestellung|ticket|flight|flug|vuelo|vol|volo|train|zug|treno|tren|bus|line|seat|platz|asiento|plate|reg|rfc|iso|din|model|modelo|modell|modèle|modello|(?:help ?desk|hotline|extension|phone|telephone|support|office|fax|room|house|flat|order) (?:number|no\.?)|booking|locali[sz]ador|dossier|invoice|rechnung|factura|facture|fattura|pnr)\W{0,2}$"
    r"|(?<!\w)(?:bill|total|sum|costs?|came|comes|adds? up|amounts|betrag|addition|cuesta|kostet|paid)(?:\s\w+){0,2}\W{0,2}$"
)
"""A number after one of these is theirs."""


def _is_of_other(text: str, typed: re.Match[str]) -> bool:
    """Whether a number is the value of a field or of a thing that is no lock: `port=5432`."""
    start, sign = typed.start(), typed["sign"]
    said = text[max(0, start - 40) : start]
    if _FIELD.search(said):
        return True
    if not sign or sign[0] not in ":=" or sign != sign.rstrip():
        return False
    name = _IDENTIFIER_END.search(said)
    return not name or not _LOCK.search(name.group().lower().rpartition(".")[2])


def _is_of_variable(text: str, at: int) -> bool:
    """Whether a program or a log gives a number to a name that no lock has: `session=4412`."""
    name = _ASSIGNED.search(text, max(0, at - 40), at)
    return bool(name) and not _LOCK.search(name[1].lower().rpartition(".")[2])


_ASSIGNED = lazy(r"([\w.-]+)=$")
_IDENTIFIER_END = lazy(r"[\w.-]+$")


def _mentioned(text: str, lower: str, number: re.Match[str]) -> tuple[int, int] | None:
    """A number without any verb, close to a lock."""
    at = number.start()
    if (
        _OTHER_CODE_AFTER.search(text, max(0, at - 45), at)
        or _OTHER_CODE_NEAR.search(text, max(0, at - 45), at)
        or _NO_CODE.search(text, max(0, at - 24), at)
        or _FIELD.search(text, max(0, at - 40), at)
        or _UNTIL.search(text, max(0, at - 24), at)
        or _is_of_variable(text, at)
        or not _STRICT.search(lower, max(0, at - 70), number.end() + 45)
        or is_of_program(lower, at)
    ):
        return None
    value = read_code(text, at, min(len(text), number.end() + 20), letters=False)
    return value if value and _goes_on(text, value[1]) else None


def _goes_on(text: str, end: int) -> bool:
    """Whether a sentence ends or goes on after a code, and does not count things with it."""
    if _GOES_ON.match(text, end):
        return True
    follower = _FOLLOWER.match(text, end)
    return bool(follower) and follower[1].lower() in STOPWORDS - _NO_FOLLOWERS


def _near(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    return pattern.search(text, max(0, at - NEAR), at) or pattern.search(text, at, at + 70)


def names_lock(lower: str, at: int) -> bool:
    """Whether something that opens with a code is named nearby."""
    return bool(_near(_OPENS, lower, at))


def _is_near_lock(text: str, at: int) -> bool:
    for start, end in ((max(0, at - NEAR), at), (at, at + 70)):
        for lock in _LOCK.finditer(text, start, end):
            if not (
                OTHER_CODE.search(text, max(0, lock.start() - 16), lock.start())
                or _OTHER_CODE_AFTER.match(text, lock.start())
            ):
                return True
    return False


# Logins: somebody signs in as one with the other

_USER = r"[\"'`]?[\w.@+-]{2,60}[\"'`]?"
_ACCESS = (
    "creds?|credentials?|log-?in|logins?|account|access|zugang|zugangsdaten|anmeldedaten|logindaten|identifiants|accès|connexion|credenciales|acceso|accesso|credenziali"
    "|credenciais|acesso|inloggegevens|dane logowania|dostęp|router|(?<!git )switch|camera|nas|printer|panel|portal|wi-?fi|wlan|ssid|guest network"
)
_ACCOUNT = r"(?:idents?|identifiants?|compte|cuenta|conto|konto|account|acct|login|log-in|sign-?in|creds?|credentials?|zugang(?:sdaten)?|anmeldung|accès|accesso|acceso|acesso|utenza|usuario|utente|connexion|inlog|credenciales|credenziali|benutzer|access)"
_JOINED = r"\s*(?:/|\||\s(?:and(?: then)?|und|et|y|e|i|en|then|plus)\s|&|\+)\s*"
_THEN_EN = r"(?:,|\s+and|\s+then|;|\s+–|\s+-)\s*(?:(?:and|then|after that|next) )*(?:(?:it['’]s|it is|it wants|it takes|you (?:just )?(?:put|type|enter|use|say)|put|type|enter|the (?:word|rest|other half|second box) is|comes) )?(?:just |simply |in )?"
_THEN_DE = r"(?:,|\s+und|;)\s*(?:(?:und|dann|zwar|danach|halt|einfach|eben|kommt|ist es|nimmst du|tippst du|gibst du|schreibst du|mit|noch|so)\s+)*"
_THEN_LATIN = r"(?:,|;|\s+(?:y|e|et|ed|poi|puis|luego|con|avec)(?!\w))\s*(?:(?:luego|después|poi|dopo|puis|ensuite|après|ci|tu|y|e|et|se|pones|pon|metes|mete|escribes|es|metti|mette|scrivi|digiti|c['’]est|mets|tapes|écris|con|avec|la clave es|la parola è|le mot est|basta|solo|sólo|juste)\s+)*"
_LOGINS = tuple(
    (tuple(map(str.split, needed.split("|"))), lazy(f"(?i){pattern}"))
    for needed, pattern in (
        # Words of which a text must have one of each group, and the pattern
        (
            "log sign | as",
            rf"\b(?:log|sign|logg)\w{{0,20}}[ -](?:in|on|into|onto)\b[^.\n]{{0,80}}?\bas\s+(?:the\s+)?{_USER}(?:\s+(?:user|account))?(?:,|\s+(?:with|using|and(?: then)?|/))\s*(?:the\s+)?(?:pass\w{{0,20}}\s+)?",
        ),
        (
            "meld logge | als | mit met",
            rf"\b(?:melde|anmelden|einloggen|logge|meld)\b[^.\n]{{0,60}}?\bals\s+{_USER}\s+(?:mit|met)\s+(?:dem\s+)?(?:passwort\s+|kennwort\s+|wachtwoord\s+)?",
        ),
        (
            "connect identifi entr conect inicia acced loga zaloguj | comme tant como come jako avec",
            rf"\b(?:connect\w{{0,20}}|identifi\w{{0,20}}|entr\w{{0,20}}|conect\w{{0,20}}|inicia\w{{0,20}} sesión|acced\w{{1,40}}|loga\w{{0,20}}|zaloguj)\b[^.\n]{{0,60}}?\b(?:comme|en tant que|como|come|jako|avec)\s+{_USER}(?:\s+(?:avec|con|com|z|y|et)|\s*/)\s+(?:le mot de passe\s+|la (?:contraseña|clave|password)\s+|a senha\s+|hasłem\s+)?",
        ),
        (
            ": =",
            rf"\b(?:{_ACCESS})\b[^:=\n.]{{0,60}}[:=]\s*(?:user(?:name)?\s+)?{_USER}(?:{_JOINED}|\s*[:,]\s*)(?!.{{0,30}}(?:/|\band\b))",
        ),
        ("/", rf"\b(?:{_ACCESS})\b[^\n.]{{0,50}}?\s(?:{_USER})(?:\s+/\s+|/\s*)(?!.{{0,30}}/)"),
        (
            "/ | admin root user guest",
            r"\b(?:switch|router|box|server|camera|panel|console|printer|it)\b[^\n.]{0,30}?\b(?:takes?|wants?|accepts?|works with|is)\s+(?:admin|root|user|guest)\s*/\s*",
        ),
        (
            ": | and then /",
            rf"\b(?:{_ACCESS})\b[^\n]{{0,60}}\n\s*\w{{1,20}}:\s*{_USER}\s+(?:and(?: then)?|/|then)\s+",
        ),
        (
            "log sign get | with using",
            r"\b(?:log(?:ged|ging|s)?|sign(?:ed|ing|s)?|get(?:s|ting)?)[ -]?in(?:to)? (?:to )?(?:[\w'’-]+ ){1,3}(?:with|using) ",
        ),
        ("meld | mich | mit", r"\bmeld(?:e|en)? (?:ich )?mich (?:\S+ ){0,4}mit "),
        (
            "connecte conecto entro accedo log",
            r"\b(?:me connecte|me conecto|entro|accedo|ik log in|inloggen|loguję się)(?: \S+){0,4} (?:avec|con|com|met|hasłem) ",
        ),
        (
            "inlog logga logg log | als som | /",
            rf"\b(?:inloggen|log in|logga in|log ind|logg inn)\s+(?:als|som)\s+{_USER}\s*/\s*",
        ),
        (
            "/ | admin root elastic postgres guest tomcat oracle sysop deploy operator enable",
            r"(?:[:=]|\b(?:with|is|takes?|use|as|to))\s+(?:admin|root|elastic|postgres|guest|tomcat|oracle|sysop|deploy|operator|enable)(?: / |/)(?=[^\s/,.;]{4,40}(?:[\s,.;]|$))(?!(?:users?|guests?|editor|viewer|member|owner|operator|developer|group|host|root)\b)",
        ),
        (
            "// → -> =>",
            rf"\b{_ACCOUNT}\b[^:=\n.]{{0,60}}[:=]\s*(?:user(?:name)?\s+)?{_USER}\s*(?://|→|->|=>)\s*(?=[^\s]{{4,60}}\s*(?:[.,;!)\n]|$))",
        ),
        (
            "go get come log sign hop jump | as",
            rf"\b(?:go|goes|get|gets|come|comes|log|logs|sign|signs|hop|jump)\s?(?:in|on|into|onto|inside)\b[^.\n]{{0,40}}?\bas\s+(?:the )?{_USER}{_THEN_EN}",
        ),
        (
            "meld geh komm log | als",
            rf"\b(?:meld\w{{0,3}}|geh\w{{0,3}}|komm\w{{0,3}}|logg?\w{{0,3}})\b[^.\n]{{0,50}}?\bals\s+{_USER}\s+(?:an|ein|rein|hinein)?{_THEN_DE}",
        ),
        (
            "entr conect connect rentr identifi acced colleg logg | como come comme",
            rf"\b(?:entr\w{{1,4}}|conect\w{{1,4}}|acced\w{{1,4}}|colleg\w{{1,4}}|logg\w{{1,4}}|connect\w{{1,4}}|identifi\w{{1,4}}|rentr\w{{1,3}})\b[^.\n]{{0,50}}?\b(?:como|come|comme|en tant que|con l['’]utente|con el usuario|avec le compte|con)\s+{_USER}{_THEN_LATIN}",
        ),
        (
            "user usuario utente benutzer utilisateur compte login account | pass word clave mot parola wort",
            r"\b(?:user(?:name)?|usuario|utente|benutzer|utilisateur|compte|login|account)\s+[\"“„«'`]?[\w.@+-]{2,60}[\"”“»'`]?\s*,\s+(?:and |et |y |e |und )?(?:(?:then )?(?:the )?(?:word|pass\w{0,6})|(?:la )?clave|(?:le )?mot|(?:la )?parola|(?:das )?wort)\s+(?:(?:is|ist|est|es|è)\s+)?",
        ),
        ("answer respond | with", rf"\b(?:answers?|responds?)\s+(?:to|as)\s+{_USER}\s+with\s+"),
        (
            "@ | log sign account",
            r"\b(?:log-?in|sign-?in|account)\b[^\n.]{0,20}\s[\w.+-]{1,40}@[\w.-]{3,60}\s+(?:with|using|mit|avec|con|com)\s+",
        ),
        ("@", r"(?<!\S)[\w.+-]{1,40}@[\w-]{2,40}\.[\w.]{2,20}\s*(?:/|\||;)\s*(?!.{0,30}/)"),
    )
)
_MAC = lazy(r"(?i)(?:[0-9a-f]{2}:){3}")
_SAYS_MORE = lazy(
    r"(?i)\s+(?:is|are|was|were|has|have|had|will|can|should|must|ist|sind|war|hat|wird|muss|kann|est|sont|a|ont|es|son|está|è|sono|é|são|when|while|every|each|again|jede[nmrs]?|pour|para|per|um)(?!\w)"
)
"""After a word these make it the subject of a sentence, and no password."""
_STORED = lazy(
    r"(?i)(?<!\w)(?:vault|keepass\w*|bitwarden|1password|lastpass|keychain|under|unter|path|stored|saved)(?!\w)"
)
"""A path after these words says where a password is kept."""
_HELD = lazy(
    r"(?:\bauthenticat\w{1,40}\s+with|\bconnect(?:e|ons|er|é)?(?:-toi)?\s+avec|\b(?:internet|wi-?fi|network)\b[^.\n]{0,40}\bworks with|\benter|\btype(?: in)?|\bit is now|\bit['’]s now|times|"
    r"\bas\s+[\w.@-]{2,40}(?=\s+\()|\btypes?|\btape[rz]?|\bsaisi\w{1,4}|\btipp\w{1,3}|\bteclea|\bescribe|\bdigita|\bscrivi|\bprompt\?|\b(?:unlock|decrypt|open|protect|encrypt|lock|sign)\w{0,20}\s[^.\n]{0,60}?\b(?:with|using|use)|\b(?:entsperr|entschlüssel)\w{0,20}\s[^.\n]{0,40}?\bmit|"
    r"\b(?:panel|prompt|console|router|vault|bios|dialog|door|it)\s+(?:wants|asks for|takes|accepts|expects)|\b(?:uses?|with|avec|mit|con|com)(?=\s+\S+\s+(?:to (?:get|log) in|gets? (?:you|me|us) in|to unlock))"
    r"|\btry|\bwith|\busing|\baccount\b[^.\n]{0,50}:|\bopens with(?: the word)?|\bsays)\s+[\"“'(]?"
)
_KEPT = lazy(
    r"\b(?:log(?:ged|s|ging)?[ -]?in(?:to)?|sign(?:ed|s|ing)?[ -]?in(?:to)?|login|account|root|admin|panel|unlock\w{0,20}|prompt\w{0,20}|asks?|decrypt\w{0,20}|encrypt\w{0,20}|zip|archive|protected|"
    r"keystore|chiffr\w{1,3}|ouvrir|verschlüssel\w{1,3}|cifrad\w|desbloque\w{1,3}|sblocc\w{1,4}|déverrouill\w{1,3}|laptop|router|vpn|ssh|ftp|luks|bios|password|passphrase|signing key|rotated|wi-?fi|internet|e-?mail|entsperr\w{0,20}|connect\w{0,20}|reset)\b"
)
_AS_PASSWORD = lazy(
    r"(?i)(?:\band\s+|/\s*|,\s*)(?P<value>[^\s,;/]{4,60})\s+as\s+(?:the\s+)?(?:pass(?:word|phrase)?|pw)\b"
)


OPENED_HINTS = (
    "opens with", "opens to", "opened with", "open it with", "open it using", "open with", "unlock", "decrypt",
    "protected with", "ouvre", "ouvrent", "abre", "apre ", "aprono", "abrem", "öffnet", "entsperrt", "opent met", "otwiera",
    "desbloquea", "sblocca",
)  # fmt: skip
_OPENED = lazy(
    r"(?i)(?<!\w)(?:(?:opens?|opened|unlocks?|unlocked|decrypts?|(?:is|are) (?:protected|encrypted|locked))\s(?:it )?(?:with|using|to|by|after)\s(?:the (?:words?|phrase) )?"
    r"|(?:s['’]ouvre|s['’]ouvrent|se abren?|si apr(?:e|ono)|abrem?|se déverrouille|se desbloquea|si sblocca|öffnet(?: sich)?|entsperrt(?: sich)?|opent|otwiera się)\s(?:avec|sur|con|com|mit|met|z)\s)"
)
_LETTERS_AND_DIGITS = lazy(r"[^\W\d_]{4,}[-_.!#]?\d{2,6}!?")
_CLAUSE_ENDS = lazy(r"[\"”»']?(?:[.,;!\n]|$)")
_LOGIN_HINTS = (
    " as ", "log", "sign", "cred", "account", "geh", "komm", "ident", "compte", "cuenta", "conto", "konto", "user", "usuario", "utente", "benutzer", "access", "zugang", "anmeld", "meld", "identifiant", "acc", "connex", "acess", "dost", "router", "switch",
    "camera", "nas", "printer", "panel", "portal", "wifi", "wi-fi", "wlan", "ssid", "network", "connect", "entr", "conect", "sesión", "@", "answers",
    "get", "pass", "unlock", "lock", "crypt", "prompt", "type", "enter", "root", "admin", "asks", "vpn", "ssh", "ftp", "bios", "reset", "zip", "pdf", "open ",
)  # fmt: skip
_MIXED = odd_word(1, 2)


def find_logins(text: str, lower: str) -> Iterator[Finding]:
    """Passwords that stand beside their user, or that open what the sentence names."""
    if any(map(lower.__contains__, OPENED_HINTS)):
        yield from _opened(text)
    if _MIXED.search(text):
        yield from _set_or_typed(text)
    if not any(map(lower.__contains__, _LOGIN_HINTS)):
        return
    for needed, pattern in _LOGINS:
        if not all(any(map(lower.__contains__, group)) for group in needed):
            continue
        for match in pattern.finditer(text):
            end = min(len(text), match.end() + 80)
            if _STORED.search(match.group()) or _names_file(text, match.end()):
                continue
            value = read_value(text, match.end(), end, plain=True, phrase="/" in match.group()[-4:])
            if value and (
                _MAC.search(text, match.start(), value[1]) or _SAYS_MORE.match(text, value[1])
            ):
                continue
            if value and text[slice(*value)].lower() not in words.LOGIN_MEANS:
                yield Finding(CREDENTIAL, "password", *value)
    if _MIXED.search(text) and _KEPT.search(lower):
        yield from _opening(text, lower)
    for match in _AS_PASSWORD.finditer(text) if "as" in lower else ():
        if is_filled_in(match["value"]) and not is_description(match["value"]):
            yield Finding(CREDENTIAL, "password", *match.span("value"))


_FILE = lazy(
    r"(?:[\w.-]+/)*[\w-]+\.(?:[chm]|cc|cpp|cs|css|csv|go|h|html?|ini|java|jsx?|json|kt|lock|log|lua"
    r"|md|php|p[ly]|rb|rs|s?css|sh|sql|swift|toml|tsx?|txt|vue|xml|ya?ml)(?![\w/])"
)


def _names_file(text: str, at: int) -> bool:
    """Whether a word after a slash ends a path: `the switch; convert it in ingest/parse.py`."""
    return text[at - 1] == "/" and not text[at - 2].isspace() and _FILE.match(text, at) is not None


_SEPARABLE = lazy(
    r"(?i)\b(?:komm\w{0,3}|geh\w{0,3}|meld\w{0,3}|logg\w{0,3})\s(?:[^\s.,;:]+\s){0,4}?mit\s(?P<value>[^\s,;]{4,40})\s+(?:rein|hinein|auf|an|ein)(?!\w)"
)
_RESET = lazy(
    r"(?i)\b(?:account|log-?in|user|mailbox|tenant|sign-?in|[\w-]*(?:zugang|konto|mandant|postfach)|compte|cuenta|conta)\b[^.;:\n]{0,60}?\s(?:to|auf|naar|sur|à|a|na)\s(?P<value>[^\s,;]{4,40})"
)
_SET = lazy(
    rf"(?i)(?<!\w)(?:{words.CHANGES}|zurückgesetzt|gereset|réinitialis\w{{1,3}}|restablec\w{{1,4}})(?!\w)"
)


def _set_or_typed(text: str) -> Iterator[Finding]:
    """`kommt mit … rein`, `reset the account to …`: words that no sentence has."""
    for pattern, verb in ((_SEPARABLE, None), (_RESET, _SET)):
        for match in pattern.finditer(text):
            said = match["value"].rstrip(".,;:?)\"'”")
            around = text[max(0, match.start() - 40) : match.end() + 40]
            if (
                is_strong(said)
                and not TECHNICAL.fullmatch(said)
                and _PASSWORD_LIKE.search(said)
                and (verb is None or verb.search(around))
            ):
                yield Finding(
                    CREDENTIAL, "password", match.start("value"), match.start("value") + len(said)
                )


_PASSWORD_LIKE = lazy(
    r"[^\W\d_]{3,}[-_.!#]?\d{2,6}(?:!?$|[^\W\d_]{3})|[^\W_]{2,}[!$#&*]+(?:\w|$)|[a-z]\.[A-Z]"
)


def _opened(text: str) -> Iterator[Finding]:
    """`The archive opens with lanternfish.`: one word without an article that ends its clause."""
    for match in _OPENED.finditer(text):
        end = min(len(text), match.end() + 60)
        value = read_value(text, match.end(), end, plain=True, phrase=False, copula="is")
        if not value or text[slice(*value)].lower() in words.LOGIN_MEANS:
            continue
        said = text[slice(*value)]
        named = match.group().rstrip().endswith(("word", "phrase")) and not said.isalpha()
        if (
            named
            or _CLAUSE_ENDS.match(text, value[1])
            or (_LETTERS_AND_DIGITS.fullmatch(said) and not TECHNICAL.fullmatch(said))
        ):
            yield Finding(CREDENTIAL, "password", *value)


def _opening(text: str, lower: str) -> Iterator[Finding]:
    """`unlock the laptop with …`: only words that no sentence and no program has."""
    for match in _HELD.finditer(lower):
        if not _near(_KEPT, lower, match.start()) and not _KEPT.search(match.group()):
            continue
        value = read_value(text, match.end(), min(len(text), match.end() + 60), plain=False)
        if not value or is_fiction(text, value[0]):
            continue
        said = text[slice(*value)]
        if (
            is_strong(said)
            and " " not in said
            and not TECHNICAL.fullmatch(said)
            and re.search(
                r"[A-Z].*\d|\d.*[A-Z]|[!$#&*_]|[a-z]{4,}.*\d{2}|[A-Z][a-z]+[.-][A-Z]", said
            )
        ):
            yield Finding(CREDENTIAL, "password", *value)
