"""Secrets that only their surroundings give away: an assignment, a login in a URL, a header.

What is a placeholder, a variable, a path or plain words is no secret: that a password is required,
or read from the environment, says nothing that must be kept back.
"""

from __future__ import annotations

import re

from . import judging
from .finding import CREDENTIAL, Finding
from .shapes import UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SAID_HINTS = (
    'passw passp passc pass= pass: pass" pwd pw= pw: pw" kennwort contraseña passe parol пароль '
    "密码 パスワード"
)
_KEY_HINTS = "key token secret credential"

_QUOTE = "[\"'`“”‘’«»]"
_ASSIGN = rf"{_QUOTE}?\s{{0,3}}(?::=|=>|=|:|：)\s{{0,3}}"
_SAID = (
    r"(?:pass(?:word|wd|phrase|code)|(?<![a-z])p(?:ass|wd|w)|kennwort|passwort|contraseña"
    r"|mot de passe|parola|пароль|密码|パスワード)"
)
_KEYED = (
    r"(?<![a-z])(?:(?:api|access|secret|auth|private|encryption|signing|session|client|app|account|master|"
    r"license|refresh|bearer|webhook|deploy|service|consumer|bot|user|oauth)"
    r"[ _.-]?(?:key|token|secret|password|credential)s?|secret|token|credentials?)"
)
_ISSUERS = (
    "(?:aws|datadog|dd|heroku|cloudflare|cf|twilio|fastly|okta|algolia|paypal|wandb|mailgun|"
    "cohere|mistral|together|zendesk|intercom|dropbox|bitbucket|twitter|twitch|vault|gcp|azure|"
    "github|gitlab|slack|stripe|openai|anthropic|telegram|discord|notion|linear|jira|sentry)"
)
_QUOTED_OR = r"(?:(?P<mark>[\"'`])(?P<quoted>[^\"'`\n]{3,200})(?P=mark)|"
_BARE = r"(?P<secret>[^\s\"'`,;<>]{4,200})"

SIGNS: tuple[tuple[str, str, str, Callable[[str], bool] | None], ...] = (
    # What it is, letters of which one is there, how it looks, and whether what is found is real
    (
        "private key",
        "-----begin",
        r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]|-(?!----)){0,12000}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
        None,
    ),
    (
        "PuTTY private key",
        "putty-user-key",
        r"PuTTY-User-Key-File-\d: (?s:.{0,6000}?(?:Private-MAC: \w+|\Z))",
        None,
    ),
    (
        "password in a URL",
        "://",
        r"://[^\s:/@?#\"'<>]{0,80}:(?P<secret>[^\s/@\"'<>]{3,200})@[\w\[]",
        judging.is_filled_in,
    ),
    (
        "basic authorization",
        "basic",
        r"(?i)\bbasic\s+(?P<secret>[A-Za-z0-9+/]{8,200}={0,2})(?![\w+/=])",
        judging.is_basic,
    ),
    (
        "bearer token",
        "bearer",
        r"(?i)\bbearer\s+(?P<secret>[\w.~+/-]{20,4000}={0,2})",
        judging.is_bearer,
    ),
    (
        "password on a command line",
        "-u --user",
        r"(?:^|\s)(?:-u|--user)[ =]['\"]?[\w.@-]{1,80}:(?P<secret>[^\s'\"]{3,200})",
        judging.is_filled_in,
    ),
    (
        "signature of a shared address",
        "sig=",
        r"(?i)[?&]sig=(?P<secret>[A-Za-z0-9%+/]{40,120}(?:%3D|=){0,2})",
        None,
    ),
    (
        "WireGuard private key",
        "privatekey presharedkey",
        r"(?i)\b(?:PrivateKey|PresharedKey)\s*=\s*(?P<secret>[A-Za-z0-9+/]{43}=)",
        None,
    ),
    (
        "password",
        "password",
        r"(?i)\blogin\s+\S{1,80}\s+password\s+(?P<secret>\S{3,200})",
        judging.is_password,
    ),
    (
        "password",
        _SAID_HINTS,
        rf"(?i){_SAID}{_ASSIGN}{_QUOTED_OR}{_BARE})",
        judging.is_password,
    ),
    (
        "password",
        _SAID_HINTS,
        rf"(?i){_SAID}\s+(?:is|was|ist|es|est)(?:\s+now)?:?\s+{_QUOTED_OR}{_BARE})",
        judging.is_spoken,
    ),
    (
        "secret",
        _KEY_HINTS,
        rf"(?i){_KEYED}{_ASSIGN}{_QUOTE}?(?P<secret>[\w+/=.~$%!@#^&*:-]{{12,4000}})",
        judging.is_token,
    ),
    (
        "secret",
        _KEY_HINTS,
        rf"(?i){_KEYED}\s+is:?\s+{_QUOTE}?(?P<secret>[\w+/=.~-]{{16,4000}})",
        judging.is_token,
    ),
    (
        "API key",
        _KEY_HINTS,
        rf"(?i)(?<![a-z]){_ISSUERS}[\w .-]{{0,25}}(?:key|token|secret|password|credential){_QUOTE}?"
        rf"(?:\s+is:?\s+|{_ASSIGN}|\s+){_QUOTE}?(?P<secret>{UUID}|[\w+/=.~-]{{20,200}})",
        judging.is_token,
    ),
)

_HINTS = tuple(tuple(hints.split()) for _, hints, _, _ in SIGNS)
_compiled: list[re.Pattern[str] | None] = [None] * len(SIGNS)


def secrets(text: str) -> Iterator[Finding]:
    """Everything that its surroundings call a secret, perhaps overlapping."""
    lower = text.lower()
    long = None
    for place, (label, _, shape, real) in enumerate(SIGNS):
        if not any(hint in lower for hint in _HINTS[place]):
            continue
        if real is judging.is_token:
            # Key and token are everyday words; most texts with them hold nothing long enough.
            long = _has_long_mixture(text) if long is None else long
            if not long:
                continue
        pattern = _compiled[place]
        if pattern is None:
            pattern = _compiled[place] = re.compile(shape)
        for match in pattern.finditer(text):
            yield from _finding(label, match, real)


def _has_long_mixture(text: str) -> bool:
    """Whether any word is as long as a token and has a digit in it."""
    return any(len(word) >= 12 and any(c.isdigit() for c in word) for word in text.split())


def _finding(
    label: str, match: re.Match[str], real: Callable[[str], bool] | None
) -> Iterator[Finding]:
    groups = match.groupdict()
    if groups.get("quoted"):
        group, real = "quoted", judging.is_quoted
    else:
        group = "secret" if "secret" in groups else 0
    # What ends a sentence may end a secret too: it is removed with it, but not judged by.
    if real is None or real(match[group].rstrip(".,;:!?)")):
        yield Finding(CREDENTIAL, label, match.start(group), match.end(group))
