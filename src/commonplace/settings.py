"""What a person may set, by file and by environment; the environment wins.

The file is YAML. Because reading YAML costs a cold start more than a query does, its parsed form
is kept as JSON in the state folder and used for as long as the file stays the same.
"""

from __future__ import annotations

import os

from .locations import PREFIX, config_path, state_root
from .model.errors import BadInput
from .model.quick_json import parsed
from .model.scope import DIMENSIONS, Context
from .model.value import Value
from .rules.parameters import (
    BackupPlan,
    GateThresholds,
    Lifetimes,
    RankingWeights,
    ScreeningPolicy,
    TenantLimits,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_GROUPS: Mapping[str, type[Value]] = {
    "ranking": RankingWeights, "gates": GateThresholds, "ageing": Lifetimes,
    "screening": ScreeningPolicy,    "limits": TenantLimits, "backup": BackupPlan,
}  # fmt: skip
"""Settings with settings inside, by name: `gates: {merge: 0.9}`, COMMONPLACE_GATES_MERGE."""


class Settings(Value):
    """Everything that can be set. Each has the variable COMMONPLACE_<NAME>."""

    url: str | None = None
    """Where the book is: vault:~/notes, sqlite:memory.db, …"""
    state: str = ""
    """Root of the device-local folder for indexes, counters and locks."""
    personal: str | None = None
    """A folder of the person's own notes, which only an explicit call writes."""
    embedder: str = "auto"
    """Where vectors come from: auto, bundled, hash, http:<url>#<model>, none, or several."""
    index: str | None = None
    """Where to search in place of the store's own index: milvus://host:19530, milvus:file.db."""
    ranking: RankingWeights = RankingWeights()
    digest: Mapping[str, Any] = {}
    """What agents are handed: `default` and `agents`, as in docs/digest.md."""
    gates: GateThresholds = GateThresholds()
    """What is the same, what is merged, what is refused; see docs/hygiene.md."""
    ageing: Lifetimes = Lifetimes()
    """How long what is kept, and what tidying does about it; see docs/hygiene.md."""
    sessions: str = "local"
    """Where conversations are remembered while they last: local, or redis://host:6379/0."""
    sources: Mapping[str, Any] = {}
    """Places outside the book that can be asked: a name, and a folder or an address."""
    session_ttl_s: float = 3_600.0
    """How long a session outlives its last use, and a routine entry of it its making."""
    session_items: int = 100
    """How many entries a session holds."""
    session_eviction: str = "lru"
    """What goes first when it is full: lru, fifo or ttl."""
    screening: ScreeningPolicy = ScreeningPolicy()
    """What happens to credentials and personal data in a text, as in docs/privacy.md."""
    reasoner: str = "rules"
    """Who works with meaning: rules, openai:<model>, http:<url>#<model> or anthropic:<model>."""
    reasoner_budget: float = 0.0
    """What a model may cost in a month, in the currency of the prices; 0 sets no sum."""
    reasoner_tokens: int = 0
    """How many tokens a model may use in a month; without this or a budget it is never asked."""
    reasoner_price_in: float = 0.0
    reasoner_price_out: float = 0.0
    """What a million tokens of question and of answer cost."""
    reasoner_timeout_s: float = 30.0
    """How long a model may take before the rules answer."""
    tidy_hours: float = 24.0
    """How often a running server tidies the book by itself; 0 for never."""
    limits: TenantLimits = TenantLimits()
    """How much one user may keep and write; see docs/limits.md."""
    backup: BackupPlan = BackupPlan()
    """Where backups go, how often they are made and how long they are kept; see docs/backup.md."""
    retrieval_log: int = 10_000
    """How many recalls the retrieval log keeps; 0 turns it off."""
    hook_project: str = ""
    """The project that hosts work in: its name, or `auto` for the repository around them."""
    hook_capture: bool = True
    """Whether hooks keep what was said, to be looked through when the session is over."""


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings file, if there is one, and lay the environment over it."""
    environ = os.environ if environ is None else environ
    state = state_root(environ)
    given = _read_file(config_path(environ), state)
    for name in Settings.__fields__:
        if f"{PREFIX}{name.upper()}" in environ and name not in _GROUPS:
            given[name] = environ[f"{PREFIX}{name.upper()}"] or None
    for group, kind in _GROUPS.items():
        for name in kind.__fields__:
            value = environ.get(f"{PREFIX}{group.upper()}_{name.upper()}")
            if value is not None:
                given.setdefault(group, {})[name] = value
    given["state"] = os.path.expanduser(given.get("state") or state)
    return settings(given)


def settings(given: Mapping[str, Any]) -> Settings:
    """Settings from plain values, each checked against the type of its default."""
    values = dict(given)
    for group, kind in _GROUPS.items():
        if group in values:
            values[group] = kind(**_typed(kind, values[group] or {}, f"{group}."))
    return Settings(**_typed(Settings, values, ""))


def context(environ: Mapping[str, str] | None = None) -> Context:
    """The caller's context as the environment gives it: COMMONPLACE_USER, _PROJECT, …"""
    environ = os.environ if environ is None else environ
    named = {
        d: environ[f"{PREFIX}{d.upper()}"] for d in DIMENSIONS if environ.get(PREFIX + d.upper())
    }
    return Context.of(named)


def _read_file(path: str, state: str) -> dict[str, Any]:
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        if not os.path.islink(path):
            return {}
        # Somebody's settings are elsewhere: with others, memories would go to another book.
        raise BadInput(
            f"The settings file {path} is a link to nothing.", hint="Mend the link, or remove it."
        ) from None
    except OSError as error:
        raise BadInput(
            f"The settings file {path} cannot be read: {error.strerror}.",
            hint="Check its permissions.",
        ) from error
    stamp = [path, found.st_mtime_ns, found.st_size]
    cache = os.path.join(os.path.expanduser(state), "settings.json")
    try:
        with open(cache, encoding="utf-8") as file:
            kept = parsed(file.read())
        if kept["stamp"] == stamp:
            return kept["settings"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # A missing or unreadable copy only costs reading the file itself.
    import json

    # As it is kept, so that the first reading gives what all others do: a date becomes its text.
    text = json.dumps({"stamp": stamp, "settings": _parse(path)}, default=str)
    _keep(cache, text)
    return json.loads(text)["settings"]


def _parse(path: str) -> dict[str, Any]:
    from ruamel.yaml import YAML, YAMLError

    try:
        with open(path, encoding="utf-8") as file:
            reader: Any = YAML(typ="safe", pure=True)
            parsed: Any = reader.load(file)
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        raise BadInput(
            f"The settings file {path} cannot be read.", hint="Mend its YAML."
        ) from error
    if not isinstance(parsed or {}, dict):
        raise BadInput(
            f"The settings file {path} is not a list of settings.", hint="Use name: value."
        )
    return dict(parsed or {})


def _keep(path: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(f"{path}.{os.getpid()}", path)
    except OSError:
        pass  # Only a copy: a read-only state folder is no reason to fail.


def _typed(kind: type[Value], given: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    if unknown := given.keys() - set(kind.__fields__):
        raise BadInput(
            f"{prefix}{sorted(unknown)[0]} is not a setting.",
            hint=f"Settings are {', '.join(prefix + name for name in kind.__fields__)}.",
        )
    return {
        name: _as(kind.__defaults__[name], value, prefix + name)
        for name, value in given.items()
        if value is not None
    }


def _as(default: Any, value: Any, name: str) -> Any:
    try:
        if isinstance(default, bool) and isinstance(value, str):
            return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[
                value.lower()
            ]
        if isinstance(default, int):
            return int(value)
        if isinstance(default, float):
            return float(value)
        if hasattr(default, "items"):
            return _mapping(default, value)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(
            f"{value!r} does not fit the setting {name}.",
            hint=f"It takes something like {default!r}.",
        ) from error
    return value


def _mapping(default: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Weights that are not given keep their defaults; other mappings are taken as they are."""
    if not default:
        return dict(given)
    return {**default, **{name: float(weight) for name, weight in given.items()}}
