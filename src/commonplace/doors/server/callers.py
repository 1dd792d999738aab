"""Who is asking: from the token alone, or the owner where no token is needed."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool

from ...model.codec import iso, moment
from ...model.errors import BadInput, BadScope, NotAllowed, NotFound
from ...model.scope import DIMENSIONS, Context, Scope
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ports.server_state import ServerState


CONTEXT_HEADER = "commonplace-context"
"""Where the owner stands, such as /project/mech-fighters; percent-encoded beyond ASCII."""
OWNER = "owner"
BY_A_PROXY = frozenset({"forwarded", "via", "x-real-ip"})
"""Headers, beside all that begin with x-forwarded-, which say that somebody else is asking."""


class Caller(Value):
    """One caller, and the name its requests are counted under."""

    id: str
    context: Context

    @property
    def limited(self) -> bool:
        """Whether its requests are rationed; the owner would only ration itself."""
        return self.id != OWNER


def relayed(headers: Mapping[str, str]) -> dict[str, str]:
    """What a proxy has added to a request that it passes on."""
    return {
        name: value
        for name, value in headers.items()
        if name in BY_A_PROXY or name.startswith("x-forwarded-")
    }


class Callers:
    """Tells callers by what they show."""

    def __init__(self, tokens: Tokens, *, owner: Context, key: str, strict: bool = False) -> None:
        self._tokens = tokens
        self._strict = strict
        """Whether nobody is taken for the owner without showing it, tokens or not."""
        self._owner = owner
        self._key = key

    @property
    def far(self) -> bool:
        """Whether telling a caller takes a round trip, for which nothing else should wait."""
        return self._tokens.far

    async def recognize(self, headers: Mapping[str, str]) -> Caller | None:
        """As `identify`, without keeping others waiting meanwhile."""
        if self.far:
            return await run_in_threadpool(self.identify, headers)
        return self.identify(headers)

    def identify(self, headers: Mapping[str, str]) -> Caller | None:
        """The caller of a request; None when it must show a token and shows no good one."""
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if shown and scheme.lower() != "bearer":
            return None
        shown = shown.strip()
        if hmac.compare_digest(shown.encode(), self._key.encode()):
            return Caller(OWNER, self._standing(headers))
        if shown:
            token = self._tokens.find(shown, datetime.now(UTC))
            return token and self._member(Caller(token.id, token.context), headers)
        # On this machine is then the proxy; where its caller is nobody can know.
        if self._strict or relayed(headers) or self._tokens.required():
            return None
        return Caller(OWNER, self._standing(headers))

    def _standing(self, headers: Mapping[str, str]) -> Context:
        """The owner sees the whole book, or stands where it says it does."""
        if CONTEXT_HEADER not in headers:
            return self._owner
        scope = Scope.parse(unquote(headers[CONTEXT_HEADER], errors="strict"))
        return Context.of(dict(scope.pairs))

    @staticmethod
    def _member(caller: Caller, headers: Mapping[str, str]) -> Caller:
        if CONTEXT_HEADER in headers:
            raise NotAllowed(
                "A token already says who is asking.", hint=f"Leave out {CONTEXT_HEADER}."
            )
        return caller


# Tokens: what a caller shows to be let in, and all that is known of who it is.


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

    def __init__(self, desk: ServerState) -> None:
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
