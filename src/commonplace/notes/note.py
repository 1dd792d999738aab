"""A memory as a markdown note, and a note as a memory.

The body is the content, to the last character. The frontmatter holds what the folder does not
say. A note that a person wrote without any is a memory too, and what they wrote in their own way
stays as they wrote it. Here notes are text alone: `backends/vault/writer.py` writes the files.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..model.checkout import is_branch, is_commit
from ..model.codec import TIMES, TUPLES, iso, moment, to_millisecond
from ..model.errors import BadInput
from ..model.identity import derived_id
from ..model.memory import LIVE, SENSITIVITIES, STATUSES, TIERS, TRUSTS, UNASKED_TIERS, Memory
from ..model.value import Value
from . import frontmatter
from .layout import ALWAYS, ARCHIVE, INBOX
from .places import MAX_NOTE_BYTES, is_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .frontmatter import FrontmatterBlock, Read
    from .places import Place

ALWAYS_WRITTEN = ("id", "kind", "status", "created", "updated", "tags")
_FROM_THE_FOLDER = ("scope", "owner", "content")
FIELDS = (
    *ALWAYS_WRITTEN,
    *(n for n in Memory.__fields__ if n not in ALWAYS_WRITTEN and n not in _FROM_THE_FOLDER),
)
_ENGINES_OWN = frozenset({
    "trust", "source", "version", "supersedes", "superseded_by", "repository", "commit", "branch",
})  # fmt: skip
"""Fields that mean something only in a note with an id; elsewhere they are a person's own keys."""
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*\r?$", re.MULTILINE)
_FENCED = re.compile(r"^(```|~~~)", re.MULTILINE)
_ID = re.compile(r"[\w.:-]{1,100}")
_FORBIDDEN = re.compile("[\0\ud800-\udfff]")


class Note(Value):
    """A note taken apart: its frontmatter, the content, and the line breaks around the content."""

    block: FrontmatterBlock | None
    content: str
    before: str = ""
    after: str = ""


class Reading(Value):
    """The memory a note holds, and what a person should know about the note."""

    memory: Memory
    problem: str = ""


def split_note(text: str) -> Note:
    """Take a note apart; `join_note` puts it together again, byte for byte."""
    block, body = frontmatter.split_frontmatter(text)
    newline = block.newline if block else "\r\n" if body.endswith("\r\n") else "\n"
    before = newline if block and body.startswith(newline) else ""
    body = body[len(before) :]
    after = newline if body.endswith(newline) else ""
    return Note(block, body[: len(body) - len(after)], before, after)


def join_note(note: Note) -> str:
    """The text of a note."""
    head = note.block.text() if note.block else ""
    return head + note.before + note.content + note.after


def render_note(memory: Memory) -> str:
    """A new note for a memory."""
    if not _ID.fullmatch(memory.id):
        raise BadInput(f"{memory.id[:40]!r} cannot be an id.", hint="Use letters and digits.")
    if _FORBIDDEN.search(memory.content):
        raise BadInput("The content has a character that no text file can hold.", hint="Remove it.")
    lines = [(name, _written(name, value)) for name, value in written_fields(memory).items()]
    text = join_note(Note(frontmatter.new_block(lines), memory.content, "\n", "\n"))
    if len(text.encode()) > MAX_NOTE_BYTES:
        raise BadInput(
            "The memory is too large for a note.", hint="Split it into several memories."
        )
    return text


def reads_back(memory: Memory) -> bool:
    """Whether a memory's note reads back unchanged, so that nobody need check it.

    False where an absent key, the folder or a heading would change a field.
    """
    values = memory.__dict__
    if not memory.slug or (not memory.title and first_heading(memory.content)):
        return False
    if any(item[:1] in ("", "#") for name in TUPLES for item in values[name]):
        return False
    if any(time and time.microsecond % 1000 for time in (values[name] for name in TIMES)):
        return False
    return "" not in [values[name] for name in _NEVER_EMPTY]


def update_note(text: str, memory: Memory) -> str:
    """The note with the fields that differ from the memory rewritten, all else byte for byte."""
    note = split_note(text)
    block = note.block
    if block and block.problem:
        raise BadInput("The frontmatter of this note is too large.", hint="Shorten it first.")
    said = _explicit(block)[0] if block else {}
    wanted = written_fields(memory)
    changes: dict[str, str | None] = {}
    for name in FIELDS:
        value = wanted.get(name)
        if name not in wanted:
            # An absent key already says the default, but only where the note has an id.
            if name in said and said[name] != Memory.__defaults__.get(name):
                changes[name] = None
        elif said.get(name, _ABSENT) != value and (name != "tags" or value or name in said):
            changes[name] = _written(name, value)
    if block is None:
        new = [(name, value) for name, value in changes.items() if value is not None]
        newline = "\r\n" if note.after == "\r\n" else "\n"
        note = note.but(block=frontmatter.new_block(new, newline), before=newline)
    elif changes:
        note = note.but(block=frontmatter.replace_keys(block, changes))
    if memory.content != note.content:
        note = note.but(content=memory.content)
    return join_note(note)


def set_fields(text: str, memory: Memory, before: Memory) -> str:
    """A note that has no id with the fields that differ from `before`, all else byte for byte."""
    wanted = written_fields(memory)
    changes = {
        name: _written(name, wanted[name]) if name in wanted else None
        for name in FIELDS
        if getattr(memory, name) != getattr(before, name)
    }
    return _with_keys(text, changes) if changes else text


def with_own_keys(text: str, others: Sequence[str]) -> str:
    """A note with what only other copies of it have of a person's own in their heads.

    Another value of a key that it has, which is no list to add to, becomes a comment.
    """
    known: dict[str | None, tuple[str, ...]] = {}
    said: set[str] = set()
    for span in _own_spans(text):
        known.setdefault(span.key, _lines(span))
        said.update(_lines(span))
    keys: list[str] = []
    comments: list[str] = []
    for span in [span for other in others for span in _own_spans(other)]:
        lines = _lines(span)
        if span.key is not None and known.setdefault(span.key, lines) is lines:
            keys += lines
        elif span.key is None or lines != known[span.key]:
            remarks = [line if line.startswith("#") else f"# {line}" for line in lines if line]
            comments += [] if said.issuperset(remarks) else remarks
        said.update(comments)
    added = keys + comments
    return _with_keys(text, {}, added) if added else text


def _own_spans(text: str) -> list[frontmatter.KeySpan]:
    """The lines of a note's head that the program reads past."""
    block = split_note(text).block
    spans = frontmatter.key_spans(block) if block and not block.problem else []
    return [span for span in spans if span.key not in _KNOWN]


def _lines(span: frontmatter.KeySpan) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in span.lines)


def own_touches(text: str) -> tuple[str, ...]:
    """The traces that a person's editor left in a note, and that the program does not read.

    These are lines of the person's own in its head, and ends of lines that `render_note` never
    writes.
    """
    note = split_note(text)
    found = [line for span in _own_spans(text) for line in _lines(span)]
    if note.block and note.block.newline != "\n":
        found.append(note.block.newline)
    missing = [name for name in ("before", "after") if not getattr(note, name)]
    return (*found, *(f"no line {name} the text" for name in missing))


def _with_keys(text: str, changes: Mapping[str, str | None], lines: Sequence[str] = ()) -> str:
    note = split_note(text)
    newline = note.block.newline if note.block else "\r\n" if note.after == "\r\n" else "\n"
    block = frontmatter.replace_keys(note.block or frontmatter.new_block((), newline), changes)
    block = block.but(inner=block.inner + "".join(line.rstrip("\r\n") + newline for line in lines))
    before = note.before if note.block else newline
    return join_note(note.but(block=block, before=before))


_ABSENT = object()
_NEVER_EMPTY = tuple(name for name in FIELDS if Memory.__defaults__.get(name) != "")
"""Fields for which an absent key and an empty text differ."""


def written_fields(memory: Memory) -> dict[str, Any]:
    """The fields a note names, in their order: those always there, then those not the default."""
    values, defaults = memory.__dict__, Memory.__defaults__
    found = {name: values[name] for name in ALWAYS_WRITTEN}
    for name in FIELDS[len(ALWAYS_WRITTEN) :]:
        if values[name] != defaults[name]:
            found[name] = values[name]
    if memory.title and memory.title == first_heading(memory.content):
        del found["title"]
    return found


def _written(name: str, value: Any) -> str:
    return iso(value) if name in TIMES else frontmatter.to_yaml(value)


def read_note(text: str, *, path: str, place: Place, modified: datetime) -> Reading:
    """The memory in a note. Folder over frontmatter for scope and owner, frontmatter over folder
    for kind; what cannot be read is left out and named."""
    note = split_note(text)
    said: dict[str, Any] = {}
    problems: list[str] = []
    if note.block and note.block.problem:
        problems.append(note.block.problem)
    elif note.block:
        said, problems = _explicit(note.block)
    values: dict[str, Any] = _by_hand(path, place, said) if "id" not in said else said
    values.setdefault("created", values.get("updated", modified))
    values.setdefault("updated", max(values["created"], modified) if "id" not in said else modified)
    values.setdefault("slug", path.rpartition("/")[2].removesuffix(".md"))
    if not values.get("title"):
        values["title"] = first_heading(note.content)
    _by_place(values, place)
    memory = Memory(content=note.content, scope=place.scope, owner=place.owner, **values)
    return Reading(memory, _sentence(problems))


def first_heading(content: str) -> str:
    """The first `# heading` of a text, which is its title when the note names none."""
    found = _HEADING.search(content) if "# " in content or "#\t" in content else None
    if found is None or len(_FENCED.findall(content, 0, found.start())) % 2:
        return ""
    return found[1]


def _by_hand(path: str, place: Place, said: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a note that nobody saved; agents write files, too, in the agent's folder."""
    values = {name: value for name, value in said.items() if name not in _ENGINES_OWN}
    trust = "agent" if place.owner == "agent" else "user"
    if trust == "agent" and values.get("tier") in UNASKED_TIERS:
        del values["tier"]
    return {**values, "id": derived_id("n", path), "trust": trust, "source": "hand"}


def _by_place(values: dict[str, Any], place: Place) -> None:
    if place.form != "note" or "kind" not in values:
        values["kind"] = place.kind
    status = values.get("status", "active")
    if place.shelf == ARCHIVE and (status in LIVE or status == "staged"):
        values["status"] = "archived"
    elif place.shelf == INBOX and status in LIVE:
        values["status"] = "staged"
    elif place.shelf == ALWAYS:
        values["always_load"] = True
    if place.form in ("profile", "override"):
        values.setdefault("tier", "identity")
        if place.form == "profile" and not place.scope.pairs:
            values["always_load"] = True


def _explicit(block: FrontmatterBlock) -> tuple[dict[str, Any], list[str]]:
    """The fields that frontmatter names, as a memory holds them, and the keys that are not so."""
    given, unread = frontmatter.read_values(block)
    problems = [f"its {name!r} cannot be read" for name in unread]
    said: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _KNOWN or value is None or value == "":
            continue
        try:
            said[name] = _field(name, value)
        except ValueError:
            # Without an id the key is a person's own, and may say what it likes.
            if given.get("id"):
                problems.append(f"its {name!r} is not a {name}")
    return said, problems


_KNOWN = frozenset(FIELDS)


def _field(name: str, value: Read) -> Any:
    """A field's value from its text; ValueError when it is not one."""
    if name in TUPLES:
        return _texts(name, value)
    if not isinstance(value, str):
        raise ValueError(name)
    convert = _CONVERT.get(name)
    return convert(value) if convert else value


def _texts(name: str, value: Read) -> tuple[str, ...]:
    if isinstance(value, str):
        value = re.split(r"[,\s]+" if name == "tags" else r"\s*,\s*", value.strip())
    items = [item for item in value or () if item]
    if name == "tags":
        items = [item[1:] if item[0] == "#" and len(item) > 1 else item for item in items]
    return tuple(items)


def _one_of(allowed: tuple[str, ...]) -> Callable[[str], str]:
    def convert(value: str) -> str:
        if (word := value.lower()) not in allowed:
            raise ValueError(value)
        return word

    return convert


def _time(value: str) -> datetime:
    return to_millisecond(moment(value))


def _true(value: str) -> bool:
    return _one_of(("true", "false"))(value) == "true"


def _share(value: str) -> float:
    if not 0 <= (share := float(value)) <= 1:
        raise ValueError(value)
    return share


def _kind(value: str) -> str:
    if not is_kind(kind := value.lower()):
        raise ValueError(value)
    return kind


def _commit(value: str) -> str:
    if not is_commit(value):
        raise ValueError(value)
    return value


def _branch(value: str) -> str:
    if not is_branch(value):
        raise ValueError(value)
    return value


def _id(value: str) -> str:
    if not _ID.fullmatch(value):
        raise ValueError(value)
    return value


_CONVERT: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(TIMES, _time),
    "status": _one_of(STATUSES), "tier": _one_of(TIERS), "trust": _one_of(TRUSTS),
    "sensitivity": _one_of(SENSITIVITIES), "version": int, "position": int,
    "confidence": _share, "importance": _share, "always_load": _true, "kind": _kind, "id": _id,
    "repository": _commit, "commit": _commit, "branch": _branch,
}  # fmt: skip


def _sentence(problems: list[str]) -> str:
    return f"This note is read only in part: {', '.join(problems)}." if problems else ""


def file_moment(modified_s: float) -> datetime:
    """The moment of a file's time stamp."""
    return to_millisecond(datetime.fromtimestamp(modified_s, UTC))
