"""Find data about a person: addresses, telephone and account numbers, identity numbers.

Numbers count only when they pass the check of their own format or when words around them say
what they are. Dates, versions, hashes, UUIDs, timestamps and order numbers are none of these.
"""

# ruff: noqa: E501 - one row for each number reads better than several

from __future__ import annotations

import re

from .findings import PERSONAL, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


NEAR_PHONE = 60
"""How many characters before a number may call it a telephone's."""

_CANDIDATE = re.compile(
    r"(?<![\w.,:/@#=-])\+?[(]?[0-9](?:[ ()./-]{0,3}[0-9]){6,14}(?:(?: ?x| ?ext\.? ?)[0-9]{1,6})?"
    r"(?![\w@:/-]|[.,][0-9])"
)
_CALLED = re.compile(
    r"(?i)\b(?:(?:tele)?(?:phone|fon)|tel|mobile|cell(?:ular|phone)?|fax|desk|call(?:ed|ing)?|dial|"
    r"ring|text|sms|whatsapp|signal|reach(?:ed)? (?:me|him|her|them|us)|contact|handy|rufnummer|"
    r"móvil|portable|answering at|messages? (?:to|on))\b[^\n]{0,40}$"
)
_CALLED_AFTER = re.compile(r"(?i)\s?[(,]?\s?(?:office|fax|mobile|cell|home|work|phone|desk)\b")
_NOT_ONE = re.compile(
    r"(?:[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4})(?:[ T]|$)"
    r"|(?:19|20)[0-9]{2} ?[-/] ?(?:19|20)[0-9]{2}$"
)
_GROUPED = re.compile(
    r"(?:\([2-9][0-9]{2}\)[ .-]{0,2}|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}\b"
    r"|0[0-9]{1,4}[ .-][0-9 .-]{5,}$"
)
"""Numbers of North America, and those with a leading zero, as people group them."""


def find_phones(text: str) -> Iterator[Finding]:
    """Every telephone number in a text."""
    for match in _CANDIDATE.finditer(text):
        if _is_one(match, text):
            yield Finding(PERSONAL, "telephone number", match.start(), match.end())


def _is_one(match: re.Match[str], text: str) -> bool:
    number = match.group()
    if _NOT_ONE.match(number):
        return False
    if number.startswith("+"):
        return _exists(number)
    if not 7 <= sum(c.isdigit() for c in number) <= 17:
        return False
    return bool(
        _GROUPED.match(number)
        or _CALLED.search(text, max(0, match.start() - NEAR_PHONE), match.start())
        or _CALLED_AFTER.match(text, match.end())
    )


def _exists(number: str) -> bool:
    """Whether a number in the international form has a known country and a length it uses."""
    import phonenumbers

    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return False


# Postal addresses, as far as their form alone is telling: a number and a street named as one.


HINTS = (
    " street", " avenue", " ave", " road", " rd", " lane", " blvd", "boulevard", " st.", " st,",
    "straße", "strasse", "str.", "gasse", "allee", " box ", " apt", "suite",
)  # fmt: skip
"""In lower case: a text with none of these has no address of a form we know."""

_PATTERNS = (
    r"\b[0-9]{1,5}[A-Za-z]? (?:[A-Z0-9][\w.'’-]* ){1,4}"
    r"(?:Street|Avenue|Road|Lane|Boulevard"
    r"|(?:St|Ave|Rd|Ln|Blvd|Dr|Ct)(?=\.|,| Apt| Suite|\s*\n))\b\.?",
    r"\b[0-9]{1,5} (?:[A-Z0-9][\w.'’-]* ){1,5}(?:Apt|Suite|Unit)\.? ?[0-9]{1,5}\b",
    r"\b[A-ZÄÖÜ][\wäöüß.-]{2,30}(?:straße|strasse|str\.|gasse|allee) ?[0-9]{1,4}[a-z]?\b",
    r"\b(?:PSC|Unit|CMR) [0-9]{3,5},? Box [0-9]{3,5}\s+(?:[AFD]PO) A[AEP] [0-9]{5}\b",
)
_compiled_postal: list[re.Pattern[str]] = []


def find_postal_addresses(text: str) -> Iterator[Finding]:
    """Every postal address that its form gives away."""
    lower = text.lower()
    if not any(hint in lower for hint in HINTS):
        return
    if not _compiled_postal:
        _compiled_postal.extend(map(re.compile, _PATTERNS))
    for pattern in _compiled_postal:
        for match in pattern.finditer(text):
            yield Finding(PERSONAL, "postal address", match.start(), match.end())


# Identity numbers that states give out, each with its own check.


_D = "[0-9]"
NUMBERS = (
    # label, shape, module of stdnum, words that must be near (none: the form is telling enough)
    ("US social security number", r"[0-8]\d{2}-\d{2}-\d{4}", "us.ssn", ""),
    ("US social security number", r"[0-8]\d{2}[ -]?\d{2}[ -]?\d{4}", "us.ssn", r"ssn|social security"),
    ("UK national insurance number", r"[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]", "", r"insurance|nino|\bni\b"),
    ("Canadian social insurance number", r"\d{3}[ -]?\d{3}[ -]?\d{3}", "ca.sin", r"\bsin\b|social insurance"),
    ("Australian tax file number", r"\d{3} ?\d{3} ?\d{2,3}", "au.tfn", r"\btfn\b|tax file"),
    ("German tax number", r"\d{2} ?\d{3} ?\d{3} ?\d{3}", "de.idnr", r"steuer|tax|idnr|idnum"),
    ("French social security number", r"[12] ?\d{2} ?\d{2} ?[0-9AB]{2} ?\d{3} ?\d{3} ?\d{2}", "fr.nir", ""),
    ("Spanish identity number", r"(?:\d{8}|[XYZ]\d{7})-?[A-Z]", "es.nif", ""),
    ("Italian tax code", r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", "it.codicefiscale", ""),
    ("Dutch citizen number", r"\d{9}", "nl.bsn", r"\bbsn\b|burgerservice|citizen"),
    ("Polish identity number", r"\d{11}", "pl.pesel", r"pesel"),
    ("Swedish personal number", r"(?:19|20)?\d{6}[-+]\d{4}", "se.personnummer", ""),
    ("Finnish identity code", r"\d{6}[-+A-F]\d{3}[0-9A-Y]", "fi.hetu", ""),
    ("Danish personal number", r"\d{6}-?\d{4}", "dk.cpr", r"\bcpr\b|personnummer"),
    ("Norwegian identity number", r"\d{6} ?\d{5}", "no.fodselsnummer", r"fødsel|fodsel|personnummer|national id"),
    ("Belgian national number", r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", "be.nn", ""),
    ("Swiss social security number", r"756\.\d{4}\.\d{4}\.\d{2}", "ch.ssn", ""),
    ("Brazilian tax number", r"\d{3}\.\d{3}\.\d{3}-\d{2}", "br.cpf", ""),
    ("Mexican population code", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", "mx.curp", ""),
    ("Indian Aadhaar number", r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}", "in_.aadhaar", ""),
    ("Indian Aadhaar number", r"[2-9]\d{11}", "in_.aadhaar", r"aadhaar|uidai"),
    ("Indian tax number", r"[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]", "in_.pan", r"\bpan\b"),
    ("Chinese identity number", r"\d{17}[0-9X]", "cn.ric", ""),
    ("Korean resident number", r"\d{6}-[1-8]\d{6}", "kr.rrn", ""),
    ("South African identity number", r"\d{13}", "za.idnr", r"\bid\b|identity"),
    ("Turkish identity number", r"[1-9]\d{10}", "tr.tckimlik", r"kimlik|\btc\b"),
    ("passport number", r"[A-Z]{0,2}\d{6,9}", "", r"passport(?: (?:number|no\.?|nr\.?|#))?(?: is)?"),
    ("driving licence number", r"[A-Z]{0,5}\d{5,12}[A-Z0-9]{0,6}", "",
     r"driv(?:er'?s?|ing) licen[sc]e(?: (?:number|no\.?|nr\.?|#))?(?: is)?"),
)  # fmt: skip
NEAR_NUMBER = 40
"""How many characters before a number its name may stand."""

_compiled_numbers: list[tuple[str, re.Pattern[str], str, re.Pattern[str] | None]] = []


def find_identity_numbers(text: str) -> Iterator[Finding]:
    """Every identity number in a text."""
    if not _compiled_numbers:
        _compiled_numbers.extend(
            (
                label,
                re.compile(rf"(?<![\w.@-]){shape.replace(chr(92) + 'd', _D)}(?![\w@-]|[.,][0-9])"),
                module,
                re.compile(rf"(?i){words}") if words else None,
            )
            for label, shape, module, words in NUMBERS
        )
    for label, pattern, module, words in _compiled_numbers:
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - NEAR_NUMBER) : match.start()]
            if (words is None or words.search(before)) and _valid(module, match.group()):
                yield Finding(PERSONAL, label, match.start(), match.end())


def _valid(module: str, number: str) -> bool:
    if not module:
        return True
    from importlib import import_module

    return import_module(f"stdnum.{module}").is_valid(number)


# Find data about a person: addresses, telephone and account numbers, identity numbers.


_MAIL = re.compile(
    r"(?<![\w.+@/-])[\w.+%'-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6}[^\W\d_]{2,24}(?![\w@-])"
)
_REMOTE = re.compile(r"[:/][\w~./-]")
"""The path after the address of a repository, as in git@host:path."""
_BORN = re.compile(
    r"(?i)\b(?:born(?: on)?|birth ?da(?:te|y)|date of birth|d\.?o\.?b\.?|geboren(?: am)?)\b"
    r"[^.\n0-9]{0,25}"
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|"
    r"[0-9]{1,2}(?:st|nd|rd|th)?\.? (?:of )?[^\W\d_]{3,10},? [0-9]{4}|"
    r"[^\W\d_]{3,10}\.? [0-9]{1,2}(?:st|nd|rd|th)?,? [0-9]{4})"
)
_IP = re.compile(r"(?<![\w.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w-]|\.[0-9])")
_IPV6 = re.compile(r"(?i)(?<![\w:.])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}(?![\w:])")
_VERSION = re.compile(
    r"(?i)(?:\bv|version|release|build|firmware|driver|upgraded? to|==|>=|~=)\s*$"
)
_CARD = re.compile(r"(?<![\w.-])[1-6](?:[ -]?[0-9]){11,18}(?![\w-]|[.,][0-9])")
_CARD_STARTS = re.compile(
    # Visa, Mastercard and Maestro, Discover and UnionPay, Mastercard, American Express and JCB
    "4|5[0-8]|6[0-9]|2[2-7]|3[0-9]|1800|2131"
)
_ISSUED = re.compile(
    r"(?i)(?:order|invoice|tracking|ticket|isbn|imei|build|commit|timestamp|serial|case|"
    r"shipment|transaction|request|trace|parcel)\W{0,3}(?:\w{0,7}\W{0,3}){0,2}$|#$"
)
"""Numbers that somebody else gave out, said right before one."""
_IBAN = re.compile(r"(?i)(?<![\w-])[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{2,4}){3,8}(?![\w-])")
_DATES = re.compile(
    r"(?<![0-9])(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}"
    r"(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
    r"|[0-9]{1,2}[./][0-9]{1,2}[./](?:19|20)[0-9]{2}"
    r"|[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?)(?![0-9])"
)
_HASHES = re.compile(
    r"(?i)\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?=[0-9]{0,64}[a-f])[0-9a-f]{7,64})\b"
)
"""Numbers that are about nobody; they are blanked before others are looked for."""
_LONG_NUMBER = re.compile("[0-9](?:[A-Za-z ()./+-]{0,3}[0-9]){5}")


def find_personal_data(text: str) -> Iterator[Finding]:
    """Everything in a text that says something about a person, perhaps overlapping."""
    if "@" in text:
        yield from _mails(text)
    for match in _BORN.finditer(text):
        yield _found("date of birth", match, "date")
    if text.count(".") >= 3 or text.count(":") >= 3:
        yield from _addresses(text)
    yield from find_postal_addresses(text)
    rest = _DATES.sub(_blank, text)
    if _LONG_NUMBER.search(rest):
        yield from _accounts(rest)
        rest = _HASHES.sub(_blank, rest)
        yield from _cards(rest)
        yield from find_identity_numbers(rest)
        yield from find_phones(rest)


def _blank(match: re.Match[str]) -> str:
    return "_" * len(match.group())


def _found(label: str, match: re.Match[str], group: str | int = 0) -> Finding:
    return Finding(PERSONAL, label, match.start(group), match.end(group))


def _mails(text: str) -> Iterator[Finding]:
    for match in _MAIL.finditer(text):
        if match.group().startswith("git@") or _REMOTE.match(text, match.end()):
            continue
        yield _found("e-mail address", match)


def _addresses(text: str) -> Iterator[Finding]:
    for match in (*_IP.finditer(text), *_IPV6.finditer(text)):
        before = text[max(0, match.start() - 20) : match.start()]
        if not _VERSION.search(before) and _is_somewhere(match.group()):
            yield _found("IP address", match)


def _is_somewhere(text: str) -> bool:
    """Whether it is an address on the internet: not a private one, and hardly a version."""
    import ipaddress

    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.version == 4 and sum(int(part) > 19 for part in text.split(".")) < 2:
        return False
    return address.is_global


def _cards(text: str) -> Iterator[Finding]:
    for match in _CARD.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        if _is_card(match.group()) and ("card" in before or not _ISSUED.search(before)):
            yield _found("payment card number", match)


def _accounts(text: str) -> Iterator[Finding]:
    for match in _IBAN.finditer(text):
        # Words after the number may look like more of it, so ever shorter pieces are tried.
        for end in _ends(match):
            if _is_iban(text[match.start() : end]):
                yield Finding(PERSONAL, "bank account number", match.start(), end)
                break


def _ends(match: re.Match[str]) -> Iterator[int]:
    yield match.end()
    whole = match.group()
    for place in range(len(whole) - 1, 14, -1):
        if whole[place] in " -":
            yield match.start() + place


def _is_card(text: str) -> bool:
    digits = "".join(c for c in text if c.isdigit())
    if not _CARD_STARTS.match(digits) or len(set(digits)) < 2:
        return False
    doubled = sum(sum(divmod(2 * int(c), 10)) for c in digits[-2::-2])
    return (doubled + sum(map(int, digits[-1::-2]))) % 10 == 0


def _is_iban(text: str) -> bool:
    from stdnum import iban

    return iban.is_valid(text)
