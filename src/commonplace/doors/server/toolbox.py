"""How a tool is declared: a function of the book and its own parameters, in one or more sets."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, Concatenate, ParamSpec

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.tools import FunctionTool, Tool, ToolResult
from fastmcp.utilities.json_schema import dereference_refs
from mcp_types import ToolAnnotations
from pydantic import BaseModel
from pydantic import ValidationError as Invalid

from ...book import Commonplace
from ...model.errors import BadInput, CommonplaceError
from ...model.memory import Memory, Recalled
from ...model.results import Saved
from ...model.value import Value
from ...notes.display import named
from ...rules import digest
from ...rules.digest import attribution
from ..plain_data import plain
from .problems import fit_for, slips
from .tracing import span

SHOWN_CHARACTERS = 600
CUT = " […]"
_SURE = {
    "strong": "",
    "weak": "These fit only loosely: check before relying on one.",
    "none": "The book probably does not know this; what follows is only the nearest it has.",
}
_SAVED = {
    "created": "Remembered",
    "merged": "Merged with what was known",
    "deduplicated": "Already known, nothing new was written",
    "superseded": "Remembered in place of an older version",
    "staged": "Waits for a person's review, because something more trusted says otherwise",
}


class ToolAnswer(Value):
    """What a tool gives back: a text for the model, and the same as data."""

    text: str
    data: dict[str, Any]


def recalled(found: Recalled, *, whole: bool) -> ToolAnswer:
    """Hits, best first: whole, or the part of each that fits best."""
    if not found:
        text = "Nothing in the book answers that. Say so rather than guess."
        return ToolAnswer(text, plain(found))
    shown = (
        line(hit.memory, hit.memory.content if whole else hit.excerpt or hit.memory.content, whole)
        for hit in found
    )
    return ToolAnswer("\n".join(filter(None, (_SURE[found.sure], framed(shown)))), plain(found))


def listed(memories: list[Memory], *, empty: str) -> ToolAnswer:
    """Several memories, a line each."""
    text = framed(line(memory, memory.content) for memory in memories) or empty
    return ToolAnswer(text, {"memories": plain(memories)})


def shown(memory: Memory, *, full: bool) -> ToolAnswer:
    """One memory whole, or its summary, or its beginning."""
    text = memory.content if full else memory.summary or memory.content
    if not full and len(text) > SHOWN_CHARACTERS:
        text = text[:SHOWN_CHARACTERS] + CUT
    data = {**plain(memory), "content": text, "cut": text != memory.content}
    return ToolAnswer(framed([line(memory, text, full)]), data)


def saved(done: Saved) -> ToolAnswer:
    """What became of a text."""
    late = "" if done.indexed else " It is safe but not searchable yet."
    return ToolAnswer(f"{_SAVED[done.action]}: {done.memory.id}.{late}", plain(done))


def line(memory: Memory, text: str, whole: bool = False) -> str:
    """One memory as a line that says where it is from and cannot speak as anybody else."""
    quoted = digest.quoted(named(memory, text))
    if not whole and len(quoted) > SHOWN_CHARACTERS:
        quoted = quoted[:SHOWN_CHARACTERS].rstrip() + CUT
    return f"- {attribution(memory)} {quoted}"


def framed(lines: Iterable[str]) -> str:
    """The lines inside the frame that marks them as memories."""
    return digest.framed(list(lines))


# How a tool is declared: a function of the book and its own parameters, in one or more sets.


P = ParamSpec("P")
Asked = Callable[[], Commonplace]
"""The book as the caller of this very request asks it."""

SETS = ("core", "scoped", "layers", "all")
DEBUG = 10


class Declared(Value):
    """A tool before it is bound to a book."""

    function: Callable[..., ToolAnswer]
    sets: tuple[str, ...]
    annotations: ToolAnnotations
    output: dict[str, Any]

    @property
    def name(self) -> str:
        """What a model calls it."""
        return self.function.__name__


DECLARED: list[Declared] = []


def tool(
    *sets: str,
    title: str,
    gives: type[BaseModel],
    reads: bool = False,
    destroys: bool = False,
    repeats: bool = False,
) -> Callable[[Callable[Concatenate[Commonplace, P], ToolAnswer]], Callable[..., ToolAnswer]]:
    """Declare a function of the book as a tool of these sets; every tool is in `all`.

    `repeats` says that calling it twice is the same as once.
    """
    annotations = ToolAnnotations(
        title=title,
        read_only_hint=reads,
        destructive_hint=destroys,
        idempotent_hint=reads or repeats,
        open_world_hint=False,
    )

    def declare(
        function: Callable[Concatenate[Commonplace, P], ToolAnswer],
    ) -> Callable[..., ToolAnswer]:
        # Some clients follow no references. Done once, here: every call looks at every schema.
        schema = dereference_refs(gives.model_json_schema(mode="serialization"))
        DECLARED.append(Declared(function, (*sets, "all"), annotations, schema))
        return function

    return declare


def tools_of(name: str, asked: Asked) -> list[Tool]:
    """The tools of a set, in the order they are declared in."""
    if name not in SETS:
        raise BadInput(f"There is no set of tools called {name!r}.", hint=f"Use {', '.join(SETS)}.")
    return [_bound(one, asked) for one in DECLARED if name in one.sets]


class Forgiving(FunctionTool):
    """A tool that names each argument it cannot use, in words that a model can act on."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Run the tool with these arguments."""
        try:
            return await super().run(arguments)
        except ValidationError as error:
            if not isinstance(error.__cause__, Invalid):
                raise
            told = "; ".join(slips(error.__cause__.errors(include_url=False)))
            takes = ", ".join(self.parameters["properties"])
            said = f"{self.name} cannot be called like this: {told}. It takes {takes}."
            raise ToolError(said, log_level=DEBUG) from error


def _bound(declared: Declared, asked: Asked) -> FunctionTool:
    """The tool that a model sees: without the book, and with errors it can act on."""
    signature = inspect.signature(declared.function)
    own = list(signature.parameters.values())[1:]

    def run(**given: Any) -> ToolResult:
        book = asked()
        try:
            with span(declared.name):
                answer = declared.function(book, **given)
        except CommonplaceError as error:
            raise ToolError(str(fit_for(error, book.context)), log_level=DEBUG) from error
        return ToolResult(content=answer.text, structured_content=answer.data)

    run.__name__, run.__doc__ = declared.name, declared.function.__doc__
    run.__annotations__ = {one.name: one.annotation for one in own} | {"return": ToolResult}
    keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
    vars(run)["__signature__"] = inspect.Signature(keyword, return_annotation=ToolResult)
    return Forgiving.from_function(
        run,
        description=inspect.cleandoc(declared.function.__doc__ or ""),
        annotations=declared.annotations,
        output_schema=declared.output,
    )
