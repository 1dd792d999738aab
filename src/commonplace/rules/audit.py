"""The actions of audit events, and the chain of hashes that reveals every edited event."""

from __future__ import annotations

from ..model.codec import iso, moment
from ..model.memory import Event, Problem
from ..model.quick_decorators import lru_cache
from ..model.quick_json import parse_json, write_json
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any


PURGED, ERASED, MOVED, ABANDONED = "purged", "erased", "moved", "abandoned"
REFUSED, CONTRADICTED = "refused", "contradicted"

LEARNED = ("created", "promoted", "accepted")
PUT_RIGHT = ("corrected", "edited", "merged", "superseded")
RETIRED = ("archived", "forgotten", "retired", "rejected")
BROUGHT_BACK = ("restored", "reverted", "revived")
MAINTAINED = (
    "rescoped", "generalized", "staged", "deduplicated", "renamed", "staled", "loaded", "unloaded",
    "reviewed",
)  # fmt: skip
UNDOABLE_ACTIONS = frozenset({*LEARNED, *PUT_RIGHT, *RETIRED, *BROUGHT_BACK, *MAINTAINED})
"""Actions that `revert` can undo."""

NO_CHANGE = (REFUSED, CONTRADICTED)
"""Events that changed no memory."""
ANCHORED = "anchored"
"""The places that a text speaks of were noted anew, after it was edited by hand."""
TEXT_UNCHANGED = ("revealed", "resealed", ANCHORED, *NO_CHANGE)
"""Actions that leave the text of a memory unchanged."""
TOMBSTONES = (PURGED, ERASED)
"""Actions that remove a memory for good: a restore leaves it out."""
ALL_ACTIONS = UNDOABLE_ACTIONS | {*TOMBSTONES, *TEXT_UNCHANGED, MOVED, ABANDONED}

MAKING = ("created", "staged", "promoted", "corrected", "edited", "merged")
"""Actions that may create a memory; `edited` does when it names the memory it replaced."""
DERIVING = ("created", "staged", "promoted", "merged")
"""Actions that may derive a memory from others, so that it is removed with them."""


def without_abandoned(events: Iterable[Event]) -> list[Event]:
    """The events whose changes were made, in their order."""
    events = list(events)
    abandoned = {of for one in events if one.action == ABANDONED for of in one.related}
    return [one for one in events if one.action != ABANDONED and one.id not in abandoned]


def is_write(event: Event) -> bool:
    """Whether the event is a caller's save."""
    return event.action in ("created", "deduplicated") or (
        event.action == "staged" and not event.automatic
    )


def is_imported(event: Event) -> bool:
    """Whether the change came with the import of a file."""
    return event.by.startswith("import:")


def is_repeat(event: Event) -> bool:
    """Whether a save repeated a known memory."""
    return event.action in ("deduplicated", "merged")


def only_repeats(event: Event) -> bool:
    """Whether a save repeated a known memory and changed nothing but its time."""
    return (
        event.action == "deduplicated" and not event.related and _said(event).keys() <= {"updated"}
    )


def refusal_reason_of(event: Event) -> str:
    """Why a write was refused."""
    return _said(event).get("reason", "")


def refused_count(event: Event) -> int:
    """How many texts were refused at once for one reason."""
    return int(_said(event).get("texts", "1"))


def _said(event: Event) -> dict[str, str]:
    try:
        return parse_json(event.before)
    except ValueError:
        return {}


# The chain: every hash covers the event before

MOST_EVENTS = 2**53
"""No number beyond this is exact everywhere."""
HINT = "Compare the events with a backup of the book."


class Head(Value):
    """The end of a chain: how many events it has, and the hash of the last."""

    number: int
    hash: str


class Linked(Value):
    """An event in its place in a chain."""

    number: int
    event: Event
    previous: str
    """The hash of the event before, or of the chain's name."""
    hash: str

    @property
    def head(self) -> Head:
        """The end of a chain that ends here."""
        return Head(self.number, self.hash)


class ChainChecked(Value):
    """The result of verifying a chain."""

    linked: tuple[Linked, ...]
    problems: tuple[Problem, ...]


def empty_chain(name: str) -> Head:
    """The head of a chain without events; its name is hashed, so chains cannot be swapped."""
    return Head(0, _hash(name))


def link_events(events: Iterable[Event], after: Head) -> list[Linked]:
    """Put events into the chain, in order."""
    linked: list[Linked] = []
    for event in events:
        number = after.number + 1
        made = Linked(number, event, after.hash, _link_hash(number, event, after.hash))
        linked.append(made)
        after = made.head
    return linked


def furthest_head(seen: Head, linked: Iterable[Linked]) -> Head:
    """The head with the highest number, of the one `seen` before and those of `linked`.

    Returns `seen` if `linked` has another event at its number: the events were rewritten, and the
    stored head is the evidence.
    """
    head = seen
    for one in linked:
        if one.number == seen.number and one.hash != seen.hash:
            return seen
        if one.number > head.number:
            head = one.head
    return head


def erased_event(linked: Linked, erasure: Event, *, scope: str) -> Linked:
    """The event with another scope and without its old values; its number and hash stay.

    `before` then holds the id of the erasure alone, and the hash no longer fits the event.
    `verify_chain` accepts this where a chain holds an erasure with that id, and only there.
    """
    before = write_json({ERASED: erasure.id})
    return linked.but(event=linked.event.but(scope=scope, before=before))


def erasure_of(event: Event) -> str | None:
    """The id of the erasure that took an event's words, if one did."""
    if not event.before.startswith(f'{{"{ERASED}"'):
        return None
    named = parse_json(event.before).get(ERASED)
    return named if isinstance(named, str) else None


def erasures(lines: Iterable[str]) -> dict[str, str]:
    """The erasures that some chains tell of, unchanged: the scope of each by its id."""
    found: dict[str, str] = {}
    for line in lines:
        if f'"action":"{ERASED}"' not in line:
            continue
        try:
            one = from_line(line)
        except ValueError:
            continue
        if one.hash == _link_hash(one.number, one.event, one.previous):
            found[one.event.id] = one.event.scope
    return found


def action_marks(actions: Iterable[str]) -> list[str]:
    """The JSON fragments by which lines with one of these actions are found."""
    return [f'"action":"{action}"' for action in actions]


def to_line(linked: Linked) -> str:
    """One line of JSON, without its end."""
    place = {"n": linked.number, "previous": linked.previous, "hash": linked.hash}
    return _canonical({**_fields(linked.event), **place})


def from_line(line: str) -> Linked:
    """Parse a line of `to_line`; ValueError for any other line."""
    try:
        values: dict[str, Any] = parse_json(line)
        number, previous, hash = values.pop("n"), values.pop("previous"), values.pop("hash")
        related: list[Any] = values.pop("related", [])
        at = moment(values.pop("at"))
        event = Event(**values, at=at, related=tuple(related))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError("The line is not an event.") from error
    automatic = values.pop("automatic", False)
    if not _is_text(*values.values(), *related, previous, hash) or not isinstance(automatic, bool):
        raise ValueError("The line is not an event: it holds something other than text.")
    if not isinstance(number, int) or not 0 < number <= MOST_EVENTS:
        raise ValueError("The line has no place in a chain.")
    return Linked(number, event, previous, hash)


def _is_text(*values: object) -> bool:
    return all(isinstance(value, str) and _can_be_stored(value) for value in values)


def _can_be_stored(text: str) -> bool:
    """Half a surrogate pair is a string, but nothing that could be stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def verify_chain(
    lines: Sequence[str],
    *,
    name: str,
    where: str,
    seen: Head | None = None,
    erased: Mapping[str, str] | None = None,
) -> ChainChecked:
    """Find changed, removed, reordered and torn events in the lines (with their ends) of a chain.

    `seen` is a head the chain is known to have had: what it covers must still be there. `erased`
    are erasures that other chains tell of.
    """
    erased = {**(erased or {}), **erasures(lines)}
    problems: list[Problem] = []
    linked: list[Linked] = []
    for place, line in enumerate(lines, 1):
        try:
            one = from_line(line)
        except ValueError:
            torn = place == len(lines) and not line.endswith("\n")
            problems.append(_torn(where) if torn else _unreadable(where, place))
            continue
        linked.append(one)
        problems += _changed(one, line, where, erased)
    problems += _misplaced(linked, empty_chain(name), where)
    problems += _missing(linked, seen, where)
    return ChainChecked(tuple(linked), tuple(problems))


def sound_lines(lines: Iterable[str], *, name: str, erased: Mapping[str, str]) -> list[str]:
    """The lines of a chain from its beginning, as far as each is unchanged and continues the last.

    Lines that do not belong to the chain are left out.
    """
    next_lines: dict[str, tuple[Linked, str]] = {}
    for line in lines:
        try:
            one = from_line(line)
        except ValueError:
            continue
        if not _changed(one, line, name, erased):
            next_lines[one.previous] = (one, line)
    head, sound = empty_chain(name), list[str]()
    while (found := next_lines.pop(head.hash, None)) and found[0].number == head.number + 1:
        head = found[0].head
        sound.append(found[1])
    return sound


def _changed(one: Linked, line: str, where: str, erased: Mapping[str, str]) -> list[Problem]:
    # The text is compared too, because there is more than one way to write the same moment.
    sound = one.hash == _link_hash(one.number, one.event, one.previous)
    sound = sound or erasure_of(one.event) in erased
    if sound and to_line(one) == line.removesuffix("\n"):
        return []
    what = f"Event {one.number} ({one.event.id}) was changed."
    return [Problem(where, what, HINT, "error")]


def _misplaced(linked: list[Linked], before: Head, where: str) -> list[Problem]:
    problems: list[Problem] = []
    for one in linked:
        if one.number <= before.number:
            what = f"Event {one.number} ({one.event.id}) stands after event {before.number}."
            problems.append(Problem(where, f"Events were reordered: {what}", HINT, "error"))
        elif one.number == before.number + 1 and one.previous != before.hash:
            what = f"Event {one.number} ({one.event.id}) does not continue the one before it."
            problems.append(Problem(where, f"Events were replaced: {what}", HINT, "error"))
        before = one.head
    return problems


def _missing(linked: list[Linked], seen: Head | None, where: str) -> list[Problem]:
    hashes = {one.number: one.hash for one in linked}
    last = max([*hashes, seen.number if seen else 0], default=0)
    problems = [
        Problem(where, f"{gap} removed.", HINT, "error") for gap in _gaps([*hashes, last + 1])
    ]
    if seen and hashes.get(seen.number, seen.hash) != seen.hash:
        what = f"Events up to {seen.number} are not the ones this device has seen."
        problems.append(Problem(where, what, HINT, "error"))
    return problems


def _gaps(numbers: Iterable[int]) -> Iterator[str]:
    """The numbers from 1 on that are not among these, in words."""
    last = 0
    for number in sorted(numbers):
        if number > last + 2:
            yield f"Events {last + 1} to {number - 1} were"
        elif number == last + 2:
            yield f"Event {last + 1} was"
        last = max(last, number)


def _torn(where: str) -> Problem:
    what = "The last event is incomplete, as after a crash."
    return Problem(where, what, "The next change removes it; nothing is lost.", "notice")


def _unreadable(where: str, place: int) -> Problem:
    return Problem(where, f"Line {place} was changed: it does not read as an event.", HINT, "error")


def _fields(event: Event) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in event.__dict__.items():
        if name == "at":
            fields[name] = iso(value)
        elif name not in Event.__defaults__ or Event.__defaults__[name] != value:
            fields[name] = list(value) if name == "related" else value
    return fields


def _link_hash(number: int, event: Event, previous: str) -> str:
    return _hash(f"{previous}\n{number}\n{_canonical(_fields(event))}")


def _canonical(fields: dict[str, Any]) -> str:
    """The same text for the same fields, whatever order they were given in; always one line."""
    return _encoder()(fields)


@lru_cache(maxsize=1)
def _encoder() -> Callable[[object], str]:
    # Imported here, because reading needs none of it.
    from json import JSONEncoder

    return JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def _hash(text: str) -> str:
    # Imported here because it loads OpenSSL, which a plain recall does not need.
    import hashlib

    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
