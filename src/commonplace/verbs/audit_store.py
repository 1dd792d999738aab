"""Audit a store of memories, ours or another system's, and tell its good ones from the others.

Nothing is written. Each statement is screened for secrets and personal data, read for junk and for
what time has made untrue, and compared with those near it: the same rules as at a save, and the
same judge.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from ..model.errors import BadInput, EmbedderUnavailable
from ..model.identity import normalized
from ..model.results import AuditExample, FaultShare, LeftOut, StoreAudit
from ..model.value import Value
from ..rules.faults.histories import are_two_events, statement_date, without_dates
from ..rules.faults.junk import junk_reason
from ..rules.faults.orders import order_reason
from ..rules.faults.pairs import LEAST_COSINE, LONGEST, ranked_pairs, stand_in_two_places
from ..rules.faults.rewordings import is_reworded, only_adds
from ..rules.faults.stale import date_reason, path_reason
from ..rules.faults.units import draft_units, lacks_subject, without_units
from ..rules.relations.duplicates import compare_texts, scale_for_model, telling_terms
from ..rules.screening.findings import CREDENTIAL
from ..rules.screening.screen import screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from ..model.memory import Draft
    from ..ports.embedder import Embedder
    from ..ports.reasoner import Reasoner
    from ..rules.faults.links import DeadLink
    from ..rules.faults.units import StoreUnit
    from ..rules.screening.findings import Finding

    Progress = Callable[[str, int, int], object]

JUNK, DUPLICATE, CONTRADICTION = "junk", "duplicates", "contradictions"
SECRET, PERSONAL, PATH, DATE = "secrets", "personal data", "stale paths", "stale dates"
ORDER, LINK = "orders", "dead links"
FAULTS = (JUNK, DUPLICATE, CONTRADICTION, SECRET, PERSONAL, ORDER, PATH, DATE, LINK)
IMPORTED_ANYWAY = (PERSONAL, LINK)
"""The settings of the importing book decide about the first; around a dead link the text holds."""
PERSONS_SECRETS = ("payment card number",)
"""Credentials that are a person's own data, and open no system."""
MOST_STATEMENTS = 200_000
MOST_EMBEDDED = 600
"""Statements of a store up to which all are compared by meaning; a vector takes long."""
MOST_JUDGED = 800
"""Pairs that the judge reads, the most alike first."""
LEAST_WORDS_ANYWHERE = 5
"""Telling words from which on equal statements about two things count as one said twice."""
SHORTEST_SECRET = 6
"""Characters of a value that is masked in all memories, not only in its own."""
_TICKS = 50


class _Fault(Value):
    kind: str
    unit: int
    why: str
    other: int | None = None


class StoreAuditor:
    """Reads a store once, finds its faults, and gives a report and the good memories."""

    def __init__(
        self,
        contents: Iterable[tuple[str, Draft | LeftOut]],
        *,
        kind: str,
        links: Mapping[str, Sequence[DeadLink]],
        reasoner: Reasoner,
        embedder: Embedder | None,
        cosines: Callable[[bytes, bytes], list[float]],
        exists: Callable[[str], bool],
        now: datetime,
        progress: Progress = lambda stage, done, of: None,
    ) -> None:
        self.kind = kind
        self._reasoner, self._embedder, self._cosines = reasoner, embedder, cosines
        self._exists, self._now, self._progress = exists, now, progress
        self._links = links
        self._left_out: Counter[str] = Counter()
        self._drafts: list[Draft] = []
        self._files: list[str] = []
        self._units: list[StoreUnit] = []
        self._faults: dict[tuple[str, int], _Fault] = {}
        self._masks: list[dict[str, str]] = []
        """For each memory the values to mask, with their labels."""
        self._notes: list[str] = []
        self._read(contents)
        self._screen()
        self._compare()

    def report(self, store: str, *, examples: int) -> StoreAudit:
        """Counts and shares of each fault, with some examples."""
        statements = sum(one.prose for one in self._units)
        bad = {fault.unit for fault in self._faults.values()}
        return StoreAudit(
            store=store,
            format=self.kind,
            memories=len(self._drafts),
            statements=statements,
            good=sum(one.prose and at not in bad for at, one in enumerate(self._units)),
            faults=tuple(self._share(kind, statements, examples) for kind in FAULTS),
            left_out=tuple(self._left_out.most_common()),
            notes=tuple(self._notes),
        )

    def good_drafts(self) -> Iterator[Draft | LeftOut]:
        """The memories without their faulty statements; those with nothing else are left out."""
        bad: dict[int, dict[int, str]] = {}
        for kind in reversed(FAULTS):
            if kind in IMPORTED_ANYWAY:
                continue
            for fault in self._of(kind):
                unit = self._units[fault.unit]
                bad.setdefault(unit.draft, {})[unit.place] = kind
        left = {unit.draft for unit in self._units if unit.prose and unit.place not in
                bad.get(unit.draft, ())}  # fmt: skip
        for number, draft in enumerate(self._drafts):
            if order_reason(draft.title):
                yield LeftOut(f"The audit found {ORDER}.")
            elif number not in bad:
                yield draft
            elif number not in left:
                yield LeftOut(f"The audit found {next(iter(bad[number].values()))}.")
            else:
                yield draft.but(content=without_units(draft.content, bad[number]))

    # Reading and screening

    def _read(self, contents: Iterable[tuple[str, Draft | LeftOut]]) -> None:
        for file, one in contents:
            if isinstance(one, LeftOut):
                self._left_out[one.why] += 1
                continue
            self._units += draft_units(one, len(self._drafts), kind=self.kind)
            self._drafts.append(one)
            self._files.append(file)
            if len(self._units) > MOST_STATEMENTS:
                raise BadInput(
                    f"The store has more than {MOST_STATEMENTS:,} statements.",
                    hint="Export a part of it, and audit that.",
                )
            if len(self._drafts) % _TICKS == 0:
                self._progress("Reading", len(self._drafts), len(self._drafts))

    def _screen(self) -> None:
        """Find the faults of single statements."""
        start = 0
        for number, draft in enumerate(self._drafts):
            end = start
            while end < len(self._units) and self._units[end].draft == number:
                end += 1
            self._masks.append(self._screen_draft(draft, range(start, end)))
            for at in range(start, end):
                self._screen_unit(at, self._links.get(self._files[number], ()))
            start = end
            if number % _TICKS == 0 or number + 1 == len(self._drafts):
                self._progress("Screening", number + 1, len(self._drafts))

    def _screen_draft(self, draft: Draft, units: Sequence[int]) -> dict[str, str]:
        """Note secrets and personal data where they stand; returns the values to mask.

        Statements are read one by one, because the words of one are no context of the next, and
        then all together, because a title or a line before may say that a value is secret.
        """
        masks: dict[str, str] = {}
        if not units:
            return masks
        for at in units:
            for found, value in _findings(self._units[at].text):
                masks[value] = found.label
                self._add_finding(found, at)
        text = f"{draft.title}\n\0\n{draft.content}"
        if draft.title and " " not in draft.content:
            text += f"\n\0\n{draft.title}: {draft.content}"
        for found, value in _findings(text):
            if not any(value in known or known in value for known in masks):
                masks[value] = found.label
                first = value.split("\n", 1)[0]
                at = next((at for at in units if first in self._units[at].text), units[0])
                self._add_finding(found, at)
        return masks

    def _add_finding(self, found: Finding, at: int) -> None:
        secret = found.kind == CREDENTIAL and found.label not in PERSONS_SECRETS
        self._add(SECRET if secret else PERSONAL, at, f"It holds {_article(found.label)}.")

    def _screen_unit(self, at: int, links: Sequence[DeadLink]) -> None:
        unit = self._units[at]
        for dead in links:
            if dead.written in unit.text:
                self._add(LINK, at, f"Line {dead.line}: {dead.written} leads to no file.")
        if reason := order_reason(unit.text):
            self._add(ORDER, at, reason)
        elif unit.prose and (reason := junk_reason(unit.text)):
            self._add(JUNK, at, reason)
        elif unit.prose and not unit.answer:
            self._screen_age(at)

    def _screen_age(self, at: int) -> None:
        unit = self._units[at]
        if unit.expires is not None and unit.expires < self._now:
            self._add(DATE, at, f"It was to be forgotten on {unit.expires:%Y-%m-%d}.")
        elif reason := date_reason(unit.text, at=unit.at, now=self._now):
            self._add(DATE, at, reason)
        if reason := path_reason(unit.text, self._exists):
            self._add(PATH, at, reason)

    # Comparing

    def _compare(self) -> None:
        """Find statements that repeat or contradict others."""
        read = (at for at, one in enumerate(self._units) if one.prose and not one.answer)
        chosen = [at for at in read if not self._has(at, JUNK, SECRET, ORDER)]
        chosen = list(self._without_copies(chosen))
        near = self._near(chosen)
        pairs = ranked_pairs(self._units, chosen, near=near)
        gone: set[int] = set()
        judged = 0
        for done, pair in enumerate(pairs):
            if gone.isdisjoint(pair) and self._is_comparable(*pair):
                judged += self._compare_pair(pair, near.get(pair), gone, ask=judged < MOST_JUDGED)
            if done % _TICKS == 0 or done + 1 == len(pairs):
                self._progress("Comparing", done + 1, len(pairs))
        if judged >= MOST_JUDGED:
            self._notes.append(
                f"The judge read the {MOST_JUDGED:,} most similar pairs of {len(pairs):,}."
            )

    def _is_comparable(self, one: int, other: int) -> bool:
        """Whether two statements may be about one thing: under two headings they need a subject."""
        first, second = self._units[one], self._units[other]
        alone = lacks_subject(first) or lacks_subject(second)
        return first.section == second.section or not alone

    def _without_copies(self, chosen: Sequence[int]) -> Iterator[int]:
        """The first of equal statements; the others are duplicates."""
        seen: dict[tuple[str, str], int] = {}
        for at in chosen:
            unit = self._units[at]
            anywhere = len(telling_terms(unit.text)) >= LEAST_WORDS_ANYWHERE
            scope = unit.group.split("\0", 1)[0] if anywhere else unit.group
            if lacks_subject(unit) and not anywhere:
                scope += f"\0{unit.section}"
            first = seen.setdefault((scope, normalized(unit.text)), at)
            if first == at:
                yield at
            else:
                self._add(DUPLICATE, at, "The same was said before.", first)

    def _near(self, chosen: Sequence[int]) -> dict[tuple[int, int], float]:
        """The pairs that mean nearly the same, with their cosines; none in a large store."""
        embedder = self._embedder
        short = [at for at in chosen if len(self._units[at].text) <= LONGEST]
        if embedder is None or not 1 < len(short) <= MOST_EMBEDDED:
            return {}
        vectors: list[bytes] = []
        try:
            for start in range(0, len(short), _TICKS):
                batch = short[start : start + _TICKS]
                vectors += embedder.embed([self._units[at].text for at in batch])
                self._progress("Embedding", len(vectors), len(short))
        except EmbedderUnavailable:
            return {}
        found: dict[tuple[int, int], float] = {}
        together = b"".join(vectors)
        for at, vector in zip(short, vectors, strict=True):
            for other, cosine in zip(short, self._cosines(vector, together), strict=True):
                same_group = self._units[at].group == self._units[other].group
                if at < other and same_group and cosine >= LEAST_COSINE:
                    found[at, other] = cosine
        return found

    def _compare_pair(
        self, pair: tuple[int, int], cosine: float | None, gone: set[int], *, ask: bool
    ) -> int:
        """Judge one pair; returns how many times the judge was asked."""
        older, newer = self._by_age(*pair)
        texts = self._units[newer].text, self._units[older].text
        model = self._embedder.model if self._embedder else None
        compared = compare_texts(*texts, cosine=cosine, by=scale_for_model(model))
        if compared.verdict == "same" or is_reworded(*texts):
            self._repeat(max(pair), min(pair), gone)
            return 0
        if not ask or are_two_events(*texts, self._now) or only_adds(*texts):
            return 0
        judged = self._judge(*texts)
        if judged == "contradicts":
            self._add(CONTRADICTION, older, "A newer statement says otherwise.", newer)
        elif judged == "same" or compared.verdict == "merge":
            self._repeat(max(pair), min(pair), gone)
        return 1

    def _by_age(self, one: int, other: int) -> tuple[int, int]:
        """The older and the newer of two statements: by the dates they tell, else when written."""
        told = [statement_date(self._units[at].text, self._now) for at in (one, other)]
        if None not in told and told[0] != told[1]:
            return (one, other) if (told[0] or 0) < (told[1] or 0) else (other, one)
        older, newer = sorted((one, other), key=lambda at: (_moment(self._units[at]), at))
        return older, newer

    def _judge(self, newer: str, older: str) -> str:
        """How two statements relate; dated ones may also be read without their dates."""
        if stand_in_two_places(newer, older):
            return "contradicts"
        relation = self._reasoner.judge(newer, older).relation
        bare = without_dates(newer), without_dates(older)
        if relation == "contradicts" or bare == (newer, older) or newer in bare or older in bare:
            return relation
        return self._reasoner.judge(*bare).relation

    def _repeat(self, newer: int, older: int, gone: set[int]) -> None:
        self._add(DUPLICATE, newer, "The same was said before in other words.", older)
        gone.add(newer)

    # Results

    def _add(self, kind: str, unit: int, why: str, other: int | None = None) -> None:
        self._faults.setdefault((kind, unit), _Fault(kind, unit, why, other))

    def _has(self, unit: int, *kinds: str) -> bool:
        return any((kind, unit) in self._faults for kind in kinds)

    def _of(self, kind: str) -> list[_Fault]:
        return [fault for (one, _), fault in self._faults.items() if one == kind]

    def _share(self, kind: str, statements: int, examples: int) -> FaultShare:
        found = sorted(self._of(kind), key=lambda fault: fault.unit)
        shown = tuple(self._example(fault) for fault in found[:examples])
        return FaultShare(kind, len(found), len(found) / max(statements, 1), shown)

    def _example(self, fault: _Fault) -> AuditExample:
        unit = self._units[fault.unit]
        own = self._masks[unit.draft]
        other = ""
        if fault.other is not None:
            second = self._units[fault.other]
            other = self._masked(second.text, self._masks[second.draft])
        where, why = self._masked(unit.where, own), self._masked(fault.why, own)
        return AuditExample(self._masked(unit.text, own), where, why, other)

    def _masked(self, text: str, own: dict[str, str]) -> str:
        """A text with every known secret masked, and what then still looks like one."""
        text = _replaced(text, {**self._everywhere, **own})
        while found := screen(text):
            text = _replaced(text, {text[one.start : one.end]: one.label for one in found})
        return text

    @cached_property
    def _everywhere(self) -> dict[str, str]:
        """The values to mask wherever they stand."""
        return {value: label for masks in self._masks for value, label in masks.items()
                if len(value) >= SHORTEST_SECRET}  # fmt: skip


def _findings(text: str) -> list[tuple[Finding, str]]:
    return [(found, text[found.start : found.end]) for found in screen(text)]


def _replaced(text: str, masks: dict[str, str]) -> str:
    for value in sorted(masks, key=len, reverse=True):
        text = text.replace(value, f"[{masks[value]} removed]")
    return text


def _article(label: str) -> str:
    return f"{'an' if label[:1].lower() in 'aeio' else 'a'} {label}"


def _moment(unit: StoreUnit) -> float:
    return unit.at.timestamp() if unit.at else 0.0
