"""Several devices that share a vault by a dumb folder sync, one step at a time, by chance.

The tool knows names, bytes and times alone. It brings one file at a time, in any order, and keeps
both files where two devices changed one: the second gets a name as `sync_tool` lists them.
"""

from __future__ import annotations

import hashlib
import os
import re

from ...books.open import open_book
from ...model.errors import CommonplaceError
from ...model.memory import LIVE
from ...notes.note import split_note
from ...settings import Settings
from ...verbs.export import as_json_lines
from .law import conflict_copies, id_in, notes_below
from .sync_tool import CONFLICT_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from ...book import Commonplace
    from ...model.memory import Memory

    SyncedFile = tuple[bytes, int]
    """The bytes of a file, and its time."""

MOST_PASSES = 20
ACTS = {
    "deliver": 8, "edit": 5, "save": 2, "correct": 2, "forget": 1, "write": 1, "fact": 1,
    "sync": 3, "decide": 1, "tag": 2, "move": 1, "line_ends": 1,
}  # fmt: skip
"""Acts of the devices, each with its weight in the random choice."""
FOLDERS = ("system/memory/recipes", "projects/atlas/memory/insight", "system/memory/insight")
"""Where people move notes to."""
_AS_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_HIDDEN = re.compile(r"(^|/)[.~]")


class Cloud:
    """The tool's own copy of the folder, which every device is synced with."""

    def __init__(self) -> None:
        self.files: dict[str, SyncedFile] = {}


class Device:
    """One device: its folder, its own state, and what the tool saw there last."""

    def __init__(
        self,
        folder: str,
        name: str,
        cloud: Cloud,
        chance: random.Random,
        *,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        self.name = name
        self._now = now
        self.root = os.path.join(folder, name)
        self._state = os.path.join(folder, f"{name}-state")
        self._cloud = cloud
        self._chance = chance
        self._last: dict[str, SyncedFile] = {}
        self._opened: Commonplace | None = None
        os.makedirs(self.root, exist_ok=True)

    @property
    def book(self) -> Commonplace:
        """The book as its person has it open on this device."""
        if self._opened is None:
            settings = Settings(state=self._state, embedder="none")
            self._opened = open_book(
                f"vault:{self.root}", settings=settings, source="person", background=False,
                now=self._now,
            )  # fmt: skip
        return self._opened

    def close(self) -> None:
        """Close the book."""
        if self._opened is not None:
            self._opened.close()

    def waiting(self) -> list[str]:
        """Paths that the tool has to bring to this device or from it."""
        here = self._files()
        paths = here.keys() | self._cloud.files.keys() | self._last.keys()
        return sorted(
            path for path in paths if _bytes(here.get(path)) != _bytes(self._cloud.files.get(path))
        )

    def bring(self, path: str) -> None:
        """Let the tool do what it does with one path."""
        here, there = _read(os.path.join(self.root, path)), self._cloud.files.get(path)
        last = self._last.get(path)
        if _bytes(here) == _bytes(there):
            pass
        elif _bytes(here) == _bytes(last) or here is None:
            if _bytes(there) == _bytes(last):
                self._send(path, None)
            else:
                # A file that was removed here and changed elsewhere comes back.
                self._write(path, there)
        elif _bytes(there) == _bytes(last) or there is None:
            self._send(path, here)
        else:
            self._keep_both(path, here, there)
        self._note(path)

    def _keep_both(self, path: str, here: SyncedFile, there: SyncedFile) -> None:
        won, lost = (here, there) if self._chance.random() < 0.5 else (there, here)
        name, end = os.path.splitext(path)
        copy = self._chance.choice(CONFLICT_NAMES).format(name=name, end=end)
        if os.path.exists(os.path.join(self.root, copy)) or copy in self._cloud.files:
            copy = f"{name}.sync-conflict-20261117-101500-{self._chance.randrange(10**7):07}{end}"
        self._cloud.files[path] = won
        self._write(path, won)
        self._write(copy, lost)

    def _send(self, path: str, file: SyncedFile | None) -> None:
        if file is None:
            self._cloud.files.pop(path, None)
        else:
            self._cloud.files[path] = file

    def _note(self, path: str) -> None:
        found = self._cloud.files.get(path)
        if found is None:
            self._last.pop(path, None)
        else:
            self._last[path] = found

    def _write(self, path: str, file: SyncedFile | None) -> None:
        whole = os.path.join(self.root, path)
        if file is None:
            self._remove(path)
            return
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        draft = os.path.join(os.path.dirname(whole), f".syncthing.{os.path.basename(path)}.tmp")
        with open(draft, "wb") as out:
            out.write(file[0])
        os.utime(draft, ns=(file[1], file[1]))
        os.replace(draft, whole)

    def _remove(self, path: str) -> None:
        whole = os.path.join(self.root, path)
        if os.path.exists(whole):
            os.unlink(whole)

    def _files(self) -> dict[str, SyncedFile]:
        found: dict[str, SyncedFile] = {}
        for inside, _, names in os.walk(self.root):
            for name in names:
                path = os.path.relpath(os.path.join(inside, name), self.root)
                if not _HIDDEN.search(path) and (read := _read(os.path.join(inside, name))):
                    found[path] = read
        return found

    def shown(self) -> list[Memory]:
        """Every memory that this device shows, of any status."""
        return list(self.book.export(everything=True))

    def export_hash(self) -> str:
        """The hash of everything that this device would export."""
        hash = hashlib.blake2b(digest_size=16)
        for line in as_json_lines(self.shown()):
            hash.update(line)
        return hash.hexdigest()

    def notes(self) -> list[tuple[str, str]]:
        """Path and text of each note that holds a live memory or a person's own text."""
        return [
            (path, text)
            for path, text in notes_below(self.root)
            if not {"_archive", "_inbox"} & set(path.split("/")[:-1])
        ]

    def edit_by_hand(self, path: str, text: str) -> str:
        """Give a note another text, as a person does in an editor; returns the text before."""
        whole = os.path.join(self.root, path)
        with open(whole, encoding="utf-8") as file:
            note = split_note(file.read())
        head = note.block.text() if note.block else ""
        self._save_by_hand(path, head + note.before + text + note.after)
        return note.content

    def tag_by_hand(self, path: str, tag: str) -> None:
        """Add a tag in the head of a note."""
        with open(os.path.join(self.root, path), encoding="utf-8", newline="") as file:
            text = file.read()
        found = re.search(r"(?m)^tags: \[(.*)\]", text)
        if found:
            items = f"{found[1]}, {tag}" if found[1] else tag
            text = f"{text[: found.start()]}tags: [{items}]{text[found.end() :]}"
        elif not text.startswith("---"):
            text = f"---\ntags: [{tag}]\n---\n{text}"
        else:
            text = re.sub(r"\A---\r?\n", lambda head: f"{head[0]}tags: [{tag}]\n", text)
        self._save_by_hand(path, text)

    def exchange_line_ends(self, path: str) -> None:
        """Save a note as an editor of another system does."""
        with open(os.path.join(self.root, path), encoding="utf-8", newline="") as file:
            text = file.read()
        other = text.replace("\r\n", "\n")
        self._save_by_hand(path, other.replace("\n", "\r\n") if other == text else other)

    def move_by_hand(self, path: str, target: str) -> None:
        """Move a note in the file manager, unless there is a file."""
        whole = os.path.join(self.root, target)
        if not os.path.exists(whole):
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            os.rename(os.path.join(self.root, path), whole)

    def _save_by_hand(self, path: str, text: str) -> None:
        whole = os.path.join(self.root, path)
        with open(f"{whole}.editor", "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(f"{whole}.editor", whole)


class SharedBook:
    """Devices that share one vault, what their people wrote, and what must not be lost of it."""

    def __init__(
        self,
        folder: str,
        devices: int,
        chance: random.Random,
        *,
        notes: int = 2,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        self._chance = chance
        self.cloud = Cloud()
        self.devices = [
            Device(folder, f"device-{number}", self.cloud, chance, now=now)
            for number in range(devices)
        ]
        self._count = 0
        self._written: dict[str, set[str]] = {}
        self.owed: set[str] = set()
        """Texts that some person wrote and no person has edited away."""
        self.tags: set[str] = set()
        """Tags that some person wrote; in these worlds nobody removes one."""
        first = self.devices[0]
        first.book.save_many([self._text("first") for _ in range(notes)])
        self.deliver_all()

    def close(self) -> None:
        """Close every book."""
        for device in self.devices:
            device.close()

    def _text(self, what: str) -> str:
        self._count += 1
        # A word, because a number in its place is now and then taken for a password.
        word = f"{self._chance.getrandbits(32):08x}".translate(_AS_LETTERS)
        text = f"The {what} note number {self._count} says {word}."
        self.owed.add(text)
        return f"{text}\nIt has a second line."

    def step(self, acts: Mapping[str, int] | None = None) -> str:
        """Let one device do something, by the weights of `acts`; returns what."""
        device = self._chance.choice(self.devices)
        acts = acts or ACTS
        (act,) = self._chance.choices(list(acts), list(acts.values()))
        try:
            getattr(self, f"_{act}")(device)
        except CommonplaceError:
            return f"{device.name}: {act} refused"
        return f"{device.name}: {act}"

    def _deliver(self, device: Device) -> None:
        waiting = device.waiting()
        self._chance.shuffle(waiting)
        for path in waiting[: self._chance.randint(1, max(1, len(waiting)))]:
            device.bring(path)

    def _sync(self, device: Device) -> None:
        device.book.sync(quiet_s=0)

    def _save(self, device: Device) -> None:
        device.book.save(self._text("saved"))

    def _edit(self, device: Device) -> None:
        notes = [path for path, _ in device.notes() if not path.endswith("facts.md")]
        if notes:
            path = self._chance.choice(notes)
            before = device.edit_by_hand(path, self._text("edited"))
            self._written.setdefault(path, set()).add(device.name)
            self.owed -= {text for text in self.owed if text in before}

    def _tag(self, device: Device) -> None:
        if path := self._note_with_id(device):
            self._count += 1
            tag = f"tag-{self._count}"
            self.tags.add(tag)
            device.tag_by_hand(path, tag)

    def _move(self, device: Device) -> None:
        if path := self._note_with_id(device):
            name = self._chance.choice((os.path.basename(path), f"moved-{self._count:04}.md"))
            device.move_by_hand(path, f"{self._chance.choice(FOLDERS)}/{name}")

    def _line_ends(self, device: Device) -> None:
        if path := self._note_with_id(device):
            device.exchange_line_ends(path)

    def _note_with_id(self, device: Device) -> str | None:
        notes = [path for path, text in device.notes() if id_in(text)]
        return self._chance.choice(notes) if notes else None

    def _write(self, device: Device) -> None:
        path = os.path.join(device.root, self._chance.choice(("Ideas.md", "Recipes.md")))
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{self._text('written')}\n")

    def _fact(self, device: Device) -> None:
        key = self._chance.choice(("editor", "branch", "standup"))
        path = os.path.join(device.root, "facts.md")
        lines: list[str] = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
        value = f"{self._chance.getrandbits(32):08x}"
        for old in [line for line in lines if line.startswith(f"- {key}: ")]:
            self.owed.discard(old.removeprefix("- "))
            lines.remove(old)
        self.owed.add(f"{key}: {value}")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([*lines, f"- {key}: {value}", ""]))

    def _live(self, device: Device) -> list[Memory]:
        return [one for one in device.shown() if one.status in LIVE and one.key is None]

    def _correct(self, device: Device) -> None:
        if live := self._live(device):
            device.book.correct(self._chance.choice(live).id, self._text("corrected"))

    def _forget(self, device: Device) -> None:
        if live := self._live(device):
            device.book.forget(self._chance.choice(live).id)

    def _decide(self, device: Device) -> None:
        decidable = ("remember", "contradiction")
        waiting = [one for one in device.book.inbox() if one.action in decidable]
        if waiting:
            one = self._chance.choice(waiting)
            kept = self._chance.choice(one.about).id if one.about else None
            if self._chance.random() < 0.5:
                keep = kept if one.action == "contradiction" else None
                device.book.accept(one.memory.id, keep=keep)
            else:
                device.book.reject(one.memory.id)

    def shared_notes(self) -> list[str]:
        """Paths of notes that several devices have edited."""
        return sorted(path for path, names in self._written.items() if len(names) > 1)

    def deliver_all(self) -> bool:
        """Bring every file everywhere; returns whether anything had to be brought."""
        moved = False
        for _ in range(MOST_PASSES):
            before = moved
            waiting = [(device, path) for device in self.devices for path in device.waiting()]
            self._chance.shuffle(waiting)
            for device, path in waiting:
                device.bring(path)
            if not waiting:
                return moved
            moved = before or bool(waiting)
        raise AssertionError("The tool does not come to rest.")

    def settle(self) -> int:
        """Deliver and sync until nothing moves any more; returns the number of passes."""
        for number in range(MOST_PASSES):
            moved = self.deliver_all()
            for device in self.devices:
                device.book.sync(quiet_s=0)
            if not moved and not any(device.waiting() for device in self.devices):
                return number
        raise AssertionError("The devices send each other changes without end.")

    def broken(self) -> Iterator[str]:
        """Every way in which the devices, once settled, have not converged."""
        hashes = {device.export_hash() for device in self.devices}
        if len(hashes) != 1:
            yield f"{len(hashes)} different exports"
            yield from _first_differences(self.devices)
        for device in self.devices:
            for path in conflict_copies(device.root):
                yield f"{device.name} still has {path}"
            yield from _held_twice(device)
        first = self.devices[0]
        # A line of `facts.md` that states no fact is read by nobody, and stays in the file.
        lines = [text for path, text in first.notes() if path == "facts.md"]
        texts = "\n".join([*lines, *(one.content for one in first.shown())])
        for text in sorted(self.owed):
            if text not in texts:
                yield f"lost: {text}"
        for tag in sorted(self.tags.difference(*(one.tags for one in first.shown()))):
            yield f"lost: {tag}"


def _held_twice(device: Device) -> Iterator[str]:
    """Notes that are in two files; two with the very same bytes may be a person's own copy."""
    paths: dict[str, list[str]] = {}
    texts: dict[str, set[str]] = {}
    for path, text in notes_below(device.root):
        if id := id_in(text):
            paths.setdefault(id, []).append(path)
            texts.setdefault(id, set()).add(text)
    for id, found in paths.items():
        if len(texts[id]) > 1:
            yield f"{device.name} has {id} in {' and '.join(found)}"


def _first_differences(devices: list[Device]) -> Iterator[str]:
    one, *others = ({m.id: m for m in device.shown()} for device in devices)
    for number, other in enumerate(others, 1):
        for id in sorted(one.keys() | other.keys()):
            if one.get(id) != other.get(id):
                yield f"devices 0 and {number} differ about {id}: {one.get(id)}, {other.get(id)}"


def _read(path: str) -> SyncedFile | None:
    try:
        with open(path, "rb") as file:
            return file.read(), os.fstat(file.fileno()).st_mtime_ns
    except OSError:
        return None


def _bytes(file: SyncedFile | None) -> bytes | None:
    return None if file is None else file[0]
