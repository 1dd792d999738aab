"""Tokens: what a caller shows to be let in, and all that is known of who it is.

They are kept at the book's front desk: in its state folder, or in its database. What is kept has a
hash of the secret, never the secret: reading it lets nobody in. From the first token on the book
cannot be asked without one, and no server has to be restarted for it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ...errors import BadInput, BadScope, NotFound
from ...rules.codec import iso, moment
from ...scope import DIMENSIONS, Context
from ...value import Value

if TYPE_CHECKING:
    from ...ports.frontdesk import FrontDesk

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


class TokensOff(Value):
    """How many tokens were revoked when the book went back to none."""

    revoked: int
    single_user: bool
    """Whether whoever is on this machine is the owner again; a database's book has none such."""


class Tokens:
    """The tokens of one book, wherever its servers keep them."""

    def __init__(self, desk: FrontDesk) -> None:
        self._desk = desk

    @property
    def far(self) -> bool:
        """Whether looking one up takes a round trip, for which nothing else should wait."""
        return "shared" in self._desk.capabilities

    def required(self) -> bool:
        """Whether callers need one: so from the first that was ever made."""
        return self._desk.tokens_required()

    def create(
        self, context: Context, *, now: datetime, days: float | None = None, name: str = ""
    ) -> Issued:
        """Make a token for a caller."""
        _check(context, days)
        id = secrets.token_hex(ID_CHARACTERS // 2)
        secret = f"{PREFIX}_{id}_{secrets.token_urlsafe(SECRET_BYTES)}"
        expires = None if days is None else now + timedelta(days=days)
        token = Token(id, context, now, expires, name)
        text = json.dumps(_to_fields(token, secret), ensure_ascii=False, indent=2)
        self._desk.put_token(id, text)
        return Issued(token, secret)

    def find(self, secret: str, now: datetime) -> Token | None:
        """The live token with this secret."""
        parts = secret.split("_", 2)
        if len(parts) != 3 or parts[0] != PREFIX or not _is_id(parts[1]):
            return None
        kept = _read(parts[1], self._desk.token(parts[1]))
        if kept is None or not hmac.compare_digest(kept[1], _hash(secret)):
            return None
        return kept[0] if kept[0].live(now) else None

    def list(self) -> list[Token]:
        """Every token that was not revoked, oldest first; expired ones are among them."""
        read = [_read(id, text) for id, text in self._desk.tokens().items() if _is_id(id)]
        found = [kept[0] for kept in read if kept is not None]
        return sorted(found, key=lambda token: (token.created, token.id))

    def revoke(self, id: str) -> Token:
        """Let nobody in with this token any more, from the next request on."""
        kept = _read(id, self._desk.token(id)) if _is_id(id) else None
        if kept is None:
            raise NotFound(
                f"No token has the id {id[:40]!r}.", hint="See `commonplace token list`."
            )
        self._desk.drop_token(id)
        return kept[0]

    def off(self) -> TokensOff:
        """Revoke every token, and need none from now on."""
        count = len(self.list())
        self._desk.drop_every_token()
        return TokensOff(count, single_user=not self.far)


def _read(id: str, text: str | None) -> tuple[Token, str] | None:
    """A token, and the hash of its secret."""
    try:
        fields = json.loads(text or "")
        expires = moment(fields["expires"]) if fields["expires"] else None
        context = Context.of({**fields["context"], "grants": frozenset(fields["grants"])})
        token = Token(id, context, moment(fields["created"]), expires, fields["name"])
        return token, fields["hash"]
    except (ValueError, KeyError, TypeError, BadScope):
        # Gone, or half written by a crash: it lets nobody in.
        return None


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
