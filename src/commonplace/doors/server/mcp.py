"""MCP over HTTP: the book as tools, resources and a prompt, served by FastMCP."""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any, TypeVar

from anyio import to_thread
from fastmcp import FastMCP
from fastmcp.exceptions import NotFoundError, PromptError, ResourceError, ToolError
from fastmcp.server.dependencies import get_http_request
from fastmcp.server.http import StarletteWithLifespan
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from fastmcp.skills.extension import SkillsExtension
from fastmcp.tools import Tool, ToolResult
from mcp_types import ToolAnnotations
from pydantic import Field

from ... import __version__
from ...book import Commonplace
from ...model.errors import CommonplaceError, NotFound
from ..install.pieces import SKILLS
from ..mcp import catalog
from ..mcp.tool_answers import NEWEST, memory_text, newest_text, start_text
from ..mcp.tools import run_tool
from .callers import OWNER
from .problems import redacted_for
from .signatures import DESCRIPTIONS
from .tracing import tool_span
from .turns import CHANGE, READ, Turns

PATH = "/mcp"
CACHE_S = 60
DEBUG = 10
T = TypeVar("T")
GetBook = Callable[[], Commonplace]
"""Returns the book as the caller of the current request sees it."""


InTurn = Callable[[Callable[[], Any], str], Awaitable[Any]]
"""Runs a call of a kind on a thread, since a book blocks, in the turn of the current caller."""


async def at_once(work: Callable[[], T], kind: str) -> T:
    """Run a call on a thread, for a server with a single caller."""
    return await to_thread.run_sync(work)


class NoSuchMemory(ResourceError, NotFoundError):
    """A resource that does not exist; a client error, so it is not logged."""


class BookTool(Tool):
    """A tool of the catalog, run on the book of the caller."""

    get_book: Annotated[GetBook, Field(exclude=True)]
    in_turn: Annotated[InTurn, Field(exclude=True)]

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Run the tool with these arguments in its caller's turn."""
        reads = self.annotations is not None and self.annotations.read_only_hint
        return await self.in_turn(partial(self._answer, arguments), READ if reads else CHANGE)

    def _answer(self, arguments: dict[str, Any]) -> ToolResult:
        book = self.get_book()
        try:
            with tool_span(self.name):
                answer = run_tool(book, self.name, self.parameters, arguments)
        except CommonplaceError as error:
            raise ToolError(str(redacted_for(error, book.context)), log_level=DEBUG) from error
        return ToolResult(content=answer.text, structured_content=answer.data)


def tools_in_set(name: str, get_book: GetBook, in_turn: InTurn = at_once) -> list[BookTool]:
    """The tools of a set, in the order of the catalog."""
    return [
        BookTool(
            name=tool,
            description=one["description"],
            parameters=one["inputSchema"],
            output_schema=one["outputSchema"],
            annotations=ToolAnnotations.model_validate(one["annotations"]),
            get_book=get_book,
            in_turn=in_turn,
        )
        for tool, one in catalog.tools_in_set(catalog.read_catalog(), name).items()
    ]


def serve_mcp(get_book: GetBook, in_turn: InTurn = at_once, *, tools: str = "core") -> FastMCP:
    """An MCP server; `get_book` returns the book as the caller of the current request sees it."""
    # A caller's mistakes are no errors of the server.
    logging.getLogger("fastmcp").setLevel(logging.ERROR)
    offered = tools_in_set(tools, get_book, in_turn)
    server = FastMCP(
        name="commonplace",
        instructions=catalog.INSTRUCTIONS,
        version=__version__,
        # Private, because each caller sees other memories.
        cache_ttl=CACHE_S,
        cache_scope="private",
        # Unexpected errors go to the log, not to the model.
        mask_error_details=True,
        dereference_schemas=False,
        tools=offered,
    )
    # Otherwise every call lists all tools to find its schema, which takes longer than a recall.
    schemas = {tool.name: tool.parameters for tool in offered}
    server._mcp_server.get_tool_input_schema = schemas.get  # pyright: ignore[reportPrivateUsage]
    _add_skill(server)
    _add_resources(server, get_book, in_turn)
    _add_prompt(server, get_book, in_turn)
    return server


def http_app(book: Commonplace, turns: Turns, *, tools: str) -> StarletteWithLifespan:
    """MCP over streamable HTTP, stateless: each request is identified by its own token.

    The server checks hosts and origins before, so FastMCP does not.
    """

    def get_book() -> Commonplace:
        caller = get_http_request().state.caller
        # Only this machine's user is told what its files say.
        local = caller.id == OWNER
        return book.as_context(caller.context, source="mcp", on_this_machine=local)

    async def in_turn(work: Callable[[], T], kind: str) -> T:
        return await turns.run(work, get_http_request().state.caller, kind)

    return serve_mcp(get_book, in_turn, tools=tools).http_app(
        path=PATH, json_response=True, stateless_http=True, host_origin_protection=False
    )


def _add_skill(server: FastMCP) -> None:
    """Serve the skill by the skills extension of MCP, and as a resource to older clients."""
    skills = SkillsDirectoryProvider(SKILLS, experimental_skills=True)
    server.add_provider(skills)
    server.add_extension(SkillsExtension(providers=[skills]))


def _add_resources(server: FastMCP, get_book: GetBook, in_turn: InTurn) -> None:
    def read_memory(ref: str) -> str:
        book = get_book()
        try:
            return memory_text(book, ref)
        except NotFound as error:
            raise NoSuchMemory(str(error), log_level=DEBUG) from error
        except CommonplaceError as error:
            raise ResourceError(str(redacted_for(error, book.context)), log_level=DEBUG) from error

    def read_newest() -> str:
        book = get_book()
        try:
            return newest_text(book)
        except CommonplaceError as error:
            raise ResourceError(str(redacted_for(error, book.context)), log_level=DEBUG) from error

    async def memory(ref: str) -> str:
        return await in_turn(partial(read_memory, ref), READ)

    async def newest() -> str:
        return await in_turn(read_newest, READ)

    server.resource(
        "memory://{ref}",
        name="memory",
        title="Memory",
        description="One memory by its id, slug or title, quoted with its source.",
        mime_type="text/plain",
    )(memory)
    server.resource(
        "memory://newest",
        name="newest",
        title="Newest memories",
        description=f"The {NEWEST} newest memories, one line each, with their ids.",
        mime_type="text/plain",
    )(newest)


def _add_prompt(server: FastMCP, get_book: GetBook, in_turn: InTurn) -> None:
    def start(agent: str, topic: str) -> str:
        book = get_book()
        try:
            return start_text(book, agent=agent, topic=topic)
        except CommonplaceError as error:
            raise PromptError(str(redacted_for(error, book.context)), log_level=DEBUG) from error

    async def session_start(
        agent: Annotated[str, Field(description=DESCRIPTIONS["agent"])] = "",
        topic: Annotated[str, Field(description=DESCRIPTIONS["topic"])] = "",
    ) -> str:
        return await in_turn(partial(start, agent, topic), READ)

    server.prompt(
        name="session_start",
        title="Start a session",
        description="The memories to load before the first question: the user's profile, "
        "standing rules and the facts of this project.",
    )(session_start)
