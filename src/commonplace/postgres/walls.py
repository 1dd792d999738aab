"""Row-level security: what a transaction may see is said once, and the tables hold it to that.

A query that forgot its condition, and one that was made to forget it, still finds nothing of other
tenants. The policies bind the owner of the tables as well; only superusers and roles with
BYPASSRLS stand above them, which is why the server must be neither (see `docs/postgres.md`).
"""

# ruff: noqa: S608 - every piece of SQL here is our own.

from __future__ import annotations

_SETTING = "current_setting('commonplace.{}', true)"
_EVERYTHING = f"{_SETTING.format('visible')} = '*'"
_LISTED = f"string_to_array({_SETTING}, E'\\n')"
_SCOPED = (
    f"{_EVERYTHING} OR scope = ANY ({_LISTED.format('visible')})"
    f" OR task_parent = ANY ({_LISTED.format('parents')})"
)


def by_scope(*tables: str) -> str:
    """Walls around tables whose rows name their scope and, for a task's, the one it is part of."""
    return "".join(_wall(table, _SCOPED) for table in tables)


def for_the_book(*tables: str) -> str:
    """Walls around tables that belong to no tenant: only work on the whole book sees them."""
    return "".join(_wall(table, _EVERYTHING) for table in tables)


def by_number(*tables: str) -> str:
    """Walls around tables whose rows name their scope by its number in the table `scopes`."""
    numbered = f"{_EVERYTHING} OR scope IN (SELECT visible_scopes())"
    return "".join(_wall(table, numbered) for table in tables)


def of_scopes() -> str:
    """Walls around the table `scopes`, and the function that lists the visible ones' numbers."""
    own = (
        f"{_EVERYTHING} OR path = ANY ({_LISTED.format('visible')})"
        f" OR task_parent = ANY ({_LISTED.format('parents')})"
    )
    # Two lookups instead of an OR with the whole, so that both use their index.
    return f"""
    {_wall("scopes", own)}
    CREATE FUNCTION visible_scopes() RETURNS SETOF integer LANGUAGE sql STABLE AS $$
      SELECT scope FROM scopes WHERE path = ANY ({_LISTED.format("visible")})
      UNION SELECT scope FROM scopes WHERE task_parent = ANY ({_LISTED.format("parents")})
    $$;
    """


def _wall(table: str, condition: str) -> str:
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;"
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY;"
        f"CREATE POLICY visible ON {table} USING ({condition});"
    )
