"""Who a memory belongs to, and who is asking.

A scope fixes some dimensions to values; a memory is visible when every pair of its scope is in
the caller's context. That one rule gives inheritance and isolation, and turns every read into a
list of at most 32 exact scopes.
"""

from __future__ import annotations

import unicodedata

from .errors import BadScope
from .value import Value, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

DIMENSIONS = ("org", "user", "project", "agent", "task")
ROLES = ("owner", "member", "admin")
MAX_VALUE_CHARACTERS = 100


class Scope(Value):
    """A set of `dimension=value` pairs, in path order; no pairs is the whole book's scope `/`."""

    pairs: tuple[tuple[str, str], ...] = ()

    def __check__(self) -> None:
        seen: dict[str, str] = {}
        for dimension, value in self.pairs:
            if dimension in seen:
                raise BadScope(f"A scope names {dimension} twice.", hint="Give each at most once.")
            seen[dimension] = checked_value(dimension, value)
        if unknown := seen.keys() - set(DIMENSIONS):
            raise BadScope(
                f"{sorted(unknown)[0]!r} is not a scope dimension.",
                hint=f"Use {', '.join(DIMENSIONS)}.",
            )
        tidy(self, pairs=tuple((d, seen[d]) for d in DIMENSIONS if d in seen))

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read `/project/mech-fighters/agent/coding`; `/` is the whole book."""
        parts = text.strip().strip("/").split("/") if text.strip("/ ") else []
        if len(parts) % 2:
            raise BadScope(
                f"{text!r} is not a scope.",
                hint="Write /dimension/value pairs, such as /project/mech-fighters.",
            )
        return cls(tuple(zip(parts[::2], parts[1::2], strict=True)))

    @classmethod
    def of(cls, given: Scope | str | Mapping[str, str] | None) -> Scope:
        """Accept a scope in any of the forms a caller may hold one."""
        if given is None:
            return cls()
        if isinstance(given, Scope):
            return given
        if isinstance(given, str):
            return cls.parse(given)
        return cls(tuple(given.items()))

    def value(self, dimension: str) -> str | None:
        """The value of a dimension in this scope, or None."""
        return dict(self.pairs).get(dimension)

    def without(self, dimension: str) -> Scope:
        """The same scope with one dimension left open."""
        return Scope(tuple(pair for pair in self.pairs if pair[0] != dimension))

    def __str__(self) -> str:
        return _PATHS[self.pairs]


class _Paths(dict[tuple[tuple[str, str], ...], str]):
    """Paths by their pairs: each is asked for a dozen times while a memory is saved."""

    most = 4096

    def __missing__(self, pairs: tuple[tuple[str, str], ...]) -> str:
        if len(self) >= self.most:
            self.clear()
        path = self[pairs] = "/" + "/".join(f"{d}/{v}" for d, v in pairs)
        return path


_PATHS = _Paths()


class Context(Value):
    """Who is asking: a value for any of the dimensions, a role, and scopes it may also write."""

    org: str | None = None
    user: str | None = None
    project: str | None = None
    agent: str | None = None
    task: str | None = None
    role: str = "owner"
    grants: frozenset[str] = frozenset()

    def __check__(self) -> None:
        if self.role not in ROLES:
            raise BadScope(f"{self.role!r} is not a role.", hint=f"Use {', '.join(ROLES)}.")
        named = ((d, getattr(self, d)) for d in DIMENSIONS)
        tidy(self, **{d: checked_value(d, v) for d, v in named if v is not None})
        tidy(self, grants=frozenset(str(Scope.of(grant)) for grant in self.grants))

    @classmethod
    def of(cls, given: Context | Mapping[str, Any] | None) -> Context:
        """Accept a context or a plain mapping such as `{"org": "acme", "user": "42"}`."""
        if given is None:
            return cls()
        if isinstance(given, Context):
            return given
        if unknown := set(given) - set(cls.__fields__):
            raise BadScope(
                f"A context has no {sorted(unknown)[0]!r}.",
                hint=f"Use {', '.join(cls.__fields__)}.",
            )
        return cls(**dict(given))

    @property
    def scope(self) -> Scope:
        """The most specific scope of this context."""
        return Scope(tuple((d, v) for d in DIMENSIONS if (v := getattr(self, d)) is not None))


class Visible(Value):
    """The scopes that a read may return. Every read method of every port requires one."""

    everything: bool = False
    scopes: frozenset[str] = frozenset()
    task_parents: frozenset[str] = frozenset()
    """Scopes whose tasks may be read too, whatever the task."""

    def allows(self, scope: Scope) -> bool:
        """Whether a memory of that scope may be shown."""
        return (
            self.everything
            or str(scope) in self.scopes
            or (scope.value("task") is not None and str(scope.without("task")) in self.task_parents)
        )


class Tenant(Value):
    """One user of one org, or what an org shares: the walls that limits and erasure work within."""

    org: str | None = None
    user: str | None = None

    @classmethod
    def of(cls, scope: Scope) -> Tenant:
        """The tenant that a scope belongs to."""
        return cls(scope.value("org"), scope.value("user"))

    @property
    def scope(self) -> Scope:
        """The outermost scope of this tenant."""
        named = (("org", self.org), ("user", self.user))
        return Scope(tuple((d, v) for d, v in named if v is not None))

    @property
    def inside(self) -> tuple[str, ...]:
        """The prefixes of this tenant's scope paths, apart from the outermost scope."""
        base = str(self.scope).rstrip("/")
        if self.user is not None:
            return (f"{base}/",)
        return tuple(f"{base}/{dimension}/" for dimension in DIMENSIONS[2:])

    def has(self, path: str) -> bool:
        """Whether a scope, as a path, is this tenant's."""
        return path == str(self.scope) or path.startswith(self.inside)


EVERYTHING = Visible(everything=True)
"""For indexing, maintenance and the owner of the whole book; never for another caller."""


def checked_value(dimension: str, value: object) -> str:
    """A dimension's value as stored: normalized text without anything a path could trip over."""
    if not isinstance(value, str):
        raise BadScope(f"The {dimension} of a scope must be text.", hint="Pass a string.")
    clean = unicodedata.normalize("NFC", value)
    bad = (
        not clean
        or clean != clean.strip()
        or clean in (".", "..")
        or len(clean) > MAX_VALUE_CHARACTERS
        or any(
            c in "/\\" or unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in clean
        )
    )
    if bad:
        raise BadScope(
            f"{clean[:40]!r} cannot be the {dimension} of a scope.",
            hint=f"Use 1 to {MAX_VALUE_CHARACTERS} visible characters without slashes.",
        )
    return clean


def subsets(pairs: Iterable[tuple[str, str]]) -> list[Scope]:
    """Every scope whose pairs are all among these: at most 32."""
    found: list[tuple[tuple[str, str], ...]] = [()]
    for pair in pairs:
        found += [(*smaller, pair) for smaller in found]
    return [Scope(chosen) for chosen in found]
