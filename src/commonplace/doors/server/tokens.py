"""Tokens: what a caller shows to be let in, and all that is known of who it is.

Each token is a small file in the book's state folder. The file has a hash of the secret, never the
secret: reading the folder lets nobody in. From the first token on the book cannot be asked without
one; the folder itself is what says so, and no server has to be restarted for it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ...errors import BadInput, BadScope, NotFound, StoreUnavailable
from ...rules.codec import iso, moment
from ...scope import DIMENSIONS, Context
from ...value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "cpt"
ID_CHARACTERS = 12
SECRET_BYTES = 32
ROLES = ("member", "admin")
"""The owner needs no token: whoever can read the state folder is the owner."""
MOST_DAYS = 3_660


class Token(Value):
    """Who one caller is, and until when."""

    id: str
    context: Context
    created: datetime
    expires: datetime | None = None
    name: str = ""
    """What its giver calls it, such as a person or a machine."""

    def live(self, now: datetime) -> bool:
        """Whether it still lets anybody in."""
        return self.expires is None or now < self.expires


class Issued(Value):
    """A new token and its secret, which is shown this once."""

    token: Token
    secret: str


class Tokens:
    """The tokens of one book."""

    def __init__(self, state: str) -> None:
        self.folder = os.path.join(state, "tokens")

    def required(self) -> bool:
        """Whether callers need one: so from the first that was ever made."""
        return os.path.isdir(self.folder)

    def create(
        self, context: Context, *, now: datetime, days: float | None = None, name: str = ""
    ) -> Issued:
        """Make a token for a caller."""
        _check(context, days)
        id = secrets.token_hex(ID_CHARACTERS // 2)
        secret = f"{PREFIX}_{id}_{secrets.token_urlsafe(SECRET_BYTES)}"
        expires = None if days is None else now + timedelta(days=days)
        token = Token(id, context, now, expires, name)
        first = not self.required()
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            # New and private from the start: nobody reads it before its mode is set.
            made = os.open(self._path(id), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(made, "w", encoding="utf-8") as file:
                json.dump(_to_fields(token, secret), file, ensure_ascii=False, indent=2)
        except OSError as error:
            self._unmake(id, first=first)
            raise StoreUnavailable(
                f"The token cannot be kept in {self.folder}.", hint="Check disk and permissions."
            ) from error
        return Issued(token, secret)

    def find(self, secret: str, now: datetime) -> Token | None:
        """The live token with this secret."""
        parts = secret.split("_", 2)
        if len(parts) != 3 or parts[0] != PREFIX or not _is_id(parts[1]):
            return None
        kept = self._read(parts[1])
        if kept is None or not hmac.compare_digest(kept[1], _hash(secret)):
            return None
        return kept[0] if kept[0].live(now) else None

    def list(self) -> list[Token]:
        """Every token that was not revoked, oldest first; expired ones are among them."""
        return sorted(self._all(), key=lambda token: (token.created, token.id))

    def revoke(self, id: str) -> Token:
        """Let nobody in with this token any more, from the next request on."""
        kept = self._read(id) if _is_id(id) else None
        if kept is None:
            raise NotFound(
                f"No token has the id {id[:40]!r}.", hint="See `commonplace token list`."
            )
        try:
            os.unlink(self._path(id))
        except FileNotFoundError:
            pass  # Somebody else revoked it in the same moment.
        except OSError as error:
            raise StoreUnavailable(
                f"The token {id} cannot be removed.", hint=f"Delete {self._path(id)} by hand."
            ) from error
        return kept[0]

    def _unmake(self, id: str, *, first: bool) -> None:
        """Leave nothing of a token that could not be kept, lest nobody at all be let in."""
        with suppress(OSError):
            os.unlink(self._path(id))
        if first:
            with suppress(OSError):  # Another token may have been made in the same moment.
                os.rmdir(self.folder)

    def _all(self) -> Iterator[Token]:
        try:
            names = os.listdir(self.folder)
        except OSError:
            return
        for name in names:
            id, _, ending = name.partition(".")
            if ending == "json" and _is_id(id) and (kept := self._read(id)) is not None:
                yield kept[0]

    def _read(self, id: str) -> tuple[Token, str] | None:
        """A token, and the hash of its secret."""
        try:
            with open(self._path(id), encoding="utf-8") as file:
                fields = json.load(file)
            expires = moment(fields["expires"]) if fields["expires"] else None
            context = Context.of({**fields["context"], "grants": frozenset(fields["grants"])})
            token = Token(id, context, moment(fields["created"]), expires, fields["name"])
            return token, fields["hash"]
        except (OSError, ValueError, KeyError, TypeError, BadScope):
            # Gone, or half written by a crash: it lets nobody in.
            return None

    def _path(self, id: str) -> str:
        return os.path.join(self.folder, f"{id}.json")


def _check(context: Context, days: float | None) -> None:
    if context.role not in ROLES:
        raise BadInput(f"{context.role!r} is no role for a token.", hint="Use member or admin.")
    if context.org is None and context.user is None:
        raise BadInput("A token says who its caller is.", hint="Add --user, or --org, or both.")
    if context.role == "member" and context.user is None:
        raise BadInput("A member is one user.", hint="Add --user.")
    if days is not None and not 0 < days <= MOST_DAYS:
        raise BadInput(
            f"A token lasts up to {MOST_DAYS} days.", hint="Leave --days out for no end."
        )


def _to_fields(token: Token, secret: str) -> dict[str, object]:
    context = token.context
    named = {d: value for d in DIMENSIONS if (value := getattr(context, d)) is not None}
    return {
        "hash": _hash(secret),
        "context": {**named, "role": context.role},
        "grants": sorted(context.grants),
        "created": iso(token.created),
        "expires": iso(token.expires) if token.expires else None,
        "name": token.name,
    }


def _hash(secret: str) -> str:
    # The secret is 256 random bits: there is nothing to guess that a slow hash would protect.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _is_id(text: str) -> bool:
    return len(text) == ID_CHARACTERS and all(c in "0123456789abcdef" for c in text)
