"""Find secrets by the syntax around them: an assignment, a login in a URL, a header, a command.

Placeholders, variables, paths and plain words are no secrets.
"""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

import re

from ...model.lazy_pattern import lazy
from .command_lines import COMMANDS
from .findings import CREDENTIAL, UUID, Finding, in_parts
from .secret_values import (
    encoded_password,
    is_basic,
    is_bearer,
    is_filled_in,
    is_in_url,
    is_measure,
    is_quoted,
    is_random,
    is_sealed,
    is_strong,
    is_token,
    is_written,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SAID_HINTS = "pass pwd pw= pw: pw\" pw' kennwort contrase senha clave mdp parol palavra palabra wachtw lösenord lasenord hasl heslo salasana adgang mot пароль 密码 パスワード"
_KEY_HINTS = "key token secret credential auth cookie sess login"

_QUOTE = "[\"'`“”‘’«»]"
_ASSIGN = rf"\\?{_QUOTE}?[\])]?[ \t]{{0,3}}(?:!==?|={{1,3}}|:{{1,3}}=|[!?]=|=>|->|:|：)[ \t]{{0,24}}(?:N(?=['\"])|\()?"
_SAID = (
    r"(?:pass(?:word|wd|phrase|code)|(?<![a-z])(?:p(?:ass|wd|w|sk)|mdp|senha|clave|hasło)|kennwort|passwort"
    r"|contrase(?:ñ|n|ny|ni)a|mot[ _-]?de[ _-]?passe|parola(?:[ _-]?(?:chiave|segreta|accesso))?|palavra[ _-]?(?:passe|chave)|palabra[ _-]?(?:clave|secreta)"
    r"|wachtwoord|l[öo]senord|passord|hasł?l?o|salasana|heslo|adgangskode|пароль|密码|パスワード|(?<=_)(?:pass|pw|psw))"
)
_KEYED = (
    r"(?<![a-z])(?:(?:api|access|secret|auth|private|encryption|signing|session|client|app|account|master|"
    r"license|refresh|bearer|webhook|deploy|service|consumer|bot|user|oauth|shared|id|master|host|node|"
    r"jwt|hmac|cookie|integration|management|admin|write|read|server|storage|registration|join|personal)"
    r"[ _.-]?(?:access[ _.-]?)?(?:key|token|secret|password|credential|pat)s?|(?!(?:idempotency|primary|foreign|partition|sort|cache|routing|public|dedup\w*|encrypted|sealed)[_-])\w{0,30}[_-](?:key|token|secret)(?:_base|_prod|_dev|_test)?"
    r"|secret|token|credentials?|apikey|x-[\w-]{1,30}-(?:key|token|secret|auth))"
)
_ISSUERS = (
    "(?:aws|datadog|dd|heroku|cloudflare|cf|twilio|fastly|okta|algolia|paypal|wandb|mailgun|"
    "cohere|mistral|together|zendesk|intercom|dropbox|bitbucket|twitter|twitch|vault|gcp|azure|"
    "github|gitlab|slack|stripe|openai|anthropic|telegram|discord|notion|linear|jira|sentry|"
    "asana|sonarqube|sourcegraph|beamer|bittrex|codecov|coinbase|confluent|contentful|droneci|etsy|facebook|finicity|"
    "finnhub|flickr|freshbooks|gitter|gocardless|hubspot|jfrog|kraken|kucoin|launchdarkly|linkedin|"
    "looker|mailchimp|mapbox|mattermost|messagebird|netlify|newrelic|new-relic|nytimes|plaid|"
    "rapidapi|sendbird|snyk|sonar|squarespace|sumo|sumologic|travis|trello|yandex|meraki|clickhouse)"
)
_QUOTED_OR = r"(?:\\?(?P<mark>[\"'`]|\*\*)(?P<quoted>(?:(?!(?P=mark))[^\n\\]|\\.|(?P=mark){2}(?=\w)){3,200}?)\\?(?P=mark)|"
"""A mark that is doubled or has a backslash before it belongs to the value."""
_BARE = r"(?P<secret>[^\s\"'`,;<>|]{3,200})"
_COOKIES = "(?:PHPSESSID|JSESSIONID|ASP\\.NET_SessionId|connect\\.sid|laravel_session|sessionid|session|sid|_session_id|auth_token|remember_token|csrftoken|__Secure-[\\w-]{1,40}|__Host-[\\w-]{1,40})"


def is_key_body(value: str) -> bool:
    """Whether a block holds a key and not the note to paste one."""
    return bool(re.search("[A-Za-z0-9+/=]{24,}", value))


def is_key_in_url(value: str) -> bool:
    """A random value, or a long one of small and capital letters with a digit."""
    mixed = len(value) >= 20 and not value.islower() and not value.isupper()
    return is_random(value) or (mixed and value.isalnum() and is_token(value))


def is_header(value: str) -> bool:
    """The value of an authorization header: a random token, or a long one."""
    if (password := encoded_password(value)) is not None:
        return is_filled_in(password)
    return is_filled_in(value) and (is_strong(value) or len(value) >= 24)


SIGNS: tuple[tuple[str, str, str, Callable[[str], bool] | None], ...] = (
    # Label, hints of which one must be there, pattern, and check of the match
    (
        "private key",
        "-----begin",
        r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]|-(?!----)){0,12000}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
        is_key_body,
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
        r"://[^\s:/@?#\"'<>]{0,80}:(?P<secret>[^\s/\"'<>]{2,200})@[\w\[]",
        is_in_url,
    ),
    (
        "token in a URL",
        "@git @bitb @dev.az",
        r"://(?P<secret>[\w-]{20,255})(?::x-oauth-basic)?@(?:git|bitbucket|dev\.azure)",
        is_token,
    ),
    (
        "basic authorization",
        "basic",
        r"(?i)\bbasic\s+(?P<secret>[A-Za-z0-9+/]{6,400}={0,2})(?![\w+/=])",
        is_basic,
    ),
    (
        "encoded login",
        "auth",
        r"(?i)\b_?auth\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?P<secret>[A-Za-z0-9+/]{8,400}={0,2})(?![\w+/=])",
        is_basic,
    ),
    (
        "bearer token",
        "bearer",
        r"(?i)\bbearer[\s:=]+[\"']?(?P<secret>[\w.~+/-]{16,4000}={0,2})",
        is_bearer,
    ),
    (
        "authorization header",
        "authorization",
        r"(?i)authorization\\?[\"']?\s{0,3}[:=,]\s{0,3}\\?[\"'`]?(?:[a-z][\w-]{1,20}[ \t]{1,4}){0,2}"
        r"(?:\w{1,12}=)?\\?[\"']?(?P<secret>[\w.~+/:%-]{8,4000}={0,2})",
        is_header,
    ),
    (
        "authorization header",
        "digest",
        r"(?i)\bdigest\s[^\n]{0,300}?\bresponse=[\"']?(?P<secret>[0-9a-f]{32,64})",
        None,
    ),
    (
        "private link",
        "://",
        r"(?i)://[^\s\"'<>]{3,200}?/(?:private-|(?:auth|login|sign-?in)/(?:magic/)?|magic(?:-?link)?/|(?:password[_-]?)?reset(?:[_-]password)?/|webhookb?\d?/(?:[^\s\"'<>]{0,200}/)?|hooks?/(?:[^\s\"'<>]{0,100}/)?)"
        r"(?P<secret>[A-Za-z0-9_-]{20,200})(?![A-Za-z0-9_-])",
        is_random,
    ),
    (
        "secret",
        "unseal recovery",
        r"(?i)\b(?:unseal|recovery|master)[ _-]key(?:[ ]?#?\d{1,2}(?: ?(?:of|/|von|de|di|sur) ?\d{1,2})?)?\s{0,3}[:=]\s{0,3}(?P<secret>(?=\S*[A-Z])(?=\S*[a-z])[\w+/=.-]{20,200})",
        is_filled_in,
    ),
    (
        "API key",
        "sk_ ghp_ glpat- gho_ npm_ xoxb- xoxp- rk_",
        r"\b(?P<secret>(?:[sr]k_(?:live|test)_|gh[pousr]_|glpat-|npm_|xox[bp]-)[ \t]+(?:(?:(?:and|und|et|y|e)[ \t]+)?(?:then|followed by|plus|dann|puis|luego|poi)[ \t]+)?(?=[A-Za-z0-9 \t]{0,40}\d)[A-Za-z0-9]{6,60}(?:[ \t]+(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{6,60}){0,8})",
        None,
    ),
    (
        "session cookie",
        "sess sid= cookie token=",
        rf"(?:^|[\s;\"'({{,:])(?P<secret>{_COOKIES}=[\w%.~+/:-]{{16,2000}})",
        is_token,
    ),
    (
        "session cookie",
        "cookie",
        r"(?i)\bcookie\\?[\"']?\s{0,3}[:=]\s{0,3}[\"']?[\w.-]{1,60}=(?P<secret>[\w%.~+/:-]{16,2000})",
        is_token,
    ),
    (
        "signature of a shared address",
        "sig signature",
        r"(?i)[?&](?:sig|x-amz-signature|x-goog-signature|signature)=(?P<secret>[A-Za-z0-9%+/_-]{32,600}(?:%3D|=){0,2})",
        is_token,
    ),
    (
        "token in a URL",
        "key= appid= app_id= token= code= secret= auth= pass= pwd= password=",
        r"(?i)[?&#](?:access_token|id_token|auth_token|token|api_?key|app_?id|key|auth|secret|code|pass(?:word)?|pwd)="
        r"(?P<secret>[\w%.~+-]{12,2000})",
        is_key_in_url,
    ),
    (
        "API key",
        "appid= appid: app_id=",
        r"(?i)(?<![a-z])app_?id[=:]\s?[\"']?(?P<secret>[0-9a-f]{32})(?![\w-])",
        is_random,
    ),
    (
        "WireGuard private key",
        "privatekey presharedkey",
        r"(?i)\b(?:PrivateKey|PresharedKey)\s*=\s*(?P<secret>[A-Za-z0-9+/]{43}=)",
        None,
    ),
    (
        "one-time password secret",
        "otpauth",
        r"(?i)otpauth(?:-migration)?://[^\s\"'<>]{0,200}?(?:secret|data)=(?P<secret>[A-Z2-7a-z0-9%+/=]{8,400})",
        is_filled_in,
    ),
    (
        "one-time password secret",
        "totp otp 2fa mfa authenticator",
        r"(?i)(?:totp|otp|2fa|mfa|authenticator)\w{0,12}[^\n]{0,70}?(?<![A-Za-z0-9])(?P<secret>(?-i:(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{2,4}"
        r"|(?=[A-Z]{0,15}[2-7])[A-Z2-7]{16,64})={0,6}|(?-i:(?:[a-z2-7]{4} ){3,15}[a-z2-7]{4}))(?![A-Za-z0-9])",
        is_filled_in,
    ),
    (
        "password",
        "password",
        r"(?i)\blogin\s+\S{1,80}\s+password\s+(?P<secret>\S{3,200})",
        is_written,
    ),
    (
        "password",
        _SAID_HINTS,
        rf"(?i){_SAID}(?:\d|[ _-]?(?:dev|prod|test|staging|1|2))?{_ASSIGN}{_QUOTED_OR}{_BARE})",
        is_written,
    ),
    (
        "password",
        "secret pass pwd",
        rf"(?<![A-Za-z])[A-Z][A-Z0-9_]{{0,60}}_(?:SECRET|PASS|PW|PWD|SALT|PEPPER){_ASSIGN}{_QUOTED_OR}{_BARE})",
        is_written,
    ),
    (
        "secret",
        "_key _token",
        rf"(?<![A-Za-z])(?:[A-Z][A-Z0-9_]{{0,40}}_)?(?:ENCRYPTION|SIGNING|MASTER|PRIVATE|API|ACCESS|AUTH|SECRET|SESSION|COOKIE|APP|ADMIN)_(?:KEY|TOKEN){_ASSIGN}{_QUOTED_OR}(?P<secret>[^\s\"'`,;<>|]{{12,200}}))",
        is_written,
    ),
    (
        "code",
        "pin code",
        r"(?i)(?:door|gate|garage|alarm|safe|lock|entry|access|card|sim|phone|bank|atm|debit|credit|house|office|vault)[ ._-]?(?:pin|code|combination)\\?[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?(?P<secret>\d{3,10})(?!\d)",
        None,
    ),
    (
        "secret",
        _KEY_HINTS,
        rf"(?i){_KEYED}{_ASSIGN}\\?{_QUOTE}?(?P<secret>[\w+/=.~$%!@#^&*:-]{{10,4000}})",
        is_token,
    ),
    (
        "secret",
        _KEY_HINTS,
        rf"(?i){_KEYED}\s+(?:is|ist|est|es|are|was|to):?\s+{_QUOTE}?(?P<secret>[\w+/=.~-]{{12,4000}})",
        is_token,
    ),
    (
        "API key",
        _KEY_HINTS,
        rf"(?i)(?<![a-z]){_ISSUERS}[\w .-]{{0,30}}(?:key|token|secret|password|credential|pat|login)s?{_QUOTE}?"
        rf"(?:\s+is:?\s+|{_ASSIGN}|\s+){_QUOTE}?(?P<secret>{UUID}|[\w+/=.~-]{{20,200}})",
        is_token,
    ),
    *COMMANDS,
)

_SIGNS = tuple(
    (label, tuple(hints.split()), lazy(shape), real) for label, hints, shape, real in SIGNS
)


def find_secrets(text: str) -> Iterator[Finding]:
    """Everything that the syntax around it makes a secret, perhaps overlapping."""
    lower = text.lower()
    long = None
    for label, hints, pattern, real in _SIGNS:
        if not any(map(lower.__contains__, hints)):
            continue
        if real is is_token or real is is_random:
            # Key and token are everyday words; most texts with them hold nothing long enough.
            long = _has_long_mixture(text) if long is None else long
            if not long:
                continue
        for match in pattern.finditer(text):
            yield from _finding(label, match, real)
    yield from in_parts(text, _announced)


def _has_long_mixture(text: str) -> bool:
    """Whether any word is as long as a token and has a digit in it."""
    return any(len(word) >= 10 and any(c.isdigit() for c in word) for word in text.split())


def _finding(
    label: str, match: re.Match[str], real: Callable[[str], bool] | None
) -> Iterator[Finding]:
    groups = match.groupdict()
    if groups.get("quoted"):
        group = "quoted"
        # A sentence has a colon before its quotation; a program and a command have none.
        sentence = real is is_written and " " in match["quoted"] and ":" in match[0][:40]
        sentence = sentence and not _is_line_of_file(match)
        real = is_quoted if sentence else is_filled_in
    else:
        group = "secret" if "secret" in groups else 0
    if real is is_written and is_measure(match.string, match.start(group)):
        return
    if is_sealed(match.string, match.start(group)):
        return
    if real is is_written and _COMMIT.search(
        match.string, max(0, match.start() - 120), match.start()
    ):
        return
    # Punctuation at the end is redacted with the secret, but not judged.
    if real is None or real(match[group].rstrip(".,;:!?)}]")):
        yield Finding(CREDENTIAL, label, match.start(group), match.end(group))


_COMMIT = lazy(r"(?:^|\n)[ \t*|\\/]{0,8}[0-9a-f]{7,40} (?:\([^)\n]{0,60}\) )?$")
"""A line of a log of commits, whose subject begins with the noun: `a1b2c3d password: trim it`."""
_FIELD = lazy(r"[ \t]+[\w.-]{0,40}$")
_LINE_END = lazy(r"[\"'`]?[ \t]*,?[ \t]*(?:#[^\n]*)?(?:\n|$)")


def _is_line_of_file(match: re.Match[str]) -> bool:
    """Whether an indented line holds a name and a quotation of a few words, and nothing else."""
    text, start = match.string, match.start()
    line = text.rfind("\n", 0, start) + 1
    words = match["quoted"].lower().split()
    return (
        bool(_FIELD.fullmatch(text, line, start) and _LINE_END.match(text, match.end("quoted")))
        and len(words) <= 4
        and is_written(words[0])
        and not any("passw" in word for word in words)
    )


# Random tokens that words before them call a key, a token or a secret

NEAR = 90
"""How many characters before a token its name may stand."""

_LONG = lazy(r"(?<![\w/+=.@#-])[A-Za-z0-9][\w+/.~%!-]{14,400}={0,2}(?![\w@])")
_CALLED = lazy(
    r"(?i)(?:\b(?:api|access|account|secret|private|master|bot|admin|service|app(?:lication)?|deploy|signing|webhook|client|"
    r"license|encryption|user|shared|auth)[ _-]?keys?\b(?!-[a-z])|\bkey(?: ?#?\d{1,2})?\W{0,3}$|\b(?:jwt|auth\w{0,6}|signing|encryption|crypto|security)\W{1,10}(?:\w{1,20}\W{1,8}){0,3}?key\W{1,6}$|\bapi[ -]?(?:schlüssel|sleutel|nyckel)|\b(?:clés?|clave|chiave|chave)(?: d[aeio]l?)?[ -](?:l['’])?(?:d['’])?(?:api|acc[eè]\w{1,4})\b|\bjeton\b|\(private\)|\btoken|(?<![a-z])secret(?!s)|(?-i:(?<=[a-z])Secret\b)|\bpat\b|\bbearer\b|"
    r"\bpassword\b|\bpasswd\b|\bcredential|\bcreds\b|\bpassphrase\b|\bauth(?:key|entication|orization)?\b|\bsid\b|"
    r"\bbasic\b|\bconnection string\b)"
)
_HARMLESS = lazy(
    r"(?i)(?:(?:gpg|pgp|openpgp|host):? key|idempotency[ -]key|encrypted\w*|sealed\w*|public|publishable|fingerprint|commit|hash|\bsha-?\d*|md5|checksum|digest|integrity|\bsite key|cache|primary key|"
    r"\bkey ?id|key_id|client[ _-]?id|\bid\b|\bids\b|uuid|tree|parent|revision|\brev\b|image|\btag\b|memory|request|"
    r"trace|tenant|version|recipient|publishable|measurement|branch|build|session id|resource|object|bucket|etag|"
    r"address|\bpod\b|class|function|method|file|path|url|link|page|document|spec|article)\W{0,6}(?:\w{1,12}\W{1,3}){0,1}$"
)


_LOGGED = lazy(r"(?:[0-9a-f]{40}|[0-9a-f]{64}) [^\W\d_]")
"""A hash of a commit and the beginning of its subject."""
_COMMITS = lazy(r"[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}")
_IN_PARTS = lazy(r"[^\s\"',{]*:[^\s\"',{]*:$")
"""An identifier of several parts that colons divide."""


def _announced(text: str) -> Iterator[Finding]:
    """Tokens without a format of their own that the words before them call secret."""
    for match in _LONG.finditer(text):
        value = match.group().rstrip(".,;:!?)-")
        before = text[max(0, match.start() - NEAR) : match.start()]
        called = _CALLED.search(before)
        if not called or _HARMLESS.search(before):
            continue
        if _COMMITS.fullmatch(value) or _is_logged(text, match.start()):
            continue
        if before.rfind("ENC[") > before.rfind("]"):
            continue
        if "://" in before[-30:].rpartition(" ")[2] or _IN_PARTS.search(before):
            continue
        if is_random(value) or (len(value) >= 12 and is_basic(value)):
            yield Finding(CREDENTIAL, "secret", match.start(), match.end())


def _is_logged(text: str, start: int) -> bool:
    """Whether a line of a log of commits begins with a value."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line.strip("* |\\/") in ("", "commit") and bool(_LOGGED.match(text, start))
