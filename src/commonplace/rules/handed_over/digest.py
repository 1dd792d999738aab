"""Choose and attribute the lines of a digest, within every limit.

Pure and deterministic: the same memories in the same order, within the same budget, give the
same bytes.
"""

from __future__ import annotations

from ...language import tokens
from ...model import identity
from ...model.errors import BadInput
from ...model.memory import BASES
from ...model.value import Value
from ...notes.display import qualified_text
from .quotation import (
    BRIEF_PREFACE,
    CHECKING_PREFACE,
    CLOSING,
    OPENING,
    PREFACE,
    START_KINDS,
    frame,
    quote,
    quote_label,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...model.memory import Memory
    from ...model.scope import Scope

SECTIONS = (
    "identity", "override", "profile", "preferences", "critical", "always", "task", "work",
    "newest", "topic", "relevant",
)  # fmt: skip
"""In this order. The last comes with a question, the one before with a topic, others unasked."""
UNASKED = SECTIONS[:-2]
"""Loaded in every session, so that their attribution has to be brief."""
WHOLE = ("preferences", "critical", "newest")
"""Sections of short texts: only the first line of each may be cut, because half a wish misleads."""
SHARED = ("preferences", "critical", "task", "work", "newest")
"""Sections of a start that share one limit, besides their own."""
BEFORE_TASK = ("preferences", "critical", "newest")
UNASKED_ROOM = "what comes unasked"
FOR_TASK_TOKENS = 75
"""Tokens of the shared limit that a person's lines leave free for the task, so that its goal, next
step and constraints have room in a full project, whoever wrote it."""
USEFUL_CHARACTERS = 24
"""A cut that leaves less of a memory than this says nothing; the memory is left out instead."""
UNSURE, VERY_UNSURE = 0.6, 0.5
"""Lines below these confidences are marked; an agent's inference has .6 and is not."""
ASK_BELOW = BASES["inferred"]
"""A line less sure than an inference comes with a question to the person."""
QUESTION = " (ask the person: is this right?)"
DOUBTS = (
    "unconfirmed", "unverified", "unsure", "disputed", "outdated", "waits for", "before relying",
    "commit no", "not merged",
)  # fmt: skip
"""Words of an attribution that ask the reader to check the line."""
STALE_CHARACTERS = 160
"""Characters of an attribution that say how the project's files have changed."""
RIVAL_CHARACTERS = 80
"""Characters of what a disputed line is disputed with."""
NO_ROOM = "does not fit any more"
TIGHT_TOKENS, TIGHT_CHARACTERS = 160, 400
"""With less room in total the frame and the attributions are brief."""
NAME_CHARACTERS = 120
"""A text up to this long is its own name: an id beside it would cost a third of a line."""


class Limit(Value):
    """The most that may be taken up; None is no limit."""

    items: int | None = None
    characters: int | None = None
    tokens: int | None = None

    def __check__(self) -> None:
        for name, value in self.__dict__.items():
            if value is not None and (type(value) is not int or value < 0):
                raise BadInput(
                    f"{value!r} is not a limit of {name}.", hint="Use a whole number, 0 or more."
                )


class Budget(Value):
    """Limits on a digest: in total with its frame, for each section and for each kind."""

    total: Limit = Limit()
    unasked: Limit = Limit()
    """Shared by preferences, facts, the task, the work state and the newest memories."""
    sections: Mapping[str, Limit] = {}
    kinds: Mapping[str, Limit] = {}

    def overlaid(self, other: Budget) -> Budget:
        """This budget, with the limits that the other one names in place of its own."""
        return Budget(
            total=_overlaid(self.total, other.total),
            unasked=_overlaid(self.unasked, other.unasked),
            sections=_each_overlaid(self.sections, other.sections),
            kinds=_each_overlaid(self.kinds, other.kinds),
        )


class Offer(Value):
    """A memory that may enter a digest, and the part of it to show."""

    memory: Memory
    section: str = "relevant"
    text: str | None = None
    """All of its content when left out."""
    disputed_with: tuple[str, ...] = ()
    """Ids of the memories that contradict it."""
    rival: str = ""
    """The text with which a person contradicted the line; empty if nobody did."""
    warning: str = ""
    """A doubt to show on the line, such as that its commit is not found."""
    stale: str = ""
    """How the project's files differ from what it speaks of."""


class Item(Value):
    """A memory that is in a digest."""

    id: str
    section: str
    kind: str
    tokens: int
    """Tokens of its text, without the attribution."""
    characters: int
    cut: bool = False


class OmittedMemory(Value):
    """A memory that is not in a digest, and why."""

    id: str
    why: str


class Digest(Value):
    """A text to hand to an agent; empty when there is nothing to say or no room to say it."""

    text: str = ""
    items: tuple[Item, ...] = ()
    left_out: tuple[OmittedMemory, ...] = ()
    tokens: int = 0
    characters: int = 0
    id: str = ""
    """Finds it in the log, for `replay`; empty if it was not logged."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The memories in it, in their order."""
        return tuple(item.id for item in self.items)


def build_digest(
    offers: Sequence[Offer], budget: Budget, *, home: Scope | None = None, news: str = ""
) -> Digest:
    """Take what fits, in the order given: whole, else cut, else not at all.

    Lines of other scopes than `home` name theirs; `news` is a last line of our own.
    """
    page = _DigestLines(budget, short_ids(offer.memory for offer in offers), home)
    for offer in offers:
        page.add(offer)
    page.close(news)
    text = frame(page.lines, page.preface)
    return Digest(
        text=text,
        items=tuple(page.items),
        left_out=tuple(OmittedMemory(id, why) for id, why in page.left_out.items()),
        tokens=tokens.estimate(text),
        characters=len(text),
    )


def attribution(
    memory: Memory,
    *,
    brief: bool = False,
    unasked: bool = False,
    id: str | None = None,
    home: Scope | None = None,
    disputed_with: Sequence[str] = (),
    warning: str = "",
    stale: str = "",
) -> str:
    """Where a line comes from and how far to trust it, in as few words as say it.

    A line that comes unasked is a person's unless it says that it is unconfirmed, and a fact of
    `home` unless it says otherwise: such a fact needs no label. A line of another scope than
    `home` names its scope. An empty `id` leaves the id out.
    """
    plain = brief and unasked and memory.kind in START_KINDS
    source = quote_label(memory.source)
    # An agent's role is a profile as well, and not the person's.
    role = memory.kind == "profile" and memory.scope.value("agent") is not None
    parts = ["role" if role else quote_label(memory.kind)]
    if memory.trust == "external":
        parts += ["unverified", f"from {source}"]
    elif unasked and memory.trust != "user":
        parts.append("unconfirmed")
    elif not plain:
        parts.append(memory.trust if brief else f"{memory.trust} via {source}")
    # A profile, or a wish of the whole book, holds here as it does elsewhere.
    wish = unasked and memory.kind == "preference" and str(memory.scope) == "/"
    everywhere = memory.kind == "profile" or wish
    if memory.kind == "override":
        parts.append("wins over the role")
    elif home is not None and not everywhere and _place(memory.scope) != _place(home):
        parts.append(quote_label(str(memory.scope), longest=80))
    if memory.speaker:
        parts.append(f"said by {quote_label(memory.speaker)}")
    if not brief:
        parts.append(memory.created.date().isoformat())
    if memory.sensitivity == "sensitive":
        parts.append("sensitive")
    parts += _doubts(memory, () if brief else disputed_with, disputed=bool(disputed_with))
    parts += [quote_label(part, longest=80) for part in warning.split(", ") if part]
    if stale:
        parts.append(quote_label(stale, longest=STALE_CHARACTERS))
    name = memory.id if id is None else id
    shown = [f"[{quote_label(name, longest=100)}]"] if name else []
    if not plain or parts != ["fact"]:
        shown.append(f"({', '.join(parts)})")
    return " ".join(shown)


def _doubts(memory: Memory, named: Sequence[str], *, disputed: bool) -> list[str]:
    """Why a line is to be checked; `named` are the memories that contradict it."""
    doubts: list[str] = []
    if memory.confidence < UNSURE:
        doubts.append("very unsure" if memory.confidence < VERY_UNSURE else "unsure")
    if disputed or memory.status == "review":
        by = f" by {', '.join(map(identity.short_id, named))}" if named else ""
        doubts.append(f"disputed{by}")
    if memory.status == "stale":
        doubts.append("maybe outdated")
    if memory.status == "staged":
        doubts.append("waits for a person's yes")
    return doubts


def _place(scope: Scope) -> Scope:
    """The scope without agent and task, which say who learned something, not where it holds."""
    return scope.without("agent").without("task")


def short_ids(memories: Iterable[Memory]) -> dict[str, str]:
    """The end of each id; the whole id where two end alike.

    A person's line keeps its short id whatever others write.
    """
    ends: dict[tuple[str, bool], set[str]] = {}
    known = {memory.id: memory.trust == "user" for memory in memories}
    for id, persons in known.items():
        ends.setdefault((identity.short_id(id), persons), set()).add(id)
    short: dict[str, str] = {}
    for id, persons in known.items():
        end = identity.short_id(id)
        alike = ends[end, persons] if persons else ends[end, False] | ends.get((end, True), set())
        short[id] = end if len(alike) == 1 else id
    return short


def _names_itself(memory: Memory, line: str) -> bool:
    """Whether the key or the text of a line names its memory, wherever an id does."""
    if memory.key is not None:
        return True
    return len(line) <= NAME_CHARACTERS and line == memory.content


class _Room:
    """The room left in one limit."""

    def __init__(self, name: str, limit: Limit) -> None:
        self.name = name
        self.items = _bound(limit.items)
        self.characters = _bound(limit.characters)
        self.tokens = _bound(limit.tokens)

    def take(self, *, items: int, characters: int, tokens: int) -> None:
        self.items -= items
        self.characters -= characters
        self.tokens -= tokens


class _DigestLines:
    """The lines chosen so far and the room left in each limit.

    The total counts everything; the limits of sections and kinds count the text of memories alone.
    """

    def __init__(self, budget: Budget, short: Mapping[str, str], home: Scope | None) -> None:
        self.lines: list[str] = []
        self.items: list[Item] = []
        self.left_out: dict[str, str] = {}
        self._budget, self._short, self._home = budget, short, home
        self._said: dict[str, str] = {}
        self._rooms: dict[str, _Room] = {}
        self._total = self._room("the digest", budget.total)
        self._is_tight = (
            self._total.tokens < TIGHT_TOKENS or self._total.characters < TIGHT_CHARACTERS
        )
        self._is_doubted = False
        # The longest preface is paid for: which one it is turns out with the last line.
        preface = BRIEF_PREFACE if self._is_tight else CHECKING_PREFACE
        shell = "\n".join((OPENING, preface, CLOSING))
        self._total.take(items=0, characters=len(shell), tokens=tokens.estimate(shell))

    def add(self, offer: Offer) -> None:
        memory = offer.memory
        said = identity.normalized(qualified_text(memory, offer.text))
        if any(item.id == memory.id for item in self.items):
            return
        if said in self._said:
            self.left_out[memory.id] = f"says the same as {self._said[said]}"
            return
        rooms = self._rooms_for(offer)
        if full := next((room for room in (self._total, *rooms) if room.items < 1), None):
            self.left_out[memory.id] = f"{full.name} may have no more items"
            return
        whole = quote(qualified_text(memory, offer.text))
        tail = QUESTION if memory.confidence < ASK_BELOW else ""
        rival = (
            f" (or: {quote_label(offer.rival, longest=RIVAL_CHARACTERS)})" if offer.rival else ""
        )
        named = offer.section in UNASKED and _names_itself(memory, whole)
        head = self._head(offer, with_id=not named)
        marks = _marks(offer) + (tail if offer.section in UNASKED else "")
        if rival and self._shown(whole, head + rival + tail, rooms, marks + rival) == whole:
            tail, marks = rival + tail, marks + rival
        shown = self._shown(whole, head + tail, rooms, marks)
        if named and memory.key is None and shown != whole:
            head = self._head(offer, with_id=True)
            shown = self._shown(whole, head + tail, rooms, marks)
        if shown != whole and (len(shown) < USEFUL_CHARACTERS or self._has_whole_lines(offer)):
            shown = ""
        if not shown:
            self.left_out[memory.id] = NO_ROOM if whole else "has no text"
            return
        self._said[said] = memory.id
        # A memory without room in one section may find it in a later one.
        self.left_out.pop(memory.id, None)
        part = offer.text is not None and offer.text != memory.content
        self._write(offer, (head, shown, tail), rooms, marks, cut=part or shown != whole)

    @property
    def preface(self) -> str:
        if self._is_tight:
            return BRIEF_PREFACE
        return CHECKING_PREFACE if self._is_doubted else PREFACE

    def close(self, news: str) -> None:
        """Add a last line of our own, if there are others and it fits."""
        room = self._total
        fits = tokens.estimate(news) <= room.tokens and len(news) < room.characters
        if news and self.lines and fits:
            self.lines.append(news)

    def _has_whole_lines(self, offer: Offer) -> bool:
        """Whether the section of an offer has lines already, and shows no parts after them."""
        section = offer.section
        return section in WHOLE and any(item.section == section for item in self.items)

    def _head(self, offer: Offer, *, with_id: bool) -> str:
        where = attribution(
            offer.memory,
            brief=self._is_tight or offer.section in UNASKED,
            unasked=offer.section != SECTIONS[-1],
            id=self._short[offer.memory.id] if with_id else "",
            home=self._home,
            disputed_with=offer.disputed_with,
            warning=offer.warning,
            stale=offer.stale,
        )
        return f"- {where} " if where else "- "

    def _shown(self, whole: str, around: str, rooms: list[_Room], marks: str) -> str:
        """As much of the text as fits into the total, with what stands around it, and all rooms.

        The rooms count the marks of a line that comes unasked as well.
        """
        shown = tokens.shortened(
            whole,
            before=around,
            price_limit=tokens.affordable(self._total.tokens),
            characters=self._total.characters - 1,
        )
        return tokens.shortened(
            shown,
            before=marks,
            price_limit=tokens.affordable(min(room.tokens for room in rooms)),
            characters=min(room.characters for room in rooms),
        )

    def _write(
        self, offer: Offer, line: tuple[str, str, str], rooms: list[_Room], marks: str, *, cut: bool
    ) -> None:
        written, text = "".join(line), line[1]
        took = tokens.estimate(text)
        counted = tokens.estimate(text + marks) if marks else took
        self._total.take(items=1, characters=len(written) + 1, tokens=tokens.estimate(written))
        # Lines that no person has confirmed come last, and pay for their attribution as well.
        whole = tokens.estimate(written) if offer.memory.trust != "user" else counted
        for room in rooms:
            shared = room.name == UNASKED_ROOM and offer.section in BEFORE_TASK
            characters = len(text) + len(marks)
            room.take(items=1, characters=characters, tokens=whole if shared else counted)
        self.lines.append(written)
        self._is_doubted |= any(mark in line[0] for mark in DOUBTS)
        self.items.append(
            Item(offer.memory.id, offer.section, offer.memory.kind, took, len(text), cut)
        )

    def _rooms_for(self, offer: Offer) -> list[_Room]:
        section, kind = offer.section, offer.memory.kind
        rooms = [
            self._room(f"section {section}", self._budget.sections.get(section, Limit())),
            self._room(f"kind {kind}", self._budget.kinds.get(kind, Limit())),
        ]
        if section in SHARED:
            rooms.append(self._room(UNASKED_ROOM, self._budget.unasked))
            if section in BEFORE_TASK and offer.memory.trust == "user":
                rooms.append(self._room("a person's lines", _beside_task(self._budget.unasked)))
        return rooms

    def _room(self, name: str, limit: Limit) -> _Room:
        return self._rooms.setdefault(name, _Room(name, limit))


def _marks(offer: Offer) -> str:
    """The doubts that a line which comes unasked is marked with besides its memory's own.

    They come and go, so that the room for attributions does not allow for them.
    """
    if offer.section not in UNASKED:
        return ""
    disputed = "disputed" if offer.disputed_with else ""
    doubts = [one for one in (disputed, offer.warning, offer.stale[:STALE_CHARACTERS]) if one]
    return f" ({', '.join(doubts)})" if doubts else ""


def _beside_task(shared: Limit) -> Limit:
    """The share of a limit that a person's lines may take, so that a task has room."""
    if shared.tokens is None:
        return Limit()
    return Limit(tokens=shared.tokens - min(FOR_TASK_TOKENS, shared.tokens // 3))


_UNBOUNDED = 10**9


def _bound(limit: int | None) -> int:
    return _UNBOUNDED if limit is None else min(limit, _UNBOUNDED)


def _overlaid(under: Limit, over: Limit) -> Limit:
    return under.but(**{name: value for name, value in over.__dict__.items() if value is not None})


def _each_overlaid(under: Mapping[str, Limit], over: Mapping[str, Limit]) -> dict[str, Limit]:
    added = {name: _overlaid(under.get(name, Limit()), limit) for name, limit in over.items()}
    return {**under, **added}
