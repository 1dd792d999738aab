"""Find data about a person: addresses, telephone and account numbers, identity numbers.

Numbers count only when they pass the check of their own format or when words around them say
what they are. Dates, versions, hashes, UUIDs, timestamps and order numbers are none of these.
"""

# ruff: noqa: E501 - one row for each number reads better than several

from __future__ import annotations

import re

from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, PERSONAL, Finding
from .identity_numbers import find_identity_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


NEAR_PHONE = 60
"""How many characters before a number may call it a telephone's."""

_CANDIDATE = lazy(
    r"(?<![\w.,:/@#=-])\+?[(]?[0-9](?:[ ()./-]{0,3}[0-9]){6,14}(?:(?: ?x| ?ext\.? ?)[0-9]{1,6})?"
    r"(?![\w@:/-]|[.,][0-9])"
)
_CALLED = lazy(
    r"(?i)\b(?:(?:tele)?(?:phone|fon)|tel|mobile|cell(?:ular|phone)?|fax|desk|call(?:ed|ing)?|dial|"
    r"ring|text|sms|whatsapp|signal|reach(?:ed)? (?:me|him|her|them|us)|contact|handy|rufnummer|"
    r"móvil|portable|answering at|messages? (?:to|on))\b[^\n]{0,40}$"
)
_CALLED_AFTER = lazy(r"(?i)\s?[(,]?\s?(?:office|fax|mobile|cell|home|work|phone|desk)\b")
_NOT_ONE = lazy(
    r"(?:[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4})(?:[ T]|$)"
    r"|(?:19|20)[0-9]{2} ?[-/] ?(?:19|20)[0-9]{2}$"
)
_GROUPED = lazy(
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

_POSTAL = tuple(
    map(
        lazy,
        (
            r"\b[0-9]{1,5}[A-Za-z]? (?:[A-Z0-9][\w.'’-]* ){1,4}"
            r"(?:Street|Avenue|Road|Lane|Boulevard"
            r"|(?:St|Ave|Rd|Ln|Blvd|Dr|Ct)(?=\.|,| Apt| Suite|\s*\n))\b\.?",
            r"\b[0-9]{1,5} (?:[A-Z0-9][\w.'’-]* ){1,5}(?:Apt|Suite|Unit)\.? ?[0-9]{1,5}\b",
            r"\b[A-ZÄÖÜ][\wäöüß.-]{2,30}(?:straße|strasse|str\.|gasse|allee) ?[0-9]{1,4}[a-z]?\b",
            r"\b(?:PSC|Unit|CMR) [0-9]{3,5},? Box [0-9]{3,5}\s+(?:[AFD]PO) A[AEP] [0-9]{5}\b",
        ),
    )
)


def find_postal_addresses(text: str) -> Iterator[Finding]:
    """Every postal address that its form gives away."""
    lower = text.lower()
    if not any(hint in lower for hint in HINTS):
        return
    for pattern in _POSTAL:
        for match in pattern.finditer(text):
            yield Finding(PERSONAL, "postal address", match.start(), match.end())


# Find data about a person: addresses, telephone and account numbers, identity numbers.


_MAIL = lazy(
    r"(?<![\w.+@/-])[\w.+%'-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6}[^\W\d_]{2,24}(?![\w@-])"
)
_REMOTE = lazy(r"[:/][\w~./-]")
"""The path after the address of a repository, as in git@host:path."""
_BORN = lazy(
    r"(?i)\b(?:born(?: on)?|birth ?da(?:te|y)|date of birth|d\.?o\.?b\.?|geboren(?: am)?)\b"
    r"[^.\n0-9]{0,25}"
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|"
    r"[0-9]{1,2}(?:st|nd|rd|th)?\.? (?:of )?[^\W\d_]{3,10},? [0-9]{4}|"
    r"[^\W\d_]{3,10}\.? [0-9]{1,2}(?:st|nd|rd|th)?,? [0-9]{4})"
)
_IP = lazy(r"(?<![\w.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w-]|\.[0-9])")
_IPV6 = re.compile(r"(?i)(?<![\w:.])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}(?![\w:])")
_VERSION = lazy(r"(?i)(?:\bv|version|release|build|firmware|driver|upgraded? to|==|>=|~=)\s*$")
_CARD = lazy(r"(?<![\w.-])[1-6](?:[ -]?[0-9]){11,18}(?![\w-]|[.,][0-9])")
_CARD_STARTS = lazy(
    # Visa, Mastercard and Maestro, Discover and UnionPay, Mastercard, American Express and JCB
    "4|5[0-8]|6[0-9]|2[2-7]|3[0-9]|1800|2131"
)
_ISSUED = lazy(
    r"(?i)(?:order|invoice|tracking|ticket|isbn|imei|build|commit|timestamp|serial|case|"
    r"shipment|transaction|request|trace|parcel)\W{0,3}(?:\w{0,7}\W{0,3}){0,2}$|#$"
)
"""Numbers that somebody else gave out, said right before one."""
_PAYABLE = lazy(
    r"(?i)\b(?:cvv2?|cvc2?|cv2|csc|security code|prüfziffer|prüfnummer|kartenprüfnummer|cryptogramme|crypto|código de seguridad"
    r"|código de segurança|codice di sicurezza|exp(?:iry|ires?|iration|ir\w+)?\.?|valid (?:to|until|thru)|gültig bis|caduca|vence"
    r"|scad\w+|scadenza|validade|válid[ao]|geldig tot|ważna do|vervalt)\b|有效期|安全码|有効期限|セキュリティコード"
)
_CARD_NAMES = lazy(
    r"(?i)visa|master ?card|amex|american express|discover|(?:credit|debit|bank|payment|gift) ?card|\bcard\b|karte\b|carte\b|\bcb\b|tarjeta|carta\b|cartão|kaart\b|kart[aąęy]\b|卡|カード"
)
_IBAN = lazy(r"(?i)(?<![\w-])[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{2,4}){3,8}(?![\w-])")
_DATES = lazy(
    r"(?<![0-9])(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}"
    r"(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
    r"|[0-9]{1,2}[./][0-9]{1,2}[./](?:19|20)[0-9]{2}"
    r"|[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?)(?![0-9])"
)
_HASHES = lazy(
    r"(?i)\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?=[0-9]{0,64}[a-f])[0-9a-f]{7,64})\b"
)
"""Numbers that are about nobody; they are blanked before others are looked for."""
_LONG_NUMBER = lazy("[0-9](?:[A-Za-z ()./+-]{0,3}[0-9]){5}")


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
        yield from find_phones(_HASHES.sub(_blank, rest))


def find_numbers(text: str) -> Iterator[Finding]:
    """Payment cards and the numbers by which a state knows a person."""
    rest = _HASHES.sub(_blank, _DATES.sub(_blank, text))
    yield from _cards(rest)
    yield from find_identity_numbers(rest)


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
            # Somebody who calls it a card, or gives its date, gives it to pay with.
            usable = _PAYABLE.search(text, max(0, match.start() - 60), match.end() + 60)
            named = _CARD_NAMES.search(text, max(0, match.start() - 60), match.end() + 30)
            kind = CREDENTIAL if usable or named else PERSONAL
            yield Finding(kind, "payment card number", match.start(), match.end())


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
