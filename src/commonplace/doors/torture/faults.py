"""The faults of a round, one function each; each returns sentences about writers that broke."""

from __future__ import annotations

import os

from .law import conflict_copies, unlike_devices
from .process import Kill
from .texts import text_of
from .troubles import note_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .tortured import TorturedBook

    Fault = Callable[[TorturedBook], list[str]]

_PAGE = 4096
_MOST_PASSES = 8
_DRAFTS_A_ROUND = 3
_MOST_SYNCS = 30
"""A change of a large text makes fewer."""
_KINDS_A_ROUND = 2
"""Kinds of changes that meet a trouble at each of their few dozen steps."""


def kill_writers(book: TorturedBook) -> list[str]:
    """Two writers, killed at random calls, life after life; now and then from outside."""
    chance = book.chance
    one, other = (
        plan.but(lives=8, dies=True, trouble="taken names") for plan in book.plans(2, changes=5)
    )
    kill = Kill(chance.randint(1, 10), chance.random())
    return book.write([(one, None), (other, chance.choice((None, kill)))])


def cut_power(book: TorturedBook) -> list[str]:
    """A writer dies, and what it wrote below the vault without syncing it is lost.

    So does one in a new book, whose first writes make every folder, and one at each sync of a
    change of a large text, whose note and original are removed or put in place one by one.
    """
    (plan,) = book.plans(1, changes=6)
    broken = book.write_and_look(plan.but(lives=4, dies=True, power_cut=book.root))
    (plan,) = book.plans(1, changes=2)
    book.power_cuts += 1
    others = book.chance.choice(("correct", "forget"))
    verb = "purge" if book.power_cuts % 2 else others
    broken += book.write_and_look(
        plan.but(lives=_MOST_SYNCS, dies=True, power_cut=book.root, at_syncs_of=verb)
    )
    young = book.young()
    (plan,) = young.plans(1, changes=4)
    os.makedirs(young.root)
    broken += young.write_and_look(plan.but(lives=3, dies=True, power_cut=young.root))
    broken += young.check()
    if not broken:
        young.remove()
    book.add(young)
    return broken


def fill_disk(book: TorturedBook) -> list[str]:
    """A writer whose disk is full, fails to sync or is not there, again and again."""
    (plan,) = book.plans(1, changes=40)
    return book.write([(plan.but(trouble="disk"), None)])


def unplug_at_each_step(book: TorturedBook) -> list[str]:
    """The disk with the vault goes away at every step of some kinds of changes, one by one."""
    return _meet_at_each_step(book, "unplugged")


def lose_log_at_each_step(book: TorturedBook) -> list[str]:
    """The tables of the log are lost at every step of some kinds of changes, one by one."""
    return _meet_at_each_step(book, "log lost")


def _meet_at_each_step(book: TorturedBook, trouble: str) -> list[str]:
    (plan,) = book.plans(1, changes=0)
    verbs = book.chance.sample(("save", "correct", "fact", "forget", "purge"), _KINDS_A_ROUND)
    return book.write([(plan.but(trouble=trouble, at_steps_of=tuple(verbs)), None)])


def jump_clock(book: TorturedBook) -> list[str]:
    """Two writers whose clocks jump by hours, days and years; one of them is killed."""
    one, other = (plan.but(clock_jumps=True) for plan in book.plans(2, changes=8))
    return book.write([(one.but(lives=2, dies=True), None), (other, None)])


def crowd_writers(book: TorturedBook) -> list[str]:
    """Two or three writers who set the same facts and save the same texts at the same moment."""
    plans = book.plans(book.chance.choice((2, 3)), changes=16)
    return book.write([(plan.but(in_step=True), None) for plan in plans])


def freeze_writer(book: TorturedBook) -> list[str]:
    """A writer freezes inside a change; another makes the same changes, and the first goes on.

    Then writers freeze before a draft, with the lease and without a transaction that waits for
    them: what they put in place afterwards would be of one that has lost its turn.
    """
    frozen, other = (plan.but(in_step=True) for plan in book.plans(2, changes=6))
    broken = book.write_while_frozen(frozen, other)
    for _ in range(_DRAFTS_A_ROUND):
        frozen, other = book.plans(2, changes=3)
        broken += book.write_while_frozen(frozen.but(at_draft=True), other)
    return broken


def damage_index(book: TorturedBook) -> list[str]:
    """A derived file is overwritten, cut or gone, also while a writer changes something.

    Then an old copy takes the place of this device's log, a folder, and nothing, in any order.
    """
    chance = book.chance
    files = book.derived_files()
    path = chance.choice(files) if files else ""
    if path:
        _damage(path, book)
    one, other = book.plans(2, changes=6)
    broken = book.write([(one, None), (other.but(dies=True), None)])
    before = book.log()
    (alone,) = book.plans(1, changes=12)
    broken += book.write([(alone.but(trouble="lost database"), None)])
    book.look_at(book.root, sync=True)
    # From here on every event is in a table of this device, whatever becomes of its file.
    for way in chance.sample(("old", "gone", "folder"), 3):
        (plan,) = book.plans(1, changes=2)
        broken += book.write([(plan, None)])
        if before is not None:
            _damage_log(before, way)
    (plan,) = book.plans(1, changes=2)
    return [*broken, *book.write([(plan, None)])]


def _damage_log(log: tuple[str, bytes], way: str) -> None:
    path, old = log
    os.unlink(path)
    if way == "folder":
        os.mkdir(path)
    elif way == "old":
        with open(path, "wb") as file:
            file.write(old)


def edit_by_hand(book: TorturedBook) -> list[str]:
    """A person touches, moves or edits the very notes that a writer changes, at that moment."""
    (plan,) = book.plans(1, changes=24)
    return book.write([(plan.but(trouble="person"), None)])


def _damage(path: str, book: TorturedBook) -> None:
    chance = book.chance
    way = chance.choice(("overwritten", "cut", "gone", "zeroed", "emptied"))
    if way == "gone":
        os.unlink(path)
        return
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if way == "cut":
        data = data[: chance.randrange(len(data) + 1)]
    elif way == "emptied":
        data = bytearray()
    elif way == "zeroed":
        at = chance.randrange(len(data) // _PAGE + 1) * _PAGE
        data[at : at + _PAGE] = bytes(len(data[at : at + _PAGE]))
    else:
        for _ in range(8):
            at = chance.randrange(len(data) + 1)
            data[at : at + 8] = chance.randbytes(len(data[at : at + 8]))
    with open(path, "wb") as file:
        file.write(data)


def sync_devices(book: TorturedBook) -> list[str]:
    """Two devices write, a careless sync tool brings their folders together, until it is calm."""
    tool = book.sync_tool()
    tool.run()
    _edit_on_both(book)
    here, there = book.plans(2, changes=8)
    # The other device has not seen this one's facts, so that two values would be a true conflict.
    there = there.but(url=f"vault:{book.other_root}", state=book.other_state, keys=(), same="")
    broken = book.write([(here, None), (there, None)])
    for _ in range(_MOST_PASSES):
        moved = tool.run(pause=book.look_at)
        for root in (book.root, book.other_root):
            book.look_at(root, sync=True, quiet_s=0)
        if not moved and not tool.run():
            return [*broken, *_unlike(book)]
    return [*broken, "The two devices send each other changes without end."]


def _unlike(book: TorturedBook) -> Iterator[str]:
    """How two devices differ once everything has arrived, and what their tool left behind."""
    yield from unlike_devices(book.shown(), book.shown(other=True))
    for root in (book.root, book.other_root):
        for path in conflict_copies(root):
            yield f"Left over: the conflict copy {path}"


def _edit_on_both(book: TorturedBook) -> None:
    """A person edits the same note on both devices."""
    chance, free = book.chance, book.promises.replaceable()
    for number, id in enumerate(chance.sample(free, min(len(free), chance.randint(0, 2)))):
        old = book.promises.kept[id].text
        texts = [text_of(f"{book.round}-{side}-{number}-plain") for side in "xy"]
        paths = [note_of(root, id, old) for root in (book.root, book.other_root)]
        if not all(paths):
            continue
        for path, text in zip(paths, texts, strict=True):
            with open(path, encoding="utf-8") as file:
                whole = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(whole.replace(old, text))
        book.promises.divide(id, *texts)


FAULTS: dict[str, Fault] = {
    "writers killed": kill_writers,
    "power cut": cut_power,
    "disk full": fill_disk,
    "unplugged": unplug_at_each_step,
    "log lost": lose_log_at_each_step,
    "clock jumps": jump_clock,
    "writers at once": crowd_writers,
    "writer frozen": freeze_writer,
    "index damaged": damage_index,
    "devices synced": sync_devices,
    "edited by hand": edit_by_hand,
}
OF_FILES = ("power cut", "unplugged", "log lost", "devices synced", "edited by hand")
"""Faults that only a book of plain files can meet."""
MENDED_LATER = ("log lost", "index damaged")
"""Faults after which a sync may write the log anew, and the doctor may build the index anew."""
