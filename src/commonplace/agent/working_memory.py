"""Working memory: the state of an agent's work in five slots that always fit the prompt.

The slots are goal, plan, observations, constraints and scratchpad, in this order. Every text in
them is one quoted line of bounded length.
"""

from __future__ import annotations

import json
import re

from ..language import tokens
from ..model.errors import BadInput, Damaged
from ..model.value import Value
from ..rules.handed_over import quotation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

MOST_OBSERVATIONS, MOST_CONSTRAINTS, MOST_STEPS = 5, 8, 1_000
GOAL_CHARACTERS, CONSTRAINT_CHARACTERS, STEP_CHARACTERS = 600, 300, 300
OBSERVATION_CHARACTERS, NAME_CHARACTERS = 300, 60
SCRATCHPAD_CHARACTERS = 500
BUDGET_TOKENS = 1_500
USEFUL_CHARACTERS = 24
"""A line that is cut to less than this is left out."""
OPENING, CLOSING = "<working-memory>", "</working-memory>"

_RENDERED = re.compile(rf"(?s){OPENING}.*?{CLOSING}\s?")


class Observation(Value):
    """A result, and the tool that gave it."""

    text: str
    tool: str = ""
    critical: bool = False


class Jotting(Value):
    """A line of the scratchpad; lines to keep are dropped last."""

    text: str
    keep: bool = False


class WorkingMemory(Value):
    """The five slots, as an immutable value."""

    goal: str = ""
    plan: tuple[str, ...] = ()
    step: int = 0
    """Steps of the plan that are done."""
    observations: tuple[Observation, ...] = ()
    constraints: tuple[str, ...] = ()
    scratchpad: tuple[Jotting, ...] = ()

    @classmethod
    def begin(
        cls, goal: str, *, plan: Sequence[str] | str = (), constraints: Sequence[str] | str = ()
    ) -> WorkingMemory:
        """Working memory for a new task."""
        clean = quoted_line(goal, longest=GOAL_CHARACTERS)
        if not clean:
            raise BadInput("A task needs a goal.", hint="State it in one sentence.")
        return cls(clean).planned(plan).constrained(*_several(constraints))

    def planned(self, steps: Sequence[str] | str, *, done: int = 0) -> WorkingMemory:
        """Working memory with another plan."""
        steps = _several(steps)
        if len(steps) > MOST_STEPS:
            raise BadInput(
                f"A plan has at most {MOST_STEPS:,} steps; this one has {len(steps):,}.",
                hint="Plan the first part now and the rest later.",
            )
        plan = tuple(
            clean for step in steps if (clean := quoted_line(step, longest=STEP_CHARACTERS))
        )
        return self.but(plan=plan, step=max(0, min(done, len(plan))))

    def advanced(self) -> WorkingMemory:
        """Working memory with the current step done."""
        return self.but(step=min(self.step + 1, len(self.plan)))

    def constrained(self, *constraints: str) -> WorkingMemory:
        """Working memory with further constraints; past the limit the least important makes room.

        Of equally important ones the oldest goes.
        """
        given = (quoted_line(one, longest=CONSTRAINT_CHARACTERS) for one in constraints)
        held = list(dict.fromkeys((*self.constraints, *filter(None, given))))
        while len(held) > MOST_CONSTRAINTS:
            held.remove(min(held, key=constraint_importance))
        return self.but(constraints=tuple(held))

    def without_room(self, constraints: Sequence[str] | str) -> tuple[str, ...]:
        """Those of the constraints that are not held, because others are more important."""
        given = (quoted_line(one, longest=CONSTRAINT_CHARACTERS) for one in _several(constraints))
        return tuple(
            one for one in dict.fromkeys(filter(None, given)) if one not in self.constraints
        )

    def observed(self, text: str, *, tool: str = "", critical: bool = False) -> WorkingMemory:
        """Working memory with one more observation; the oldest routine one makes room."""
        new = make_observation(text, tool=tool, critical=critical)
        held = [*self.observations, new] if new.text else list(self.observations)
        while len(held) > MOST_OBSERVATIONS:
            held.remove(next((one for one in held if not one.critical), held[0]))
        return self.but(observations=tuple(held))

    def jotted(self, text: str, *, keep: bool = False) -> WorkingMemory:
        """Working memory with one more note; past the limit the oldest are dropped."""
        clean = quoted_line(text, longest=SCRATCHPAD_CHARACTERS)
        held = [*self.scratchpad, Jotting(clean, keep)] if clean else list(self.scratchpad)
        while len(held) > 1 and sum(len(one.text) + 1 for one in held) - 1 > SCRATCHPAD_CHARACTERS:
            held.remove(next((one for one in held[:-1] if not one.keep), held[0]))
        return self.but(scratchpad=tuple(held))

    def reset(self) -> WorkingMemory:
        """Working memory without observations and scratchpad."""
        return self.but(observations=(), scratchpad=())

    @property
    def current(self) -> str:
        """The first step that is not done."""
        return self.plan[self.step] if self.step < len(self.plan) else ""

    @property
    def next(self) -> str:
        """The step after the current one."""
        return self.plan[self.step + 1] if self.step + 1 < len(self.plan) else ""

    def render(self, *, budget_tokens: int = BUDGET_TOKENS) -> str:
        """The slots as text for a prompt, without the least important lines past the budget."""
        shown: dict[tuple[int, int], str] = {}
        for slot, place, text in sorted(self._lines(), key=lambda one: _PRIORITY[one[0]]):
            _show(shown, (_SLOT[slot], place), quotation.quote(text), budget_tokens)
        return _laid_out(shown)

    def _lines(self) -> Iterator[tuple[str, int, str]]:
        """Every line with its slot and place, the most important first within a slot."""
        if self.goal:
            yield "goal", 0, f"Goal: {self.goal}"
        if self.plan:
            current = self.current or "every step is done"
            number = min(self.step + 1, len(self.plan))
            yield "current", 0, f"Step {number} of {len(self.plan)}: {current}"
        if self.next:
            yield "next", 0, f"Next step: {self.next}"
        for place, seen in reversed(list(enumerate(self.observations))):
            # With a word before it, a tool called `user` cannot look like a turn of the user's.
            tool = f"from {seen.tool}: " if seen.tool else ""
            mark = "(important) " if seen.critical else ""
            yield ("critical" if seen.critical else "routine"), place, f"- {mark}{tool}{seen.text}"
        for place, constraint in enumerate(self.constraints):
            yield "constraint", place, f"- {constraint}"
        for place, jotting in reversed(list(enumerate(self.scratchpad))):
            yield ("kept" if jotting.keep else "jotted"), place, f"- {jotting.text}"

    def to_json(self) -> str:
        """The slots as JSON."""
        plain = {
            **self.__dict__,
            "observations": [one.__dict__ for one in self.observations],
            "scratchpad": [one.__dict__ for one in self.scratchpad],
        }
        return json.dumps(plain, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> WorkingMemory:
        """Working memory from its JSON."""
        try:
            stored: dict[str, Any] = json.loads(text)
            return cls(
                goal=stored["goal"],
                plan=tuple(stored["plan"]),
                step=int(stored["step"]),
                observations=tuple(Observation(**one) for one in stored["observations"]),
                constraints=tuple(stored["constraints"]),
                scratchpad=tuple(Jotting(**one) for one in stored["scratchpad"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(
                "The stored working memory is not readable.",
                hint="Start the task again; its work note still has goal and plan.",
            ) from error


_HARD = (
    r"(?i)\b(?:must|never|always|no|not|don't|cannot|can't|only|zero|required?|mandatory|forbidden"
    r"|deadline|at (?:most|least)|without|legal|security|muss|nie|niemals|immer|nur|kein\w*|jamais"
    r"|toujours|doit|nunca|siempre|debe)\b|必须|禁止|不要|不能|必ず"
)
_SOFT = (
    r"(?i)\b(?:should|prefer\w*|ideally|if possible|nice to have|try|maybe|rather|optional\w*"
    r"|would be (?:nice|good)|when convenient|möglichst|lieber|wenn möglich|si possible"
    r"|de préférence|si es posible|preferiblemente)\b|最好|尽量|できれば"
)


def constraint_importance(constraint: str) -> int:
    """How much a constraint binds, by its words: 2 must, 1 plain, 0 should."""
    if re.search(_SOFT, constraint):
        return 0
    return 2 if re.search(_HARD, constraint) else 1


def make_observation(text: str, *, tool: str = "", critical: bool = False) -> Observation:
    """An observation with its text cut to one line."""
    name = quotation.quote_label(tool, longest=NAME_CHARACTERS) if tool else ""
    return Observation(quoted_line(text, longest=OBSERVATION_CHARACTERS), name, critical)


def without_working_memory(text: str) -> str:
    """The text without any rendered working memory in it."""
    return _RENDERED.sub("", text) if OPENING in text else text


def _several(texts: Sequence[str] | str) -> Sequence[str]:
    """A single text as a list, so that its letters are not taken for steps."""
    return (texts,) if isinstance(texts, str) else texts


def quoted_line(text: str, *, longest: int) -> str:
    """A text as one quoted line of bounded length, without memories injected earlier."""
    # As a list item, too, the text must not read as one of our own quoted lines.
    start = quotation.without_echo(f"- {text[: longest * 8]}").removeprefix("- ")
    return tokens.shortened(
        quotation.quote(start), price_limit=longest * 10 * tokens.UNIT, characters=longest
    )


_PRIORITY = {
    name: place
    for place, name in enumerate(
        ("goal", "constraint", "current", "critical", "next", "routine", "kept", "jotted")
    )
}
"""Order in which lines are placed while the budget lasts."""
_SLOT = {
    "goal": 0, "current": 1, "next": 2, "critical": 3, "routine": 3, "constraint": 4,
    "kept": 5, "jotted": 5,
}  # fmt: skip
_HEADINGS = {3: "Observations:", 4: "Constraints:", 5: "Scratchpad:"}


def _show(
    shown: dict[tuple[int, int], str], place: tuple[int, int], text: str, budget_tokens: int
) -> None:
    """Place a line if it fits, cut if necessary."""
    without = tokens.price(_laid_out({**shown, place: ""}))
    room = tokens.affordable(budget_tokens) - without - tokens.UNIT
    for limit in (room, room * 9 // 10):
        # The price of a line depends on its neighbours, so measure the whole text.
        cut = tokens.shortened(text, price_limit=limit) if limit > 0 else ""
        if len(cut) < min(len(text), USEFUL_CHARACTERS):
            return
        candidate = {**shown, place: cut}
        if tokens.estimate(_laid_out(candidate)) <= budget_tokens:
            shown[place] = cut
            return


def _laid_out(shown: dict[tuple[int, int], str]) -> str:
    if not shown:
        return ""
    return "\n".join((OPENING, *_with_headings(sorted(shown.items())), CLOSING))


def _with_headings(placed: Iterable[tuple[tuple[int, int], str]]) -> Iterator[str]:
    before = -1
    for (slot, _), text in placed:
        if slot != before and slot in _HEADINGS:
            yield _HEADINGS[slot]
        before = slot
        yield text
