"""The path of a memory in a vault, and what a path tells about the note there.

Every scope folder has the same shape: curated files at its top, the agent's own under `memory/`.
Folder names are safe and distinct on disks that ignore case, normalize Unicode or run Windows.
"""

from __future__ import annotations

import unicodedata

from ..model.errors import BadInput, BadLocator, BadScope, NotAllowed
from ..model.lazy_pattern import lazy
from ..model.memory import KINDS, LIVE, WORK_STATE
from ..model.quick_decorators import lru_cache
from ..model.scope import Scope
from ..model.value import Value
from .conflict_copies import possible_originals
from .layout import (
    AGENT,
    ALWAYS,
    ARCHIVE,
    BOOK,
    FACTS,
    FOLDERS,
    INBOX,
    INCUBATOR,
    MAP,
    OVERRIDES,
    PROFILE,
    SHELVES,
    WORK,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from ..model.memory import Memory


MAX_FOLDER_BYTES = 200
MAX_NAME_BYTES = 180
MAX_LOCATOR_CHARACTERS = 2_000
MAX_NOTE_BYTES = 5_000_000

_DIMENSIONS = {folder: dimension for dimension, folder in FOLDERS.items()}
_LAYOUT = frozenset({BOOK, AGENT, OVERRIDES, *_DIMENSIONS})
_KIND = lazy(r"[a-z0-9][a-z0-9-]{0,40}")
_PLURALS = {
    "fixes": "fix",
    **{f"{kind}s": kind for kind in KINDS},
    **{f"{kind[:-1]}ies": kind for kind in KINDS if kind.endswith("y")},
}
_RESERVED = lazy(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
_UNSAFE = frozenset('<>:"|?*%+\\/#^[]')
_WORD = lazy(r"[a-z0-9][a-z0-9_-]{0,150}")
_CODED = lazy(r"\+([a-z])|((?:%[0-9a-f]{2})+)")


class Place(Value):
    """Scope, owner and kind of a note as its path tells them."""

    scope: Scope = Scope()
    owner: str = "curated"
    kind: str = "note"
    shelf: str = ""
    """The reserved folder it lies in, if any."""
    form: str = "note"
    """note, facts (many lines), profile or override."""


def path_for(memory: Memory) -> str:
    """Where a memory belongs, from its axes alone."""
    if memory.owner == "personal":
        raise NotAllowed(
            "Personal notes are outside the vault.",
            hint="Write them with their own, explicit call.",
        )
    kind, home = checked_kind(memory.kind), scope_folder(memory.scope)
    live = memory.status in LIVE
    if memory.owner == "curated" and live:
        if kind == "profile":
            return f"{home}/{PROFILE}" if memory.scope.pairs else PROFILE
        if kind == "override" and (agent := memory.scope.value("agent")):
            home = scope_folder(memory.scope.without("agent"))
            return f"{home}/{OVERRIDES}/{folder_name(agent)}.md"
    half = f"{home}/{AGENT}" if memory.owner == "agent" else home
    folder = f"{WORK}/{kind}" if kind in WORK_STATE else kind
    return f"{half}/{shelf_for(memory) or folder}/{file_name(memory.slug or memory.id)}"


def shelf_for(memory: Memory) -> str:
    """The reserved folder a memory's status calls for; none for an ordinary one."""
    if memory.status not in LIVE:
        return INBOX if memory.status == "staged" else ARCHIVE
    if memory.always_load:
        return ALWAYS
    return INCUBATOR if memory.kind == "idea" and memory.owner == "agent" else ""


def place_at(path: str) -> Place | None:
    """Read a path; None for hidden files, generated files and files of other tools."""
    folder, _, name = path.rpartition("/")
    if name.startswith(".") or not name.endswith(".md") or _is_map(name):
        return None
    place, top = _folder_place(folder)
    if place is not None and place.kind == WORK and name.removesuffix(".md") in WORK_STATE:
        # A person writes `work/roadmap.md`; a task's note has letters of its id in its name.
        return place.but(kind=name.removesuffix(".md"))
    if place is None or not top:
        return place
    if top == OVERRIDES:
        agent = folder_value(name.removesuffix(".md"))
        scope = place.scope if place.scope.value("agent") else _with(place.scope, "agent", agent)
        return place.but(scope=scope, kind="override", form="override")
    if name == PROFILE:
        return place.but(kind="profile", form="profile")
    return place.but(kind="fact", form="facts") if name == FACTS else place


def _is_map(name: str) -> bool:
    """Whether a file is the generated map, or what a sync tool made of two devices' maps."""
    return name.startswith(MAP[:-3]) and (name == MAP or MAP in possible_originals(name))


@lru_cache(maxsize=4096)
def _folder_place(folder: str) -> tuple[Place | None, str]:
    """Read a folder, and whether it may hold `profile.md`, `facts.md` or overrides."""
    parts = folder.split("/") if folder else []
    if any(part.startswith((".", "_")) and part not in SHELVES for part in parts):
        return None, ""
    scope, parts, known = _scope_of(parts)
    owner = "curated"
    if parts and parts[0] == AGENT:
        owner, parts = "agent", parts[1:]
    shelf = next((part for part in parts if part in SHELVES), "")
    inner = [part for part in parts if part not in SHELVES]
    if len(inner) > 1 and inner[0] == WORK and _PLURALS.get(inner[1], inner[1]) in WORK_STATE:
        inner = inner[1:]
    kind = _kind_of(inner[0] if inner else "", owner, known=known)
    if shelf == INCUBATOR and not inner:
        kind = "idea"
    if owner == "curated" and not shelf and inner == [OVERRIDES]:
        return Place(scope=scope, owner=owner), OVERRIDES
    top = "top" if owner == "curated" and not parts else ""
    return Place(scope=scope, owner=owner, kind=kind, shelf=shelf), top


def _scope_of(parts: list[str]) -> tuple[Scope, list[str], bool]:
    """The scope that leading folders fix, the folders after them, and whether any did."""
    if parts and parts[0].casefold() == BOOK:
        return Scope(), parts[1:], True
    pairs: dict[str, str] = {}
    at = 0
    # Any order is understood: a person who nests users under a project must not widen who sees it.
    while at + 1 < len(parts) and (dimension := _DIMENSIONS.get(parts[at].casefold())):
        if dimension in pairs:
            break
        pairs[dimension] = folder_value(parts[at + 1])
        at += 2
    return Scope(tuple(pairs.items())), parts[at:], bool(pairs)


def _kind_of(folder: str, owner: str, *, known: bool) -> str:
    """The kind a folder's name stands for; `insights` is `insight`."""
    name = _PLURALS.get(folder, folder)
    conventional = name in KINDS or name == WORK
    if conventional or ((known or owner == "agent") and is_kind(name)):
        return name
    return "insight" if owner == "agent" else "note"


def _with(scope: Scope, dimension: str, value: str) -> Scope:
    return Scope((*scope.pairs, (dimension, value)))


def is_kind(name: str) -> bool:
    """Whether a kind may be called that."""
    reserved = name in _LAYOUT or _RESERVED.fullmatch(name)
    return _KIND.fullmatch(name) is not None and not reserved


def checked_kind(kind: str) -> str:
    """Refuse a kind that cannot be a folder or would be taken for one of the layout's."""
    if not is_kind(kind):
        raise BadInput(
            f"{kind[:60]!r} cannot be a kind.",
            hint="Use lower-case letters, digits and hyphens, such as insight or team-rule.",
        )
    return kind


def scope_folder(scope: Scope) -> str:
    """The folder of a scope: `/project/x/agent/coding` is `projects/x/agent-types/coding`."""
    if not scope.pairs:
        return BOOK
    return "/".join(f"{FOLDERS[d]}/{folder_name(v)}" for d, v in scope.pairs)


@lru_cache(maxsize=4096)
def folder_name(value: str) -> str:
    """A dimension's value as a folder name; `folder_value` reads it back."""
    name = "".join(
        f"+{c.lower()}" if "A" <= c <= "Z" else _escaped(c) if _unsafe(c) else c for c in value
    )
    if name[:1] in (".", "_", " ") or _RESERVED.fullmatch(name):
        name = _escaped(name[0]) + name[1:]
    if name[-1:] in (".", " "):
        name = name[:-1] + _escaped(name[-1])
    if not name or len(name.encode()) > MAX_FOLDER_BYTES:
        raise BadScope(
            f"{value[:40]!r} is too long for a folder's name.", hint="Use a shorter name."
        )
    return name


def folder_value(name: str) -> str:
    """The value a folder's name stands for; a name a person chose stands for itself."""

    def read(found: re.Match[str]) -> str:
        if found[1]:
            return found[1].upper()
        try:
            return bytes.fromhex(found[2].replace("%", "")).decode()
        except UnicodeDecodeError:
            return found[0]

    value = unicodedata.normalize("NFC", _CODED.sub(read, name))
    # Checked as any scope is, so that a strange folder cannot stand for a value nobody could ask.
    return Scope((("project", value),)).pairs[0][1]


def _unsafe(c: str) -> bool:
    """Characters that some disk refuses, folds into another, or Obsidian cannot link to."""
    if c < "\x80":
        return c in _UNSAFE or c < " " or c == "\x7f"
    return (
        c.casefold() != c
        or c.upper().casefold() != c
        or unicodedata.normalize("NFKC", c) != c
        or unicodedata.category(c)[0] in "CZ"
    )


def _escaped(c: str) -> str:
    return "".join(f"%{byte:02x}" for byte in c.encode())


def file_name(slug: str) -> str:
    """A note's file name: the slug, made safe for every disk and cut to a length all accept."""
    name = unicodedata.normalize("NFC", slug)
    if not _WORD.fullmatch(name):
        name = "".join("-" if _unsafe_in_name(c) else c for c in name)
    while len(name.encode()) > MAX_NAME_BYTES:
        name = name[: len(name) // 2] + name[len(name) // 2 + 1 :]
    name = name.strip(" .").lstrip("_.")
    if not name or _RESERVED.fullmatch(name) or f"{name}.md" in (PROFILE, FACTS):
        name = f"note-{name}".rstrip("-")
    return f"{name}.md"


def _unsafe_in_name(c: str) -> bool:
    return c in _UNSAFE or unicodedata.category(c)[0] == "C"


# A write asks about each of its paths several times.
@lru_cache(maxsize=2048)
def checked_locator(locator: str) -> str:
    """A path below the root with `/` between its parts, or BadLocator."""
    if not _is_locator(locator):
        raise BadLocator(
            f"{locator[:80]!r} is not a place inside the vault.",
            hint="Use a path relative to its root, without `..`.",
        )
    return locator


def _is_locator(text: str) -> bool:
    """Whether a text is a path without a drive; without a pattern, for each recall asks this."""
    has_drive = text[1:2] == ":" and text[0].isascii() and text[0].isalpha()
    if has_drive or len(text) > MAX_LOCATOR_CHARACTERS or "\\" in text or "\0" in text:
        return False
    return all(part not in ("", ".", "..") for part in text.split("/"))
