"""Settings from a file and the environment; the environment wins.

The file is YAML, which takes longer to read than a query. So the state folder has a JSON copy,
which is used until the file changes.
"""

from __future__ import annotations

import os
import zlib

from .locations import PREFIX, config_path, state_root
from .model.errors import BadInput
from .model.quick_json import parse_json
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
    """All settings. Each one has the environment variable COMMONPLACE_<NAME>."""

    url: str | None = None
    """URL of the book: vault:~/notes, sqlite:memory.db, …"""
    state: str = ""
    """Root of the device-local folder for indexes, counters and locks."""
    personal: str | None = None
    """A folder of the person's own notes, which only an explicit call writes."""
    embedder: str = "auto"
    """The embedder: auto, bundled, hash, http:<url>#<model>, none, or several."""
    index: str | None = None
    """Where vectors are stored, if not in the store's own index: milvus://host, milvus:file.db."""
    ranking: RankingWeights = RankingWeights()
    digest: Mapping[str, Any] = {}
    """Digests of agents: `default` and `agents`, as in docs/digest.md."""
    gates: GateThresholds = GateThresholds()
    """Thresholds for equal, merged and refused texts; see docs/hygiene.md."""
    ageing: Lifetimes = Lifetimes()
    """Lifetimes of memories, and how maintenance ages them; see docs/hygiene.md."""
    sessions: str = "local"
    """The session store: local, or redis://host:6379/0."""
    sources: Mapping[str, Any] = {}
    """Sources outside the book: a name, and a folder or an address."""
    session_ttl_s: float = 3_600.0
    """Lifetime of a session after its last use, and of a routine entry."""
    session_items: int = 100
    """Entries per session, at most."""
    session_eviction: str = "lru"
    """Which entry a full session drops first: lru, fifo or ttl."""
    screening: ScreeningPolicy = ScreeningPolicy()
    """How credentials and personal data in a text are treated; see docs/privacy.md."""
    reasoner: str = "rules"
    """The reasoner: rules, openai:<model>, http:<url>#<model> or anthropic:<model>."""
    reasoner_budget: float = 0.0
    """Cost limit of a model per month, in the currency of the prices; 0 for no limit."""
    reasoner_tokens: int = 0
    """Token limit of a model per month; without this or a budget the model is never used."""
    reasoner_price_in: float = 0.0
    reasoner_price_out: float = 0.0
    """Prices of a million input and output tokens."""
    reasoner_timeout_s: float = 30.0
    """Time after which the rules answer instead of the model."""
    tidy_hours: float = 24.0
    """Hours between automatic maintenance runs of a server; 0 for never."""
    limits: TenantLimits = TenantLimits()
    """Storage and write limits per user; see docs/limits.md."""
    backup: BackupPlan = BackupPlan()
    """Folder, interval and retention of backups; see docs/backup.md."""
    retrieval_log: int = 10_000
    """Recalls kept in the retrieval log; 0 turns it off."""
    adaptive_threshold: bool = True
    """Whether the threshold of digests follows what became of the memories handed over."""
    hook_project: str = "auto"
    """Project by default: `auto` for that of the folder, `none`, or a name."""
    projects: Mapping[str, Any] = {}
    """Projects of folders: a folder, and the name of its project or `none`."""
    hook_capture: bool = True
    """Whether hooks record the conversation, to find lessons at its end."""
    otel: bool = False
    """Whether each recall, save and change is a span for OpenTelemetry; see docs/monitoring.md."""
    otel_content: bool = False
    """Whether these spans hold texts, questions and the names in scopes."""


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings file, if it exists, then the environment."""
    environ = os.environ if environ is None else environ
    state = state_root(environ)
    path = config_path(environ)
    given = _read_file(path, state)
    for name in Settings.__fields__:
        if f"{PREFIX}{name.upper()}" in environ and name not in _GROUPS:
            given[name] = environ[f"{PREFIX}{name.upper()}"] or None
    for group, kind in _GROUPS.items():
        for name in kind.__fields__:
            value = environ.get(f"{PREFIX}{group.upper()}_{name.upper()}")
            if value is not None:
                given.setdefault(group, {})[name] = value
    given["state"] = os.path.expanduser(given.get("state") or state)
    return settings(given, file=path)


def settings(given: Mapping[str, Any], *, file: str = "") -> Settings:
    """Settings from plain values, each checked against the type of its default.

    An unknown name is said to be in `file`, because variables have no others than ours.
    """
    values = dict(given)
    for group, kind in _GROUPS.items():
        if group in values:
            values[group] = kind(**_typed(kind, values[group] or {}, f"{group}.", file))
    return Settings(**_typed(Settings, values, "", file))


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
            checksum, _, text = file.read().partition(" ")
        kept = parse_json(text)
        if kept["stamp"] == stamp and checksum == _checksum(text):
            return kept["settings"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # A missing or unreadable copy only costs reading the file itself.
    import json

    # As it is kept, so that the first reading gives what all others do: a date becomes its text.
    text = json.dumps({"stamp": stamp, "settings": _parse(path)}, default=str)
    _keep(cache, f"{_checksum(text)} {text}")
    return json.loads(text)["settings"]


def _checksum(text: str) -> str:
    """Tells a damaged copy, whose URL might name another book."""
    return f"{zlib.crc32(text.encode()):08x}"


def _parse(path: str) -> dict[str, Any]:
    from ruamel.yaml import YAML, YAMLError

    try:
        with open(path, encoding="utf-8") as file:
            reader: Any = YAML(typ="safe", pure=True)
            parsed: Any = reader.load(file)
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        raise BadInput(
            f"The settings file {path} cannot be read.", hint="Correct its YAML."
        ) from error
    if not isinstance(parsed or {}, dict):
        raise BadInput(
            f"The settings file {path} does not hold settings.", hint="Use lines of name: value."
        )
    return dict(parsed or {})


def _keep(path: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(f"{path}.{os.getpid()}", path)
    except OSError:
        pass  # The copy is optional, for instance in a read-only state folder.


def _typed(kind: type[Value], given: Mapping[str, Any], prefix: str, file: str) -> dict[str, Any]:
    if unknown := given.keys() - set(kind.__fields__):
        # Imported here, because only a wrong name needs it.
        from difflib import get_close_matches

        wrong = sorted(unknown)[0]
        meant = [
            f"Did you mean {prefix}{one}?" for one in get_close_matches(wrong, kind.__fields__, 1)
        ]
        known = f"Settings are {', '.join(prefix + name for name in kind.__fields__)}."
        where = f", in {file}" if file else ""
        raise BadInput(f"{prefix}{wrong} is not a setting{where}.", hint=" ".join((*meant, known)))
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
            hint=f"Use a value like {default!r}.",
        ) from error
    return value


def _mapping(default: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Weights over their defaults; another mapping as it is."""
    if not default:
        return dict(given)
    return {**default, **{name: float(weight) for name, weight in given.items()}}
