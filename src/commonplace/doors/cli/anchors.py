"""Commands that learn from a project's files, and compare its memories with them."""

import typer
from rich.console import Console

from ...rules.anchors.documents import BUILD_FILES, LONGEST, MOST_OF_A_FILE, PAGES, SHORTEST
from ...verbs.learn import Learned
from ...verbs.verify import AnchorsVerified
from . import failures, text_format
from .call import Call
from .declare import MAINTENANCE, REMEMBER, command
from .declare import group as make_group
from .render import above, aside, say, shorten, table

MOST_LINES = 12
"""Line numbers that are shown of one file."""

group = make_group()


@command(group, panel=MAINTENANCE)
def verify(call: Call) -> None:
    """Compare the project's memories with its files; exit 1 if one speaks of what has changed."""
    with call.in_project().book() as book:
        found = book.verify()
    call.show(found, render_verified)
    if found.stale:
        raise typer.Exit(failures.FOUND_PROBLEMS)


@command(group, panel=REMEMBER)
def learn(call: Call) -> None:
    """Propose memories from this repository's AGENTS.md, Makefile and such; you accept them."""
    with call.in_project().book() as book:
        call.show(book.learn(), render_learned)


def render_learned(console: Console, done: Learned) -> None:
    """The proposals, and how to decide about them."""
    for memory in done.proposed:
        say(console, f"  {shorten(memory.content)}")
    count = text_format.counted(len(done.proposed), "proposal", "proposals")
    name = text_format.line(done.project)
    said = f"{count} from the files of {name} in the inbox" if done.proposed else "Nothing new"
    known = f"; {done.known} known or proposed before" if done.known else ""
    say(console, f"{said}{known}.", "green" if done.proposed else "")
    for file in done.files:
        statements = text_format.counted(file.statements, "statement", "statements")
        passed = f", {file.passed_over:,} passed over" if file.passed_over else ""
        if file.lines:
            shown = ", ".join(map(str, file.lines[:MOST_LINES]))
            more = ", …" if len(file.lines) > MOST_LINES else ""
            passed += f" ({'line' if len(file.lines) == 1 else 'lines'} {shown}{more})"
        aside(console, f"{text_format.line(file.path)}: {statements}{passed}")
        for text in file.passed:
            aside(console, f"  passed over: “{text_format.line(text)}”")
    if any(file.passed_over for file in done.files):
        aside(
            console,
            "Passed over: what is left out, is no statement or command, is hidden in a comment, or"
            f" has fewer than {SHORTEST} or more than {LONGEST} characters; of one file at most"
            f" {MOST_OF_A_FILE} are kept.",
        )
    if not done.files:
        aside(console, f"None of these is here: {', '.join((*PAGES[:3], *BUILD_FILES))} ….")
    if done.more:
        left = text_format.counted(done.more, "more", "more")
        aside(console, f"{left} had no room: decide about these, then run it again.")
    for path, why in sorted(done.left_out):
        aside(console, f"Left out of {text_format.line(path)}: {text_format.line(why)}")
    if done.proposed:
        aside(console, "Decide: commonplace inbox list")


def render_verified(console: Console, found: AnchorsVerified) -> None:
    """The anchors that are not as they were, and a count of all."""
    counted = text_format.counted(found.memories, "memory", "memories")
    places = text_format.counted(len(found.anchors), "place", "places")
    name = text_format.line(found.project)
    if not found.anchors:
        say(console, f"No memory of {name} speaks of a file, definition, key or command.")
        _passed_over(console, found)
        return
    others = [one for one in found.anchors if one.state != "unchanged"]
    rows = (
        (
            above(shorten(one.text), text_format.line(one.name)),
            text_format.line(one.anchor.partition(" @")[0]),
            one.state + (f": {text_format.line(one.now)}" if one.now else ""),
            text_format.line(one.to_do),
        )
        for one in others
    )
    if others:
        table(console, ("Memory", "Place", "State", "What to do"), rows, prose=("Memory",))
    stale = len(found.stale)
    said = f"{counted} of {name}, {places}"
    if stale:
        say(console, f"{said}: {stale} changed or gone.", "yellow")
        aside(
            console,
            "Say a memory again to keep it as it is; its places are then noted anew, unless a file"
            " has another value.",
        )
    else:
        moved = sum(one.state == "moved" for one in found.anchors)
        say(console, f"{said}: {f'{moved} moved, ' if moved else ''}nothing changed.", "green")
    _passed_over(console, found)


def _passed_over(console: Console, found: AnchorsVerified) -> None:
    if found.unmerged:
        others = text_format.counted(found.unmerged, "memory", "memories")
        aside(console, f"Passed over: {others} of branches that are not merged here.")
