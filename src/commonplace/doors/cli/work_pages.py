"""Tasks, sessions, profiles and what sources said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from . import text_format
from .tables import nothing, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rich.console import Console

    from ...agent.archive import Report
    from ...agent.sessions import Filled
    from ...agent.sources import SourceAnswers
    from ...agent.task_end import Completed
    from ...agent.work_note import Work
    from ...ports.session_store import SessionEntry


def begun(console: Console, task: Mapping[str, Any]) -> None:
    """A new task's id, and what to hand to the agent."""
    console.print(Text.assemble("Begun: ", (task["id"], "bold")))
    for part in (task["opening"], task["message"]):
        if part:
            console.print(Text(f"\n{text_format.clean(part)}"), soft_wrap=True)
    _aside(console, f"\nNext: commonplace task observe {task['id']} TEXT")


def noted(console: Console, task: Mapping[str, Any]) -> None:
    """Where a task stands after something was noted."""
    console.print(Text(text_format.clean(task["working"])), soft_wrap=True)


def tasks(console: Console, found: Sequence[Work]) -> None:
    """One line for each task."""
    if not found:
        nothing(console, 'commonplace task start "Upgrade to v3.0" --step "Read the changelog"')
        return
    rows = (
        (
            Text(one.id, style="bold"),
            text_format.line(one.goal),
            f"{one.step}/{len(one.plan)}" if one.plan else "",
            "open" if one.is_open else "finished",
        )
        for one in found
    )
    table(console, ("Task", "Goal", "Steps", "State"), rows, whole=("Task",))


def task(console: Console, one: Work) -> None:
    """All that is known of a task."""
    state = "open" if one.is_open else "finished"
    console.print(
        Text.assemble((text_format.line(one.goal), "bold"), (f"  {one.id} · {state}", "dim"))
    )
    for heading, items in (
        ("Constraints", one.constraints),
        ("Plan", [f"{'✓' if at < one.step else '·'} {s}" for at, s in enumerate(one.plan)]),
        ("Found", one.findings),
    ):
        if items:
            console.print(Text(f"\n{heading}", style="dim"))
            for item in items:
                console.print(Text(f"  {text_format.line(item)}"), soft_wrap=True)


def completed(console: Console, done: Completed) -> None:
    """What a task left behind."""
    if done.already:
        console.print(f"{done.task} was finished before ({done.outcome}); nothing has changed.")
        return
    console.print(Text.assemble(f"Finished ({done.outcome}): ", (done.task, "bold")))
    for saved in done.promoted:
        console.print(Text(f"+ {text_format.line(saved.memory.content)}", style="green"))
    for memory in done.learned:
        console.print(Text(f"+ {text_format.line(memory.content)}", style="green"))
    for why in done.kept_back:
        console.print(Text(f"- {text_format.line(why)}", style="yellow"), soft_wrap=True)
    entries = "1 entry was" if done.released == 1 else f"{done.released} entries were"
    filed = "the summary is in the archive" if done.summary else "no summary was filed"
    _aside(console, f"{entries} let go; {filed}.")


def sessions(console: Console, found: Sequence[str]) -> None:
    """The names of live sessions."""
    if not found:
        console.print("No conversation is being remembered. Agents open one with book.session(id).")
        return
    for name in found:
        console.print(Text(text_format.line(name)))


def entries(console: Console, found: Sequence[SessionEntry]) -> None:
    """What a session holds."""
    if not found:
        console.print("This session holds nothing, or has ended.")
        return
    rows = (
        (
            text_format.clock(one.at),
            one.role,
            text_format.line(one.content)[:200],
            f"{one.importance:.1f}",
        )
        for one in found
    )
    table(console, ("When", "Who", "What", "Importance"), rows)


def filled(console: Console, done: Filled) -> None:
    """What a finished session left in the book."""
    if done.already:
        console.print(f"{done.session} was looked through before; nothing has changed.")
        return
    for memory in (*done.added, *done.corrected):
        console.print(Text(f"+ {text_format.line(memory.memory.content)}", style="green"))
    for why in done.kept_back:
        console.print(Text(f"- {text_format.line(why)}", style="yellow"), soft_wrap=True)
    told = "A summary is in the archive." if done.summary else "Nobody had spoken."
    _aside(console, f"{done.session} has ended. {told}")


def profile(console: Console, shown: Mapping[str, object]) -> None:
    """The profile, and how full it is."""
    if not shown["text"]:
        nothing(console, 'commonplace profile set "Ada, engineer" --section Who')
        return
    console.print(Text(text_format.clean(str(shown["text"]))), soft_wrap=True)
    used = f"{shown['characters']} of {shown['limit']} characters, {shown['percent']} % used"
    _aside(console, f"\n{used} · {shown['scope']}")


def report(console: Console, made: Report) -> None:
    """The report as it is, for a file or a message."""
    console.print(Text(text_format.clean(made.text)), soft_wrap=True)


def sources(console: Console, found: Sequence[Mapping[str, str]]) -> None:
    """Names and where they lead."""
    if not found:
        nothing(console, "commonplace sources add docs ~/Documents/manuals")
        return
    table(console, ("Source", "Where"), ((one["name"], one["target"]) for one in found))


def source(console: Console, added: Mapping[str, str]) -> None:
    """A source that can be asked from now on."""
    console.print(Text.assemble("Added: ", (added["name"], "bold"), f"  {added['target']}"))
    _aside(console, f"Ask it: commonplace sources search QUESTION --source {added['name']}")


def passages(console: Console, asked: SourceAnswers) -> None:
    """What sources said, with where it is from."""
    for one in asked.passages:
        console.print(Text(text_format.line(one.origin), style="bold"), soft_wrap=True)
        console.print(Text(f"  {text_format.fit(text_format.line(one.text), 400)}"), soft_wrap=True)
    for name, why in asked.failures:
        console.print(Text(f"{name}: {text_format.line(why)}", style="yellow"), soft_wrap=True)
    if not asked.passages:
        console.print("No source has anything on that.")


def _aside(console: Console, words: str) -> None:
    console.print(Text(words, style="dim"), soft_wrap=True)
