"""Commands that store memories, facts, personal notes and the profile."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ...agent.profile import Profile
from ...book import Commonplace
from ...model.errors import NotFound
from ...model.memory import Memory
from ...model.results import MemoryMarks
from ...notes.display import own_time
from ...notes.profile import LIMIT
from ...rules.branches import known_on
from ..plain_data import marked
from . import text_format
from .call import Call, console
from .declare import (
    REMEMBER,
    ConfidenceOption,
    FromBranch,
    ImportanceOption,
    KindOption,
    OnlyBranch,
    OnlyScope,
    ScopeOption,
    SensitivityOption,
    TagsOption,
    TopicOption,
    command,
)
from .declare import group as make_group
from .render import aside, disputed, marks_line, render_saved, say, shorten, suggest, table
from .text_input import edited, read_content

EMBEDDED_AFTER_A_SAVE = 8
"""Earlier notes without a vector that a `save` embeds, once its answer is printed."""
group = make_group()
fact_group = make_group("Short values under a key.")
personal_group = make_group("Your own notes, outside the book.")
profile_group = make_group(f"What every agent is told about you, in {LIMIT:,} characters.")

Content = Annotated[
    str, typer.Argument(metavar="TEXT", help="Text to store; - reads standard input.")
]


@command(group, panel=REMEMBER)
def save(
    call: Call,
    text: Content,
    *,
    kind: KindOption = None,
    scope: ScopeOption = None,
    topic: TopicOption = None,
    tag: TagsOption = None,
    title: Annotated[
        str | None, typer.Option(help="Title, for links and commands.", show_default=False)
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Store it as a fact with this key.", show_default=False)
    ] = None,
    value: Annotated[
        str | None, typer.Option(help="Value of that fact.", show_default=False)
    ] = None,
    curated: Annotated[
        bool, typer.Option("--curated", help="Yours: agents cannot change it by themselves.")
    ] = False,
    always_load: Annotated[
        bool, typer.Option("--always-load", help="Include it in every agent's context.")
    ] = False,
    sensitivity: SensitivityOption = None,
    confidence: ConfidenceOption = None,
    importance: ImportanceOption = None,
    seal: Annotated[
        bool, typer.Option("--seal", help="Store the text encrypted; `reveal` shows it.")
    ] = False,
) -> None:
    """Save a memory. Saving the same text again makes no second one; it counts as said now."""
    given = {
        "kind": kind, "scope": scope, "topic": topic, "tags": tag, "title": title, "key": key,
        "value": value, "owner": "curated" if curated else None, "sensitivity": sensitivity,
        "always_load": always_load or None, "confidence": confidence, "importance": importance,
        "seal": seal or None,
    }  # fmt: skip
    with call.in_project().book() as book:
        fields = {name: one for name, one in given.items() if one is not None}
        call.show(book.save(read_content(text), **fields), render_saved)
        book.embed_waiting(EMBEDDED_AFTER_A_SAVE)


@command(personal_group, "save")
def save_personal(
    call: Call,
    name: Annotated[str, typer.Argument(help="Name of the note.")],
    text: Content,
) -> None:
    """Write a new note into your personal folder; an existing note is never overwritten."""
    with call.book() as book:
        call.show({"path": book.save_personal(name, read_content(text))}, render_note_path)


def render_note_path(console: Console, done: Mapping[str, str]) -> None:
    """The path of the new note."""
    say(console, f"Written to {done['path']}")


Key = Annotated[str, typer.Argument(metavar="KEY", help="Key of the fact, such as deploy.branch.")]
NamespaceOption = Annotated[
    str | None,
    typer.Option("--namespace", help="Namespace of the key.", show_default=False),
]


@command(fact_group, "set")
def set_fact(
    call: Call,
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Value of the fact.")],
    scope: ScopeOption = None,
    namespace: NamespaceOption = None,
    confidence: ConfidenceOption = None,
) -> None:
    """Store a fact; a new value replaces the old one."""
    fields = {"scope": scope, "namespace": namespace, "confidence": confidence}
    with call.in_project().book() as book:
        given = {name: one for name, one in fields.items() if one is not None}
        call.show(book.fact_store(key, value, **given), render_saved)


@command(fact_group, "get")
def get_fact(
    call: Call, key: Key, namespace: NamespaceOption = None, branch: FromBranch = None
) -> None:
    """Print the value of a fact, from the most specific scope that has it."""
    with call.in_project().book() as book:
        fact = book.fact_recall(key, namespace=namespace, branch=branch)
        if fact is None:
            there = f" on the branch {branch}" if branch else ""
            known = _branches_with(book, key) if not branch else []
            hint = f"{known_on(known)} Add --branch {known[0]}." if known else _similar(book, key)
            raise NotFound(
                f"No fact has the key {key!r}{there}.", hint=hint or "See `commonplace fact list`."
            )
        marks = book.marks([fact])
    call.show(marked(fact, marks), lambda out, _: render_fact(out, fact))
    if fact.id in marks and (said := disputed(marks[fact.id])) and not call.json:
        # A script reads the value alone.
        say(console(stderr=True), f"It is {said}: see `commonplace inbox`.", "yellow")


def _similar(book: Commonplace, key: str) -> str:
    """The keys that may be meant, as a question; empty if none is like it."""
    import difflib

    keys = {text_format.line(one.key) for one in book.fact_list() if one.key}
    found = difflib.get_close_matches(key, sorted(keys), n=3, cutoff=0.6)
    return f"Did you mean {' or '.join(found)}?" if found else ""


def _branches_with(book: Commonplace, key: str) -> list[str]:
    """The unmerged branches that have a fact with that key."""
    try:
        book.get(key)
    except NotFound as error:
        return [text_format.line(error.branch)] if error.branch else []
    return []


def render_fact(console: Console, fact: Memory) -> None:
    """The value alone, for scripts."""
    say(console, fact.value or fact.content)


@command(fact_group, "list")
def list_facts(
    call: Call,
    scope: OnlyScope = None,
    namespace: NamespaceOption = None,
    branch: OnlyBranch = None,
) -> None:
    """List all facts; in a repository, those that hold there."""
    with call.book() as book:
        found = book.fact_list(scope=scope, namespace=namespace, branch=branch)
        total = 0 if found or call.json else len(book.fact_list())
        marks = book.marks(found)
    filters = {"scope": scope, "namespace": namespace, "branch": branch}
    no_match = text_format.empty_result(filters, total, "fact", "facts")
    call.show(marked(found, marks), lambda out, _: render_facts(out, found, no_match, marks))


def render_facts(
    console: Console, found: Sequence[Memory], no_match: str, marks: Mapping[str, MemoryMarks]
) -> None:
    """Keys and values; `no_match` is printed if filters match none."""
    if not found:
        suggest(console, "commonplace fact set deploy.branch main", no_match)
        return
    now = datetime.now(UTC)
    # Where the repository is not to be found, the values of all its branches are listed.
    warned = any(one.warning for one in marks.values())
    by_branch = not warned and len({fact.branch for fact in found if fact.branch}) > 1
    rows = (
        (
            Text(text_format.line(fact.key or ""), style="bold"),
            shorten(fact.value or fact.content),
            text_format.line(str(fact.scope)),
            text_format.line(fact.namespace or ""),
            text_format.ago(own_time(fact), now),
            *((text_format.line(fact.branch or ""),) if by_branch else ()),
            *((marks_line(marks.get(fact.id)),) if marks else ()),
        )
        for fact in found
    )
    more = (("Branch", by_branch), ("Marks", marks))
    named = (name for name, shown in more if shown)
    headers = ("Key", "Value", "Scope", "Namespace", "Changed", *named)
    table(console, headers, rows, prose=("Value",))


@command(profile_group, "show")
def show_profile(call: Call, scope: ScopeOption = None) -> None:
    """Show the profile and how full it is."""
    with call.book() as book:
        call.show(_profile_fields(book.profile(scope=scope)), render_profile)


@command(profile_group, "set")
def set_profile(
    call: Call,
    text: Annotated[str, typer.Argument(help="Text; - reads standard input.")],
    section: Annotated[str | None, typer.Option(help="Replace only this section.")] = None,
    add: Annotated[bool, typer.Option("--add", help="Add the text as a new line.")] = False,
    scope: ScopeOption = None,
) -> None:
    """Set the profile or one of its sections; a text over the limit is refused."""
    with call.book() as book:
        new = book.profile_set(read_content(text), section=section, add=add, scope=scope)
        call.show(_profile_fields(new), render_profile)


@command(profile_group, "edit")
def edit_profile(call: Call, scope: ScopeOption = None) -> None:
    """Change the profile in your editor."""
    with call.book() as book:
        before = book.profile(scope=scope).text
        alternative = "use `commonplace profile set`"
        with edited(before, name="profile", environ=call.environ, alternative=alternative) as text:
            call.show(_profile_fields(book.profile_set(text, scope=scope)), render_profile)


def _profile_fields(shown: Profile) -> dict[str, object]:
    sections = {part.name: part.characters for part in shown.sections}
    return {
        "scope": shown.scope, "text": shown.text, "characters": shown.characters,
        "limit": LIMIT, "percent": shown.percent, "sections": sections,
        "confirmed": shown.confirmed, "unconfirmed": shown.unconfirmed,
        "waiting": shown.waiting.slug if shown.waiting else None,
    }  # fmt: skip


def render_profile(console: Console, shown: Mapping[str, object]) -> None:
    """The profile, how full it is, and lines of agents that are not confirmed."""
    if shown["waiting"]:
        say(console, f"Put in the inbox, until a person confirms it: {shown['waiting']}", "green")
    if not shown["text"] and not shown["waiting"]:
        suggest(console, 'commonplace profile set "Ada, engineer" --section Who')
        return
    say(console, str(shown["text"]))
    if not shown["confirmed"]:
        said = "Written by an agent; it becomes profile.md when you accept it: commonplace inbox"
        say(console, f"\n{said}", "yellow")
    if shown["unconfirmed"]:
        say(console, f"\nWritten by agents, not confirmed:\n{shown['unconfirmed']}", "yellow")
    used = f"{shown['characters']} of {shown['limit']} characters, {shown['percent']} % used"
    aside(console, f"\n{used} · {shown['scope']}")
