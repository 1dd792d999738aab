"""Changes that wait for a person: a proposal is a memory of its own, in the inbox, in plain words.

The inbox is therefore readable in any editor, travels with the notes, and is scoped, audited and
undone like every memory.
"""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher

from ..model import identity
from ..model.codec import iso
from ..model.errors import BadInput
from ..model.memory import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

PROPOSAL_KIND = "proposal"
AGENTS_ACTS = ("edit", "correct", "forget", "restore", "rename", "revert")
"""Changes of a person's memory that an agent may only propose."""
FORGET_ABOUT = "forget-about"
"""An agent's proposal to forget several memories of a person together."""
ACTIONS = (
    "archive", "merge", "contradiction", "promote", "supersede", "pattern", "flagged", "confirm",
    FORGET_ABOUT, *AGENTS_ACTS,
)  # fmt: skip


TITLE_CHARACTERS = 60
"""Longest quotation of a text in a question of the inbox."""
WORDS_BEFORE = 3
"""Words that stay before those by which two texts differ."""


def make_proposal(
    action: str,
    targets: Sequence[Memory],
    *,
    id: str,
    now: datetime,
    reason: str,
    text: str = "",
    kind: str = "",
    source: str = "maintain",
) -> Memory:
    """A staged memory that proposes to change others; `text` is what would be remembered.

    Its tags name the action and the kind of what it would make; `derived_from` names what it is
    about; accepting applies it.
    """
    if action not in ACTIONS:
        raise BadInput(f"{action!r} is no proposal.", hint=f"Known are {', '.join(ACTIONS)}.")
    first = targets[0]
    content = f"{reason}\n\n{text}" if text else reason
    return Memory(
        id=id,
        content=content,
        created=now,
        updated=now,
        scope=first.scope,
        kind=PROPOSAL_KIND,
        owner=first.owner if first.owner != "personal" else "curated",
        status="staged",
        sensitivity=max((m.sensitivity for m in targets), key=_secrecy),
        trust="system",
        source=source,
        slug=identity.slug(reason, id),
        tags=(action, kind) if kind else (action,),
        derived_from=tuple(target.id for target in targets),
    )


def proposal_id(action: str, targets: Sequence[Memory], text: str = "") -> str:
    """One proposal about the same memories, as they are, has one id on every device."""
    newest = max(target.updated for target in targets)
    about = sorted(f"{target.id} {iso(target.updated)}" for target in targets)
    said = (text,) if text else ()
    return identity.computed_id(int(newest.timestamp() * 1000), action, *about, *said)


def which_holds(new: Memory, others: Sequence[Memory]) -> str:
    """The question which of several memories holds, as a line that differs from all others."""
    first = _telling_part(new.content, others[0].content)
    said = [f"“{_telling_part(one.content, new.content)}”" for one in others]
    return f"“{first}” or {' or '.join(said)}: which one holds?"


def _telling_part(text: str, other: str) -> str:
    """A few words of a text, those by which it differs from another among them."""
    words, known = text.split(), other.split()
    if sum(map(len, words)) + len(words) <= TITLE_CHARACTERS:
        return " ".join(words)
    alike = next((at for at, pair in enumerate(zip(words, known, strict=False))
                  if pair[0] != pair[1]), 0)  # fmt: skip
    begin = max(0, alike - WORDS_BEFORE)
    part = " ".join(words[begin:])
    cut = part if len(part) <= TITLE_CHARACTERS else f"{part[: TITLE_CHARACTERS - 1].rstrip()}…"
    return f"… {cut}" if begin else cut


def action_of(memory: Memory) -> str:
    """The action of a proposal."""
    return next((tag for tag in memory.tags if tag in ACTIONS), "")


def kind_of(memory: Memory) -> str:
    """The kind of memory that accepting creates."""
    return next((tag for tag in memory.tags if tag not in ACTIONS), "insight")


def proposed_text(memory: Memory) -> str:
    """The text that accepting saves; empty when the proposal has none."""
    return memory.content.partition("\n\n")[2]


def _secrecy(sensitivity: str) -> int:
    return ("public", "private", "sensitive").index(sensitivity)


# The change that an agent proposes, readable for a person and for `accept`


_WAS = "# was "
"""Begins the line with a field's value before the change, above the line with the new one."""


def change_text(
    old: str, new: str | None, fields: Mapping[str, Any], was: Mapping[str, Any] | None = None
) -> str:
    """The change as a diff of the text and a list of the new fields, with what they `was`.

    `new` is None if the text stays; all lines are in the diff, so that it holds the whole new text.
    """
    parts: list[str] = []
    if new is not None:
        parts.append(_fenced("diff", _diff(old.split("\n"), new.split("\n") if new else [])))
    if fields:
        lines: list[str] = []
        for name, value in fields.items():
            lines += [f"{_WAS}{_field(name, was[name])}"] if was and name in was else []
            lines.append(_field(name, value))
        parts.append(_fenced("yaml", lines))
    return "\n\n".join(parts)


def _field(name: str, value: object) -> str:
    return f"{name}: {json.dumps(value, default=str, ensure_ascii=False)}"


def fields_have_changed(proposal: Memory, target: Memory) -> bool:
    """Whether a field that a proposal changes has another value than when it was proposed."""
    was = [line for line in _inside(proposal.content, "yaml") or () if line.startswith(_WAS)]
    if not was:  # A proposal without old values holds for the memory as it was then.
        return target.updated > proposal.created
    names = [line.removeprefix(_WAS).partition(": ")[0] for line in was]
    return was != [f"{_WAS}{_field(name, getattr(target, name, None))}" for name in names]


def has_fields(memory: Memory, fields: Mapping[str, Any]) -> bool:
    """Whether a memory has these values already."""
    return all(
        _field(name, getattr(memory, name, None)) == _field(name, value)
        for name, value in fields.items()
    )


def changed_text(memory: Memory) -> str | None:
    """The whole new text of a proposed change, None if it has none."""
    lines = _inside(memory.content, "diff")
    if lines is None:
        return None
    return "\n".join(line[2:] for line in lines if line[:1] in ("+", " "))


def replaced_text(memory: Memory) -> str:
    """The text that a proposed change would replace, as it was when the change was proposed."""
    return "\n".join(line[2:] for line in _inside(memory.content, "diff") or () if line[:1] != "+")


def changed_fields(memory: Memory) -> dict[str, Any]:
    """The new fields of a proposed change."""
    fields: dict[str, Any] = {}
    for line in _field_lines(memory):
        name, _, value = line.partition(": ")
        try:
            fields[name] = json.loads(value)
        except ValueError as error:
            raise BadInput(
                f"The proposed {name or 'field'} cannot be read.",
                hint="Reject the proposal, or mend its list of fields with `inbox edit`.",
            ) from error
    return fields


def in_short(memory: Memory) -> str:
    """The new lines and fields of a proposed change, in one line; empty if it has no diff."""
    new = [line[2:] for line in _inside(memory.content, "diff") or () if line[:1] == "+"]
    return "; ".join((*new, *_field_lines(memory)))


def _field_lines(memory: Memory) -> list[str]:
    lines = _inside(memory.content, "yaml") or ()
    return [line for line in lines if not line.startswith(_WAS)]


def _diff(old: Sequence[str], new: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [f"  {line}" for line in old[i1:i2]]
            continue
        lines += [f"- {line}" for line in old[i1:i2]]
        lines += [f"+ {line}" for line in new[j1:j2]]
    return lines


def _fenced(name: str, lines: Sequence[str]) -> str:
    """The lines between fences that no line of them can close."""
    longest = max((len(run) for run in re.findall("`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}{name}", *lines, fence))


def _inside(content: str, name: str) -> list[str] | None:
    lines = content.split("\n")
    for at, line in enumerate(lines):
        if re.fullmatch(f"`{{3,}}{name}", line):
            fence = line.removesuffix(name)
            end = lines.index(fence, at + 1) if fence in lines[at + 1 :] else len(lines)
            return lines[at + 1 : end]
    return None
