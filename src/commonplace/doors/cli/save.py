"""Commands that put something into the book."""

import sys
from typing import Annotated

import typer

from ...model.errors import BadInput, NotFound
from . import outcomes, pages, tables
from .call import Call
from .declare import (
    ConfidenceOption,
    KindOption,
    OnlyScope,
    ScopeOption,
    SensitivityOption,
    TagsOption,
    TopicOption,
    command,
)
from .declare import group as make_group
from .text_format import unlike

PANEL = "Remember"
group = make_group()
personal_group = make_group("Write notes of your own, outside the book.")

Content = Annotated[
    str, typer.Argument(metavar="TEXT", help="What to remember; - reads standard input.")
]


@command(group, panel=PANEL)
def save(
    call: Call,
    text: Content,
    *,
    kind: KindOption = None,
    scope: ScopeOption = None,
    topic: TopicOption = None,
    tag: TagsOption = None,
    title: Annotated[
        str | None, typer.Option(help="A name that links and commands can use.", show_default=False)
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Makes it a fact with this key.", show_default=False)
    ] = None,
    value: Annotated[
        str | None, typer.Option(help="The value of that fact.", show_default=False)
    ] = None,
    curated: Annotated[
        bool, typer.Option("--curated", help="Yours: agents do not change it by themselves.")
    ] = False,
    always_load: Annotated[
        bool, typer.Option("--always-load", help="Give it to the agent without being asked.")
    ] = False,
    sensitivity: SensitivityOption = None,
    confidence: ConfidenceOption = None,
    seal: Annotated[
        bool, typer.Option("--seal", help="Keep the text encrypted; `reveal` shows it.")
    ] = False,
) -> None:
    """Remember something. Saying the same thing twice is one memory."""
    given = {
        "kind": kind, "scope": scope, "topic": topic, "tags": tag, "title": title, "key": key,
        "value": value, "owner": "curated" if curated else None, "sensitivity": sensitivity,
        "always_load": always_load or None, "confidence": confidence, "seal": seal or None,
    }  # fmt: skip
    with call.book() as book:
        fields = {name: one for name, one in given.items() if one is not None}
        call.show(book.save(content(text), **fields), outcomes.saved)


@command(personal_group, "save")
def personal_save(
    call: Call,
    name: Annotated[str, typer.Argument(help="The note's name.")],
    text: Content,
) -> None:
    """Write a new note into your own space; it never overwrites one."""
    with call.book() as book:
        call.show({"path": book.save_personal(name, content(text))}, outcomes.written)


def content(text: str) -> str:
    """The text as given, or standard input where a dash stands for it."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").rstrip("\n")
    except UnicodeDecodeError as error:
        raise BadInput(
            "Standard input is not UTF-8 text.", hint="Convert it first, for example with iconv."
        ) from error


# Facts: short answers under a key.


fact_group = make_group("Keep short answers under a key.")

Key = Annotated[str, typer.Argument(metavar="KEY", help="Such as deploy.branch.")]
NamespaceOption = Annotated[
    str | None, typer.Option("--namespace", help="Keeps equal keys apart.", show_default=False)
]


@command(fact_group, "set")
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
        call.show(book.fact_store(key, value, **given), outcomes.saved)


@command(fact_group, "get")
def get_fact(call: Call, key: Key, namespace: NamespaceOption = None) -> None:
    """Show the value of a fact, from the most specific scope that has it."""
    with call.book() as book:
        fact = book.fact_recall(key, namespace=namespace)
    if fact is None:
        raise NotFound(f"No fact is called {key!r}.", hint="See `commonplace fact list`.")
    call.show(fact, pages.fact)


@command(fact_group, "list")
def list_facts(call: Call, scope: OnlyScope = None, namespace: NamespaceOption = None) -> None:
    """List every fact."""
    with call.book() as book:
        found = book.fact_list(scope=scope, namespace=namespace)
        held = 0 if found or call.json else len(book.fact_list())
    empty = unlike({"scope": scope, "namespace": namespace}, held, "fact", "facts")
    call.show(found, lambda out, several: tables.facts(out, several, empty))
