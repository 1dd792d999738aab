"""Conditions on the columns `scope` and `task_parent`, written once for SQLite and PostgreSQL."""

from __future__ import annotations

from ...model.errors import BadScope
from ...model.quick_decorators import lru_cache
from ...model.scope import Scope
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...model.scope import Tenant, Visible

    SqlCondition = tuple[str, tuple[object, ...]]
    """A piece of a WHERE clause and the values for its question marks."""


class SqlDialect(Value):
    """The syntax of one database engine, with `?` for a bound value."""

    in_list: str
    """Follows a column whose value must be in a list; the list is bound as one value."""
    bind_list: Callable[[Iterable[object]], object]
    """Turns a list into that one value."""
    scope_column: str
    """The column `scope`, compared byte by byte."""

    def visible_rows(self, visible: Visible) -> SqlCondition:
        """The condition that a visible row meets."""
        if visible.everything:
            return "true", ()
        return (
            f"(scope {self.in_list} OR task_parent {self.in_list})",
            (self.bind_list(visible.scopes), self.bind_list(visible.task_parents)),
        )

    def tenant_rows(self, tenant: Tenant) -> SqlCondition:
        """The condition that a tenant's rows meet."""
        column = self.scope_column
        own, values = f"({column} = ?", [str(tenant.scope)]
        for prefix in tenant.inside:
            own += f" OR {column} >= ? AND {column} < ?"
            # Paths inside begin alike up to a slash; the character after the slash is a zero.
            values += [prefix, f"{prefix[:-1]}0"]
        return f"{own})", tuple(values)


@lru_cache(maxsize=1024)
def task_parent(scope: Scope | str) -> str | None:
    """The value of `task_parent`: the scope without its task; None for one without a task."""
    try:
        parsed = Scope.parse(scope) if isinstance(scope, str) else scope
    except BadScope:
        return None
    return None if parsed.value("task") is None else str(parsed.without("task"))


def unicode_text(text: str) -> str:
    """The text with a question mark for each character that UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def storable(texts: Iterable[str]) -> list[str]:
    """The texts that a text column can hold; no other can be found in one."""
    return [text for text in texts if "\0" not in text and unicode_text(text) == text]
