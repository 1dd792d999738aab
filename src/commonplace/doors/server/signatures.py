"""What a verb takes and what it gives, read from the facade itself.

The facade is annotated for type checkers, with names that exist only for them. Here those names
are looked up for real, and become models that check a request and describe an answer. So there is
no second list of parameters and fields that could say something else.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, create_model

from ...book import Commonplace
from ...model.memory import KINDS, Draft, Event, Hit, Memory, Recalled, Retrieval
from ...model.results import Status
from ...model.scope import Scope
from ...model.value import Value
from ...rules.digest import SECTIONS
from ...verbs.correct import EDITABLE
from ..plain_data import AXES, COUNTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


WORDS = {
    "query": "The question, in the words a person would use.",
    "content": "What to remember: one statement that still makes sense in a year.",
    "ref": "Its id, slug, title or alias.",
    "limit": "At most this many.",
    "offset": "Skip this many; the Link header has the next page.",
    "order": "What comes first.",
    "kind": f"What it is: {', '.join(KINDS[:7])}, … or any other lower-case name.",
    "kinds": "Only these kinds.",
    "scope": "Where it belongs, such as /project/mech-fighters; / is the whole book.",
    "topic": "Its topic, one word or two.",
    "tags": "Short labels.",
    "statuses": "Only these: staged, active, review, stale, superseded, archived, deleted.",
    "owners": "Only these: personal, curated, agent.",
    "episodes": "Only in these conversations.",
    "as_of": "What the book would have said at that moment, or on that day.",
    "expand": "So many turns of the conversation before and after each hit.",
    "include_archive": "Also what was superseded or archived.",
    "include_inbox": "Also what waits for review.",
    "phase": "What the agent is doing: plan, work or review.",
    "agent": "Which kind of agent asks.",
    "already": "Ids of memories that were handed over before.",
    "text": "The prompt as the person wrote it; for a profile, what it should say.",
    "section": "Only this section of it.",
    "add": "Add a line instead of replacing what is there.",
    "work": "The id of a task or a conversation that is over.",
    "id": "Its id.",
    "summary": "What came of it, in a sentence or two.",
    "failed": "It was given up.",
    "finished": "Also what is finished.",
    "automatic": "Only what nobody asked for, or only what somebody did.",
    "dry_run": "Only say what would be done.",
    "trust_clock": "Go on although the clock seems to have jumped.",
    "wrong": "The wrong memory: its name, or what it says.",
    "right": "What it should say.",
    "to": "A scope above its own, such as / or /org/acme.",
    "key": "The name of a fact, such as deploy.branch.",
    "value": "The fact's value.",
    "namespace": "Keeps equal keys apart.",
    "name": "Its new name.",
    "hops": "How many steps.",
    "since": "Only what changed after this.",
    "until": "Only what changed before this.",
    "period": "day or week.",
    "day": "Any day of the period; today if left out.",
    "ids": "Ids of memories.",
    "drafts": "Memories to save: texts, or objects with the fields of save.",
    "rebuild": "Index everything anew.",
    "title": "A name that links and commands can use.",
    "aliases": "Further names.",
    "tier": "When it is loaded: identity, critical, topic, search or archive.",
    "owner": "curated for what agents must not change by themselves, else agent.",
    "sensitivity": "public, private or sensitive.",
    "always_load": "Hand it to the agent in every session without being asked.",
    "confidence": "How sure, 0 to 1.",
    "basis": "What it rests on: stated, inferred or pattern.",
    "expires": "When it stops being recalled.",
    "review_after": "When somebody should look whether it still holds.",
    "valid_from": "When it began to be true.",
    "valid_until": "When it stopped being true.",
    "role": "Who said it: observation, user, assistant, tool, decision, …",
    "importance": "0 to 1; from 0.7 on it outlives routine entries.",
    "sections": f"Only these parts: {', '.join(SECTIONS)}.",
}


# What a verb takes and what it gives, read from the facade itself.


LEFT_OUT = frozenset({"self", "expect", "budget"})
"""Parameters that only a caller in the same process can use; so are all that take functions."""
OPEN_FIELDS: Mapping[str, frozenset[str]] = {
    "save": frozenset(Draft.__fields__),
    "fact_store": frozenset(Draft.__fields__) - {"content"},
    "edit": EDITABLE,
}
"""What the verbs that take further fields by name take."""
FOLDED: Mapping[type[Value], Sequence[str]] = {
    Event: ("before",), Retrieval: ("details",), Status: COUNTS,
}  # fmt: skip
"""What `plain` unfolds into an object."""
MOST = 2**53
"""Whole numbers that every JSON reader can hold."""


def _whole_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("has half a surrogate pair, which is no text") from error
    return text


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("is beyond the calendar") from error


_TEXT: Any = Annotated[str, AfterValidator(_whole_text)]
_MOMENT: Any = Annotated[datetime, AfterValidator(_in_utc)]
_TAKEN: Mapping[Any, Any] = {
    str: _TEXT,
    Scope: _TEXT,
    int: Annotated[int, Field(ge=0, le=MOST)],
    datetime: _MOMENT,
    date: date | _MOMENT,
}
"""What JSON has in place of a type."""


class Arguments(BaseModel):
    """Arguments of a verb: no others than it has."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    def given(self, *, clears: bool = False) -> dict[str, Any]:
        """What the caller said. Null leaves a thing to the verb, unless nulls clear it."""
        said = {name: getattr(self, name) for name in self.model_fields_set}
        return {name: _said(one) for name, one in said.items() if clears or one is not None}


@cache
def arguments(verb: str) -> type[Arguments]:
    """The model of a verb's arguments."""
    fields = {name: (_described(name, hint), default) for name, hint, default in _parameters(verb)}
    return _model(f"{_camel(verb)}Arguments", fields)


@cache
def answer(verb: str) -> type[BaseModel]:
    """The model of what a verb gives, as `plain` tells it."""
    given = _shown(_hints(getattr(Commonplace, verb))["return"])
    if inspect.isclass(given) and issubclass(given, BaseModel):
        return given
    return RootModel[given]


@cache
def shape(kind: type[Value]) -> type[BaseModel]:
    """The model of one of our values, as `plain` tells it."""
    hints = _hints(kind)
    folded = FOLDED.get(kind, ())
    fields: dict[str, Any] = {}
    for name in kind.__fields__:
        shown = dict[str, Any] if name in folded else _shown(hints[name])
        always = kind is not Memory or name not in kind.__defaults__ or name in (*AXES, "scope")
        fields[name] = (shown, ... if always else kind.__defaults__[name])
    words = (kind.__doc__ or "").partition("\n")[0]
    return create_model(kind.__name__, __doc__=words, **fields)


def list_of(kind: type[BaseModel]) -> Any:
    """The type of a list of these."""
    return types.GenericAlias(list, (kind,))


def _parameters(verb: str) -> Iterator[tuple[str, Any, Any]]:
    method = getattr(Commonplace, verb)
    hints = _hints(method)
    named = inspect.signature(method).parameters
    for name, parameter in named.items():
        here_only = name in LEFT_OUT or get_origin(hints.get(name)) is Callable
        if here_only or parameter.kind is parameter.VAR_KEYWORD:
            continue
        needed = parameter.default is parameter.empty
        yield name, _taken(hints[name]), ... if needed else parameter.default
    if verb in OPEN_FIELDS:
        drafted = _hints(Draft)
        for name in Draft.__fields__:
            if name in OPEN_FIELDS[verb] and name not in named:
                yield name, _taken(drafted[name]) | None, None


def _model(name: str, fields: dict[str, Any]) -> type[Arguments]:
    return create_model(name, __base__=Arguments, **fields)


def _hints(annotated: Any) -> dict[str, Any]:
    """The annotations of a function, or of a class and those above it, as real types."""
    found: dict[str, Any] = {}
    for one in reversed(annotated.__mro__) if inspect.isclass(annotated) else (annotated,):
        module = sys.modules[one.__module__]
        if module.__name__.startswith("commonplace") and one is not Value:
            names = {**vars(module), **_checkers_names(module.__name__)}
            found |= inspect.get_annotations(one, globals=names, eval_str=True)
    return found


@cache
def _checkers_names(module: str) -> dict[str, Any]:
    """What a module imports under `if TYPE_CHECKING:`, imported."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    names: dict[str, Any] = {"__package__": module.rpartition(".")[0], "__name__": module}
    for node in tree.body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            block = ast.Module(node.body, type_ignores=[])
            exec(compile(block, module, "exec"), {**vars(sys.modules[module])}, names)  # noqa: S102
    return names


def _shown(hint: Any) -> Any:
    """A type as an answer has it: values as models, times and scopes as texts."""
    if hint is Recalled:
        return _recalled()
    if inspect.isclass(hint) and issubclass(hint, Value):
        return str if hint is Scope else shape(hint)
    return datetime if hint in (date, datetime) else _rebuilt(hint, _shown)


@cache
def _recalled() -> type[BaseModel]:
    words = (Recalled.__doc__ or "").strip()
    hits = list_of(shape(Hit))
    return create_model("Recalled", __doc__=words, id=(str, ...), sure=(str, ...), hits=(hits, ...))


def _taken(hint: Any) -> Any:
    """A type as a request has it: what JSON can say, and a scope only as its path."""
    if hint in _TAKEN:
        return _TAKEN[hint]
    if hint is Draft:
        fields = {name: (_described(name, one), value) for name, one, value in _parameters("save")}
        return _model("Draft", fields)
    if get_origin(hint) in (Union, types.UnionType) and Scope in get_args(hint):
        return _TEXT | None if type(None) in get_args(hint) else _TEXT
    return _rebuilt(hint, _taken)


def _rebuilt(hint: Any, change: Callable[[Any], Any]) -> Any:
    """A compound type with its parts changed."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is None or origin is Literal:
        return hint
    if origin in (Union, types.UnionType):
        kept = [one for one in parts if not (change is _taken and get_origin(one) is Mapping)]
        return Union[tuple(change(one) for one in kept)]  # noqa: UP007
    changed = tuple(one if one is ... else change(one) for one in parts)
    if change is _taken and origin is not Mapping:
        return list[changed[0]]
    remade: Any = origin
    return remade[changed]


def _said(value: Any) -> Any:
    if isinstance(value, list):
        return [_said(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
    return value.given() if isinstance(value, Arguments) else value


def _described(name: str, hint: Any) -> Any:
    return Annotated[hint, Field(description=WORDS[name])] if name in WORDS else hint


def _camel(verb: str) -> str:
    return "".join(part.capitalize() for part in verb.split("_"))
