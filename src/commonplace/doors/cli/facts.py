"""Facts: short answers under a key."""

from typing import Annotated

import typer

from ...errors import NotFound
from .call import Call
from .declare import OnlyScope, ScopeOption, command
from .declare import group as make_group
from .draw import done, lists, pages
from .unlike import unlike

group = make_group("Keep short answers under a key.")

Key = Annotated[str, typer.Argument(metavar="KEY", help="Such as deploy.branch.")]
NamespaceOption = Annotated[
    str | None, typer.Option("--namespace", help="Keeps equal keys apart.", show_default=False)
]


@command(group, "set")
def set_fact(
    call: Call,
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The answer.")],
    scope: ScopeOption = None,
    namespace: NamespaceOption = None,
) -> None:
    """Store a fact; a new value takes the old one's place."""
    fields = {"scope": scope, "namespace": namespace}
    with call.book() as book:
        given = {name: one for name, one in fields.items() if one is not None}
        call.show(book.fact_store(key, value, **given), done.saved)


@command(group, "get")
def get_fact(call: Call, key: Key, namespace: NamespaceOption = None) -> None:
    """Show the value of a fact, from the most specific scope that has it."""
    with call.book() as book:
        fact = book.fact_recall(key, namespace=namespace)
    if fact is None:
        raise NotFound(f"No fact is called {key!r}.", hint="See `commonplace fact list`.")
    call.show(fact, pages.fact)


@command(group, "list")
def list_facts(call: Call, scope: OnlyScope = None, namespace: NamespaceOption = None) -> None:
    """List every fact."""
    with call.book() as book:
        found = book.fact_list(scope=scope, namespace=namespace)
        held = 0 if found or call.json else len(book.fact_list())
    empty = unlike({"scope": scope, "namespace": namespace}, held, "fact", "facts")
    call.show(found, lambda out, several: lists.facts(out, several, empty))
