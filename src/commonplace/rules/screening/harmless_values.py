"""Values that open nothing wherever they stand: references, sealed values, public keys, samples."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HINTS = (
    "ENC", "}", "gAAAAA", "vault:v", "AQICAH", "U2FsdGVkX1", "$ANSIBLE_VAULT", "-----BEGIN", "://",
    "arn:aws", "/secrets/", ":/", "age1", "AAAA", "MFkwEwYH", "MHYwEAYH", "MIGbMBAG", "MCowBQYDK2V",
    "MII", "MIGfMA0G", "npub1", "pub", "RW", "pk_", "pk.eyJ", "sb_publishable_", "SHA256:",
)  # fmt: skip
"""A text without one has no such place, and needs no pattern."""

_PLACES = lazy(
    # What only its owner's key opens
    r"(?<!\w)ENC\([\w+/=.:-]{6,4000}\)|(?<!\w)ENC\[[^\]\n]{1,8000}\]?"
    r"|\{(?i:cipher|aes[\w-]{0,12}|rsa|3des|desede|kms|vault)\}[\w+/=.-]{8,4000}"
    r"|(?<=>)\{[A-Za-z0-9+/]{30,400}={0,2}\}(?=<)"
    r"|(?<![\w+/])(?:gAAAAA[\w-]{60,4000}={0,2}|vault:v\d{1,3}:[\w+/=]{16,4000}|AQICAH[\w+/=]{16,4000}|U2FsdGVkX1[\w+/=]{12,4000})"
    r"|\$ANSIBLE_VAULT;[\w.;-]{1,40}(?:\s{1,12}[0-9a-f]{16,100}){0,200}"
    r"|-----BEGIN (?:AGE ENCRYPTED FILE|PGP (?:MESSAGE|SIGNATURE|PUBLIC KEY BLOCK)|(?:RSA |SSH2? )?PUBLIC KEY|CERTIFICATE(?: REQUEST)?|PKCS7|CMS|SSH SIGNATURE)-----[^-]{0,12000}-----END"
    # Where it is kept
    r"|(?<![\w+])(?:op|bws?|vault|bao|doppler|infisical|keyring|keychain|keepass\w{0,4}|lastpass|pass|akv|azurekv|aws-?s?sm|gcp-?sm|ssm|secretsmanager|secrets?|sops|kv|ref\+[a-z0-9]{2,20})://(?![^\s\"'<>]{0,300}@)[^\s\"'<>`),;]{1,300}"
    r"|(?<!\w)arn:aws[\w-]{0,12}:[a-z0-9-]{2,30}:[a-z0-9-]{0,20}:\d{0,12}:[\w:/.+=@-]{1,300}"
    r"|(?<!\w)projects/[\w-]{1,60}/secrets/[\w-]{1,120}(?:/versions/\w{1,12})?"
    r"|(?<!\w)(?:aws|gcp|az|azure)?-?(?:s?sm|kv|secrets?-?manager|key-?vault|kms):/[\w./-]{1,200}"
    # What everybody may see
    r"|(?<!\w)age1[0-9a-z]{50,120}(?!\w)"
    r"|(?<![\w+/])AAAA(?:[BC]3NzaC1|E2VjZHNh|[GI]nNr)[\w+/]{20,1200}={0,3}"
    r"|(?<![\w+/])(?:MFkwEwYHKoZIzj0|MHYwEAYHKoZIzj0|MIGbMBAGByqGSM49|MCowBQYDK2V|MIGfMA0GCSqGSIb3DQEBAQUAA4G|MII[BC][\w+/]{2}(?:ANBgkqhkiG9w0BAQEFAAOC|CgKC)|MII[C-H][\w+/]{2}CC[\w+/]{3}gAwIBAgI)[\w+/=]{10,4000}"
    r"|(?<!\w)(?:npub1[0-9a-z]{58}|[xyz]pub[1-9A-HJ-NP-Za-km-z]{100,112}|pk_(?:live|test)_\w{10,250}|pk\.eyJ[\w.-]{20,300}|sb_publishable_[\w-]{10,60})(?!\w)"
    r"|(?<![\w+/])(?:RW[QRS][A-Za-z0-9+/]{53}|SHA256:[A-Za-z0-9+/]{43}=?)(?![\w+/])"
)
"""Stretches of a text in which nothing is a secret."""

_PUBLISHED = (
    # Emulators of Azure's storage and Cosmos DB
    "Eby8vdM02xNOcqFlqUwJ", "C2y6yDjf5/R+ob0N8A7C",
    # Manuals: Stripe, reCAPTCHA, jwt.io (twice), RFC 7519, RFC 6749, RFC 6750, RFC 7617, Telegram, Discord
    "4eC39HqLyjWDarjtT1zd", "BQokikJOvBiI2HlWgH4o", "26PHem9AhJZvU623DfE1", "AAAAGG-vFI1TnRWxMZNF",
    "SflKxwRJSMeKKF2QT4fw", "KMUFsIDTnFmyG3nMiGM6", "dBjftJeZ4CVP-mB92K27", "2YotnFZFEjr1zCsicMWp", "dXNlcm5hbWU6cGFzc3dvcmQ", "dXNlcjpwYXNz",
    "tGzv3JOkF0XG5Qx2TlKW", "czZCaGRSa3F0MzpnWDFm", "mF_9.B5f-4.1JqM", "QWxhZGRpbjpvcGVu",
    "ABC-DEF1234ghIkl-zyx", "AAHdqTcvCH1vGWJxfSeo", "MTk4NjIyNDgzNDcxOTI1",
    # One-time passwords of RFC 6238 and of every tutorial
    "GEZDGNBVGY3TQOJQ", "JBSWY3DPEHPK3PXP",
    # The first accounts of Hardhat and Anvil
    "ac0974bec39a17e36ba4", "59c6995e998f97a5a004", "5de4111afa1a4b949083",
)  # fmt: skip
"""Pieces of keys that manuals and emulators print; each is in no other key."""

NEAR = 40
"""How long before such a place a finding may begin that runs into it."""
_SHORTEST_PIECE = min(map(len, _PUBLISHED))
_MASK = "*•●█▪░"
_MASKED = lazy(
    rf"\W?(?:[\w-]{{0,4}}[{_MASK}]{{4,}}[\w-]{{0,4}}|(?:[A-Za-z]{{2,8}}[_-]){{1,3}}\w{{0,6}}(?:\.{{3}}|…|[{_MASK}]{{3,}})\w{{0,6}}"
    r"|(?:eyJ|AKIA|ASIA|AIza|SG\.|hvs\.)\w{0,12}(?:\.{3}|…)\w{0,6}|\w{0,8}…\w{0,6})\W?"
)
"""The ends of a value, as a page of settings shows it: `sk_live_…9f3a`, `p*****d`."""


def without_harmless(text: str, found: Sequence[Finding]) -> list[Finding]:
    """The findings without those credentials that open nothing."""
    places = _harmless_places(text) if any(one.kind == CREDENTIAL for one in found) else []
    return [
        one
        for one in found
        if one.kind != CREDENTIAL
        or not (_is_shown(text[one.start : one.end]) or _is_within(one, places))
    ]


def _harmless_places(text: str) -> list[tuple[int, int]]:
    if not any(map(text.__contains__, _HINTS)):
        return []
    return [match.span() for match in _PLACES.finditer(text)]


def _is_shown(value: str) -> bool:
    """Whether a value is masked, or printed in a manual."""
    if len(value) >= _SHORTEST_PIECE and any(map(value.__contains__, _PUBLISHED)):
        return True
    return len(value) <= 60 and bool(_MASKED.fullmatch(value))


def _is_within(one: Finding, places: list[tuple[int, int]]) -> bool:
    """Whether a finding lies in one of the places, or runs into one and ends there."""
    from bisect import bisect_left

    # The last place that begins before the finding's end.
    at = bisect_left(places, (one.end, 0)) - 1
    if at < 0:
        return False
    start, end = places[at]
    if start <= one.start:
        return one.start < end and one.end <= end + 2
    return one.start > start - NEAR and one.end <= end
