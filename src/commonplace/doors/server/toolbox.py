"""Declaring MCP tools as functions of the book, and the answers that tools return."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, Concatenate, ParamSpec

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.tools import FunctionTool, Tool, ToolResult
from fastmcp.utilities.json_schema import dereference_refs
from mcp_types import ToolAnnotations
from pydantic import BaseModel
from pydantic import ValidationError as Invalid

from ...agent.profile import Profile
from ...book import Commonplace
from ...model.errors import BadInput, CommonplaceError
from ...model.identity import short_id
from ...model.memory import Memory, Recalled
from ...model.results import Overview, Saved
from ...model.value import Value
from ...notes.display import qualified_text
from ...rules.authority import FORGOTTEN, awaits_confirmation
from ...rules.digest import attribution, short_ids
from ...rules.quotation import frame, quote, quote_label
from ...rules.ranking.reasons import logged_reasons
from ...verbs.recall import ExplainedRecall
from ..plain_data import plain
from .problems import argument_errors, redacted_for
from .tracing import tool_span

SHOWN_CHARACTERS = 600
TITLE_CHARACTERS, MOST_NAMES = 80, 12
"""Limits of an overview: characters of a memory, and names listed per axis."""
CONTENT_RULE = """\
Record what was learned by doing: corrections, decisions and their reasons, pitfalls, preferences.
Not what a model knows or the repository says, no secrets, guesses, task progress or text from
memory."""
"""In the description of every tool that writes."""
CUT = " […]"
_SURE = {
    "strong": "",
    "weak": "These match only loosely: check before relying on one.",
    "none": "Memory probably does not know this; these are only the nearest matches.",
}
_SAVED = {
    "created": "Saved",
    "merged": "Merged with an existing memory",
    "deduplicated": "Already known, nothing was written",
    "superseded": "Saved, replacing an older version",
    "staged": "Waiting in the inbox until a person confirms it",
}


class ToolAnswer(Value):
    """Result of a tool: a text for the model, and the same as data."""

    text: str
    data: dict[str, Any]


def recall_answer(book: Commonplace, found: Recalled, *, whole: bool) -> ToolAnswer:
    """Hits, best first: whole, or the best matching excerpt of each."""
    if not found:
        text = "Nothing in memory answers that. Say so instead of guessing."
        return ToolAnswer(text, plain(found))
    ids = short_ids(hit.memory for hit in found)
    lines = [
        memory_line(
            book,
            hit.memory,
            hit.memory.content if whole else hit.excerpt or hit.memory.content,
            whole,
            id=ids[hit.memory.id],
        )
        for hit in found
    ]
    return ToolAnswer("\n".join(filter(None, (_SURE[found.sure], frame(lines)))), plain(found))


def list_answer(book: Commonplace, memories: list[Memory], *, empty: str) -> ToolAnswer:
    """Several memories, one line each."""
    ids = short_ids(memories)
    lines = [memory_line(book, one, one.content, id=ids[one.id]) for one in memories]
    text = frame(lines) or empty
    return ToolAnswer(text, {"memories": plain(memories)})


def memory_answer(book: Commonplace, memory: Memory, *, full: bool) -> ToolAnswer:
    """One memory: whole, or its summary or beginning."""
    text = memory.content if full else memory.summary or memory.content
    if not full and len(text) > SHOWN_CHARACTERS:
        text = text[:SHOWN_CHARACTERS] + CUT
    data = {**plain(memory), "content": text, "cut": text != memory.content}
    return ToolAnswer(frame([memory_line(book, memory, text, full)]), data)


def save_answer(done: Saved) -> ToolAnswer:
    """The outcome of a save."""
    late = "" if done.indexed else " It is saved but not searchable yet."
    why = f" {done.why}" if done.why else ""
    if why and done.why != FORGOTTEN:
        why += " Save what was learned here instead."
    asked = " The inbox asks a person to confirm it." if awaits_confirmation(done.memory) else ""
    id = short_id(done.memory.id)
    return ToolAnswer(f"{_SAVED[done.action]}: {id}.{late}{why}{asked}", plain(done))


def overview_answer(book: Commonplace, found: Overview) -> ToolAnswer:
    """Counts, then one short line for each of the newest memories."""
    if not found.memories:
        return ToolAnswer("Nothing is there yet.", plain(found))
    counts = {"kind": found.by_kind, "topic": found.by_topic, "scope": found.by_scope}
    said = [f"By {by}: {_counted(pairs[:MOST_NAMES])}." for by, pairs in counts.items() if pairs]
    ids = short_ids(found.newest)
    lines = [
        memory_line(book, one, one.title or _beginning(one.content), id=ids[one.id])
        for one in found.newest
    ]
    text = "\n".join((f"{found.memories} memories. {' '.join(said)}", frame(lines)))
    return ToolAnswer(text, plain(found))


def _counted(pairs: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{quote_label(name)} {count}" for name, count in pairs)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARACTERS else f"{line[:TITLE_CHARACTERS].rstrip()}{CUT}"


def profile_answer(book: Commonplace, shown: Profile) -> ToolAnswer:
    """The profile, its unconfirmed lines, and how much room is used."""
    lines = [memory_line(book, shown.memory, shown.text, whole=True)] if shown.memory else []
    if shown.unconfirmed:
        lines.append(f"- (by agents, unconfirmed) {quote(shown.unconfirmed)}")
    waiting = shown.waiting.id if shown.waiting else None
    wait = "The line waits in the inbox until a person confirms it. " if waiting else ""
    used = f"{wait}{shown.percent} % of the profile's room is used."
    text = "\n".join(filter(None, (frame(lines) or "The profile is empty.", used)))
    data = {
        "scope": shown.scope, "text": shown.text, "unconfirmed": shown.unconfirmed,
        "percent": shown.percent, "waiting": waiting,
    }  # fmt: skip
    return ToolAnswer(text, data)


def used_answer(book: Commonplace, explained: ExplainedRecall) -> ToolAnswer:
    """Every memory that a recall returned, with its source and the reasons for it in words.

    Of a recall that was handed over with a prompt, only what was handed over counts.
    """
    handed = explained.details.get("handed")
    hits = [hit for hit in explained.hits if handed is None or hit.id in handed]
    used: list[dict[str, object]] = []
    lines: list[str] = []
    for hit in hits:
        why = logged_reasons(hit.parts)
        one: dict[str, object] = {"id": hit.id, "score": hit.score, "parts": dict(hit.parts)}
        line = f"- [{hit.id}] (gone since, or not visible any more)"
        if hit.memory is not None:
            one["memory"] = plain(hit.memory)
            line = memory_line(book, hit.memory, hit.memory.content)
        used.append({**one, "why": why})
        lines.append(f"{line} (found because it {'; '.join(why)})" if why else line)
    way = "were handed over with the prompt" if handed is not None else "were returned"
    head = f"{len(used)} memories {way}, sure: {explained.sure}."
    data = {"question": explained.retrieval.query, "sure": explained.sure, "used": used}
    return ToolAnswer("\n".join(filter(None, (head, frame(lines)))), data)


def memory_line(
    book: Commonplace, memory: Memory, text: str, whole: bool = False, *, id: str = ""
) -> str:
    """One memory as a quoted line with its short id, its source and its scope, if it is another."""
    line = quote(qualified_text(memory, text))
    if not whole and len(line) > SHOWN_CHARACTERS:
        line = line[:SHOWN_CHARACTERS].rstrip() + CUT
    shown = attribution(memory, id=id or short_id(memory.id), home=book.context.scope)
    return f"- {shown} {line}"


P = ParamSpec("P")
GetBook = Callable[[], Commonplace]
"""Returns the book as the caller of the current request sees it."""

SETS = ("core", "scoped", "layers", "all")
DEBUG = 10


class ToolDeclaration(Value):
    """A tool before it is bound to a book."""

    function: Callable[..., ToolAnswer]
    sets: tuple[str, ...]
    annotations: ToolAnnotations
    output: dict[str, Any]
    description: str

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.function.__name__


DECLARATIONS: list[ToolDeclaration] = []


def tool(
    *sets: str,
    title: str,
    result: type[BaseModel],
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    writes: bool = False,
) -> Callable[[Callable[Concatenate[Commonplace, P], ToolAnswer]], Callable[..., ToolAnswer]]:
    """Declare a function of the book as a tool of these sets; every tool is in `all`.

    The description of one that `writes` ends with the rule on what to record.
    """
    annotations = ToolAnnotations(
        title=title,
        read_only_hint=read_only,
        destructive_hint=destructive,
        idempotent_hint=read_only or idempotent,
        open_world_hint=False,
    )

    def declare(
        function: Callable[Concatenate[Commonplace, P], ToolAnswer],
    ) -> Callable[..., ToolAnswer]:
        # Inlined once, because some clients resolve no references.
        schema = dereference_refs(result.model_json_schema(mode="serialization"))
        described = inspect.cleandoc(function.__doc__ or "")
        if writes:
            described = f"{described}\n{CONTENT_RULE}"
        DECLARATIONS.append(
            ToolDeclaration(function, (*sets, "all"), annotations, schema, described)
        )
        return function

    return declare


def tools_in_set(name: str, get_book: GetBook) -> list[Tool]:
    """The tools of a set, in order of declaration."""
    if name not in SETS:
        raise BadInput(f"There is no tool set {name!r}.", hint=f"Use {', '.join(SETS)}.")
    return [_bind(one, get_book) for one in DECLARATIONS if name in one.sets]


class ExplainingTool(FunctionTool):
    """A tool that explains invalid arguments, so that a model can correct the call."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Run the tool with these arguments."""
        try:
            return await super().run(arguments)
        except ValidationError as error:
            if not isinstance(error.__cause__, Invalid):
                raise
            errors = "; ".join(argument_errors(error.__cause__.errors(include_url=False)))
            names = ", ".join(self.parameters["properties"])
            text = f"Invalid arguments for {self.name}: {errors}. It takes {names}."
            raise ToolError(text, log_level=DEBUG) from error


def _bind(declared: ToolDeclaration, get_book: GetBook) -> FunctionTool:
    """The tool that a model sees: without the book parameter, and with readable errors."""
    signature = inspect.signature(declared.function)
    own = list(signature.parameters.values())[1:]

    def run(**given: Any) -> ToolResult:
        book = get_book()
        try:
            with tool_span(declared.name):
                answer = declared.function(book, **given)
        except CommonplaceError as error:
            raise ToolError(str(redacted_for(error, book.context)), log_level=DEBUG) from error
        return ToolResult(content=answer.text, structured_content=answer.data)

    run.__name__, run.__doc__ = declared.name, declared.description
    run.__annotations__ = {one.name: one.annotation for one in own} | {"return": ToolResult}
    keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
    vars(run)["__signature__"] = inspect.Signature(keyword, return_annotation=ToolResult)
    return ExplainingTool.from_function(
        run,
        description=declared.description,
        annotations=declared.annotations,
        output_schema=declared.output,
    )
