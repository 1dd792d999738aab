"""Callers of the server, identified by a token, and the tokens of a book."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote, unquote_to_bytes

from ...model.codec import iso, moment
from ...model.errors import BadInput, BadScope, NotAllowed, NotFound
from ...model.scope import DIMENSIONS, Context, Scope
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ports.server_state import ServerState


CONTEXT_HEADER = "commonplace-context"
"""Header with the owner's scope, such as /project/mech-fighters; percent-encoded UTF-8."""
FOLDER_HEADER = "commonplace-folder"
"""Header with the folder in which the owner works; percent-encoded."""
OWNER = "owner"
PROXY_HEADERS = frozenset({"forwarded", "via", "x-real-ip"})
"""Headers that a proxy adds, beside all that begin with x-forwarded-."""


class Caller(Value):
    """One caller; `id` is the key of its rate limit."""

    id: str
    context: Context
    person: bool = False
    """Whether a person calls, by a token made for one; every other caller is an agent."""
    folder: str = ""
    """Where the agent works, if it showed the key, which only this machine's user can read."""

    @property
    def limited(self) -> bool:
        """Whether the rate limit applies: to everybody but the owner."""
        return self.id != OWNER


def proxy_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that a proxy has added to a request."""
    return {
        name: value
        for name, value in headers.items()
        if name in PROXY_HEADERS or name.startswith("x-forwarded-")
    }


def shows_token(headers: Mapping[str, str]) -> bool:
    """Whether a request has a token, right or wrong."""
    scheme, _, shown = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and bool(shown.strip())


class Callers:
    """Identifies the caller of a request from its headers."""

    def __init__(self, tokens: Tokens, *, owner: Context, key: str, strict: bool = False) -> None:
        self._tokens = tokens
        self._strict = strict
        """Whether a caller without credentials is refused even while the book has no tokens."""
        self._owner = owner
        self._key = key

    @property
    def remote(self) -> bool:
        """Whether identifying a caller takes a round trip to a database."""
        return self._tokens.remote

    async def identify_async(self, headers: Mapping[str, str]) -> Caller | None:
        """As `identify`, without blocking the event loop."""
        if self.remote:
            # Imported here, because `commonplace token` needs no server.
            from starlette.concurrency import run_in_threadpool

            return await run_in_threadpool(self.identify, headers)
        return self.identify(headers)

    def identify(self, headers: Mapping[str, str]) -> Caller | None:
        """The caller of a request; None when a valid token is needed and missing."""
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if shown and scheme.lower() != "bearer":
            return None
        shown = shown.strip()
        if hmac.compare_digest(shown.encode(), self._key.encode()):
            return Caller(OWNER, self._owner_context(headers), folder=_folder(headers))
        if shown:
            token = self._tokens.find(shown, datetime.now(UTC))
            if token is not None and CONTEXT_HEADER in headers:
                raise NotAllowed(
                    "A token already says who is calling.", hint=f"Leave out {CONTEXT_HEADER}."
                )
            return token and Caller(token.id, token.context, token.person)
        # Behind a proxy every caller seems to be on this machine.
        if self._strict or proxy_headers(headers) or self._tokens.required():
            return None
        return Caller(OWNER, self._owner_context(headers))

    def _owner_context(self, headers: Mapping[str, str]) -> Context:
        """The owner's context: the scope in the header, else the whole book."""
        if CONTEXT_HEADER not in headers:
            return self._owner
        scope = Scope.parse(unquote(headers[CONTEXT_HEADER], errors="strict"))
        return Context.of(dict(scope.pairs))


def _folder(headers: Mapping[str, str]) -> str:
    return os.fsdecode(unquote_to_bytes(headers.get(FOLDER_HEADER, "")))


PREFIX = "cpt"
ID_CHARACTERS = 12
SECRET_BYTES = 32
ROLES = ("member", "admin")
"""The owner needs no token: the key in the state folder identifies the owner."""
MAX_DAYS = 3_660


class Token(Value):
    """A token's caller and expiry, without the secret."""

    id: str
    context: Context
    created: datetime
    expires: datetime | None = None
    name: str = ""
    """A label, such as a person or a machine."""
    person: bool = False
    """Whether it is used by a person, and not by an agent."""

    def live(self, now: datetime) -> bool:
        """Whether the token has not expired."""
        return self.expires is None or now < self.expires


class IssuedToken(Value):
    """Result of creating a token; the secret is shown only once."""

    token: Token
    secret: str


class TokensDisabled(Value):
    """Result of `token off`."""

    revoked: int
    single_user: bool
    """Whether every caller on this machine is the owner again; not so for a shared book."""


class Tokens:
    """The tokens of one book."""

    def __init__(self, state: ServerState) -> None:
        self._state = state

    @property
    def remote(self) -> bool:
        """Whether a lookup takes a round trip to a database."""
        return "shared" in self._state.capabilities

    def required(self) -> bool:
        """Whether callers need a token: from the first one ever created."""
        return self._state.tokens_required()

    def create(
        self,
        context: Context,
        *,
        now: datetime,
        days: float | None = None,
        name: str = "",
        person: bool = False,
    ) -> IssuedToken:
        """Create a token for a caller."""
        _check(context, days)
        id = secrets.token_hex(ID_CHARACTERS // 2)
        secret = f"{PREFIX}_{id}_{secrets.token_urlsafe(SECRET_BYTES)}"
        expires = None if days is None else now + timedelta(days=days)
        token = Token(id, context, now, expires, name, person)
        text = json.dumps(_to_fields(token, secret), ensure_ascii=False, indent=2)
        self._state.put_token(id, text)
        return IssuedToken(token, secret)

    def find(self, secret: str, now: datetime) -> Token | None:
        """The token with this secret, unless it has expired."""
        id = _id_in(secret)
        # The same work for unknown ids, so that the time of an answer does not tell known ones.
        text = self._state.token(id or UNKNOWN_ID) or _UNKNOWN
        if not hmac.compare_digest(_stored_hash(text), _hash(secret).encode()) or not id:
            return None
        token = _read(id, text)
        return token if token and token.live(now) else None

    def list(self) -> list[Token]:
        """Every token that was not revoked, oldest first, expired ones included."""
        read = [_read(id, text) for id, text in self._state.tokens().items() if _is_id(id)]
        found = [token for token in read if token is not None]
        return sorted(found, key=lambda token: (token.created, token.id))

    def revoke(self, id: str) -> Token:
        """Revoke a token, from the next request on."""
        token = _read(id, self._state.token(id)) if _is_id(id) else None
        if token is None:
            raise NotFound(
                f"No token has the id {id[:40]!r}.", hint="See `commonplace token list`."
            )
        self._state.drop_token(id)
        return token

    def disable(self) -> TokensDisabled:
        """Revoke every token and no longer require one."""
        count = len(self.list())
        self._state.drop_every_token()
        return TokensDisabled(count, single_user=not self.remote)


def _read(id: str, text: str | None) -> Token | None:
    """A stored token."""
    try:
        fields = json.loads(text or "")
        expires = moment(fields["expires"]) if fields["expires"] else None
        context = Context.of({**fields["context"], "grants": frozenset(fields["grants"])})
        made, person = moment(fields["created"]), fields.get("person") is True
        return Token(id, context, made, expires, fields["name"], person)
    except (ValueError, KeyError, TypeError, BadScope):
        # Revoked meanwhile, or half written by a crash: not valid.
        return None


def _stored_hash(text: str) -> bytes:
    """The hash of a stored token's secret; empty where the text was damaged."""
    try:
        return str(json.loads(text)["hash"]).encode("utf-8", "replace")
    except (ValueError, KeyError, TypeError):
        return b""


def _check(context: Context, days: float | None) -> None:
    if context.role not in ROLES:
        raise BadInput(f"{context.role!r} is not a role for a token.", hint="Use member or admin.")
    if context.org is None and context.user is None:
        raise BadInput(
            "A token needs a user or an organization.", hint="Add --user, or --org, or both."
        )
    if context.role == "member" and context.user is None:
        raise BadInput("A member token needs a user.", hint="Add --user.")
    if days is not None and not 0 < days <= MAX_DAYS:
        raise BadInput(
            f"A token lasts at most {MAX_DAYS} days.", hint="Leave out --days for no expiry."
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
        "person": token.person,
    }


def _hash(secret: str) -> str:
    # The secret is 256 random bits, so a slow hash would protect nothing.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _id_in(secret: str) -> str:
    """The id in a token; empty where the text is no token."""
    parts = secret.split("_", 2)
    return parts[1] if len(parts) == 3 and parts[0] == PREFIX and _is_id(parts[1]) else ""


def _is_id(text: str) -> bool:
    return len(text) == ID_CHARACTERS and all(c in "0123456789abcdef" for c in text)


UNKNOWN_ID = "0" * ID_CHARACTERS
_UNKNOWN = json.dumps({"hash": _hash(secrets.token_urlsafe(SECRET_BYTES)), "context": {}})
"""Read and compared in place of a token that does not exist; nobody has its secret."""
