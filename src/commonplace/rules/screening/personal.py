"""Find data about a person: addresses, telephone and account numbers, identity numbers.

Numbers count only when they pass the check of their own format or when words around them say
what they are. Dates, versions, hashes, UUIDs, timestamps and order numbers are none of these.
"""

from __future__ import annotations

import re

from . import identity_numbers, phones, postal
from .finding import PERSONAL, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MAIL = re.compile(
    r"(?<![\w.+@/-])[\w.+%'-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6}[^\W\d_]{2,24}(?![\w@-])"
)
_REMOTE = re.compile(r"[:/][\w~./-]")
"""What follows the address of a repository, such as git@host:path."""
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


def personal(text: str) -> Iterator[Finding]:
    """Everything in a text that says something about a person, perhaps overlapping."""
    if "@" in text:
        yield from _mails(text)
    for match in _BORN.finditer(text):
        yield _found("date of birth", match, "date")
    if text.count(".") >= 3 or text.count(":") >= 3:
        yield from _addresses(text)
    yield from postal.postal(text)
    rest = _DATES.sub(_blank, text)
    if _LONG_NUMBER.search(rest):
        yield from _accounts(rest)
        rest = _HASHES.sub(_blank, rest)
        yield from _cards(rest)
        yield from identity_numbers.identities(rest)
        yield from phones.phones(rest)


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
