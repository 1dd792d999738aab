"""The manifest: the files that this device last saw, the ids they claim, the order of changes.

The manifest can be made again by reading every note; with it, finding changes costs only file
times. It holds no text of a memory.

When several files claim one id, curated notes win over those in an agent's folder, then the newest
wins; a fact line counts as older than every note. Of equally new files the one with the higher
`rank` wins, then the one whose name ends like the id, then the one with the shortest path, then the
alphabetically first.
A loser with the same text is a copy and is not read; one with another text gets an id made from
its path.
"""

from __future__ import annotations

import os
import time

import apsw

from ...model.errors import Damaged
from ...model.identity import derived_id
from ...model.quick_json import write_json
from ...model.value import Value
from ...notes.layout import AGENT, FACTS
from ..common.sqlite import SQLITE, migrate, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from ...model.scope import Tenant
    from ..common.sqlite import SqliteConnection
    from ..common.sqlite_file import SqliteFile
    from .read_notes import NoteClaim

# `files.term` is the hash of a file's stat fields; `files.racy` says that it changed too recently.
_SCHEMA = """
CREATE TABLE folders(path TEXT PRIMARY KEY, signature INTEGER, modified INTEGER) WITHOUT ROWID;
CREATE TABLE files(
  path TEXT PRIMARY KEY, folder TEXT NOT NULL, term INTEGER, crc INTEGER, racy INTEGER,
  gone INTEGER, revision INTEGER NOT NULL, problem TEXT
) WITHOUT ROWID;
CREATE INDEX files_by_folder ON files(folder);
CREATE INDEX files_by_revision ON files(revision);
CREATE INDEX files_racy ON files(racy) WHERE racy;
CREATE INDEX files_with_problem ON files(path) WHERE problem <> '';
CREATE TABLE claims(
  path TEXT NOT NULL, id TEXT NOT NULL, effective TEXT, updated TEXT, rank INTEGER,
  digest INTEGER, scope TEXT, kind TEXT, status TEXT, live INTEGER,
  PRIMARY KEY(path, id)
) WITHOUT ROWID;
CREATE INDEX claims_by_id ON claims(id);
CREATE INDEX claims_by_effective ON claims(effective);
CREATE INDEX claims_odd ON claims(path) WHERE effective IS NOT id;
CREATE TABLE erased(revision INTEGER PRIMARY KEY, masked BLOB NOT NULL);
CREATE TABLE counters(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES('revision', 0);
"""


UNPROVEN = -1
"""The time of a folder that may have changed since it was listed."""


class SeenFile(Value):
    """A file as it was last seen."""

    stat_hash: int
    """The hash of inode, times and size."""
    crc: int
    gone: bool


class ManifestEntry(Value):
    """A file to record; without claims it holds no memory."""

    path: str
    stat_hash: int = 0
    crc: int = 0
    changed_too_recently: bool = False
    """Whether another change may not show in the file's time."""
    gone: bool = False
    problem: str = ""
    claims: tuple[NoteClaim, ...] = ()


class FileChange(Value):
    """A changed file and its revision."""

    path: str
    gone: bool
    crc: int
    revision: int


class Claimant(Value):
    """A file that claims an id."""

    path: str
    said: str
    """The id in the file."""
    effective: str | None
    """The id that the store gives it: another one for another text, None for a copy."""
    live: bool
    """Whether the file is still there."""


class GivenInMemory:
    """The newest revision that was given out while the manifest's file could not be written."""

    revision = 0


class Manifest:
    """The tables in `vault.db`. Callers hold the connection's lock, and a transaction to write."""

    def __init__(self, db: SqliteFile, given: GivenInMemory) -> None:
        self._db = db
        self._given = given

    def revision(self) -> int:
        """The newest revision given out."""
        found = self._db.execute("SELECT value FROM counters WHERE name='revision'").get
        if found is None:
            # A page that was cut out is no error to SQLite, and every manifest has a counter.
            raise apsw.CorruptError("The counter of revisions is gone.")
        return found

    def unlisted(self) -> int | None:
        """The last revision given to files that were recorded in memory alone, if any were."""
        return self._db.execute("SELECT value FROM counters WHERE name='unlisted'").get

    def listed(self, revision: int) -> None:
        """The files that were recorded in memory alone up to a revision have been found again."""
        self._db.execute("DELETE FROM counters WHERE name='unlisted' AND value=?", (revision,))

    def any_files(self) -> bool:
        """Whether the vault held a note when it was last read."""
        return self._db.execute("SELECT EXISTS(SELECT 1 FROM files WHERE NOT gone)").get == 1

    def folders(self) -> dict[str, tuple[int, int]]:
        """Signature and time of every folder."""
        rows = self._db.execute("SELECT path, signature, modified FROM folders")
        return {path: (signature, modified) for path, signature, modified in rows}

    def in_folder(self, folder: str) -> dict[str, SeenFile]:
        """The files of a folder as last seen."""
        rows = self._db.execute("SELECT path, term, crc, gone FROM files WHERE folder=?", (folder,))
        return {path: SeenFile(stat_hash, crc, bool(gone)) for path, stat_hash, crc, gone in rows}

    def changed_too_recently(self) -> dict[str, SeenFile]:
        """Files that changed so shortly before they were seen that their time proves nothing."""
        rows = self._db.execute("SELECT path, term, crc, gone FROM files WHERE racy")
        return {path: SeenFile(stat_hash, crc, bool(gone)) for path, stat_hash, crc, gone in rows}

    def seen_files(self, paths: Collection[str]) -> dict[str, SeenFile]:
        """Some files as last seen."""
        rows = self._db.execute(
            "SELECT path, term, crc, gone FROM files"
            " WHERE path IN (SELECT value FROM json_each(?))",
            (write_json(list(paths)),),
        )
        return {path: SeenFile(stat_hash, crc, bool(gone)) for path, stat_hash, crc, gone in rows}

    def folder(self, folder: str) -> tuple[int, int] | None:
        """Signature and time of one folder."""
        return self._db.execute(
            "SELECT signature, modified FROM folders WHERE path=?", (folder,)
        ).fetchone()

    def set_folder(self, folder: str, signature: int, modified: int) -> None:
        """Remember a folder as it was listed."""
        self._db.execute(
            "INSERT OR REPLACE INTO folders VALUES(?, ?, ?)", (folder, signature, modified)
        )

    def drop_folder(self, folder: str) -> None:
        """Forget a folder that is no more."""
        self._db.execute("DELETE FROM folders WHERE path=?", (folder,))

    def touch(self, entry: ManifestEntry) -> None:
        """Remember a file's new time; its bytes are as they were."""
        self._db.execute(
            "UPDATE files SET term=?, racy=? WHERE path=?",
            (entry.stat_hash, int(entry.changed_too_recently), entry.path),
        )

    def record(self, entries: Iterable[ManifestEntry]) -> dict[str, int]:
        """Record changed files, each under a new revision, and give each id to one file."""
        revision = self.revision()
        entries = list(entries)
        given = {entry.path: revision + place for place, entry in enumerate(entries, 1)}
        revision += len(entries)
        lent = self._lent_ids(given)
        resolved = self._resolve_duplicate_ids(self._replace(entries, given))
        for path in sorted({*resolved, *self._claiming(lent)}):
            if path not in given:
                revision += 1
                given[path] = revision
                self._db.execute("UPDATE files SET revision=? WHERE path=?", (revision, path))
        self._count(revision)
        return given

    def _count(self, revision: int) -> None:
        """Remember the newest revision given out."""
        self._db.execute("UPDATE counters SET value=? WHERE name='revision'", (revision,))
        if self._db.unwritable is not None:
            self._given.revision = revision

    def _lent_ids(self, paths: Collection[str]) -> list[str]:
        """The ids that the store made for files whose own ids other files have."""
        rows = self._db.execute(
            "SELECT effective FROM claims WHERE effective <> id AND live"
            " AND path IN (SELECT value FROM json_each(?))",
            (write_json(list(paths)),),
        )
        return [effective for (effective,) in rows]

    def _claiming(self, ids: Collection[str]) -> list[str]:
        """Files that say one of these ids: a copy of a note may have been archived under its own.

        The index must hear of such a file again, once the copy is gone.
        """
        if not ids:
            return []
        rows = self._db.execute(
            "SELECT path FROM claims WHERE live AND id IN (SELECT value FROM json_each(?))",
            (write_json(list(ids)),),
        )
        return [path for (path,) in rows]

    def _replace(self, entries: list[ManifestEntry], revisions: Mapping[str, int]) -> set[str]:
        """Write the rows of some files; returns the ids they claimed before or claim now."""
        there = [entry for entry in entries if not entry.gone]
        before = self._db.execute(
            "SELECT path, id FROM claims WHERE path IN (SELECT value FROM json_each(?))",
            (write_json([entry.path for entry in entries]),),
        ).fetchall()
        known = {path for path, _ in before}
        self._db.executemany(
            "INSERT OR REPLACE INTO files VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    entry.path, entry.path.rpartition("/")[0], entry.stat_hash, entry.crc,
                    int(entry.changed_too_recently), int(entry.gone), revisions[entry.path],
                    entry.problem,
                )
                for entry in entries
            ],
        )  # fmt: skip
        # The claims stay without effect, so that a purge finds every path that named the memory.
        self._db.executemany(
            "UPDATE claims SET effective=NULL, live=0 WHERE path=?",
            [(entry.path,) for entry in entries if entry.gone and entry.path in known],
        )
        self._db.executemany(
            "DELETE FROM claims WHERE path=?",
            [(entry.path,) for entry in there if entry.path in known],
        )
        self._db.executemany(
            "INSERT OR REPLACE INTO claims VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
            [
                (
                    claim.path, claim.id, claim.id, claim.updated, claim.rank,
                    claim.digest, claim.scope, claim.kind, claim.status,
                )
                for entry in there
                for claim in entry.claims
            ],
        )  # fmt: skip
        return {id for _, id in before} | {claim.id for entry in there for claim in entry.claims}

    def _resolve_duplicate_ids(self, touched: Collection[str]) -> set[str]:
        """Give each id to one file; returns the files whose memories have other ids now."""
        claimed: dict[str, list[tuple[Any, ...]]] = {}
        for id, *row in self._db.execute(
            "SELECT id, path, effective, updated, rank, digest FROM claims"
            " WHERE id IN (SELECT value FROM json_each(?)) AND live",
            (write_json(list(touched)),),
        ).fetchall():
            claimed.setdefault(id, []).append(tuple(row))
        changed: set[str] = set()
        for id, rows in claimed.items():
            if len(rows) == 1 and rows[0][1] == id:
                continue
            _sort_by_precedence(rows, id)
            for place, (path, effective, _, _, digest) in enumerate(rows):
                same = digest == rows[0][4]
                due = id if place == 0 else None if same else _own_id(path, id)
                if due != effective:
                    self._db.execute(
                        "UPDATE claims SET effective=? WHERE path=? AND id=?", (due, path, id)
                    )
                    changed.add(path)
        return changed

    def claimed_twice(self) -> dict[str, list[str]]:
        """The files that claim each id which several files claim, in the order of precedence."""
        claimed: dict[str, list[tuple[Any, ...]]] = {}
        for id, *row in self._db.execute(
            "SELECT id, path, effective, updated, rank, digest FROM claims WHERE live AND id IN"
            " (SELECT id FROM claims WHERE effective IS NOT id AND live)"
        ).fetchall():
            claimed.setdefault(id, []).append(tuple(row))
        for id, rows in claimed.items():
            _sort_by_precedence(rows, id)
        return {id: [row[0] for row in rows] for id, rows in claimed.items() if len(rows) > 1}

    def paths_like(self, pattern: str) -> list[str]:
        """The files whose paths are like an SQL pattern."""
        rows = self._db.execute(
            "SELECT path FROM files WHERE NOT gone AND path LIKE ? ORDER BY path", (pattern,)
        )
        return [path for (path,) in rows]

    def report_again(self, ids: Collection[str]) -> None:
        """Give the files of some memories new revisions."""
        revision = self.revision()
        for path in sorted(set(self.holders(ids).values())):
            revision += 1
            self._db.execute("UPDATE files SET revision=? WHERE path=?", (revision, path))
        self._count(revision)

    def holders(self, ids: Collection[str]) -> dict[str, str]:
        """The files that hold the memories with these ids."""
        rows = self._db.execute(
            "SELECT effective, path FROM claims"
            " WHERE effective IN (SELECT value FROM json_each(?)) ORDER BY path DESC",
            (write_json(list(ids)),),
        )
        return dict(rows.fetchall())

    def known(self, ids: Collection[str]) -> set[str]:
        """Which of these ids a file has, or had."""
        rows = self._db.execute(
            "SELECT value FROM json_each(?) WHERE"
            " EXISTS(SELECT 1 FROM claims WHERE id=value OR effective=value)",
            (write_json(list(ids)),),
        )
        return {id for (id,) in rows}

    def holder(self, id: str) -> str | None:
        """The file that holds the memory with that id."""
        return self._db.execute(
            "SELECT path FROM claims WHERE effective=? ORDER BY path LIMIT 1", (id,)
        ).get

    def claimants(self, id: str) -> list[Claimant]:
        """Every file that holds that id, says that it does, or once did."""
        rows = self._db.execute(
            "SELECT path, id, effective, live FROM claims WHERE id=?1 OR effective=?1", (id,)
        )
        return [Claimant(path, said, due, bool(live)) for path, said, due, live in rows]

    def id_overrides(self) -> dict[str, dict[str, str | None]]:
        """For each file that lost an id to another file: the effective id of each such id."""
        found: dict[str, dict[str, str | None]] = {}
        for path, id, effective in self._db.execute(
            "SELECT path, id, effective FROM claims WHERE effective IS NOT id AND live"
        ):
            found.setdefault(path, {})[id] = effective
        return found

    def changes_after(self, revision: int, limit: int) -> list[FileChange]:
        """Changed files in the order of their revisions."""
        rows = self._db.execute(
            "SELECT path, gone, crc, revision FROM files WHERE revision > ?1"
            " UNION ALL SELECT masked, 1, 0, revision FROM erased WHERE revision > ?1"
            " ORDER BY revision LIMIT ?2",
            (revision, limit),
        )
        return [
            FileChange(path if isinstance(path, str) else _unmask(path), bool(gone), crc, at)
            for path, gone, crc, at in rows
        ]

    def renumber_after(self, revision: int) -> None:
        """Move every revision behind this one, which a lost manifest gave out."""
        self._db.execute("UPDATE files SET revision = revision + ?", (revision,))
        self._db.execute("UPDATE counters SET value = value + ? WHERE name='revision'", (revision,))

    def adjust_folder(
        self, folder: str, *, add: int, take: int, before: int | None, modified: int
    ) -> None:
        """Update a folder after a write of ours; `before` is its time before that, None if new."""
        known, since = self.folder(folder) or (0, None)
        signature = (known + add - take) & ((1 << 63) - 1)
        # Somebody else changed the folder as well, and that is still to be found.
        self.set_folder(folder, signature, modified if since == before else UNPROVEN)

    def erase(self, paths: Iterable[str]) -> None:
        """Remove every trace of files: a name may repeat the text that was purged.

        The index must still hear of them; until `drop_erased` their paths are kept masked.
        """
        for path in paths:
            row = self._db.execute("SELECT revision FROM files WHERE path=?", (path,)).fetchone()
            if row is not None:
                self._db.execute("INSERT OR REPLACE INTO erased VALUES(?, ?)", (*row, _mask(path)))
            self._db.execute("DELETE FROM claims WHERE path=?", (path,))
            self._db.execute("DELETE FROM files WHERE path=?", (path,))

    def paths_of_tenant(self, tenant: Tenant) -> list[str]:
        """The files of a tenant's memories, one for each memory."""
        condition, values = SQLITE.tenant_rows(tenant)
        rows = self._db.execute(
            f"SELECT path FROM claims WHERE effective IS NOT NULL AND {condition}",  # noqa: S608
            values,
        )
        return [path for (path,) in rows]

    def paths_below(self, folder: str) -> list[str]:
        """Every file that was ever seen in a folder or the ones in it."""
        rows = self._db.execute(
            "SELECT path FROM files WHERE path > ?1 || '/' AND path < ?1 || '0'", (folder,)
        )
        return [path for (path,) in rows]

    def has_erased(self, since: int) -> bool:
        """Whether masked paths remain that an index at this revision has heard of."""
        found = "SELECT EXISTS(SELECT 1 FROM erased WHERE revision <= ?)"
        return self._db.execute(found, (since,)).get == 1

    def drop_erased(self, since: int) -> None:
        """Drop the masked paths of files that were erased up to a revision."""
        self._db.execute("DELETE FROM erased WHERE revision <= ?", (since,))

    def recorded(self) -> dict[str, tuple[SeenFile, list[tuple[Any, ...]]]]:
        """Every file that is there, as last seen, with the rows of its claims."""
        claims: dict[str, list[tuple[Any, ...]]] = {}
        for path, *claim in self._db.execute(
            "SELECT path, id, updated, rank, digest, scope, kind, status FROM claims"
            " WHERE live ORDER BY path, id"
        ):
            claims.setdefault(path, []).append(tuple(claim))
        rows = self._db.execute("SELECT path, term, crc, gone FROM files WHERE NOT gone")
        return {
            path: (SeenFile(stat_hash, crc, gone=False), claims.get(path, []))
            for path, stat_hash, crc, _ in rows
        }

    def problems(self) -> list[tuple[str, str]]:
        """Path and problem of each file that has one."""
        rows = self._db.execute("SELECT path, problem FROM files WHERE problem <> '' ORDER BY path")
        return [(path, problem) for path, problem in rows]

    def inventory(self) -> list[tuple[str, str, str]]:
        """Scope, kind and path of every live memory, in the order of the map."""
        rows = self._db.execute(
            "SELECT scope, kind, path FROM claims WHERE effective IS NOT NULL"
            " AND status IN ('active', 'review', 'stale') ORDER BY scope, kind, path"
        )
        return [(scope, kind, path) for scope, kind, path in rows]


def make_tables(db: SqliteConnection, given: GivenInMemory) -> None:
    """Make the tables of the manifest in a new file; raises Damaged for any other file."""
    if db.execute("PRAGMA user_version").get > 1:
        raise Damaged("The manifest has another format.")
    new = db.execute("PRAGMA user_version").get == 0
    migrate(db, (_SCHEMA,))
    path: str = db.execute("PRAGMA database_list").fetchall()[0][2]
    if new and path and os.path.exists(os.path.join(os.path.dirname(path), "index.db")):
        # The index has seen revisions of a manifest that is gone: later ones must be greater. No
        # manifest gives out as many as there are microseconds; seconds would be passed by files.
        db.execute("UPDATE counters SET value=? WHERE name='revision'", (time.time_ns() // 1000,))
    if given.revision:
        # The index has seen those of the copy in memory: given out again, they would hide changes.
        # This file lacks the files that they were given to.
        with transaction(db):
            db.execute(
                "INSERT OR REPLACE INTO counters SELECT 'unlisted', ?1 FROM counters"
                " WHERE name='revision' AND value < ?1",
                (given.revision,),
            )
            newer = "UPDATE counters SET value=?1 WHERE name='revision' AND value < ?1"
            db.execute(newer, (given.revision,))


def _sort_by_precedence(rows: list[tuple[Any, ...]], id: str) -> None:
    """Sort the claims of one id, each beginning with path, effective id, time and rank."""
    # The name decides last, because it is the same on every device: a note that was made for its
    # id is named after it, and a copy of it in an editor is not.
    rows.sort(key=lambda row: (not _named_after(row[0], id), len(row[0]), row[0]))
    rows.sort(key=lambda row: (row[2], row[3]), reverse=True)
    # A file in an agent's folder never takes the id of a curated note.
    rows.sort(key=lambda row: f"/{AGENT}/" in f"/{row[0]}")


def _named_after(path: str, id: str) -> bool:
    return path.removesuffix(".md").endswith(id[-6:])


def _own_id(path: str, id: str) -> str:
    """An id made from the path, for a memory whose own id another file has."""
    own = derived_id("f", path, id) if path.endswith(FACTS) else derived_id("n", path)
    # A note without an id lost the one of its place, to a note that was there before it.
    return own if own != id else derived_id("n", path, id)


def _mask(path: str) -> bytes:
    return bytes(byte ^ 0xFF for byte in path.encode("utf-8", "surrogateescape"))


def _unmask(masked: bytes) -> str:
    return bytes(byte ^ 0xFF for byte in masked).decode("utf-8", "surrogateescape")
