"""Commands that explain: a recall, a digest, what was left out, and what made a command fail."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ... import settings
from ...notes.display import qualified_text
from ...verbs.bisect import FAILS_ANYWAY, FLAKY, FOUND, PASSES, Bisected
from ...verbs.bisect_log import BisectRun
from ...verbs.recall import ExplainedRecall, PlacedHit
from ...verbs.replay import Replayed
from ...verbs.why_not import WhyNot
from .. import plain_words
from ..hooks import session_files
from . import failures, text_format
from .call import Call
from .call import console as make_console
from .declare import AGENT_CONTEXT, FIND, FromBranch, Ref, command
from .declare import group as make_group
from .render import aside, say, say_exactly

WEIGHTS = frozenset({
    "scope", "trust", "confidence", "importance", "age", "stale", "future", "role", "topic",
    "learned",
})  # fmt: skip
"""Parts that multiply a score; all others add to it."""
EXIT_CODES = {PASSES: 0, FOUND: failures.FOUND_PROBLEMS, FAILS_ANYWAY: 12, FLAKY: 13}
"""The exit codes of `bisect`."""
group = make_group()


@command(group, panel=FIND)
def why(
    call: Call,
    ref: Annotated[
        str,
        typer.Argument(
            metavar="RECALL", help="`last`, the id of a recall, or a memory that was recalled."
        ),
    ] = "last",
) -> None:
    """Explain a recall: its question, and the parts of each memory's score."""
    with call.book(ref) as book:
        call.show(book.why(ref), render_explained)


def render_explained(console: Console, found: ExplainedRecall) -> None:
    """The logged question, then each memory with the parts of its score."""
    asked = found.retrieval
    say(console, text_format.line(asked.query) or "(empty question)", "bold")
    about = [
        text_format.ago(asked.at, datetime.now(UTC)),
        f"asked from {text_format.line(asked.scope)}",
    ]
    about += [f"sure: {found.sure}"] if found.sure else []
    about += [
        f"{name}: {text_format.line(str(value))}"
        for name, value in found.details.items()
        if isinstance(value, str | int | float)
    ]
    aside(console, f"{' · '.join(about)} · {asked.id}")
    if not found.hits:
        say(console, "No memory was found.")
    for hit in found.hits:
        console.print(_hit(hit))


def _hit(hit: PlacedHit) -> Text:
    memory = hit.memory
    text = text_format.fit(text_format.line(qualified_text(memory)), 200) if memory else "(gone)"
    name = text_format.name(memory) if memory else hit.id
    added = [f"{part} {share:.2f}" for part, share in hit.parts.items() if part not in WEIGHTS]
    weighed = [f"{part} ×{share:.2f}" for part, share in hit.parts.items() if part in WEIGHTS]
    sums = " + ".join(added) or "no reasons were logged"
    return Text.assemble(
        f"\n{hit.place:>2}  ", (text, "bold"), "\n    ", (name, "dim"),
        f"\n    {hit.score:.3f} = {sums}", (f"   {'  '.join(weighed)}" if weighed else "", "dim"),
    )  # fmt: skip


@command(group, "why-not", panel=FIND)
def why_not(
    call: Call,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="The prompt, or the id of a digest.")
    ],
    ref: Ref,
    *,
    session: Annotated[
        str | None,
        typer.Option(
            help="Id of a coding agent's session, whose memories are not repeated.",
            show_default=False,
        ),
    ] = None,
    branch: FromBranch = None,
) -> None:
    """Say which step left a memory out of what an agent gets with a question."""
    here = call.in_project()
    with here.book(ref) as book:
        already = _handed_in(call, session) if session else ()
        found = book.why_not(question, ref, already=already, branch=branch)
        call.show(found, render_why_not)


def _handed_in(call: Call, session: str) -> list[str]:
    """Ids of the memories that hooks gave a session."""
    chosen = settings.load(call.environ)
    url = call.shared.get("url") or chosen.url or ""
    folder = session_files.book_folder(chosen.state, url)
    return session_files.files_for_session(folder, session).handed_ids()


def render_why_not(console: Console, told: WhyNot) -> None:
    """The sentence, and what to do."""
    say(console, told.sentence, "green" if told.handed else "bold")
    if told.hint:
        aside(console, told.hint)
    aside(console, f"step {told.step} · memory {told.memory}")


@command(group, panel=AGENT_CONTEXT)
def replay(
    call: Call,
    id: Annotated[
        str, typer.Argument(metavar="[ID]", help="Id of a digest, from `audit digests`.")
    ] = "last",
) -> None:
    """Print a digest byte for byte as an agent got it, without what was forgotten since."""
    with call.book() as book:
        call.show(book.replay(id), render_replayed)


def render_replayed(console: Console, found: Replayed) -> None:
    """The text on standard output; all else on standard error, out of a script's way."""
    stderr = make_console(stderr=True)
    if found.text:
        say_exactly(console, found.text)
    else:
        aside(stderr, "Nothing was handed over.")
    if found.late:
        aside(stderr, "It came too late, so that no agent has it yet.")
    about = [text_format.ago(found.at, datetime.now(UTC)), plain_words.by_door(found.by), found.id]
    if found.question:
        about.insert(0, text_format.fit(text_format.line(found.question), 80))
    aside(stderr, " · ".join(about))
    for one in found.withheld:
        aside(stderr, f"withheld: {one.id}, {one.why}")


@command(group, panel=AGENT_CONTEXT)
def bisect(
    call: Call,
    question: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION...]",
            help="A question, `last` or the id of a digest; left out, every memory is tried.",
        ),
    ] = None,
    *,
    cmd: Annotated[
        str,
        typer.Option(
            "--cmd",
            help="Command that fails; it finds the digest's path in COMMONPLACE_DIGEST_FILE.",
            show_default=False,
        ),
    ],
    timeout: Annotated[
        float | None,
        typer.Option(help="Seconds after which a run counts as failed.", show_default=False),
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Forget the runs of an interrupted bisection.")
    ] = False,
) -> None:
    """Find the memory that makes a command fail, by running it with memories switched off.

    Exits 0 if the command passes, 1 if memories are found, 12 if it fails without any, 13 if it is
    flaky.
    """
    stderr = make_console(stderr=True)
    with call.in_project().book() as book:
        try:
            found = book.bisect(
                cmd,
                " ".join(question or []),
                timeout_s=timeout,
                restart=restart,
                progress=lambda run: None if call.json else aside(stderr, _run_line(run)),
            )
        except KeyboardInterrupt:
            aside(stderr, "Interrupted. The same command goes on after the runs so far;")
            aside(stderr, "with --restart it begins anew.")
            raise
    call.show(found, render_bisected)
    raise typer.Exit(EXIT_CODES[found.outcome])


def _run_line(run: BisectRun) -> str:
    result = f"fails ({run.exit_code})" if run.fails else "passes"
    took = "from the log" if run.resumed else f"{run.took_s:.1f} s"
    return f"run {run.number:>2}: {run.kept:,} of {run.of:,} memories on: {result}, {took}"


def render_bisected(console: Console, found: Bisected) -> None:
    """The result, the lines of the culprits, and where the runs are logged."""
    say(console, found.sentence, "red" if found.culprits else "bold")
    for id, line in zip(found.culprits, found.lines, strict=True):
        say(console, f"  {id}", "dim")
        say(console, f"  {text_format.line(line)}")
    memories = text_format.counted(found.memories, "memory", "memories")
    runs = text_format.counted(found.runs, "run", "runs")
    aside(console, f"{runs} with {memories}; log: {found.log}")
    if found.culprits:
        aside(console, f"Correct it with: commonplace correct {found.culprits[0]} …")
