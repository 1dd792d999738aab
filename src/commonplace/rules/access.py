"""Which scopes a context reads and writes, and how much a scope weighs in ranking."""

from __future__ import annotations

from ..model.errors import BadScope, NotAllowed
from ..model.scope import EVERYTHING, Context, Scope, Visible, subsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SCOPE_WEIGHTS: Mapping[str, float] = {
    "book": 0.4,
    "agent": 0.7,
    "project": 1.0,
    "user": 1.0,
    "project+agent": 1.2,
    "task": 1.2,
}


MOST_WORKED_OUT = 1_000
_worked_out: dict[Context, Visible] = {}


def visible_to(context: Context) -> Visible:
    """The scopes that a context may read.

    The owner with no context sees the whole book. A user reads the tasks below its own scopes
    unless it stands inside one task; an org role does not read its users' memories.
    """
    # One recall asks for this several times, and a server for the same callers all day.
    if context not in _worked_out:
        if len(_worked_out) >= MOST_WORKED_OUT:
            _worked_out.clear()
        _worked_out[context] = _visible(context)
    return _worked_out[context]


def _visible(context: Context) -> Visible:
    home = context.scope
    if context.role == "owner" and not home.pairs:
        return EVERYTHING
    allowed = subsets(home.pairs)
    mine = context.role == "owner"
    parents = [s for s in allowed if s.pairs and (mine or s.value("user") is not None)]
    granted = {grant for grant in context.grants if Scope.parse(grant).value("org") == context.org}
    return Visible(
        scopes=frozenset(map(str, allowed)) | granted,
        task_parents=frozenset(map(str, parents)) if context.task is None else frozenset(),
    )


def home_scope(context: Context) -> Scope:
    """The scope of a context's own work: its project, whichever agent type and task it has.

    Another agent type, or the next task, must find what was learned here.
    """
    return context.scope.without("task").without("agent")


def person_scope(context: Context) -> Scope:
    """The scope of the context's org and user; the whole book without them."""
    return Scope(tuple(pair for pair in context.scope.pairs if pair[0] in ("org", "user")))


def write_scope(context: Context, named: Scope | None, kind: str | None = None) -> Scope:
    """The scope a write goes to: the one named, or the context's home.

    An override is written for an agent type, so it stays with the one of the context.
    """
    home = context.scope.without("task") if kind == "override" else home_scope(context)
    scope = home if named is None else named
    require_writable(context, scope)
    return scope


def may_write(context: Context, scope: Scope) -> bool:
    """Whether a context may write a scope.

    The owner writes every scope, a user the scopes with its own name, an admin those of its org
    without a user and the book's. A grant adds one scope of the org.
    """
    if context.role == "owner":
        return True
    if not scope.pairs:
        return context.role == "admin"
    if scope.value("org") != context.org:
        return False
    user = scope.value("user")
    # Not even an admin writes what is a user's: the answer to a save says what it joined.
    own = context.role == "admin" if user is None else user == context.user
    return own or str(scope) in context.grants


def require_writable(context: Context, scope: Scope) -> None:
    """Raise NotAllowed unless the context may write the scope."""
    if not may_write(context, scope):
        raise NotAllowed(
            f"This context may not write {scope}.",
            hint="Write to your own user's scope, or ask an admin for a grant.",
        )


def require_owner(context: Context) -> None:
    """Refuse what concerns the whole book to those who may see only a part of it."""
    if context.role != "owner":
        raise NotAllowed("Only the book's owner may do this.", hint="Ask whoever runs the book.")


def require_promotable(source: Scope, target: Scope) -> None:
    """A memory is promoted only to a scope that fixes strictly fewer of the same pairs."""
    if not set(target.pairs) < set(source.pairs):
        raise BadScope(
            f"{target} is not above {source}.",
            hint="Promote to a scope that leaves out some of the memory's own dimensions.",
        )


def scope_weight(scope: Scope, weights: Mapping[str, float] = SCOPE_WEIGHTS) -> float:
    """How much a scope counts in ranking; `org` separates tenants and adds nothing."""
    fixed = {dimension for dimension, _ in scope.pairs} - {"org"}
    if "task" in fixed:
        return weights["task"]
    if {"project", "agent"} <= fixed:
        return weights["project+agent"]
    for dimension in ("project", "user", "agent"):
        if dimension in fixed:
            return weights[dimension]
    return weights["book"]


def weights_for(context: Context, weights: Mapping[str, float]) -> Mapping[str, float]:
    """The weights of scopes for who asks: all alike from outside of every one, where none is near.

    What only some user or project has is no nearer to a question to the whole book.
    """
    near = context.scope.without("org").pairs
    return weights if near else dict.fromkeys(weights, 1.0)


def specificity(scope: Scope) -> tuple[int, float]:
    """Sort key for 'most specific first' when taking the first match of a key."""
    return (len(scope.pairs), scope_weight(scope))
