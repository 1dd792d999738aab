"""Commands that show the past, undo changes, and follow links."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ...book import Commonplace
from ...model.errors import BadInput, CommonplaceError, NotFound
from ...model.memory import Link, Memory, Retrieval
from ...model.results import Links, Reverted, Verified
from ...verbs.history import History
from ...verbs.replay import Replayed
from ...verbs.undo import NotUndone, Undone
from .. import plain_words
from . import failures, text_format
from .audit import group as audit_group
from .call import Call
from .declare import HISTORY, Limit, Ref, SinceAnyTime, SinceOption, command, parse_since
from .declare import group as make_group
from .render import aside, memory_line, render_events, render_problems, say, suggest, table, texts

group = make_group()
links_group = make_group("Links between memories.")


@command(group, panel=HISTORY)
def history(call: Call, ref: Ref) -> None:
    """Show the versions of a memory and every change to it."""
    with call.book(ref) as book:
        call.show(book.history(ref), render_history)


def render_history(console: Console, past: History) -> None:
    """Each version as a diff to the one before, then every change with its id."""
    now = datetime.now(UTC)
    before = ""
    recorded = {one.memory for one in past.events}
    for version in past.versions:
        by = plain_words.by_door(version.source)
        heading = f"version {version.version} · {_standing(version, past)}"
        console.print(
            Text.assemble(
                (heading, "bold"),
                (f" · {text_format.ago(version.created, now)} {by}  ", ""),
                (version.id, "dim"),
                (_manual_edit(version, past, recorded), "yellow"),
            )
        )
        for text, style in _diff_lines(before, version.content):
            console.print(Text(f"  {text}", style=style))
        before = version.content
    if past.events:
        render_events(console, past.events, replaced_on=past.replaced_on)
        aside(console, "Undo any of these: commonplace revert CHANGE")
    else:
        aside(console, "No change to it is logged, so there is nothing to undo.")


def _standing(version: Memory, past: History) -> str:
    """The status where the caller works, such as `in use, replaced on branch feature`."""
    said = [plain_words.status(version.status)]
    if version.id in past.replaced_on:
        branch = past.replaced_on[version.id]
        said.append(f"replaced on branch {branch}" if branch else "replaced on a branch now gone")
    said += [past.warnings[version.id]] if version.id in past.warnings else []
    return text_format.line(", ".join(said))


def _manual_edit(version: Memory, past: History, recorded: Collection[str]) -> str:
    if version.id not in past.by_hand:
        return ""
    return "  edited by hand since" if version.id in recorded else "  written by hand"


def _diff_lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Removed lines in red, added lines in green."""
    old, new = text_format.clean(before).splitlines(), text_format.clean(after).splitlines()
    for text in difflib.unified_diff(old, new, lineterm="", n=1):
        if text.startswith(("---", "+++", "@@")):
            continue
        yield text, {"-": "red", "+": "green"}.get(text[0], "dim")


@command(group, panel=HISTORY)
def revert(
    call: Call,
    refs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CHANGE]...",
            help="Id of a change, from `history`, or a memory.",
            show_default=False,
        ),
    ] = None,
    automatic: Annotated[
        bool, typer.Option("--automatic", help="Undo all automatic changes since --since.")
    ] = False,
    since: SinceOption = "1d",
) -> None:
    """Undo a change, or the last change to a memory, with its consequences."""
    refs = refs or []
    if automatic == bool(refs):
        raise BadInput(
            "Nothing to undo was named.", hint="Name a change or a memory, or use --automatic."
        )
    with call.book(refs[0] if refs else "") as book:
        if len(refs) == 1:
            call.show(book.revert(refs[0]), render_reverted)
        elif refs:
            call.show(_revert_each(book, refs), render_undone)
        else:
            call.show(book.undo_automatic(parse_since(since)), render_undone)


def _revert_each(book: Commonplace, refs: Sequence[str]) -> Undone:
    """Undo several changes in the order given; one that cannot be undone is reported."""
    reverted: list[Reverted] = []
    left: list[NotUndone] = []
    for ref in refs:
        try:
            reverted.append(book.revert(ref))
        except CommonplaceError as error:
            left.append(NotUndone(ref, "the last change", ref, str(error)))
    return Undone(tuple(reverted), tuple(left))


def render_reverted(console: Console, done: Reverted) -> None:
    """The memories that an undo changed."""
    for memory in done.memories:
        now = f"now {plain_words.status(memory.status)}"
        if done.action == "generalized" and memory.branch:
            now = f"belongs to the branch {text_format.line(memory.branch)} again"
        memory_line(console, f"Undone; {now}", memory)


def render_undone(console: Console, done: Undone) -> None:
    """The number of undone changes, and those that were left alone."""
    if not done.reverted and not done.left_alone:
        say(console, "No automatic change in that time.")
        return
    changes = text_format.counted(len(done.reverted), "change", "changes")
    memories = {memory.id for one in done.reverted for memory in one.memories}
    say(
        console,
        f"{changes} undone in {text_format.counted(len(memories), 'memory', 'memories')}.",
        "green",
    )
    for one in done.left_alone:
        say(
            console,
            f"left alone: {plain_words.action(one.action)} of {one.memory}. {one.why}",
            "yellow",
        )


@command(audit_group, "list")
def audit_list(
    call: Call,
    since: SinceAnyTime = None,
    limit: Limit = 50,
) -> None:
    """List changes, newest first."""
    with call.book() as book:
        found = book.audit(since=parse_since(since) if since is not None else None, limit=limit)
        said = {} if call.json else texts(book, (event.memory for event in found))
    no_match = "" if since is None else "Nothing changed in that time. Look further back."
    call.show(found, lambda out, events: render_events(out, events, no_match, said))


@command(audit_group)
def verify(call: Call) -> None:
    """Check that no logged change was altered, removed or reordered; exit 1 if one was."""
    with call.book() as book:
        verified = book.audit_verify()
    call.show(verified, render_verified)
    if not verified.sound:
        raise typer.Exit(failures.FOUND_PROBLEMS)


def render_verified(console: Console, done: Verified) -> None:
    """Whether the audit log is intact."""
    if not done.sound:
        render_problems(console, done.problems)
        return
    count = text_format.counted(done.events, "change", "changes")
    say(console, f"{count}, none altered, removed or reordered.")


@command(audit_group)
def recalls(call: Call, limit: Limit = 20) -> None:
    """List recent recalls and the memories they returned."""
    with call.book() as book:
        found = book.retrievals(limit=limit)
        said = {} if call.json else texts(book, (id for one in found for id, _ in one.results))
    call.show(found, lambda out, recalls: render_retrievals(out, recalls, said))


@command(audit_group)
def digests(call: Call, limit: Limit = 20) -> None:
    """List recent digests: what agents were handed. `replay ID` prints one."""
    with call.book() as book:
        call.show(book.digests(limit=limit), render_digests)


def render_digests(console: Console, found: Sequence[Replayed]) -> None:
    """Recent digests with their ids, questions and sizes."""
    if not found:
        suggest(console, "commonplace digest which branch do we deploy from")
        return
    now = datetime.now(UTC)
    rows = (
        (
            text_format.ago(one.at, now),
            Text(text_format.line(one.question) or "(start of a session)", style="bold"),
            "nothing, too late"
            if one.late
            else text_format.counted(len(one.memories), "memory", "memories"),
            one.by,
            one.id,
        )
        for one in found
    )
    table(console, ("When", "Question", "Handed over", "Door", "Id"), rows, prose=("Question",))


def render_retrievals(
    console: Console, found: Sequence[Retrieval], said: Mapping[str, str]
) -> None:
    """Recent questions, with the scores, ids and texts of the memories found."""
    if not found:
        suggest(console, "commonplace recall which branch do we deploy from")
        return
    now = datetime.now(UTC)
    rows = (
        (
            text_format.ago(one.at, now),
            Text(text_format.line(one.query), style="bold"),
            "\n".join(
                f"{score:6.2f}  {id}  {said.get(id, 'a memory that is gone')}"
                for id, score in one.results
            )
            or "nothing",
        )
        for one in found
    )
    table(console, ("When", "Question", "Score and memory"), rows, prose=("Question",))


@command(links_group, "show")
def show_links(call: Call, ref: Ref) -> None:
    """Show the links from and to a memory."""
    with call.book(ref) as book:
        found = book.links(ref)
        names = _names(book, (link.source for link in found.incoming))
        names |= _names(book, (link.resolved for link in found.outgoing))
        call.show(found, lambda out, links: render_links(out, links, names))


def render_links(console: Console, found: Links, names: Mapping[str, str]) -> None:
    """Links from a memory, then links to it."""
    if not found.outgoing and not found.incoming:
        say(console, "No links yet. Write [[the name of another memory]] into its text.")
        return
    for link in found.outgoing:
        broken = link.resolved is None
        target = "nothing" if broken else names.get(link.resolved or "", link.resolved or "")
        style = "red" if broken else "green"
        console.print(Text.assemble("→ ", _wikilink(link), ("  leads to ", "dim"), (target, style)))
    for link in found.incoming:
        source = names.get(link.source, link.source)
        console.print(Text.assemble("← ", (source, "green"), ("  as ", "dim"), _wikilink(link)))


@command(links_group, "check")
def check_links(call: Call) -> None:
    """List broken links."""
    with call.book() as book:
        found = book.broken_links()
        names = _names(book, (link.source for link in found))
        call.show(found, lambda out, links: render_broken_links(out, links, names))


def render_broken_links(console: Console, found: Sequence[Link], names: Mapping[str, str]) -> None:
    """Broken links, and the memories that contain them."""
    if not found:
        say(console, "No link is broken.")
        return
    rows = ((names.get(link.source, link.source), _wikilink(link)) for link in found)
    table(console, ("In", "Broken link"), rows)


def _wikilink(link: Link) -> str:
    heading = f"#{link.heading}" if link.heading else ""
    alias = f"|{link.alias}" if link.alias else ""
    return text_format.line(f"{'!' if link.embed else ''}[[{link.target}{heading}{alias}]]")


def _names(book: Commonplace, ids: Iterable[str | None]) -> dict[str, str]:
    names: dict[str, str] = {}
    for id in {one for one in ids if one}:
        try:
            names[id] = text_format.name(book.get(id))
        except NotFound:
            continue  # It was purged a moment ago; its id is shown instead.
    return names
