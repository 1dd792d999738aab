"""Decide which memories are tied to a commit, and which of those are handed over at a HEAD.

A memory about a project's code holds where its commit is part of the history. Other memories hold
everywhere: what a person prefers, is or keeps by hand, decisions that are said to be general,
records of work, and what belongs to no project.
"""

from __future__ import annotations

from ..model.checkout import OTHER, REWRITTEN, UNKNOWN, UNMERGED, LearnedAt
from ..model.lazy_pattern import lazy
from ..model.memory import SUMMARIES
from ..notes.layout import WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..model.memory import Memory

PERSONS = ("preference", "profile", "override")
"""Kinds that speak of a person, or of how an agent is to behave."""
RECORDS = (*SUMMARIES, WORK, "proposal", "roadmap", "progress", "feedback")
"""Kinds that record work, on whichever branch it was done."""
MARKED = (*SUMMARIES, "progress", "feedback")
"""Records that are handed over everywhere, and marked where their commit is not merged."""
_DECIDED = (
    r"(?:decided|decision|agreed|settled|entschieden|beschlossen|vereinbart|décidé|convenu"
    r"|decidido|decidimos|acordado|acordamos)"
)
_ALL_BRANCHES = (
    r"(?:for (?:all|every|each|any) (?:(?:of )?(?:the|our) )?branch(?:es)?|across (?:all )?branches"
    r"|für (?:alle|jeden) (?:branches|branch|zweige?)|pour toutes les branches"
    r"|para todas las ramas)"
)
_IN_GENERAL = (
    rf"(?:{_ALL_BRANCHES}|on (?:all|every|each|any) branch(?:es)?|in general|generally"
    r"|as a (?:general )?rule|whatever the branch|generell|grundsätzlich|im allgemeinen"
    r"|auf (?:allen|jedem) (?:branches|branch|zweigen?)|en général|sur toutes les branches"
    r"|en general|en todas las ramas)"
)
_A_DECISION = lazy(rf"(?i)\b{_DECIDED}\b")
_GENERAL = lazy(
    rf"(?i)\b{_ALL_BRANCHES}\b|\b{_DECIDED}[,:]? (?:that |dass |que )?{_IN_GENERAL}\b"
    rf"|\b{_IN_GENERAL}[,:]? (?:\w+ ){{0,3}}{_DECIDED}\b"
    rf"|(?:^|[,:;(] ?){_IN_GENERAL}(?=[,:;.)]|$)"
)
"""Says of a decision, and not of what was decided, that it is general: `CI runs on every branch`
may be true of one branch alone."""


def is_tied(memory: Memory) -> bool:
    """Whether a memory that is learned in a repository belongs to the commit there."""
    if memory.kind in PERSONS or memory.kind in RECORDS or _is_general_decision(memory):
        return False
    return _is_of_a_project(memory)


def notes_commit(memory: Memory) -> bool:
    """Whether a memory that is learned in a repository says at which commit."""
    return is_tied(memory) or (memory.kind in MARKED and _is_of_a_project(memory))


def _is_of_a_project(memory: Memory) -> bool:
    """Whether agents keep a memory for a project, and it is no turn of a conversation."""
    in_project = memory.scope.value("project") is not None
    return in_project and memory.owner == "agent" and memory.episode is None


def _is_general_decision(memory: Memory) -> bool:
    text = memory.content
    decided = memory.kind == "decision" or _A_DECISION.search(text)
    return bool(decided and _GENERAL.search(text))


def place_of(memory: Memory) -> str:
    """Where a memory was learned, as `str(LearnedAt)` has it; empty if it belongs to no commit."""
    return f"{memory.commit} {memory.branch or ''}" if memory.commit else ""


def hiding_place(memory: Memory) -> str:
    """The place of a memory that is handed over only where that is merged; empty for others."""
    return "" if memory.kind in RECORDS else place_of(memory)


def learned_at(memory: Memory) -> LearnedAt | None:
    """Where a memory was learned; None if it belongs to no commit."""
    if not memory.commit:
        return None
    return LearnedAt(memory.commit, memory.branch or "", memory.repository or "")


def is_hidden(memory: Memory, compared: Mapping[str, str]) -> bool:
    """Whether a memory belongs to a branch that HEAD does not have.

    One that was learned at a detached HEAD has no branch to be merged, and is not hidden.
    """
    return bool(memory.branch) and compared.get(hiding_place(memory)) == UNMERGED


def branch_of(place: str) -> str:
    """The branch of a place (`str(LearnedAt)`); empty if it has only a commit."""
    return place.partition(" ")[2]


def warning(
    memory: Memory, compared: Mapping[str, str], present_name: Callable[[str, str], str]
) -> str:
    """Where a memory was learned, and why HEAD does not have its commit; empty if HEAD has it.

    `present_name` says how a branch that ended at a commit is called now; empty if it is gone.
    """
    verdict = compared.get(place_of(memory), OTHER)
    if verdict == UNKNOWN:
        # Where the commit is, the branch may still be.
        return f"{learned_on(memory, memory.branch)}, commit not found here"
    if verdict not in (REWRITTEN, UNMERGED):
        return ""
    branch = present_name(memory.branch, memory.commit or "") if memory.branch else ""
    said = "not merged here" if verdict == UNMERGED else "commit no longer in its history"
    return f"{learned_on(memory, branch)}, {said}"


def learned_on(memory: Memory, branch: str | None) -> str:
    """Where a memory was learned, in words: on a branch by the name it has now, or at a commit."""
    if branch:
        return f"learned on branch {branch}"
    return f"learned at commit {memory.commit[:10]}" if memory.commit else ""


def left_out(names: Sequence[str]) -> str:
    """The sentence that names the branches whose memories HEAD does not have."""
    return f"Left out are memories of {_unmerged(names)}."


def known_on(names: Sequence[str]) -> str:
    """The sentence that names the branches which answer what HEAD does not."""
    return f"It is known on {_unmerged(names)}."


def _unmerged(names: Sequence[str]) -> str:
    which = "a branch that is" if len(names) == 1 else "branches that are"
    return f"{which} not merged here: {', '.join(names)}"
