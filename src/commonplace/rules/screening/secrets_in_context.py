"""Find secrets by their context: an assignment, a login in a URL, a header.

Placeholders, variables, paths and plain words are no secrets.
"""

from __future__ import annotations

import re

from .findings import CREDENTIAL, UUID, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_PLACEHOLDER = (
    r"(?i)^(?:[*•.x#_-]{3,}|\$[\w({].*|%\w+%|\{\{?.*|<.*|\[.*|&\w.*|"
    r"(?:your|my|the|some|an?|example|sample|dummy|fake|test|placeholder|changeme|change[_-]me)"
    r"(?:[_.-].*|\d*)|"
    r"redacted.*|removed.*|hidden|masked|secret|pass|password|passwd|pwd|token|none|null|nil|undefined|"
    r"true|false|required|optional|string|str|bytes|sealed:.*|"
    r"(?:os|process|env|config|settings|self|options|args|params|secrets|vault|req|request|ctx)"
    r"[.\[(].*|(?:get|read|load|fetch|input|prompt|getpass|lookup|ref|file|env|op|arn):.*|"
    r"[\w.]+\(.*|(?:~|\.{0,2})/.*|[a-z]:\\.*|https?://.*)$"
)
_WORDS = r"[^\W\d_]+(?:[-'’/.][^\W\d_]+)*"
_COUNT = r"(?i)\d+[-–.:%]?[a-z]*"
_MAIL = r"(?i)[^@]+@[^@]+\.[a-z]{2,}"
_NAME = r"[A-Za-z]+(?:[._-]+[A-Za-z]+\d{0,3})*"
_DATA = r"\d{4}-\d{2}-\d{2}.*|v?\d+(?:\.\d+)+.*|[a-z]+(?:-[a-z0-9]+)+"


def is_filled_in(value: str) -> bool:
    """Not a placeholder, a variable or a path."""
    return not re.match(_PLACEHOLDER, value)


def is_quoted(value: str) -> bool:
    """A quoted password: anything but a sentence or a placeholder."""
    return is_filled_in(value) and " " not in value.strip()


def is_password(value: str) -> bool:
    """A bare password, rather than the next word of a sentence."""
    if len(value) < 4 or not is_filled_in(value) or re.fullmatch(_MAIL, value):
        return False
    return not re.fullmatch(_WORDS, value) or _has_inner_capitals(value)


def is_spoken(value: str) -> bool:
    """The same in `the password is …`, where counts and names of things follow more often."""
    return is_password(value) and not re.fullmatch(_COUNT, value) and not re.fullmatch(_NAME, value)


def is_token(value: str) -> bool:
    """A secret without a format of its own has letters and digits, and is no name, date or path."""
    if not is_filled_in(value) or re.fullmatch(_NAME, value) or re.fullmatch(_MAIL, value):
        return False
    if not any(c.isdigit() for c in value) or not any(c.isalpha() for c in value):
        return False
    return not re.fullmatch(_DATA, value) or bool(re.match(UUID, value))


def is_basic(value: str) -> bool:
    """Whether the value of a `Basic` header is an encoded `user:password`."""
    import base64

    try:
        said = base64.b64decode(value, validate=True).decode()
    except ValueError:
        return False
    return ":" in said and said.isprintable()


def is_bearer(value: str) -> bool:
    """A token, rather than `bearer authentication`."""
    return is_filled_in(value) and any(c.isdigit() for c in value)


def _has_inner_capitals(value: str) -> bool:
    """As in `korrectHorseBattery`, but not `README` or `GitHub`."""
    return len(value) >= 8 and not value.isupper() and sum(c.isupper() for c in value[1:]) >= 2


# Search

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
    # Label, hints of which one must be there, pattern, and check of the match
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
        is_filled_in,
    ),
    (
        "basic authorization",
        "basic",
        r"(?i)\bbasic\s+(?P<secret>[A-Za-z0-9+/]{8,200}={0,2})(?![\w+/=])",
        is_basic,
    ),
    (
        "bearer token",
        "bearer",
        r"(?i)\bbearer\s+(?P<secret>[\w.~+/-]{20,4000}={0,2})",
        is_bearer,
    ),
    (
        "password on a command line",
        "-u --user",
        r"(?:^|\s)(?:-u|--user)[ =]['\"]?[\w.@-]{1,80}:(?P<secret>[^\s'\"]{3,200})",
        is_filled_in,
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
        is_password,
    ),
    (
        "password",
        _SAID_HINTS,
        rf"(?i){_SAID}{_ASSIGN}{_QUOTED_OR}{_BARE})",
        is_password,
    ),
    (
        "password",
        _SAID_HINTS,
        rf"(?i){_SAID}\s+(?:is|was|ist|es|est)(?:\s+now)?:?\s+{_QUOTED_OR}{_BARE})",
        is_spoken,
    ),
    (
        "secret",
        _KEY_HINTS,
        rf"(?i){_KEYED}{_ASSIGN}{_QUOTE}?(?P<secret>[\w+/=.~$%!@#^&*:-]{{12,4000}})",
        is_token,
    ),
    (
        "secret",
        _KEY_HINTS,
        rf"(?i){_KEYED}\s+is:?\s+{_QUOTE}?(?P<secret>[\w+/=.~-]{{16,4000}})",
        is_token,
    ),
    (
        "API key",
        _KEY_HINTS,
        rf"(?i)(?<![a-z]){_ISSUERS}[\w .-]{{0,25}}(?:key|token|secret|password|credential){_QUOTE}?"
        rf"(?:\s+is:?\s+|{_ASSIGN}|\s+){_QUOTE}?(?P<secret>{UUID}|[\w+/=.~-]{{20,200}})",
        is_token,
    ),
)

_HINTS = tuple(tuple(hints.split()) for _, hints, _, _ in SIGNS)
_compiled: list[re.Pattern[str] | None] = [None] * len(SIGNS)


def find_secrets(text: str) -> Iterator[Finding]:
    """Everything that its surroundings call a secret, perhaps overlapping."""
    lower = text.lower()
    long = None
    for place, (label, _, shape, real) in enumerate(SIGNS):
        if not any(hint in lower for hint in _HINTS[place]):
            continue
        if real is is_token:
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
        group, real = "quoted", is_quoted
    else:
        group = "secret" if "secret" in groups else 0
    # Punctuation at the end is redacted with the secret, but not judged.
    if real is None or real(match[group].rstrip(".,;:!?)")):
        yield Finding(CREDENTIAL, label, match.start(group), match.end(group))
