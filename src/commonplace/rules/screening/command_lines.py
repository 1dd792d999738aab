"""Secrets in commands and programs: each row has a label, hints, a pattern and a check."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

import re

from .secret_values import (
    is_assigned,
    is_basic,
    is_filled_in,
    is_in_url,
    is_random,
    is_strong,
    is_token,
    is_written,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ON_LINE = "password on a command line"
_TOKEN_LABEL = "token on a command line"  # noqa: S105 - the name of a kind
_VALUE = r"(?:(?P<mark>[\"'])(?P<quoted>(?:(?!(?P=mark))[^\n\\]|\\.|(?P=mark){2}(?=\w)){2,200}?)(?P=mark)|(?P<secret>[^\s\"'|;&)]{2,400}))"
_REST = r"[^\n|;&]{0,200}?"


def is_login_token(value: str) -> bool:
    """Whether the argument of a command that logs in is a token, and no subcommand or flag."""
    return len(value) >= 12 and not value.startswith("-") and is_token(value)


def is_login_password(value: str) -> bool:
    """Whether the text behind `user:` is a password, and not the group of a container's user."""
    return is_filled_in(value) and not value.isdigit() and value not in GROUPS


def is_option_value(value: str) -> bool:
    """Whether the text behind `-p` is a password, and not a port."""
    return is_assigned(value) and not value.replace(":", "").replace(".", "").isdigit()


def is_redis_password(value: str) -> bool:
    """Whether the text behind AUTH is a password, and not PLAIN or LOGIN of the mail protocol."""
    return is_assigned(value) and not value.isupper() and (len(value) >= 6 or is_strong(value))


def is_literal(value: str) -> bool:
    """Whether a text in a program is a value, and no name of a field or message."""
    return (
        is_assigned(value) and value.count(" ") < 4 and not value.endswith((":", "...", "…", "?"))
    )


_GROUPS_LIST = """
    root docker staff users wheel node nogroup nobody daemon www-data
"""
GROUPS = frozenset(_GROUPS_LIST.split())
"""Groups that stand after `--user name:`."""


def is_community(value: str) -> bool:
    """Whether a community string is one, and not a name that every device comes with."""
    return is_assigned(value) and value.lower() not in ("public", "private", "community")


def is_spelled_in_bytes(value: str) -> bool:
    """Whether numbers are the bytes of a text that can be printed."""
    told = [
        int(one, 16 if "x" in one else 10) for one in re.findall(r"0x[0-9a-fA-F]{2}|\d+", value)
    ]
    return all(32 <= one < 127 for one in told)


def is_key_in_bytes(value: str) -> bool:
    """Whether numbers are the bytes of a key, and no row of equal or counted ones."""
    told = [
        int(one, 0)
        for one in re.findall(r"0x[0-9a-fA-F]{2}|(?<!\w)[1-9]?\d{1,2}(?!\w)|(?<!\w)0(?!\w)", value)
    ]
    return max(told, default=0) < 256 and len(set(told)) > len(told) // 2 and told != sorted(told)


COMMANDS: tuple[tuple[str, str, str, Callable[[str], bool] | None], ...] = (
    (
        _ON_LINE,
        "-u --user -a --auth --proxy",
        r"(?:^|[\s`(])(?:-u|--user|--proxy-user|-U|-a|-?-auth|--creds)(?:[ \t]+|=)(?P<open>['\"])?(?:\w[\w.@+%\\/-]{0,79}|\$\w{1,40}|\$\{\w{1,40}\})[:%]"
        r"(?:(?!(?P=open))(?P<mark>[\"'])(?P<quoted>[^\"'\n]{2,200})(?P=mark)|(?P<secret>[^\s'\"]{3,200}))",
        is_login_password,
    ),
    (
        _TOKEN_LABEL,
        "-u --user",
        r"(?:^|[\s`(])(?:-u|--user)(?:[ \t]+|=)['\"]?(?P<secret>[\w.-]{16,400}):['\"]?(?=\s|$)",
        is_random,
    ),
    (
        _ON_LINE,
        "--pass --pwd -pass --pw --secret --client-secret /p: storepass keypass",
        r"(?i)(?:^|[\s`(])(?:--?(?:[a-z]+-){0,3}(?:pass(?:word|wd|phrase|in|out)?|pwd|pw|storepass|keypass|secret|account-key)(?:[ \t]+|=|:)"
        rf"|/p(?:ass(?:word)?)?:)(?:pass:)?{_VALUE}",
        is_assigned,
    ),
    (
        _TOKEN_LABEL,
        "--token --auth --api --key --access --registration --pat --credential -token",
        r"(?i)(?:^|[\s`(])--?(?:[a-z]+-){0,3}(?:token|auth-?key|api-?key|access-?key|pat|key|credential)(?:[ \t]+|=)"
        rf"{_VALUE}",
        is_login_token,
    ),
    (
        _ON_LINE,
        "sshpass plink pscp docker podman helm twine az rabbitmqadmin oc cf psexec nmcli mongo rdesktop influx restic",
        r"\b(?:sshpass|plink|pscp|docker|podman|helm|twine|az|rabbitmqadmin|oc|cf|psexec|nmcli|mongo\w*|rdesktop|influx)\b"
        rf"{_REST}[ \t](?:-p|-pw|password)[ \t]*=?{_VALUE}",
        is_option_value,
    ),
    (
        _ON_LINE,
        "mysql mariadb 7z",
        rf"\b(?:mysql\w*|mariadb\w*|7z\w?)\b{_REST}[ \t]-p(?![ \t]){_VALUE}",
        is_assigned,
    ),
    (
        _ON_LINE,
        "ldap redis-cli ipmitool sqlcmd bcp zip snmp mosquitto smbclient rpcclient net",
        r"\b(?:(?:ldap\w+)\b"
        rf"{_REST}[ \t]-w|redis-cli\b{_REST}[ \t]-a|(?:ipmitool|sqlcmd|bcp|zip|unzip|mosquitto_\w+)\b{_REST}[ \t]-P"
        rf"|snmp\w+\b{_REST}[ \t]-[AX])[ \t]*{_VALUE}",
        is_assigned,
    ),
    (
        _ON_LINE,
        "echo printf <<<",
        r"(?:echo|printf)[ \t]+(?:-n[ \t]+)?(?P<open>[\"']?)(?:[\w.@-]{1,40}:)?(?P<secret>[^\s\"'|:]{3,200})(?P=open)[ \t]*\|[ \t]*"
        r"(?:sudo[ \t]+)?(?:chpasswd|passwd|sudo -S|docker login|podman login|helm registry|cryptsetup|gpg|su\b|kinit|vault login|gh auth)",
        is_assigned,
    ),
    (
        _ON_LINE,
        "htpasswd sqlplus useradd net",
        rf"\b(?:htpasswd[ \t]+-\w*b\w*[ \t]+\S{{1,100}}[ \t]+\S{{1,80}}|net use\b{_REST}/user:\S{{1,80}})[ \t]+{_VALUE}",
        is_assigned,
    ),
    (
        _ON_LINE,
        "net use",
        rf"(?i)\bnet use[ \t]+(?:\w:[ \t]+)?\\\\\S{{1,120}}[ \t]+(?![/*]){_VALUE}(?=[ \t]+/)",
        is_assigned,
    ),
    (
        _ON_LINE,
        "set -",
        r"(?m)(?:^|[\s;&])set[ \t]+-\w{1,3}[ \t]+\w*(?:PASS(?:WORD|WD|PHRASE)?|SECRET|PWD|TOKEN|KEY)[ \t]+"
        rf"{_VALUE}",
        is_assigned,
    ),
    (
        _ON_LINE,
        "securestring",
        r"(?i)\bConvertTo-SecureString(?:[ \t]+-\w+)*[ \t]+[\"'](?P<secret>[^\"'\n]{3,120})[\"']",
        is_assigned,
    ),
    (
        "session cookie",
        "-b --cookie",
        r"(?:^|[\s`(])(?:-b|--cookie)[ \t=]+[\"']?[\w.-]{1,60}=(?P<secret>[\w%.~+/:-]{16,2000})",
        is_filled_in,
    ),
    (
        "encoded password",
        "base64",
        r"(?:echo|printf)[ \t]+(?:-n[ \t]+)?[\"']?(?P<secret>[A-Za-z0-9+/]{8,400}={0,2})[\"']?[ \t]*\|[ \t]*(?:openssl )?base64[ \t]+(?:-d|-D|--decode)\b",
        is_basic,
    ),
    (
        _ON_LINE,
        "htpasswd rabbitmqctl net poetry composer bundle wpa_passphrase lftp setx env smbpasswd mysqladmin openssl",
        r"(?m)(?:\bhtpasswd[ \t]+-\w*n\w*b?\w*[ \t]+\S{1,60}[ \t]|\brabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+\S{1,60}[ \t]|\bnet user[ \t]+\S{1,60}[ \t]"
        r"|\bhttp-basic\.[\w.-]{1,60}[ \t]+\S{1,60}[ \t]|\bwpa_passphrase[ \t]+\S{1,60}[ \t]|\blftp\b[^\n|;&]{0,40}-u[ \t]+[^\s,]{1,60},"
        r"|\bmysqladmin\b[^\n|;&]{0,60}[ \t]password[ \t]|\bopenssl enc\b[^\n|;&]{0,120}[ \t]-k[ \t]"
        r"|(?:^|[ \t])(?:ENV|setx|SETX)[ \t]+\w*(?:PASS(?:WORD|WD|PHRASE)?|SECRET|PWD|TOKEN)[ \t])"
        rf"[ \t]*{_VALUE}",
        is_assigned,
    ),
    (
        _ON_LINE,
        "<<<",
        r"(?:chpasswd|passwd|sudo -S|login|kinit|cryptsetup|gpg)\b[^\n|;&]{0,80}<<<[ \t]*(?P<open>[\"']?)(?:[\w.@-]{1,40}:)?(?P<secret>[^\s\"']{3,200})",
        is_assigned,
    ),
    (
        _ON_LINE,
        "sqlplus",
        r"\bsqlplus\b[^\n|;&]{0,60}?[ \t]\"?[\w.]{1,40}/(?P<secret>[^\s/@\"]{3,100})@",
        is_filled_in,
    ),
    (
        _TOKEN_LABEL,
        "login auth authtoken install configure config",
        r"(?i)\b(?:(?:snyk|cargo|vault|ngrok|npm|heroku|fly|doppler|netlify|railway|wandb|huggingface-cli|cloudflared|tailscale|stripe"
        r"|databricks|pulumi|codecov|sentry-cli|infisical|gh|glab|buildkite-agent|supabase|planetscale|turso|modal|replicate)"
        r"(?:[ \t]+(?:auth|login|authtoken|add-authtoken|config|set|service|install|token|save|add|new)){1,4})"
        r"[ \t]+(?P<secret>[\w.~+/=:-]{12,4000})",
        is_login_token,
    ),
    (
        "password",
        "identified password",
        r"(?i)\b(?:identified[ \t]+(?:with[ \t]+\w+[ \t]+)?by|(?:with|set)[ \t]+(?:encrypted[ \t]+)?password|password[ \t]+for[ \t]+\S{1,80}[ \t]*(?==))"
        rf"(?:[ \t]*=[ \t]*N?|[ \t]+){_VALUE}",
        is_written,
    ),
    (
        "password",
        "requirepass masterauth auth ",
        rf"(?:\b(?:requirepass|masterauth)|(?<![\w-])AUTH)[ \t]+(?:default[ \t]+)?{_VALUE}",
        is_redis_password,
    ),
    (
        "password in a program",
        "pdo( mysqli getconnection basicauth basic_auth login( auth( auth= connect( networkcredential setcredentials",
        r"(?i)(?:\bPDO|mysqli(?:_connect)?|mysql_connect|getConnection|basic_?auth|\.login|\bauth|networkCredential|\.credentials?|\.connect)"
        r"[ \t]*=?[ \t]*\((?:[^()\n]{0,120}?,[ \t]*)?[\"'][^\"'\n]{1,60}[\"'],[ \t]*[\"'](?P<secret>[^\"'\n]{3,80})[\"']",
        is_assigned,
    ),
    (
        "password in a program",
        "password passwd pwd passphrase secret",
        r"(?i)(?:[\"'](?:[\w.-]{0,40}[_.-])?(?:password|passwd|pwd|passphrase|db_pass|secret|token)[\"'],[ \t]*|\b(?:set|with|use|store|key)?_?(?:password|passwd|passphrase|pwd|secret(?:str|key)?)"
        r"(?:\.equals)?[ \t]*\([ \t]*|\b(?:store|key)password[ \t]+)[\"'](?P<secret>[^\"'\n]{3,120})[\"'](?![ \t]*:)",
        is_literal,
    ),
    (
        "password in a program",
        "jwt. hmac fernet cryptojs encrypt( decrypt( frombase64string b64decode",
        r"(?i)(?:\bjwt\.(?:sign|verify|encode|decode)|createHmac|\bhmac\.new|\bFernet|CryptoJS\.\w+\.(?:en|de)crypt)[ \t]*\((?:[^()\n]{0,80},)?[ \t]*b?[\"'](?P<secret>[^\"'\n]{6,200})[\"'][ \t]*[,)]",
        is_literal,
    ),
    (
        "password in a file",
        "<property <param <entry <string <setting <item <const <arg <field",
        r"(?i)<(?:property|param\w{0,7}|entry|string|setting|item|const\w{0,6}|\w{0,12}arg|field)[ \t][^<>\n]{0,60}(?:name|key|id)=[\"'][\w.:-]{0,60}(?:password|passwd|passphrase|pwd|secret|api[-_.]?key|token)[\"'][^<>\n]{0,40}>\s{0,8}(?P<secret>[^<>\s]{3,200})\s{0,8}</",
        is_written,
    ),
    (
        "password in a program",
        ".join(",
        r"(?i)(?:pass\w{0,12}|pwd|pw|secret|token|key)[ \t]{0,3}=[ \t]{0,3}[\"']{2}\.join\([ \t]*[\[(](?P<secret>(?:\s{0,3}[\"'][^\"'\n]{1,40}[\"'],?){2,20})",
        None,
    ),
    (
        _ON_LINE,
        "<(echo <(printf",
        r"(?i)(?:pass|pw|key|token|secret)[\w-]{0,20}[= \t]['\"]?<\((?:echo|printf)[ \t]+(?:-n[ \t]+)?['\"]?(?P<secret>[^\s'\")]{3,200})",
        is_assigned,
    ),
    (
        "password in a file",
        "]:",
        r"(?m)(?:^|[\s:])\[[\w.-]{2,100}\]:\d{2,5}[ \t]+[\w.@+-]{1,80}:(?P<secret>[^\s:]{3,200})\s*$",
        is_assigned,
    ),
    (
        _ON_LINE,
        "rootpw",
        r"\brootpw[ \t]+(?:--(?:plaintext|allow-ssh)[ \t]+)*(?P<secret>[^\s-]\S{2,200})",
        is_assigned,
    ),
    (
        "key in a program",
        "client( frombase64string b64decode",
        r"(?:\b\w{0,40}Client|\b(?:key|secret|KEY|SECRET)\w{0,20}[ \t]{0,3}=[ \t]{0,3}[\w.]{0,40}(?:FromBase64String|b64decode))[ \t]*\([ \t]*(?:[\"'][^\"'\n]{1,80}[\"'],[ \t]*)?b?[\"'](?P<secret>[\w+/=.~-]{20,200})[\"']",
        is_random,
    ),
    (
        "password",
        "<",
        r"(?i)<(?:\w+:)?\w{0,30}(?:password|passwd|passphrase|(?<=[<:])(?:pass|pwd|pw)|kennwort|passwort|secret|apikey|accesstoken|privatekey)(?:[ \t][^<>\n]{0,60})?>(?P<secret>[^<>\n]{3,200})</",
        is_literal,
    ),
    (
        "password",
        "value",
        r"(?i)[\"']?(?:name|key|id)[\"']?[ \t]{0,3}[=:][ \t]{0,3}[\"']?[\w.-]{0,50}(?:password|passwd|passphrase|secret|pwd|_pass|token|api_?key)[\"']?[ \t]{0,3}[,;]?\s{1,30}?"
        r"(?:-[ \t])?[\"']?value[\"']?[ \t]{0,3}[=:][ \t]{0,3}(?:(?P<mark>[\"'])(?P<quoted>[^\"'\n]{3,200})(?P=mark)|(?P<secret>[^\s\"',<>]{3,200}))",
        is_assigned,
    ),
    (
        "password",
        "value",
        r"(?i)[\"']?(?:name|key)[\"'][ \t]{0,3}:[ \t]{0,3}[\"'][\w.-]{0,50}(?:password|passwd|passphrase|secret|pwd|_pass|token|api_?key)[\"'],[ \t]{0,3}[\"']value[\"'][ \t]{0,3}:[ \t]{0,3}[\"'](?P<secret>[^\"'\n]{3,200})[\"']",
        is_assigned,
    ),
    (
        "password in a URL",
        "oracle:thin:",
        r"oracle:thin:[\w.]{1,60}/(?P<secret>[^\s/@\"']{2,100})@",
        is_filled_in,
    ),
    (
        "password in a URL",
        "://",
        r"://[^\s:/@?#\"'<>]{1,80}:(?P<secret>(?!\d{1,5}(?:[/?#]|@\d))[^\s\"'<>]{2,100})@[\w.-]{1,100}(?::\d{2,5})?(?:[/?\s,;)]|$)",
        is_in_url,
    ),
    (
        "password",
        ":5432: :3306: :*:",
        r"(?m)^[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*.-]{1,60}:(?P<secret>\S{3,100})$",
        is_filled_in,
    ),
    (
        "password",
        "pwd={",
        r"(?i)\bpwd=\{(?P<secret>[^\n;]{3,80})\}(?=;|$)",
        is_assigned,
    ),
    (
        "password",
        "wifi wi-fi wlan",
        r"(?im)(?:^|[.;!]\s)(?:wi-?fi|wlan)(?:[ -](?!netz|network|name|ssid|channel|kanal|model)[^\s:,;]{2,20}){0,4}[ \t]?[:=→][ \t]*(?P<secret>[^\W\d_]{4,20}\d{2,4}!?)(?=[\s.,;]|$)",
        is_assigned,
    ),
    (
        "password",
        "wifi:",
        r"(?i)\bwifi:(?:[^;\n]{0,80};){0,4}?P:(?P<secret>[^;\n]{3,80});",
        is_assigned,
    ),
    (
        _ON_LINE,
        "snmp",
        rf"\b(?:snmp\w+\b{_REST}[ \t]-c[ \t]*|snmp(?:-server)?[ \t]+community[ \t]+){_VALUE}",
        is_community,
    ),
    (
        _ON_LINE,
        "curl",
        r"\bcurl\b[^\n|;&]{0,200}?[ \t]-[A-Za-z]{0,8}u[ \t]?(?P<open>['\"]?)\w[\w.@+/-]{0,60}:(?P<secret>[^\s'\"]{3,200})",
        is_login_password,
    ),
    (
        "password of a device",
        "pre-shared-key preshared psk ascii-text passphrase authentication key-string secret password",
        r"(?i)(?<![\w-])(?:pre-?shared-key|\w*psk\w*|passphrase|authentication-key|key-string|secret|password|key|authentication)[ \t]+"
        rf"(?:ascii-text|ascii|plain-?text|plain-text-password-value|clear-?text|local|remote|[05-9])[ \t]+{_VALUE}",
        is_assigned,
    ),
    (
        "password of a device",
        "enable username neighbor tacacs radius isakmp psksecret passwd",
        r"(?im)(?:^[ \t]*enable[ \t]+(?:secret|password)|^[ \t]*username[ \t]+\S{1,40}(?:[ \t]+privilege[ \t]+\d+)?[ \t]+(?:secret|password)"
        r"|\bneighbor[ \t]+\S{1,60}[ \t]+password|\b(?:tacacs|radius)[ -]server\b[^\n]{0,80}[ \t](?:key|secret)|\bisakmp[ \t]+key|\bset[ \t]+(?:psksecret|passwd))"
        rf"[ \t]+(?!(?:enc|encrypted|level|hash)\b){_VALUE}",
        is_assigned,
    ),
    (
        "encoded password",
        "base64 mkpasswd argon2",
        r"(?:echo|printf)[ \t]+(?:-n[ \t]+)?(?P<open>[\"']?)(?:[\w.@-]{1,40}:)(?P<secret>[^\s\"'|:]{3,200})(?P=open)[ \t]*\|[ \t]*(?:openssl )?(?:base64|mkpasswd|argon2)\b(?![ \t]+(?:-d|-D|--decode))",
        is_assigned,
    ),
    (
        "key written to a file",
        "echo printf",
        r"(?:echo|printf)[ \t]+(?:-n[ \t]+)?(?P<open>[\"']?)(?P<secret>[^\s\"'|<>$]{6,400})(?P=open)[ \t]*(?:>>?|\|[ \t]*(?:sudo[ \t]+)?tee(?:[ \t]+-a)?)[ \t]*\S{0,80}?(?:\.key|pass(?:wd|word|phrase)?|secrets?|token|credentials?|\.pw)(?:\.\w{1,4})?(?=[\s,;)]|$)",
        is_assigned,
    ),
    (
        "password in a file",
        "<<",
        r"(?i)(?:\b(?:cat|tee)\b[^\n|]{0,60}(?:pass(?:wd|word|phrase)?|\.pw|secrets?|token|credentials?|\.key)(?:\.\w{1,4})?\b[^\n]{0,40}|\b(?:cryptsetup|gpg|chpasswd|passwd|vault|ansible-vault|docker login|restic|borg)\b[^\n]{0,100})<<-?[ \t]*['\"]?(?P<mark>\w{1,12})['\"]?[^\n]{0,60}\n(?:[\w.@-]{1,40}:)?(?P<secret>[^\n]{4,120})\n[ \t]*(?P=mark)(?!\w)",
        is_filled_in,
    ),
    (
        "password in a log",
        "login auth pass ",
        r"(?m)(?:\b(?:LOGIN|AUTH)[ \t]+[\"']?[\w.@+-]{2,60}[\"']?[ \t]+(?P<open>[\"']?)(?=[^\s\"']{0,60}(?:\d|[!#$%&*_-]))|^[ \t<>C:*]{0,6}PASS[ \t]+)(?P<secret>[^\s\"']{4,80})",
        is_assigned,
    ),
    (
        "password in a log",
        "new=",
        r"(?i)(?:pass\w*|reset|auth\w*|pwd|login|credential\w*|user=)[^\n]{0,80}[ \t,;]new=[\"']?(?P<secret>[^\s\"',;]{5,80})",
        is_strong,
    ),
    (
        "password in a log",
        "login signin auth session",
        r"(?i)(?:login|log-?in|sign-?in|auth|session)\b[^\n]{0,60}\b(?:u|user|usr|username|email|login)=[^\s&]{1,60}&(?:p|pw|pass|pwd|password)=(?P<secret>[^\s&\"']{4,80})",
        is_assigned,
    ),
    (
        "password in a log",
        "try login auth connect accepted ssh ftp",
        r"(?i)\b(?:try(?:ing)?|tried|login|logged in|auth\w*|connect\w*|ssh|ftp|accepted)\b[ \t:]{1,3}(?:as[ \t])?[a-z][\w.-]{1,30}:(?P<secret>(?![\d/])[^\s@:/]{5,60})@[\w-]{1,40}(?:\.[\w-]{1,40}){1,5}",
        is_strong,
    ),
    (
        "password in a file",
        "chap-secrets pap-secrets",
        r"(?m)^[ \t]*\"?[\w@.*-]{1,80}\"?[ \t]+(?:\*|\"?[\w.-]{1,60}\"?)[ \t]+\"?(?P<secret>[^\s\"]{3,80})\"?[ \t]+(?:\*|[\d.:a-f]+)[ \t]*$",
        is_strong,
    ),
    (
        "password in a file",
        "psk eap xauth ntlm",
        r"(?m):[ \t]+(?:PSK|EAP|XAUTH|NTLM)[ \t]+\"(?P<secret>[^\"\n]{3,200})\"",
        is_filled_in,
    ),
    (
        "password in a file",
        "key: key= word: pass: code: clave: chiave: mot: parola:",
        r"(?im)^[ \t]*(?:user(?:[ _-]?name)?|login|access|account|usuario|benutzer|utilisateur|utente|ssid|network)[ \t]*[:=][^\n]{1,80}\n[ \t]*(?:key|word|pass|clave|code|chiave|clé|schlüssel|parola|mot)[ \t]*[:=][ \t]*(?P<secret>\S{3,80})[ \t]*$",
        is_strong,
    ),
    (
        _ON_LINE,
        "signtool schtasks psexec osql netdom",
        rf"(?i)\b(?:signtool|schtasks|psexec\w*|osql|netdom)\b{_REST}[ \t]/(?:p|rp|pd|passwordd)[ \t:]+{_VALUE}",
        is_option_value,
    ),
    (
        _ON_LINE,
        "ssh-keygen",
        rf"\bssh-keygen\b{_REST}[ \t]-[NP][ \t]*{_VALUE}",
        is_assigned,
    ),
    (
        _ON_LINE,
        "certutil",
        rf"(?i)\bcertutil\b{_REST}[ \t]-p[ \t]+{_VALUE}",
        is_option_value,
    ),
    (
        "password",
        "passphrase: password: passwd: secret: psk: token: kennwort: passwort:",
        r"(?i)(?:pass(?:phrase|word|wd|wort)|kennwort|secret|psk|token)[\"']?:[ \t]*[>|][+-]?[ \t]*\n[ \t]+(?P<secret>[^\s#$<{][^\n]{2,200})",
        is_literal,
    ),
    (
        "password in a program",
        "%s:%s@ %v:%v@ {}:{}@",
        r"[\"'`][^\"'`\n]{0,60}(?:%[sv]:%[sv]|\{\}:\{\})@[^\"'`\n]{0,120}[\"'`](?:\.format\(|[ \t]*%[ \t]*\(|,)[ \t]*[\"'][^\"'\n]{1,60}[\"'],[ \t]*[\"'](?P<secret>[^\"'\n]{3,120})[\"']",
        is_assigned,
    ),
    (
        "password in a program",
        "0x",
        r"(?i)\w*(?:pass|pwd|psk|secret|key|token)\w{0,20}(?:\[\w{0,20}\])?[ \t]{0,3}(?:=|:)[ \t]{0,3}(?:new [\w.]{1,20}\[\][ \t]{0,3}|&?\[[^\]\n]{0,12}\]\w{0,8}[ \t]{0,3}|bytes(?:array)?\()?[{\[(][ \t\n]{0,8}(?P<secret>0x[0-9a-f]{2}(?:,[ \t\n]{0,12}0x[0-9a-f]{2}){4,255})",
        is_spelled_in_bytes,
    ),
    (
        "key in a program",
        "key",
        r"(?i)(?<![a-z])\w{0,20}(?:aes|hmac|secret|private|priv|master|enc(?:ryption)?|cipher|signing|session|root)?[ _]?key\w{0,20}(?:\[\w{0,20}\])?[ \t]{0,3}(?:=|:)[^\n{\[(\d]{0,20}[{\[(]?\s{0,8}"
        r"(?P<secret>(?:0x[0-9a-f]{2}|\d{1,3})(?:,\s{0,12}(?:0x[0-9a-f]{2}|\d{1,3})){15,63})(?![\w,.])",
        is_key_in_bytes,
    ),
    (
        "licence key",
        "serial licen product activation",
        r"(?i)\b(?:serial|licen[cs]e|product[ -]key|activation)\b[^:\n]{0,40}:\s*(?-i:(?P<secret>(?=[A-Z-]{0,30}\d)[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,7}))(?![\w-])",
        None,
    ),
    (
        "password",
        "pass for",
        r"(?i)\bpass for (?:the |our |my )?[^:\n]{2,40}:[ \t]+(?P<secret>[^\s,;]{5,60})",
        is_strong,
    ),
    (
        "one-time password secret",
        "oathtool",
        r"oathtool[^\n]{0,60}?[ \t](?P<secret>[A-Za-z2-7]{16,64})\b",
        is_filled_in,
    ),
)
