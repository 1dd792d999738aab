"""Credentials made up on the spot from their published formats, and what only looks like one.

No credential is written down in this repository: each is drawn from the shape of its format.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from re import _constants as sre  # pyright: ignore[reportAttributeAccessIssue]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any

from commonplace.rules.screening.credential_formats import CHECKS, Format
from commonplace.rules.screening.secret_values import is_sample

ALPHABET = string.ascii_letters + string.digits + "_-+/=.~$"


def drawn(shape: str, draw: random.Random) -> str:
    """A text of that shape, at random."""
    return "".join(_of(token, draw) for token in parser.parse(shape))


def _of(token: Any, draw: random.Random) -> str:
    kind, value = token
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.IN:
        return draw.choice(_letters(value))
    if kind is sre.MAX_REPEAT:
        least, most, inner = value
        # What may go on for ever is given a likely length.
        fewest = max(least, 8) if most == sre.MAXREPEAT else least
        count = draw.randint(fewest, min(most, fewest + 12))
        return "".join(_of(one, draw) for _ in range(count) for one in inner)
    if kind is sre.SUBPATTERN:
        return "".join(_of(one, draw) for one in value[-1])
    if kind is sre.BRANCH:
        return "".join(_of(one, draw) for one in draw.choice(value[1]))
    raise NotImplementedError(kind)


def _letters(parts: Any) -> list[str]:
    found: list[str] = []
    for kind, value in parts:
        if kind is sre.LITERAL:
            found.append(chr(value))
        elif kind is sre.RANGE:
            found += map(chr, range(value[0], value[1] + 1))
        elif value is sre.CATEGORY_DIGIT:
            found += string.digits
        else:
            found += string.ascii_letters + string.digits + "_"
    return found


def credential(form: Format, draw: random.Random) -> str:
    """A credential of a format that passes the check of its kind."""
    if form.check == "jwt":
        return _web_token(draw)
    while True:
        text = drawn(form.shape, draw)
        if not is_sample(text) and (not form.check or CHECKS[form.check](text)):
            return text


def _web_token(draw: random.Random) -> str:
    header = json.dumps({"alg": "HS256", "typ": "JWT", "kid": drawn("[a-f0-9]{6}", draw)})
    body = json.dumps({"sub": drawn("[0-9]{10}", draw), "name": "Ada"})
    parts = (_encoded(header), _encoded(body), drawn("[A-Za-z0-9_-]{43}", draw))
    return ".".join(parts)


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def too_long(form: Format, draw: random.Random) -> str | None:
    """The same with more letters than the format has, where it has a fixed length."""
    if re.search(r"\{\d+,\d*\}", form.shape):
        return None
    return credential(form, draw) + drawn("[a-z0-9]{7}", draw)


def look_alikes(draw: random.Random) -> list[str]:
    """Texts that people remember and that hold no secret, with numbers drawn anew."""
    hexes = [drawn(f"[0-9a-f]{{{length}}}", draw) for length in (7, 12, 32, 40, 64)]
    uuid = drawn("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", draw)
    day = f"20{draw.randint(10, 26)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    version = ".".join(str(draw.randint(0, 19)) for _ in range(draw.choice((3, 4))))
    return [
        f"Fixed in commit {hexes[3]} on main",
        f"The regression came with {hexes[0]}, see {hexes[1]}",
        f"sha256 of the image is {hexes[4]}",
        f"MD5 {hexes[2]} matches the mirror",
        f"Request id {uuid} timed out",
        f"trace_id={uuid} span_id={hexes[1]}",
        f"Released {version} on {day}",
        f"Deployed at {day}T{draw.randint(0, 23):02}:14:07.{draw.randint(100, 999)}Z",
        f"Order number {draw.randint(10**9, 10**10 - 1)} was shipped on {day}",
        f"Invoice {draw.randint(10**11, 10**12 - 1)} is paid",
        f"Tracking 1Z{drawn('[0-9A-Z]{16}', draw)} arrives Friday",
        f"ISBN 978-{draw.randint(1, 9)}-{drawn('[0-9]{2}-[0-9]{6}-[0-9]', draw)} is on her desk",
        f"Timestamp {draw.randint(1_600_000_000, 1_800_000_000)} is when it began",
        f"Unix milliseconds {draw.randint(1_600_000_000_000, 1_800_000_000_000)}",
        f"The key idea is that every token counts; version {version}",
        f"max_tokens: {draw.randint(1_000, 200_000)}, temperature 0.{draw.randint(1, 9)}",
        "The password policy: twelve characters, rotated yearly",
        "password: required, token: optional",
        'api_key = os.environ["SERVICE_API_KEY"]',
        "Set DATABASE_URL=postgres://user:${DB_PASSWORD}@db/app before the first run",
        "We ignore previous results of the flaky test",
        f"Uses the cache key user-profile-{draw.randint(100, 999)}-v2",
        f"The primary key is (tenant_id, order_id), {draw.randint(10, 99)} million rows",
        f"Build {draw.randint(1_000, 9_999)}.{day.replace('-', '')} is green",
        f'ETag W/"{hexes[2]}" came back unchanged',
        f"Listens on 127.0.0.1:{draw.randint(1_024, 65_000)}, not 192.168.{draw.randint(0, 9)}.1",
        f"Bounds {draw.uniform(-90, 90):.6f}, {draw.uniform(-180, 180):.6f}",
        f"ratio 0.{draw.randint(10**9, 10**10 - 1)} after {draw.randint(10**6, 10**7)} steps",
        f"Ticket JIRA-{draw.randint(1_000, 99_999)} blocks PR #{draw.randint(1_000, 9_999)}",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{drawn('[A-Za-z0-9+/]{43}', draw)} ada@laptop",
    ]
