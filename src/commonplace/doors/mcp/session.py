"""One client's session: the state of the protocol, and the result of every request.

Two eras of the protocol are served. Up to 2025-11-25 a client says `initialize` first. From
2026-07-28 on there is no handshake: each request names its version in `_meta`. A client's first
request decides which era it speaks.
"""

from __future__ import annotations

import sys

from ... import __version__
from ...model.errors import CommonplaceError, NotFound
from .catalog import INSTRUCTIONS, SKILL_URI, check_set, read_catalog, tools_in_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...book import Commonplace

    Params = Mapping[str, Any]
    Result = dict[str, Any]
    Method = Callable[[Params], Result]

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR, UNSUPPORTED_VERSION = -32602, -32603, -32022
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
ENVELOPE = (VERSION_KEY, CLIENT_CAPABILITIES_KEY)
"""The keys that a request of the newer protocol must have in `_meta`."""
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
SERVER_INFO = {"name": "commonplace", "version": __version__}
LEVELS = (
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency",
)  # fmt: skip
MANIFEST_URI = "skill://commonplace/_manifest"
NEEDS_BOOK = frozenset({"tools/call", "resources/read", "prompts/get"})
"""Requests that may take long; the others are answered at once."""
CACHE_MS = {
    "server/discover": 60_000, "tools/list": 60_000, "resources/list": 60_000,
    "resources/templates/list": 60_000, "resources/read": 60_000, "prompts/list": 60_000,
    "skills/list": 0, "skills/get": 0,
}  # fmt: skip
"""How long a client of the modern era may keep a result."""
CAPABILITIES: dict[str, Any] = {
    "logging": {},
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": False},
}


class ProtocolError(Exception):
    """A request that gets an error of the protocol as its answer."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class McpSession:
    """Answers the requests of one client; `get_book` is called by those that need the book."""

    def __init__(self, get_book: Callable[[], Commonplace], *, tools: str) -> None:
        check_set(tools)
        self._get_book = get_book
        self._set = tools
        self._catalog: dict[str, Any] = {}
        self._modern: bool | None = None
        self._initialized = False
        shared: dict[str, Method] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": lambda _: self._listed("resources"),
            "resources/templates/list": lambda _: self._listed("resourceTemplates"),
            "resources/read": self._read_resource,
            "prompts/list": lambda _: self._listed("prompts"),
            "prompts/get": self._get_prompt,
        }
        self._handshake_methods: dict[str, Method] = {
            "initialize": self._initialize,
            "ping": lambda _: {},
            "logging/setLevel": _set_level,
            **shared,
        }
        self._modern_methods: dict[str, Method] = {
            "server/discover": lambda _: _discovered(),
            "skills/list": lambda _: self._listed("skills"),
            "skills/get": self._get_skill,
            **shared,
        }

    def admit(self, method: str, params: Params) -> Callable[[], Result]:
        """The work that gives the result, for any thread; raises ProtocolError if refused."""
        meta: Any = params.get("_meta")
        enveloped = is_object(meta) and VERSION_KEY in meta
        if self._modern is None:
            self._modern = enveloped and method != "initialize"
        if self._modern:
            _check_envelope(method, params)
            act = _found(self._modern_methods, method)
            return lambda: _modern_result(method, act(params))
        if enveloped and method != "initialize":
            raise ProtocolError(
                INVALID_REQUEST, f"This session began with initialize, not with {MODERN_VERSION}."
            )
        act = _found(self._handshake_methods, method)
        if not self._initialized and method not in ("initialize", "ping"):
            raise ProtocolError(INVALID_PARAMS, "The session has not begun: send initialize first.")
        return lambda: act(params)

    def _initialize(self, params: Params) -> Result:
        wanted = _field(params, "protocolVersion", str)
        _field(params, "capabilities", dict)
        _field(params, "clientInfo", dict)
        self._initialized = True
        version = wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        return {
            "protocolVersion": version,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER_INFO,
            "instructions": INSTRUCTIONS,
        }

    def _read_catalog(self) -> dict[str, Any]:
        if not self._catalog:
            self._catalog = read_catalog()
        return self._catalog

    def _listed(self, kind: str) -> Result:
        return {kind: self._read_catalog()[kind]}

    def _tools(self) -> dict[str, dict[str, Any]]:
        return tools_in_set(self._read_catalog(), self._set)

    def _list_tools(self, _: Params) -> Result:
        return {"tools": list(self._tools().values())}

    def _call_tool(self, params: Params) -> Result:
        name = _field(params, "name", str)
        arguments = _field(params, "arguments", dict, {})
        tool = self._tools().get(name)
        if tool is None:
            return _tool_error(f"Unknown tool: {name[:80]!r}")
        try:
            book = self._get_book()
            from .tools import run_tool

            answer = run_tool(book, name, tool["inputSchema"], arguments)
        except CommonplaceError as error:
            return _tool_error(str(error))
        except Exception:  # A fault of ours must not end the session, nor show its details.
            log_fault(f"{name} failed.")
            return _tool_error(f"{name} failed; the server's log says why.")
        content = [{"type": "text", "text": answer.text}]
        return {"content": content, "structuredContent": answer.data, "isError": False}

    def _read_resource(self, params: Params) -> Result:
        uri = _field(params, "uri", str)
        kind, text = self._resource(uri)
        return {"contents": [{"uri": uri, "mimeType": kind, "text": text}]}

    def _resource(self, uri: str) -> tuple[str, str]:
        if uri == SKILL_URI:
            from ..install.pieces import skill_text

            return "text/markdown", skill_text()
        if uri == MANIFEST_URI:
            return "application/json", self._manifest()
        scheme, _, ref = uri.partition("://")
        if scheme != "memory" or not ref or "/" in ref:
            raise _not_found(uri)
        from urllib.parse import unquote

        try:
            book = self._get_book()
            from .tool_answers import memory_text, newest_text

            text = newest_text(book) if ref == "newest" else memory_text(book, unquote(ref))
        except NotFound as error:
            raise _not_found(uri) from error
        except CommonplaceError as error:
            raise ProtocolError(INTERNAL_ERROR, str(error)) from error
        return "text/plain", text

    def _manifest(self) -> str:
        from json import dumps

        [skill] = self._read_catalog()["skills"]
        files = [
            {
                "path": one["uri"].removeprefix("skill://commonplace/"),
                "size": one["size"],
                "hash": one["digest"],
            }
            for one in skill["resources"]
        ]
        return dumps({"skill": skill["frontmatter"]["name"], "files": files}, indent=2)

    def _get_prompt(self, params: Params) -> Result:
        name = _field(params, "name", str)
        given = _field(params, "arguments", dict, {})
        [prompt] = self._read_catalog()["prompts"]
        if name != prompt["name"]:
            raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name[:80]!r}")
        known = {one["name"] for one in prompt["arguments"]}
        if given.keys() - known or not all(isinstance(one, str) for one in given.values()):
            raise ProtocolError(
                INVALID_PARAMS, f"{name} takes the texts {' and '.join(sorted(known))}."
            )
        try:
            book = self._get_book()
            from .tool_answers import start_text

            text = start_text(book, **given)
        except CommonplaceError as error:
            raise ProtocolError(INTERNAL_ERROR, str(error)) from error
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return {"description": prompt["description"], "messages": [message]}

    def _get_skill(self, params: Params) -> Result:
        uri = _field(params, "uri", str)
        for skill in self._read_catalog()["skills"]:
            if skill["uri"] == uri:
                return {"skill": skill}
        raise ProtocolError(INVALID_PARAMS, f"Unknown skill URI: {uri[:80]}")


def _found(methods: Mapping[str, Method], method: str) -> Method:
    if method not in methods:
        raise ProtocolError(METHOD_NOT_FOUND, "Method not found", method)
    return methods[method]


def log_fault(sentence: str) -> None:
    """Write a fault of ours, with its traceback, to the log that hosts keep of standard error."""
    import traceback

    sys.stderr.write(f"{sentence}\n{traceback.format_exc()}")
    sys.stderr.flush()


def _field(params: Params, name: str, kind: type, default: Any = None) -> Any:
    value = params.get(name, default)
    if value is None and default is not None:
        return default
    if not isinstance(value, kind):
        raise ProtocolError(INVALID_PARAMS, f"Invalid request parameters: {name}")
    return value


def _set_level(params: Params) -> Result:
    """Accept a level for log messages; none are sent, since faults go to standard error."""
    if params.get("level") not in LEVELS:
        raise ProtocolError(INVALID_PARAMS, "Invalid request parameters: level")
    return {}


def _discovered() -> Result:
    return {
        "supportedVersions": [MODERN_VERSION],
        "capabilities": {**CAPABILITIES, "extensions": {"io.modelcontextprotocol/skills": {}}},
        "instructions": INSTRUCTIONS,
    }


def _check_envelope(method: str, params: Params) -> None:
    """Refuse a request of the modern era that does not say its version."""
    requested: Any = params.get("protocolVersion")
    if method != "initialize":
        meta: Any = params.get("_meta")
        missing = [key for key in ENVELOPE if not is_object(meta) or key not in meta]
        if missing:
            raise ProtocolError(INVALID_PARAMS, f"_meta has no {' and no '.join(missing)}.")
        requested = meta[VERSION_KEY]
        if not isinstance(requested, str) or not is_object(meta[CLIENT_CAPABILITIES_KEY]):
            raise ProtocolError(INVALID_PARAMS, "Invalid request parameters: _meta")
        if requested == MODERN_VERSION:
            return
    data: dict[str, Any] = {"supported": [MODERN_VERSION]}
    if isinstance(requested, str):
        data["requested"] = requested
    raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def is_object(value: object) -> bool:
    """Whether a value of JSON is an object."""
    return isinstance(value, dict)


def _modern_result(method: str, result: Result) -> Result:
    if method in CACHE_MS:
        # Private, because each caller sees other memories.
        result = {**result, "ttlMs": CACHE_MS[method], "cacheScope": "private"}
    return {**result, "resultType": "complete", "_meta": {SERVER_INFO_KEY: SERVER_INFO}}


def _tool_error(text: str) -> Result:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def _not_found(uri: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, f"Resource not found: {uri!r}", {"uri": uri})
