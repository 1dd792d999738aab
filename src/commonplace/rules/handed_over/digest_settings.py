"""The `digest:` section of the settings file."""

from __future__ import annotations

from ...model.errors import BadInput
from ...model.memory import SENSITIVITIES
from ...model.value import Value
from .digest import SECTIONS, Budget, Limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Given = Mapping[str, Any]

_NONE = Limit(items=0)
PHASES: Mapping[str, Mapping[str, Limit]] = {
    "plan": {"fix": _NONE, "skill-pointer": _NONE, "procedural": Limit(items=2)},
    "work": {"idea": _NONE, "task-summary": Limit(items=1), "session-summary": Limit(items=1)},
    "review": {"idea": _NONE, "skill-pointer": _NONE, "workflow": Limit(items=2)},
}
"""Planning is not helped by last month's fixes, nor work by ideas for later."""
BUDGET = Budget(
    total=Limit(tokens=4_000),
    unasked=Limit(tokens=290),
    sections={
        "identity": Limit(tokens=100),
        "override": Limit(tokens=300),
        "profile": Limit(tokens=450),
        "preferences": Limit(tokens=120),
        "critical": Limit(tokens=200),
        "always": Limit(tokens=1_000),
        "task": Limit(tokens=150),
        "work": Limit(tokens=200),
        "newest": Limit(items=5, tokens=150),
        "topic": Limit(tokens=500),
        "relevant": Limit(items=5, tokens=2_000),
    },
)


class DigestSettings(Value):
    """How digests are made for one kind of agent."""

    enabled: bool = True
    """Off, every digest is empty and the rest of the prompt stays as it is."""
    allow_sensitivities: tuple[str, ...] = ("public", "private")
    pinned_keys: tuple[str, ...] = ()
    """Facts that always come first, in this order."""
    pinned_tags: tuple[str, ...] = ()
    keyword: bool = True
    semantic: bool = True
    threshold: float = 0.7
    """The share of the best hit's score that a hit needs to be handed over."""
    budget: Budget = BUDGET
    phases: Mapping[str, Mapping[str, Limit]] = PHASES

    def budget_in(self, phase: str | None) -> Budget:
        """The budget for a phase of work, in which some kinds count less or not at all."""
        if phase is None:
            return self.budget
        if phase not in self.phases:
            raise BadInput(
                f"{phase!r} is not a phase.",
                hint=f"Use {', '.join(self.phases)}, or set it under digest.default.phases.",
            )
        return self.budget.overlaid(Budget(kinds=self.phases[phase]))


def resolve_digest_settings(given: Given, agent: str | None) -> DigestSettings:
    """The settings of one kind of agent: its own over `default:` over what comes built in."""
    _only(given, ("default", "agents"), "digest")
    agents = _mapping(given.get("agents"), "digest.agents")
    # Every agent's settings are read, so that a slip is found before that agent is started.
    default = _settings(DigestSettings(), given.get("default"), "digest.default")
    each = {name: _settings(default, own, f"digest.agents.{name}") for name, own in agents.items()}
    return default if agent is None else each.get(agent, default)


def _settings(under: DigestSettings, given: Any, path: str) -> DigestSettings:
    given = _mapping(given, path)
    names = [name for name in DigestSettings.__fields__ if name != "budget"]
    _only(given, (*names, "budgets"), path)
    changes: dict[str, Any] = {}
    for name, value in given.items():
        where = f"{path}.{name}"
        if name == "budgets":
            changes["budget"] = _budget(under.budget, _mapping(value, where), where)
        elif name == "phases":
            phases = _mapping(value, where)
            changes[name] = {**under.phases} | {
                phase: _limits(under.phases.get(phase, {}), kinds, f"{where}.{phase}")
                for phase, kinds in phases.items()
            }
        else:
            changes[name] = _plain(getattr(under, name), value, where)
    return under.but(**changes)


def _plain(under: Any, value: Any, path: str) -> Any:
    if isinstance(under, tuple):
        return _texts(value, path)
    if isinstance(under, bool):
        if not isinstance(value, bool):
            raise BadInput(f"{path} is not true or false.", hint="Write true or false.")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput(f"{path} is not a share.", hint="Write a number from 0 to 1.")
    return float(value)


def _texts(value: Any, path: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):  # pyright: ignore[reportUnknownVariableType]
        raise BadInput(f"{path} is not a list of texts.", hint="Write [one, another].")
    texts = tuple(str(one) for one in value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if path.endswith("allow_sensitivities") and (unknown := set(texts) - set(SENSITIVITIES)):
        raise BadInput(
            f"{sorted(unknown)[0]!r} in {path} is not a sensitivity.",
            hint=f"Use {', '.join(SENSITIVITIES)}.",
        )
    return texts


def _budget(under: Budget, given: Given, path: str) -> Budget:
    _only(given, Budget.__fields__, path)
    sections = _mapping(given.get("sections"), f"{path}.sections")
    _only(sections, SECTIONS, f"{path}.sections")
    return Budget(
        total=_limit(under.total, given.get("total"), f"{path}.total"),
        unasked=_limit(under.unasked, given.get("unasked"), f"{path}.unasked"),
        sections=_limits(under.sections, sections, f"{path}.sections"),
        kinds=_limits(under.kinds, given.get("kinds"), f"{path}.kinds"),
    )


def _limits(under: Mapping[str, Limit], given: Any, path: str) -> dict[str, Limit]:
    named = _mapping(given, path)
    return {**under} | {
        name: _limit(under.get(name, Limit()), limit, f"{path}.{name}")
        for name, limit in named.items()
    }


def _limit(under: Limit, given: Any, path: str) -> Limit:
    named = _mapping(given, path)
    _only(named, Limit.__fields__, path)
    return under.but(**named)


def _mapping(given: Any, path: str) -> Given:
    if given is None:
        return {}
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):  # pyright: ignore[reportUnknownVariableType]
        raise BadInput(f"{path} is not a list of settings.", hint="Use name: value.")
    return {**given}


def _only(given: Given, known: Iterable[str], path: str) -> None:
    known = tuple(known)
    if unknown := set(given) - set(known):
        raise BadInput(
            f"{path}.{sorted(unknown)[0]} is not a setting.", hint=f"Use {', '.join(known)}."
        )
