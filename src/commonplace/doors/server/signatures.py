"""Pydantic models of every verb's arguments and result, derived from the facade's annotations.

The facade imports the names in its annotations for type checkers only. This module resolves them
and builds the models that check a request and describe a response, so that there is no second list
of parameters and fields to keep in step.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, create_model

from ...book import Commonplace
from ...model.memory import KINDS, Draft, Event, Hit, Memory, Recalled, Retrieval
from ...model.results import MemoryMarks
from ...model.scope import Scope
from ...model.value import Value
from ...rules.handed_over.digest import SECTIONS
from ...verbs.correct import EDITABLE
from ..plain_data import AXES, COUNTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


DESCRIPTIONS = {
    "query": "The question, in the words a person would use.",
    "content": "The text to remember: one statement that still makes sense in a year.",
    "ref": "The memory: its id, slug, title, alias or exact text, or the key of a fact.",
    "description": "The thing in a few words, such as: the Oslo trip.",
    "confirm": "The id of the preview that the user has agreed to.",
    "also": "Ids from the near ones that the user wants to go as well.",
    "limit": "Maximum number of results.",
    "offset": "Number of results to skip; the Link header has the next page.",
    "order": "Order of the results.",
    "kind": f"Kind of memory: {', '.join(KINDS[:7])}, … or any other lower-case name.",
    "kinds": "Only these kinds.",
    "not_kinds": "None of these kinds.",
    "scope": "Scope, such as /project/mech-fighters; / is the whole book.",
    "topic": "Topic, one or two words.",
    "tags": "Short labels.",
    "statuses": "Only these: staged, active, review, stale, superseded, archived, deleted.",
    "owners": "Only these owners: personal, curated, agent.",
    "episodes": "Only these conversations.",
    "as_of": "Answer as of this moment or day.",
    "expand": "Number of conversation turns to add before and after each hit.",
    "sensitivities": "Only these: public, private, sensitive.",
    "keyed": "Only facts with a key, or only memories without one.",
    "branch": "Only learned on this branch, merged or not.",
    "include_archive": "Also the archive: summaries, replaced memories.",
    "include_inbox": "Also memories that wait for review.",
    "phase": "What the agent is doing: plan, work or review.",
    "agent": "Kind of agent that asks.",
    "already": "Ids of memories that the agent already has.",
    "text": "The prompt as the person wrote it; for a profile, its new text.",
    "section": "Only this section.",
    "add": "Add a line instead of replacing the text.",
    "work": "Id of a finished task or conversation.",
    "id": "The id.",
    "summary": "The outcome, in a sentence or two.",
    "failed": "The goal was not reached.",
    "abandoned": "The goal is not wanted any more.",
    "finished": "Also finished ones.",
    "automatic": "Only automatic changes, or only requested ones.",
    "dry_run": "Report the changes without making them.",
    "trust_clock": "Continue although the clock seems to have jumped.",
    "wrong": "The wrong memory: its name or its text.",
    "right": "The corrected text.",
    "to": "A wider scope, such as / or /org/acme.",
    "key": "The name of a fact, such as deploy.branch.",
    "value": "The fact's value.",
    "namespace": "Namespace that keeps equal keys apart.",
    "name": "The new name.",
    "hops": "Number of links to follow.",
    "since": "Only from then on: a time, a day, or a period such as 7d, 10m or yesterday.",
    "until": "Only until then; a day is included.",
    "period": "day or week.",
    "day": "Any day of the period; today if left out.",
    "ids": "Ids of memories.",
    "drafts": "Memories to save: texts, or objects with the fields of save.",
    "rebuild": "Rebuild the whole index.",
    "title": "A name that links and commands can use.",
    "aliases": "Further names.",
    "tier": "When the memory is loaded: identity, critical, topic, search or archive.",
    "owner": "`curated` if agents must not change it, else `agent`.",
    "sensitivity": "public, private or sensitive.",
    "always_load": "Load it in every session without being asked.",
    "confidence": "How sure it is: 1 if the user said so; 0.6, an inference, if left out.",
    "basis": "Basis: stated, inferred or pattern.",
    "expires": "When it stops being recalled.",
    "review_after": "When a person should check whether it still holds.",
    "valid_from": "When it began to be true.",
    "valid_until": "When it stopped being true.",
    "role": "Speaker: observation, user, assistant, tool, decision, …",
    "importance": "How much it matters, 0 to 1; in a session, from 0.7 on it outlives the rest.",
    "sections": f"Only these sections: {', '.join(SECTIONS)}.",
}


IN_PROCESS_ONLY = frozenset({"self", "expect", "budget"})
"""Parameters for callers in the same process; parameters that take functions are such as well."""
KEYWORD_FIELDS: Mapping[str, frozenset[str]] = {
    "save": frozenset(Draft.__fields__),
    "fact_store": frozenset(Draft.__fields__) - {"content"},
    "edit": EDITABLE,
}
"""Fields that these verbs take as further keywords."""
UNFOLDED: Mapping[type[Value], Sequence[str]] = {
    Event: ("before",), Retrieval: ("details",), **COUNTS,
}  # fmt: skip
"""Fields that `plain` turns into an object."""
MAX_INTEGER = 2**53
"""Largest integer that every JSON reader represents exactly."""


def _valid_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("has half a surrogate pair") from error
    return text


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("is outside the supported dates") from error


_TEXT: Any = Annotated[str, AfterValidator(_valid_text)]
_MOMENT: Any = Annotated[datetime, AfterValidator(_in_utc)]
_INPUT_TYPES: Mapping[Any, Any] = {
    str: _TEXT,
    Scope: _TEXT,
    int: Annotated[int, Field(ge=0, le=MAX_INTEGER)],
    datetime: _MOMENT,
    date: date | _MOMENT,
}
"""Types of request fields by the annotated type."""


class Arguments(BaseModel):
    """Base of the models of arguments; unknown arguments are refused."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    def as_keywords(self, *, null_clears: bool = False) -> dict[str, Any]:
        """The arguments that were sent; null means left out, unless `null_clears`."""
        sent = {name: getattr(self, name) for name in self.model_fields_set}
        return {
            name: _as_plain(one) for name, one in sent.items() if null_clears or one is not None
        }


@cache
def arguments_model(verb: str) -> type[Arguments]:
    """The model of a verb's arguments."""
    fields = {name: (_described(name, hint), default) for name, hint, default in _parameters(verb)}
    return _model(f"{_camel(verb)}Arguments", fields)


@cache
def result_model(verb: str) -> type[BaseModel]:
    """The model of a verb's result, in the form that `plain` gives it."""
    result = _output_type(resolved_hints(getattr(Commonplace, verb))["return"])
    if inspect.isclass(result) and issubclass(result, BaseModel):
        return result
    return RootModel[result]


@cache
def value_model(kind: type[Value]) -> type[BaseModel]:
    """The model of one of our values, in the form that `plain` gives it."""
    hints = resolved_hints(kind)
    folded = UNFOLDED.get(kind, ())
    fields: dict[str, Any] = {}
    for name in kind.__fields__:
        shown = dict[str, Any] if name in folded else _output_type(hints[name])
        always = kind is not Memory or name not in kind.__defaults__ or name in (*AXES, "scope")
        fields[name] = (shown, ... if always else kind.__defaults__[name])
    if kind is Memory:
        marks = resolved_hints(MemoryMarks)
        fields |= {
            name: (_output_type(marks[name]), default)
            for name, default in MemoryMarks.__defaults__.items()
        }
    words = (kind.__doc__ or "").partition("\n")[0]
    return create_model(kind.__name__, __doc__=words, **fields)


def list_type(kind: type[BaseModel]) -> Any:
    """The type `list[kind]`."""
    return types.GenericAlias(list, (kind,))


def _parameters(verb: str) -> Iterator[tuple[str, Any, Any]]:
    method = getattr(Commonplace, verb)
    hints = resolved_hints(method)
    named = inspect.signature(method).parameters
    for name, parameter in named.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from _unpacked(hints[name])
            continue
        if name in IN_PROCESS_ONLY or get_origin(hints.get(name)) is Callable:
            continue
        needed = parameter.default is parameter.empty
        yield name, _input_type(hints[name]), ... if needed else parameter.default
    if verb in KEYWORD_FIELDS:
        drafted = resolved_hints(Draft)
        for name in Draft.__fields__:
            if name in KEYWORD_FIELDS[verb] and name not in named:
                yield name, _input_type(drafted[name]) | None, None


def _unpacked(hint: Any) -> Iterator[tuple[str, Any, Any]]:
    """The keys of `Unpack[SomeTypedDict]`; each may be left out."""
    if get_origin(hint) is Unpack:
        for name, one in get_type_hints(get_args(hint)[0]).items():
            yield name, _input_type(one), False if one is bool else None


def _model(name: str, fields: dict[str, Any]) -> type[Arguments]:
    return create_model(name, __base__=Arguments, **fields)


def resolved_hints(annotated: Any) -> dict[str, Any]:
    """The resolved annotations of a function, or of a class and its bases."""
    found: dict[str, Any] = {}
    for one in reversed(annotated.__mro__) if inspect.isclass(annotated) else (annotated,):
        module = sys.modules[one.__module__]
        if module.__name__.startswith("commonplace") and one is not Value:
            names = {**vars(module), **_type_checking_names(module.__name__)}
            found |= inspect.get_annotations(one, globals=names, eval_str=True)
    return found


@cache
def _type_checking_names(module: str) -> dict[str, Any]:
    """The names that a module imports under `if TYPE_CHECKING:`."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    names: dict[str, Any] = {"__package__": module.rpartition(".")[0], "__name__": module}
    for node in tree.body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            block = ast.Module(node.body, type_ignores=[])
            exec(compile(block, module, "exec"), {**vars(sys.modules[module])}, names)  # noqa: S102
    return names


def _output_type(hint: Any) -> Any:
    """The type in a response: values as models, scopes as texts."""
    if hint is Recalled:
        return _recalled_model()
    if inspect.isclass(hint) and issubclass(hint, Value):
        return str if hint is Scope else value_model(hint)
    return datetime if hint in (date, datetime) else _rebuilt(hint, _output_type)


@cache
def _recalled_model() -> type[BaseModel]:
    words = (Recalled.__doc__ or "").strip()
    hits = list_type(value_model(Hit))
    return create_model(
        "Recalled",
        __doc__=words,
        id=(str, ...),
        sure=(str, ...),
        sureness=(float | None, None),
        branches=(list[str], ...),
        hits=(hits, ...),
    )


def _input_type(hint: Any) -> Any:
    """The type in a request: types of JSON, and a scope as its path."""
    if hint in _INPUT_TYPES:
        return _INPUT_TYPES[hint]
    if hint is Draft:
        fields = {name: (_described(name, one), value) for name, one, value in _parameters("save")}
        return _model("Draft", fields)
    if get_origin(hint) in (Union, types.UnionType) and Scope in get_args(hint):
        return _TEXT | None if type(None) in get_args(hint) else _TEXT
    return _rebuilt(hint, _input_type)


def _rebuilt(hint: Any, change: Callable[[Any], Any]) -> Any:
    """A compound type with `change` applied to its parts."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is None or origin is Literal:
        return hint
    if origin in (Union, types.UnionType):
        kept = [one for one in parts if not (change is _input_type and get_origin(one) is Mapping)]
        return Union[tuple(change(one) for one in kept)]  # noqa: UP007
    changed = tuple(one if one is ... else change(one) for one in parts)
    if change is _input_type and origin is not Mapping:
        return list[changed[0]]
    remade: Any = origin
    return remade[changed]


def _as_plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_plain(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
    return value.as_keywords() if isinstance(value, Arguments) else value


def _described(name: str, hint: Any) -> Any:
    return Annotated[hint, Field(description=DESCRIPTIONS[name])] if name in DESCRIPTIONS else hint


def _camel(verb: str) -> str:
    return "".join(part.capitalize() for part in verb.split("_"))
