"""Secrets that only their surroundings give away: `password = …`, a login inside a URL, a header.

What is a placeholder, a variable, a path or plain words is no secret: `password: required` and
`token = os.environ["TOKEN"]` say nothing that must be kept.
"""

from __future__ import annotations

import re

from .finding import CREDENTIAL, Finding
from .formats import UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HINTS = (
    "pass", "pwd", "secret", "token", "key", "bearer", "basic ", "://", "credential", "login",
    "kennwort", "passwort", "contraseña", "mot de passe", "parol", "пароль", "密码", "パスワード",
    " -u ", "--user", "sig=",
)  # fmt: skip
"""In lower case: a text with none of these has no secret of this sort."""

_QUOTE = "[\"'`“”‘’«»]"
_ASSIGN = rf"{_QUOTE}?\s{{0,3}}(?::=|=>|=|:|：)\s{{0,3}}"
_PASSWORD = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|pw|kennwort|passwort|contraseña|mot de passe"
    r"|parola|пароль|密码|パスワード)"
)
_KEYED = (
    r"(?:api|access|secret|auth|private|encryption|signing|session|client|app|account|master|"
    r"license|refresh|bearer|webhook|deploy|service|consumer|bot|user|oauth)"
    r"[ _.-]?(?:key|token|secret|password|credential)s?|secret|token|credentials?"
)
_PROVIDERS = (
    r"aws|datadog|dd|heroku|cloudflare|cf|twilio|fastly|okta|algolia|paypal|wandb|mailgun|"
    r"cohere|mistral|together|zendesk|intercom|dropbox|bitbucket|twitter|twitch|vault|gcp|azure|"
    r"github|gitlab|slack|stripe|openai|anthropic|telegram|discord|notion|linear|jira|sentry"
)

_PATTERNS = (
    (
        "private key",
        r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?s:.{0,12000}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z))",
    ),
    ("PuTTY private key", r"PuTTY-User-Key-File-\d: (?s:.{0,6000}?(?:Private-MAC: \w+|\Z))"),
    ("password in a URL", r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@?#\"'<>]{0,80}:(?P<value>[^\s/@\"'<>]{3,200})@[\w\[]"),
    ("basic authorization", r"(?i)\bbasic\s+(?P<value>[A-Za-z0-9+/]{8,200}={0,2})(?![\w+/=])"),
    ("bearer token", r"(?i)\bbearer\s+(?P<value>[\w.~+/-]{20,4000}={0,2})"),
    ("password on a command line", r"(?:^|\s)(?:-u|--user)[ =](?P<quote>['\"]?)[\w.@-]{1,80}:(?P<value>[^\s'\"]{3,200})"),
    ("password", rf"(?i)\blogin\s+\S{{1,80}}\s+password\s+(?P<value>\S{{3,200}})"),
    ("signature of a shared address", r"(?i)[?&]sig=(?P<value>[A-Za-z0-9%+/]{40,120}(?:%3D|=){0,2})"),
    ("WireGuard private key", r"(?i)\b(?:PrivateKey|PresharedKey)\s*=\s*(?P<value>[A-Za-z0-9+/]{43}=)"),
    (
        "password",
        rf"(?i)(?<![a-z])(?:[\w.-]{{0,40}}[_.-])?{_PASSWORD}{_ASSIGN}"
        rf"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{{3,200}})(?P=quote)|(?P<value>[^\s\"'`,;<>]{{4,200}}))",
    ),
    (
        "password",
        rf"(?i)(?<![a-z_-]){_PASSWORD}\s+(?:is|was|ist|es|est)(?:\s+now)?:?\s+"
        rf"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{{3,200}})(?P=quote)|(?P<word>[^\s\"'`,;<>]{{4,200}}))",
    ),
    (
        "secret",
        rf"(?i)(?<![a-z])(?:[\w.-]{{0,40}}[_.-])?(?:{_KEYED}){_ASSIGN}{_QUOTE}?(?P<token>[A-Za-z0-9_+/=.~$%!@#^&*:-]{{12,4000}})",
    ),
    (
        "secret",
        rf"(?i)(?<![a-z])(?:{_KEYED})\s+is\s+{_QUOTE}?(?P<token>[A-Za-z0-9_+/=.~-]{{16,4000}})",
    ),
    (
        "API key",
        rf"(?i)(?<![a-z])(?:{_PROVIDERS})[\w .-]{{0,25}}(?:key|token|secret|password|credential){_QUOTE}?"
        rf"(?:\s+is\s+|{_ASSIGN}|\s+){_QUOTE}?(?P<token>{UUID}|[A-Za-z0-9_+/=.~-]{{20,200}})",
    ),
)  # fmt: skip

_compiled: list[tuple[str, re.Pattern[str]]] = []
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[*•.x#_-]{3,}|\$[\w({].*|%\w+%|\{\{?.*|<.*|\[.*|&\w.*|"
    r"(?:your|my|the|some|an?|example|sample|dummy|fake|test|placeholder|changeme|change[_-]me)"
    r"(?:[_.-].*|\d*)|"
    r"redacted.*|removed.*|hidden|masked|secret|password|passwd|token|none|null|nil|undefined|"
    r"true|false|required|optional|string|str|bytes|sealed:.*|"
    r"(?:os|process|env|config|settings|self|options|args|params|secrets|vault|req|request|ctx)"
    r"[.\[(].*|(?:get|read|load|fetch|input|prompt|getpass|lookup|ref|file|env|op|arn):.*|"
    r"[\w.]+\(.*|(?:~|\.{0,2})/.*|[a-z]:\\.*|https?://.*)$"
)
_PLAIN_WORD = re.compile(r"^[^\W\d_]+(?:[-'’/.][^\W\d_]+)*$")
_COUNT = re.compile(r"^\d+(?:[-–.:%]?[a-z]*)*$", re.IGNORECASE)
_MAIL = re.compile(r"^[^@]+@[^@]+\.[a-z]{2,}$", re.IGNORECASE)
_NAME = re.compile(r"^[A-Za-z_]+(?:[._-][A-Za-z_]+\d{0,3})*$")


def secrets(text: str) -> Iterator[Finding]:
    """Everything that its surroundings call a secret, perhaps overlapping."""
    lower = text.lower()
    if not any(hint in lower for hint in HINTS):
        return
    if not _compiled:
        _compiled.extend((label, re.compile(pattern)) for label, pattern in _PATTERNS)
    for label, pattern in _compiled:
        for match in pattern.finditer(text):
            start, end = _secret(label, match)
            if start < end:
                yield Finding(CREDENTIAL, label, start, end)


def _secret(label: str, match: re.Match[str]) -> tuple[int, int]:
    """Where in a match the secret itself is; nowhere when it is none after all."""
    groups = match.re.groupindex
    for name in ("quoted", "value", "word", "token"):
        if name in groups and match[name] is not None:
            value = match[name].rstrip(".,;:!?)") if name != "quoted" else match[name]
            start = match.start(name)
            real = _JUDGES.get((label, name), _JUDGES.get(("", name)))
            is_one = real is None or real(value)
            return (start, start + len(value)) if is_one else (0, 0)
    return match.span()


def _is_password(value: str) -> bool:
    """Whether an unquoted word is a password rather than the next word of a sentence."""
    if len(value) < 4 or _PLACEHOLDER.match(value) or _MAIL.match(value):
        return False
    return not _PLAIN_WORD.match(value) or _mixed(value)


def _is_spoken_password(value: str) -> bool:
    """The same in `the password is …`, where counts and names of things follow more often."""
    return _is_password(value) and not _COUNT.match(value) and not _NAME.match(value)


def _is_quoted_password(value: str) -> bool:
    return not _PLACEHOLDER.match(value) and " " not in value.strip()


def _is_token(value: str) -> bool:
    """A secret without a format of its own has letters and digits, and is no name or path."""
    if len(value) < 12 or _PLACEHOLDER.match(value) or _NAME.match(value) or _MAIL.match(value):
        return False
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed and not _looks_like_data(value)


def _looks_like_data(value: str) -> bool:
    """Dates, versions and dashed names are said of keys and tokens, and are neither."""
    return bool(re.match(r"^(?:\d{4}-\d{2}-\d{2}.*|v?\d+(?:\.\d+)+.*|[a-z]+(?:-[a-z0-9]+)+)$", value)
                and not re.match(UUID, value))  # fmt: skip


def _is_basic(value: str) -> bool:
    """What follows `Basic` in a header is `user:password`."""
    import base64

    try:
        said = base64.b64decode(value, validate=True).decode()
    except ValueError:
        return False
    return ":" in said and said.isprintable()


def _is_bearer(value: str) -> bool:
    return any(c.isdigit() for c in value) and not _PLACEHOLDER.match(value)


def _is_url_password(value: str) -> bool:
    return not _PLACEHOLDER.match(value)


def _mixed(value: str) -> bool:
    """Capitals in the middle of a word, as in `korrectHorse`, but not `README` or `iPhone`."""
    inner = value[1:]
    return len(value) >= 8 and not value.isupper() and sum(c.isupper() for c in inner) >= 2


_JUDGES = {
    ("", "quoted"): _is_quoted_password,
    ("", "value"): _is_password,
    ("", "word"): _is_spoken_password,
    ("", "token"): _is_token,
    ("basic authorization", "value"): _is_basic,
    ("bearer token", "value"): _is_bearer,
    ("password in a URL", "value"): _is_url_password,
    ("password on a command line", "value"): _is_url_password,
    ("signature of a shared address", "value"): bool,
    ("WireGuard private key", "value"): bool,
}
