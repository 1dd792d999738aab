"""Make `doors/mcp/catalog.json`: what MCP says of tools, resources and prompts before any call.

    python -m commonplace.doors.server.tool_schemas > src/commonplace/doors/mcp/catalog.json

FastMCP and pydantic derive the schemas from the annotations of the tools. The file is part of the
package, so that MCP starts and answers without importing either.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import sys
from typing import TYPE_CHECKING, Any

from fastmcp import Client
from fastmcp.tools import FunctionTool
from fastmcp.utilities.json_schema import dereference_refs
from mcp_types import ToolAnnotations
from pydantic import BaseModel, create_model

from ...model.memory import Memory
from ...model.results import Forgotten as ForgottenValue
from ...model.results import Overview as OverviewValue
from ...verbs.replay import Replayed
from ...verbs.why_not import WhyNot
from ..install.pieces import skill_text
from ..mcp.catalog import SKILL_URI
from ..mcp.tools import TOOLS
from .signatures import list_type, resolved_hints, result_model, value_model

if TYPE_CHECKING:
    from ..mcp.tools import ToolDeclaration

CONTENT_RULE = """\
Record what was learned by doing: corrections, decisions and their reasons, pitfalls, preferences.
Not what a model knows or the repository says, no secrets, guesses, task progress or text from
memory."""
"""In the description of every tool that writes."""


class UsedMemories(BaseModel):
    """The memories that a recall returned."""

    question: str
    sure: str
    used: list[dict[str, object]]


class ForgetAboutAnswer(BaseModel):
    """The preview of forgetting by description, or its result."""

    done: bool
    id: str
    going: list[dict[str, object]]
    near: list[dict[str, object]]
    proposal: str | None


class ProfileShown(BaseModel):
    """The profile and how much of its room is used."""

    scope: str
    text: str
    unconfirmed: str
    percent: int
    waiting: str | None


RESULTS: dict[str, type[BaseModel]] = {
    "Recalled": result_model("recall"),
    "Saved": result_model("save"),
    "Shown": create_model("Shown", __base__=value_model(Memory), cut=(bool, ...)),
    "Listed": create_model("Listed", memories=(list_type(value_model(Memory)), ...)),
    "Overview": value_model(OverviewValue),
    "Forgotten": value_model(ForgottenValue),
    "UsedMemories": UsedMemories,
    "Replayed": value_model(Replayed),
    "WhyNot": value_model(WhyNot),
    "ForgetAboutAnswer": ForgetAboutAnswer,
    "ProfileShown": ProfileShown,
}


def annotated_tool(declared: ToolDeclaration) -> FunctionTool:
    """The tool as FastMCP derives it from the annotations of its function, without the book."""
    function = declared.function
    hints = resolved_hints(function)
    own = list(inspect.signature(function).parameters.values())[1:]

    def run(**given: Any) -> dict[str, Any]:
        return given  # Only the schema is served; a test compares what pydantic makes of a call.

    run.__name__ = function.__name__
    run.__annotations__ = {one.name: hints[one.name] for one in own}
    keyword = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name]) for one in own
    ]
    vars(run)["__signature__"] = inspect.Signature(keyword)
    described = inspect.cleandoc(function.__doc__ or "")
    return FunctionTool.from_function(
        run,
        description=f"{described}\n{CONTENT_RULE}" if declared.writes else described,
        annotations=ToolAnnotations(
            title=declared.title,
            read_only_hint=declared.read_only,
            destructive_hint=declared.destructive,
            idempotent_hint=declared.read_only or declared.idempotent,
            open_world_hint=False,
        ),
        # Inlined, because some clients resolve no references.
        output_schema=dereference_refs(
            RESULTS[declared.result].model_json_schema(mode="serialization")
        ),
    )


def catalog() -> dict[str, list[dict[str, Any]]]:
    """Everything that MCP lists, in the form in which it is sent."""
    tools = [
        {"sets": list(one.sets), "tool": _sent(annotated_tool(one).to_mcp_tool())}
        for one in TOOLS.values()
    ]
    return {"tools": tools, **asyncio.run(_listed()), "skills": [_skill()]}


async def _listed() -> dict[str, Any]:
    """Resources and prompts, as the full server lists them."""
    from .mcp import serve_mcp

    async with Client(serve_mcp(_no_book)) as client:
        return {
            "resources": [_sent(one) for one in await client.list_resources()],
            "resourceTemplates": [_sent(one) for one in await client.list_resource_templates()],
            "prompts": [_sent(one) for one in await client.list_prompts()],
        }


def _no_book() -> Any:
    raise NotImplementedError  # Lists need no book.


def _sent(listed: BaseModel) -> dict[str, Any]:
    """An entry of a list as JSON, without FastMCP's own notes."""
    return listed.model_dump(by_alias=True, mode="json", exclude_none=True, exclude={"meta"})


def _skill() -> dict[str, Any]:
    """The skill as the skills extension lists it."""
    text = skill_text()
    header = text.split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in header.splitlines())
    data = text.encode()
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    file = {"uri": SKILL_URI, "digest": digest, "size": len(data)}
    return {"uri": SKILL_URI, "frontmatter": fields, "resources": [file]}


def written(made: dict[str, list[dict[str, Any]]]) -> str:
    """The catalog as the text of its file: a line for each entry, so that changes can be read."""
    sections = (
        f'"{name}": [\n'
        + ",\n".join(json.dumps(one, ensure_ascii=False) for one in entries)
        + "\n]"
        for name, entries in made.items()
    )
    return "{\n" + ",\n".join(sections) + "\n}\n"


if __name__ == "__main__":
    sys.stdout.write(written(catalog()))
