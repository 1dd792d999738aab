"""Merge two texts or memories: every distinct statement once, the newer first, changes noted."""

from __future__ import annotations

import re
from itertools import combinations

from ...language import statements
from ...language.statements import Statement
from ...language.words import telling_terms
from ...model import identity
from ...model.memory import WORK_STATE
from ...model.value import Value
from ...notes.display import is_sealed
from ...ports.reasoner import Merged
from ...ports.record_store import Put
from ..anchors.anchor import joined_anchors
from . import contradiction, duplicates
from .claims import CHANGE_NOTE, read_claims
from .clauses import says_something_else, split_clauses
from .contradiction import judge
from .differences import is_wordless
from .duplicates import DOCUMENT_CHARACTERS
from .replacement import greater_importance, retired_version
from .slots import join_asides, same_slot, says_all_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...model.memory import Memory
    from ...ports.reasoner import Judged
    from .contradiction import Contradiction
    from .duplicates import Compared, CosineScale

    Judge = Callable[[str, str], Judged]

_STOP = re.compile(r"[.!?。！？…\s]*$")


def merge_texts(newer: str, older: str) -> Merged:
    """Both texts as one. What the newer one says otherwise replaces what the older one said.

    Nothing else is lost: each statement of either text is in the merged one, or in its changes.
    """
    new, old = _distinct(statements.split(newer)), _distinct(statements.split(older))
    new, old = _richest(new, old)
    known = {_bare(one) for one in new}
    left = [one for one in old if _bare(one) not in known]
    new = _with_old_notes(new, old)
    replaced = _replaced(new, left)
    noted = [_noted(one, replaced[at][1]) if at in replaced else one for at, one in enumerate(new)]
    gone = {number for number, _ in replaced.values()}
    changes = tuple(
        f"{_said(new[at])} — was: {_said(left[number])}"
        for at, (number, _) in sorted(replaced.items())
    )
    kept = [one for number, one in enumerate(left) if number not in gone]
    return Merged(_joined(noted, kept), changes)


def _distinct(said: Iterable[Statement]) -> list[Statement]:
    """Each statement once, with its note if it has one somewhere.

    A heading stays, since it names another part each time.
    """
    places: dict[str, int] = {}
    found: list[Statement] = []
    for one in said:
        bare = _bare(one)
        if one.heading or bare not in places:
            places.setdefault(bare, len(found))
            found.append(one)
        elif one.key != bare:
            found[places[bare]] = found[places[bare]].but(text=one.text)
    return found


def _richest(
    new: Sequence[Statement], old: Sequence[Statement]
) -> tuple[list[Statement], list[Statement]]:
    """The statements without those that one of the other text says in full, and more."""
    left = [one for one in old if not any(_says_all_of(rich, one) for rich in new)]
    fuller = [
        next((one.but(text=text) for rich in left if (text := _fuller(one, rich))), one)
        for one in new
    ]
    joined = [one for one in fuller if one not in new]
    return _distinct(fuller), [
        one for one in left if not any(_says_all_of(rich, one) for rich in joined)
    ]


def _fuller(one: Statement, other: Statement) -> str:
    """The text of a newer statement with what another one adds to it; empty if it adds nothing."""
    if _says_all_of(other, one):
        return other.text
    prose = not (one.block or other.block or one.heading or other.heading)
    return join_asides(one.text, other.text) if prose else ""


def _says_all_of(rich: Statement, poor: Statement) -> bool:
    """Whether a statement only adds to another, which is not the same."""
    prose = not (rich.block or poor.block or rich.heading or poor.heading)
    return prose and _bare(rich) != _bare(poor) and says_all_of(rich.text, poor.text)


def _bare(one: Statement) -> str:
    """How a statement compares without a note of what it was before."""
    return one.key if one.block else one.but(text=CHANGE_NOTE.sub("", one.text)).key


def _with_old_notes(new: Sequence[Statement], old: Sequence[Statement]) -> list[Statement]:
    """The newer statements; one that the older text has with a note keeps that note."""
    noted = {_bare(one): one for one in old if _bare(one) != one.key}
    return [
        one.but(text=noted[one.key].text) if not one.block and one.key in noted else one
        for one in new
    ]


def _replaced(
    new: Sequence[Statement], old: Sequence[Statement]
) -> dict[int, tuple[int, Contradiction | None]]:
    """Which newer statement takes which older one's place; one for one, so that none is lost."""
    found: dict[int, tuple[int, Contradiction | None]] = {}
    topics = [contradiction.topic_terms(one.text) for one in new]
    for number, gone in enumerate(old):
        if gone.heading or gone.block:
            continue
        topic = contradiction.topic_terms(gone.text)
        for at, one in enumerate(new):
            if at in found or one.heading or one.block or topics[at].isdisjoint(topic):
                continue
            clash = contradiction.find_conflict(one.text, gone.text)
            if clash is not None or contradiction.denial_confidence(one.text, gone.text):
                found[at] = (number, clash)
                break
    return found


def _noted(one: Statement, clash: Contradiction | None) -> Statement:
    """The statement with what it was before, in brackets before its full stop."""
    if clash is None or any(sign in clash.older.value for sign in "()"):
        return one
    named = clash.newer.but(value=clash.older.value, negated=True)
    if not clash.newer.negated and named in read_claims(one.text):
        return one  # As in: master, not main.
    was = f"not {clash.older.value}" if clash.older.negated else clash.older.value
    text = CHANGE_NOTE.sub("", one.text)
    end = _STOP.search(text)
    at = end.start() if end else len(text)
    return one.but(text=f"{text[:at]} (was {was}){text[at:]}")


def _said(one: Statement) -> str:
    return " ".join(one.text.split())


def _joined(new: Sequence[Statement], old: Sequence[Statement]) -> str:
    """The newer statements and what is left of the older, in the shape they had."""
    if new and old:
        lines = any("\n" in one.before for one in (*new, *old))
        mark = old[0].before.strip()
        open_end = not re.search(r"[.!?。！？…:]$", new[-1].text.rstrip())
        gap = "\n" if lines or open_end or mark else " "
        old = [old[0].but(before=f"{gap}{mark} " if mark else gap), *old[1:]]
    kept: list[Statement] = []
    for one in (*new, *old):
        kept.append(_apart(one, kept[-1]) if kept else one)
    return statements.join_statements(kept)


def _apart(one: Statement, last: Statement) -> Statement:
    """The statement, set off from the one before it even if what stood between them is gone."""
    if (one.block or last.block) and one.before.count("\n") < 2:
        return one.but(before=f"\n\n{one.before.lstrip()}")
    if one.before.strip():
        return one
    # A small letter behind `80. ` would read as more of the sentence, as would one in a new line
    # behind a long one.
    count = len(statements.split(last.text)) + len(statements.split(one.text))
    gaps = (gap for gap in (one.before or " ", "\n") if len(_split(last, gap, one)) == count)
    return one.but(before=next(gaps, "\n\n"))


def _split(last: Statement, gap: str, one: Statement) -> list[Statement]:
    return list(statements.split(f"{last.text}{gap}{one.text}"))


# Merged memories

JOINED = ("fact", "preference", "insight")
"""Kinds that say the same kind of thing, and may be merged with each other."""
STATEMENTS = (*JOINED, "decision", "workflow", "fix", "procedural")
"""Kinds that are compared with each other: what was decided may change in a plain note."""
KEPT_APART = (
    "profile", "override", "proposal", "task-summary", "session-summary", "crystallized",
    "skill-pointer", *WORK_STATE,
)  # fmt: skip
"""Kinds of which each memory stands for itself, however alike two of them are."""
JOINED_STATEMENTS, JOINED_CHARACTERS = 6, 1_000
"""A memory of so few statements is compared by each of them, too."""
VERDICTS = ("apart", "merge", "same")
CLEARLY = 0.7
"""How sure a judge is of each further statement or clause that a newer text ends."""
MOST_STATEMENTS = 60
"""Statements compared of a text, from its beginning."""


def comparison_group(memory: Memory) -> str:
    """The group of memories that a memory is compared with; empty for none.

    Turns of a conversation and documents are kept verbatim, facts are found by their key, and a
    sealed text cannot be read.
    """
    if memory.episode is not None or memory.key is not None or is_sealed(memory):
        return ""
    if memory.kind in KEPT_APART or len(memory.content) > DOCUMENT_CHARACTERS:
        return ""
    return "statement" if memory.kind in STATEMENTS else memory.kind


def comparable(one: Memory, other: Memory) -> bool:
    """Whether two memories may turn out to be the same, or to contradict each other."""
    return (
        comparison_group(one) != ""
        and comparison_group(one) == comparison_group(other)
        and one.scope == other.scope
        and one.sensitivity == other.sensitivity
        # A memory that was made from another names it, and neither repeats nor ends it.
        and one.id not in other.derived_from
        and other.id not in one.derived_from
    )


def may_merge(new: Memory, old: Memory) -> bool:
    """Whether one memory may stand for both: of one owner, trusted alike, and true as long."""
    alike = new.kind == old.kind or (new.kind in JOINED and old.kind in JOINED)
    return (
        alike
        and comparable(new, old)
        and all(
            getattr(new, axis) == getattr(old, axis)
            for axis in ("owner", "trust", "valid_from", "valid_until", "expires")
        )
    )


def compare_memories(
    new: str,
    old: str,
    *,
    cosine: float | None = None,
    by: CosineScale = duplicates.UNMEASURED,
    same: float = duplicates.SAME,
    merge: float = duplicates.MERGE,
) -> Compared:
    """How a text stands to a memory: to all of it, or to one of the few statements it joins.

    Otherwise a memory that was merged once would no longer be recognized by what it is made of.
    """
    whole = duplicates.compare_texts(new, old, cosine=cosine, by=by, same=same, merge=merge)
    parts = (
        statements.split(old)
        if whole.verdict == "apart" and len(old) < JOINED_CHARACTERS and not is_wordless(new)
        else ()
    )
    if not 1 < len(parts) <= JOINED_STATEMENTS or len(statements.split(new)) > 1:
        return whole
    each = [duplicates.compare_texts(new, part.text, same=same, merge=merge) for part in parts]
    return max((whole, *each), key=lambda one: (VERDICTS.index(one.verdict), one.similarity))


def is_sound(merged: Merged, newer: str, older: str) -> bool:
    """Whether a merged text may stand for both: nothing is lost, and it reads like one text."""
    return _loses_nothing(merged, newer, older) and _reads_as_one(merged.text, newer, older)


def _loses_nothing(merged: Merged, *texts: str) -> bool:
    """Whether every statement of these texts is in the merged one, or among its noted changes."""
    said = statements.split(merged.text)
    kept = {one.key for one in said}
    whole = identity.normalized(merged.text)
    noted = [identity.normalized(change) for change in merged.changes]
    return all(
        one.key in kept
        or one.key in whole
        or any(one.key in change for change in noted)
        or any(_says_all_of(rich, one) for rich in said)
        for text in texts
        for one in statements.split(text)
        if not one.heading
    )


def _reads_as_one(text: str, *sources: str) -> bool:
    """Whether a merged text neither says a thing twice nor gives one thing two values.

    Statements that come from one source are left as their author put them.
    """
    said = [one for one in statements.split(text) if not (one.heading or one.block)]
    origins = [{_bare(one) for one in statements.split(source)} for source in sources]
    return not any(
        _repeats(one.text, other.text)
        for one, other in combinations(said[:MOST_STATEMENTS], 2)
        if not any({_bare(one), _bare(other)} <= origin for origin in origins)
    )


def _repeats(one: str, other: str) -> bool:
    return (
        duplicates.compare_texts(one, other).verdict != "apart"
        or same_slot(one, other)
        or says_all_of(one, other)
        or says_all_of(other, one)
    )


class MergedMemory(Value):
    """The records that let one memory stand for two, in the order to write them."""

    memory: Memory
    gone: tuple[Memory, ...]
    """Both memories as they are kept."""
    puts: tuple[Put, ...]


def merge_memories(
    new: Memory, old: Memory, text: str, *, id: str, summary: str = ""
) -> MergedMemory:
    """A memory of both: it takes the older one's place, and says what it was made from."""
    both = new.but(
        id=id,
        content=text,
        summary=summary,
        slug=identity.slug(new.title or old.title or text[:300], id),
        title=new.title or old.title,
        aliases=_union(old.aliases, new.aliases),
        tags=_union(old.tags, new.tags),
        source_tasks=_union(old.source_tasks, new.source_tasks),
        anchors=joined_anchors(old.anchors, new.anchors),
        derived_from=(old.id, new.id),
        topic=new.topic or old.topic,
        tier=old.tier,
        always_load=old.always_load or new.always_load,
        confidence=min(old.confidence, new.confidence),
        importance=greater_importance(old, new),
        supersedes=old.id,
        version=old.version + 1,
        created=new.updated,
    )
    kept, gone = retired_version(new, both), retired_version(old, both)
    return MergedMemory(both, (gone, kept), (Put(both), Put(kept), Put(gone, expect=old)))


class Coverage(Value):
    """The share of a text that another one says already."""

    share: float
    left: str
    """The statements that the other text lacks."""


def coverage(new: str, old: str) -> Coverage:
    """Statement by statement, weighed by length; a single statement is covered whole or not."""
    if is_wordless(new) or is_wordless(old):
        return Coverage(0.0, new)
    said = [one for one in statements.split(new) if not one.heading][:MOST_STATEMENTS]
    known = [one for one in statements.split(old) if not one.heading][:MOST_STATEMENTS]
    keys = {one.key for one in known}
    left = [one for one in said if one.key not in keys and not _repeated(one.text, known)]
    total = sum(len(one.text) for one in said) or 1
    missing = sum(len(one.text) for one in left)
    return Coverage(1 - missing / total, " ".join(one.text for one in left))


def _repeated(text: str, known: Sequence[statements.Statement]) -> bool:
    return any(
        not one.block and duplicates.compare_texts(text, one.text).verdict == "same"
        for one in known
    )


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


# Partly contradicted texts, of which the rest is kept


class ContradictedParts(Value):
    """The statements of a text that another one contradicts, and the others."""

    gone: tuple[Statement, ...] = ()
    left: tuple[Statement, ...] = ()
    """Empty when the text says nothing else, but perhaps in a heading."""
    whole: bool = True
    """Whether what is left can stand without what is gone."""
    rest: str = ""
    """The remaining clauses of a single sentence, written as a sentence of their own."""


def contradicted_parts(newer: str, older: str, judge: Judge = judge) -> ContradictedParts:
    """Split the older text into contradicted statements and the rest, as a judge sees them."""
    said = statements.split(older)
    if sum(not one.heading for one in said) <= 1:
        return _contradicted_clauses(newer, said, judge)
    judged = [(one, judge(newer, one.text)) for one in said if not one.heading]
    ended = [(one, how.sure) for one, how in judged if how.relation == "contradicts"]
    # Besides the surest, only what is as clear: beside a change the others may be as they were.
    most = max((sure for _, sure in ended), default=0.0)
    gone = tuple(one for one, sure in ended if sure >= min(most, CLEARLY))
    left = tuple(one for one in said if one not in gone)
    return (
        ContradictedParts(gone)
        if all(one.heading for one in left)
        else ContradictedParts(gone, left)
    )


def _contradicted_clauses(
    newer: str, said: tuple[Statement, ...], judge: Judge
) -> ContradictedParts:
    """The clauses of one sentence that a newer text ends; of a list item or a block all of it."""
    sentence = said[-1] if said else None
    found = split_clauses(sentence.text) if sentence and not sentence.block else ()
    if len(found) < 2:
        return ContradictedParts(gone=said)
    judged = [(one, judge(newer, one.text)) for one in found]
    ended = [(one, how.sure) for one, how in judged if how.relation == "contradicts"]
    # Besides the surest, only what is as clear: a clause without a verb of its own says little.
    most = max((sure for _, sure in ended), default=0.0)
    gone = [one for one, sure in ended if sure >= min(most, CLEARLY)]
    # Taken out of its sentence a clause may say too little: then it is the likest one.
    gone = gone or [max(found, key=lambda one: _share(one.text, newer))]
    told = " ".join(one.text for one in gone)
    left = [one for one in found if one not in gone and says_something_else(one.text, newer, told)]
    if not left:
        return ContradictedParts(gone=said)
    return ContradictedParts(
        gone=said,
        left=tuple(Statement(one.text, " ") for one in left),
        whole=all(one.stands_alone for one in left) and all(one.says_one_thing for one in gone),
        rest=" ".join(one.text for one in left),
    )


def _share(clause: str, newer: str) -> float:
    own = telling_terms(clause)
    return len(own & telling_terms(newer)) / len(own) if own else 0.0


def join_parts(
    newer: str, older: str, merge: Callable[[str, str], Merged], judge: Judge = judge
) -> Merged | None:
    """Both texts as one, without what is no longer so; None where nothing else would be in it.

    None as well where it is not clear what has changed, or something else would be lost.
    """
    found = contradicted_parts(newer, older, judge)
    if not found.gone or not found.left or not found.whole:
        return None
    if found.rest:
        merged = merge(newer, found.rest)
        return merged if is_sound(merged, newer, found.rest) else None
    rest, merged = older, merge(newer, older)
    if len(found.gone) > 1 or not merged.changes:
        # Rules do not see what has changed, so the statement is taken out before.
        rest = statements.join_statements(found.left)
        merged = merge(newer, rest)
    return merged if is_sound(merged, newer, rest) else None


def corrected_text(newer: str, older: str, judge: Judge = judge, *, certain: bool = False) -> str:
    """The older text, saying what the newer one says where the two contradict each other.

    Empty when nothing else is in it, or nothing that the judge could tell. With `certain`, somebody
    has said that they do: if no statement does so by itself, the likest one goes.
    """
    found = contradicted_parts(newer, older, judge)
    if found.rest:
        return found.rest if found.whole else ""
    gone = list(found.gone) or (_likest_statement(newer, found.left) if certain else [])
    if not gone or not found.left:
        return ""
    text = older
    for said in statements.sentences(newer):
        denied = [one for one in gone if judge(said, one.text).relation == "contradicts"]
        text = statements.replace_statements(text, denied, said)
        gone = [one for one in gone if one not in denied]
    return statements.replace_statements(text, gone, "")


def _likest_statement(newer: str, said: Sequence[Statement]) -> list[Statement]:
    """The statement that shares most with a text; none if no statement shares a telling word."""
    prose = (one for one in said if not one.heading)
    likest = max(prose, key=lambda one: _share(one.text, newer), default=None)
    return [likest] if likest is not None and _share(likest.text, newer) else []
