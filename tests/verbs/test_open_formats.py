"""Exports in the open formats: their own validators accept them, and nothing gets lost."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import portable_ai_memory as pam
import portable_memory as bundle
import pytest
import rfc8785
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from portable_ai_memory.core import validator as pam_validator
from portable_memory.inmemory import InMemoryStore

from commonplace import BadInput, Commonplace
from commonplace.backends.imports.archive_file import archive_at
from commonplace.backends.imports.formats import recognize_format
from commonplace.books.imports import open_import
from commonplace.model.codec import to_millisecond
from commonplace.model.memory import KINDS, LIVE, SENSITIVITIES, STATUSES, TIERS, Draft, Memory
from commonplace.model.results import Imported, LeftOut
from commonplace.model.scope import DIMENSIONS, Scope
from commonplace.notes.canonical_json import canonical
from commonplace.notes.exchange import to_draft
from commonplace.verbs.export import export_to
from tests.conftest import OpenBook

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
FILES = {"portable-ai-memory": "all.pam.json", "portable-memory": "all.mem"}
KEY = "AKIA" + "QYLPMN5HFIQR7BBB"


def take_in(book: Commonplace, path: Path, kind: str | None = None) -> Imported:
    with closing(open_import(str(path), kind)) as found:
        return book.take_in(found.drafts, kind=found.kind)


def episodes_of(folder: Path) -> list[Any]:
    path = folder / "items" / "episode.jsonl"
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    return [json.loads(line) for line in lines if line]


def require_valid(path: Path) -> None:
    """Ask the format's own validator, in full and without warnings."""
    if path.is_dir():
        result = bundle.BundleValidator().validate(path)
        assert result.issues == []
        # Their own reader and writer keep every field, ours too. Not compared by bytes: they write
        # numbers below 0.0001 as Python does, against their specification.
        store = InMemoryStore()
        bundle.BundleImporter().import_bundle(store, path)
        again = path.with_name("again.mem")
        bundle.BundleExporter().export(store, again)
        assert episodes_of(again) == episodes_of(path)
        return
    document = json.loads(path.read_bytes())
    from jsonschema import Draft202012Validator
    from portable_ai_memory import schemas

    (folder,) = schemas.__path__
    schema = json.loads((Path(folder) / "portable-ai-memory.schema.json").read_text())
    assert [str(one.message) for one in Draft202012Validator(schema).iter_errors(document)] == []
    found = pam_validator.validate_memory_store(pam.load(path))  # pyright: ignore[reportArgumentType]
    assert [str(one) for one in found.issues if "superseded_by not set" not in one.message] == []


WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=30)
LINES = WORDS.map(lambda text: " ".join(text.split())).filter(bool)
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)).map(
    lambda time: to_millisecond(time.replace(fold=0))
)
TAGS = LINES | st.sampled_from(["night", "Ölwechsel", "_x", "a b"])
SHARES = st.floats(0, 1)
NAMES = st.text("abcXYZ09é ü-", min_size=1, max_size=8).map(str.strip).filter(bool)
SCOPES = st.dictionaries(st.sampled_from(DIMENSIONS), NAMES, max_size=3).map(
    lambda named: Scope(tuple(named.items()))
)
MEMORIES = st.builds(
    Memory,
    id=st.from_regex(r"[0-9a-z]{6,12}", fullmatch=True),
    content=st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
    created=TIMES,
    updated=TIMES,
    scope=SCOPES,
    kind=st.sampled_from([*KINDS, "goal", "project", "custom", "team-rule"]),
    tier=st.sampled_from(TIERS),
    owner=st.sampled_from(["curated", "agent"]),
    status=st.sampled_from(STATUSES),
    sensitivity=st.sampled_from(SENSITIVITIES),
    trust=st.sampled_from(["external", "system", "agent", "user"]),
    title=st.just("") | LINES,
    aliases=st.lists(LINES, max_size=2, unique=True).map(tuple),
    tags=st.lists(TAGS, max_size=4, unique=True).map(tuple),
    topic=st.none() | LINES,
    always_load=st.booleans(),
    confidence=SHARES,
    importance=st.none() | SHARES,
    episode=st.none() | LINES,
    position=st.none() | st.integers(0, 99),
    speaker=st.none() | LINES,
    superseded_by=st.none() | st.just("000000"),
    derived_from=st.lists(st.just("111111"), max_size=1).map(tuple),
    valid_from=st.none() | TIMES,
    valid_until=st.none() | TIMES,
    review_after=st.none() | TIMES,
    expires=st.none() | TIMES,
    imported_id=st.none() | LINES,
)  # fmt: skip


@pytest.mark.parametrize("format", FILES)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(memories=st.lists(MEMORIES, max_size=4, unique_by=lambda one: one.id))
def test_every_live_memory_comes_back_as_it_went(
    tmp_path_factory: pytest.TempPathFactory, format: str, memories: list[Memory]
) -> None:
    path = tmp_path_factory.mktemp("law") / FILES[format]
    export_to(memories, str(path), now=NOON)
    require_valid(path)
    with closing(recognize_format(archive_at(str(path)), format)) as found:
        back = list(found.drafts())
    live = {one.id: to_draft(one) for one in memories if one.status in LIVE}
    read = [one for one in back if isinstance(one, Draft)]
    assert len(read) == len(live)
    assert all(one in read for one in live.values())
    kept = sum(isinstance(one, LeftOut) for one in back) + len(read)
    scopes = (
        {one.scope for one in memories if one.scope.pairs} if format == "portable-memory" else ()
    )
    assert kept == len(memories) + len(scopes)


@settings(deadline=None)
@example(0.000001)
@example(1e-7)
@example(1e21)
@example(-0.0)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_canonical(number: float) -> None:
    assert canonical({"b": [number, None, True], "a": "é\n\x7f"}).encode() == rfc8785.dumps(
        {"b": [number, None, True], "a": "é\n\x7f"}
    )


@pytest.mark.parametrize(("format", "name"), FILES.items())
def test_a_book_goes_into_another_through_an_open_format(
    book: Commonplace, open_at: OpenBook, tmp_path: Path, format: str, name: str
) -> None:
    book.save("Owls hunt at dusk", tags=["night", "Vögel"], scope="/project/farm", topic="owls")
    book.save("Ada prefers tea", kind="preference", scope="/user/ada", created=NOON)
    book.fact_store("deploy.branch", "main")
    book.edit(book.save("Robots fight in threes").id, content="Robots fight in pairs")
    book.forget(book.save("Cows fly").id)
    done = book.export_to(str(tmp_path / name), everything=True)
    assert (done.format, done.memories) == (format, 6)
    assert os.name == "nt" or (tmp_path / name).stat().st_mode & 0o077 == 0
    require_valid(tmp_path / name)
    other = open_at(f"sqlite:{tmp_path / 'other.db'}")
    first = take_in(other, tmp_path / name)
    assert (first.kind, first.saved, first.refused) == (format, 4, 0)
    before = {one.content: one for one in book.export()}
    after = {one.content: one for one in other.export()}
    assert after.keys() == before.keys()
    for text, one in after.items():
        was = before[text]
        assert (one.kind, one.tags, one.scope, one.created, one.topic) == (
            was.kind, was.tags, was.scope, was.created, was.topic,
        )  # fmt: skip
        assert (one.trust, one.source) == ("external", f"import:{format}")
    again = take_in(other, tmp_path / name)
    assert (again.saved, again.updated, again.known) == (0, 0, 4)


@pytest.mark.parametrize("name", FILES.values())
def test_secrets_in_an_open_format_are_refused(
    book: Commonplace, tmp_path: Path, name: str
) -> None:
    found = [
        Memory(id=f"m{n}", content=text, created=NOON, updated=NOON)
        for n, text in enumerate((f"The key is {KEY}", "Owls hunt at dusk"))
    ]
    export_to(found, str(tmp_path / name), now=NOON)
    done = take_in(book, tmp_path / name)
    assert (done.saved, done.refused) == (1, 1)


def pam_document(*memories: dict[str, Any], **head: Any) -> dict[str, Any]:
    return {
        "schema": "portable-ai-memory",
        "schema_version": "1.0",
        "owner": {"id": "ada"},
        "memories": list(memories),
        **head,
    }


def pam_memory(**fields: Any) -> dict[str, Any]:
    return {
        "id": "mem-1",
        "type": "skill",
        "custom_type": None,
        "content": "Ada builds engines",
        "content_hash": "sha256:" + "0" * 64,
        "temporal": {"created_at": "2025-03-01T08:00:00-08:00", "updated_at": None},
        "provenance": {"platform": "chatgpt"},
        **fields,
    }


def test_a_document_of_another_program_is_read(book: Commonplace, tmp_path: Path) -> None:
    path = tmp_path / "memory-store.json"
    path.write_text(json.dumps(pam_document(
        pam_memory(summary="Engines", tags=["work"], confidence={"initial": 0.9, "current": 0.8}),
        pam_memory(id="2", content="Cleared", type="custom", custom_type="Security_Clearance"),
        pam_memory(id="3", content="Was in Rome", status="retracted"),
        pam_memory(id="4", content="Stays here", access={"exportable": False}),
    )))  # fmt: skip
    done = take_in(book, path)
    assert (done.kind, done.saved, done.left_out) == ("portable-ai-memory", 2, 2)
    engines, cleared = sorted(book.export(), key=lambda one: -len(one.content))
    assert (engines.kind, engines.title, engines.tags) == ("skill", "Engines", ("work",))
    assert (engines.confidence, engines.imported_id) == (0.8, "mem-1")
    assert engines.created == datetime(2025, 3, 1, 16, tzinfo=UTC)
    assert cleared.kind == "security-clearance"


def test_conversations_beside_the_memories_become_turns(book: Commonplace, tmp_path: Path) -> None:
    def message(id: str, role: str, text: str, parent: str | None) -> dict[str, Any]:
        content = {"type": "text", "text": text}
        when = "2025-03-01T08:00:00Z"
        return {
            "id": id, "role": role, "content": content, "created_at": when, "parent_id": parent,
        }  # fmt: skip

    talk = {
        "schema": "portable-ai-memory-conversation", "schema_version": "1.0", "id": "c1",
        "provider": {"name": "chatgpt"}, "temporal": {"created_at": "2025-03-01T08:00:00Z"},
        "messages": [
            message("q", "user", "How do I prune roses?", None),
            message("old", "assistant", "Thrown away", "q"),
            message("new", "assistant", "Cut above an outward bud.", "q"),
        ],
    }  # fmt: skip
    (tmp_path / "store" / "conversations").mkdir(parents=True)
    (tmp_path / "store" / "memory-store.json").write_text(json.dumps(pam_document(pam_memory())))
    (tmp_path / "store" / "conversations" / "c1.json").write_text(json.dumps(talk))
    vectors = {"schema": "portable-ai-memory-embeddings", "schema_version": "1.0", "embeddings": []}
    (tmp_path / "store" / "embeddings.json").write_text(json.dumps(vectors))
    done = take_in(book, tmp_path / "store")
    assert (done.kind, done.saved) == ("portable-ai-memory", 3)
    turns = [one.content for one in book.export(kinds=["turn"])]
    assert turns == ["How do I prune roses?", "Cut above an outward bud."]


def test_a_bundle_of_another_program_is_read(book: Commonplace, tmp_path: Path) -> None:
    store = InMemoryStore()
    text = "- [2025-05-01] - Prefers tea.\n- [2025-06-01] - Builds engines.\n"
    from portable_memory.adapters.transfer import TransferTextAdapter

    first, second = TransferTextAdapter.parse_episodes(text)
    second.context_id = "work"
    for one in (first, second):
        store.import_episode(one, None)
    bundle.BundleExporter().export(store, tmp_path / "my.mem")
    done = take_in(book, tmp_path / "my.mem")
    assert (done.kind, done.saved) == ("portable-memory", 2)
    tea, engines = book.export()
    assert (tea.content, tea.created) == ("Prefers tea.", datetime(2025, 5, 1, tzinfo=UTC))
    assert (engines.topic, engines.title) == ("work", "")


def write_bundle_of(folder: Path, **streams: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    files: list[dict[str, Any]] = []
    for name, rows in streams.items():
        path = folder / f"{'audit' if name == 'tombstones' else 'items'}/{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
        path.write_bytes(data)
        files.append({
            "path": str(path.relative_to(folder)), "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        })  # fmt: skip
    manifest = {"format": "1.0.0", "conformanceLevel": "L2", "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


EPISODE = {
    "id": "ep_1", "eventTime": "2026-05-01T12:00:00Z", "summary": "Prefers tea.",
    "details": "Prefers tea.",
}  # fmt: skip


def test_every_text_of_a_bundle_is_read_and_what_it_deleted_is_not(
    book: Commonplace, tmp_path: Path
) -> None:
    path = write_bundle_of(
        tmp_path / "x.mem",
        episode=[EPISODE, {**EPISODE, "id": "ep_2", "details": "Was in Rome"}],
        core=[{"id": "human", "content": "Ada is an engineer"}],
        preference=[{"key": "units", "value": "metric"}],
        procedure=[{"id": "p", "name": "Deploy", "steps": ["build", "push"]}],
        fact=[
            {"id": "f", "text": "Ada lives in Oslo", "createdAt": "2026-05-01T12:00:00Z"},
            {"id": "g", "text": "In Rome", "createdAt": "2026-05-01T12:00:00Z",
             "episodeID": "ep_2"},
        ],
        edge=[{"id": "e"}],
        tombstones=[{"id": "t", "op": "delete", "targetID": "ep_2"}],
    )  # fmt: skip
    done = take_in(book, path)
    assert (done.saved, done.left_out) == (5, 3)
    assert {one.content for one in book.export()} == {
        "Prefers tea.", "Ada is an engineer", "units: metric", "Deploy\n1. build\n2. push",
        "Ada lives in Oslo",
    }  # fmt: skip


DAMAGED_DOCUMENTS: dict[str, str] = {
    "cut": json.dumps(pam_document(pam_memory(), pam_memory(id="2")))[:-60],
    "newer": json.dumps(pam_document(pam_memory(), schema_version="2.0")),
    "no version": json.dumps({**pam_document(pam_memory()), "schema_version": None}),
    "version a number": json.dumps(pam_document(pam_memory(), schema_version=1.0)),
    "memories a number": json.dumps({**pam_document(), "memories": 5}),
    "no memories": '{"schema": "portable-ai-memory", "schema_version": "1.0"}',
    "memory a text": json.dumps({**pam_document(), "memories": ["Prefers tea"]}),
    "content a number": json.dumps(pam_document(pam_memory(content=7))),
    "empty content": json.dumps(pam_document(pam_memory(content=" "))),
    "no id": json.dumps(pam_document(pam_memory(id=None))),
    "no time": json.dumps(pam_document(pam_memory(temporal={}))),
    "no such time": json.dumps(pam_document(pam_memory(temporal={"created_at": "yesterday"}))),
    "a time before time": json.dumps(
        pam_document(pam_memory(temporal={"created_at": "0001-01-01T00:00:00+14:00"}))
    ),
    "tags a text": json.dumps(pam_document(pam_memory(tags="night"))),
    "tags numbers": json.dumps(pam_document(pam_memory(tags=[1]))),
    "sure beyond measure": json.dumps(pam_document(pam_memory(confidence={"current": 7}))),
    "flag a text": json.dumps(pam_document(pam_memory(access={"exportable": "no"}))),
    "our part a text": json.dumps(pam_document(pam_memory(metadata={"commonplace": "x"}))),
    "our part wrong": json.dumps(
        pam_document(pam_memory(metadata={"commonplace": {"scope": "a/b/c"}}))
    ),
    "miscounted": json.dumps(pam_document(pam_memory(), integrity={"total_memories": 2})),
    "changed": json.dumps(
        pam_document(
            pam_memory(), integrity={"total_memories": 1, "checksum": "sha256:" + "0" * 64}
        )
    ),
    "deep": '{"schema": "portable-ai-memory", "schema_version": "1.0", "memories": ' + "[" * 99_999,
    "text after the end": json.dumps(pam_document(pam_memory())) + "{}",
}


@pytest.mark.parametrize("how", DAMAGED_DOCUMENTS)
def test_a_bad_document_changes_nothing_and_says_why(
    open_at: OpenBook, tmp_path: Path, how: str
) -> None:
    book = open_at(f"sqlite:{tmp_path / 'book.db'}")
    path = tmp_path / "memory-store.json"
    path.write_text(DAMAGED_DOCUMENTS[how])
    with pytest.raises(BadInput) as refused:
        take_in(book, path)
    assert refused.value.hint
    assert "memory-store.json" in refused.value.sentence
    assert refused.value.sentence.count(". ") == 0
    assert list(book.export()) == []


def _damage(path: Path, how: str) -> None:
    episodes, manifest = path / "items" / "episode.jsonl", path / "manifest.json"
    said = json.loads(manifest.read_text())
    if how == "cut":
        episodes.write_bytes(episodes.read_bytes()[:-9])
    elif how == "missing":
        episodes.unlink()
    elif how == "unlisted":
        (path / "items" / "core.jsonl").write_text('{"id": "human", "content": "Owns you"}\n')
    elif how == "manifest cut":
        manifest.write_text(manifest.read_text()[:-9])
    elif how == "manifest a list":
        manifest.write_text("[]")
    elif how == "newer":
        manifest.write_text(json.dumps({**said, "format": "2.0.0"}))
    elif how == "outside":
        (path.parent / "secret").write_text("Owls")
        digest = hashlib.sha256(b"Owls").hexdigest()
        entry = {"path": "../secret", "bytes": 4, "sha256": digest}
        manifest.write_text(json.dumps({**said, "files": [*said["files"], entry]}))
    elif how == "files a text":
        manifest.write_text(json.dumps({**said, "files": "all"}))


@pytest.mark.parametrize(
    "how",
    ["cut", "missing", "unlisted", "manifest cut", "manifest a list", "newer", "outside",
     "files a text"],
)  # fmt: skip
def test_a_bad_bundle_changes_nothing_and_says_why(
    open_at: OpenBook, tmp_path: Path, how: str
) -> None:
    book = open_at(f"sqlite:{tmp_path / 'book.db'}")
    path = write_bundle_of(tmp_path / "x.mem", episode=[EPISODE])
    _damage(path, how)
    with pytest.raises(BadInput) as refused:
        take_in(book, path)
    assert refused.value.hint
    assert refused.value.sentence.count(". ") == 0
    assert list(book.export()) == []


@pytest.mark.parametrize(
    "episode",
    [
        {**EPISODE, "details": 7},
        {**EPISODE, "details": "", "summary": ""},
        {**EPISODE, "eventTime": None},
        {**EPISODE, "categories": {}},
        {**EPISODE, "pinned": "yes"},
        {**EPISODE, "commonplace": []},
        "Prefers tea.",
    ],
)
def test_a_bad_line_of_a_bundle_is_named(
    open_at: OpenBook, tmp_path: Path, episode: dict[str, Any]
) -> None:
    book = open_at(f"sqlite:{tmp_path / 'book.db'}")
    path = write_bundle_of(tmp_path / "x.mem", episode=[EPISODE, episode])
    with pytest.raises(BadInput, match="line 2") as refused:
        take_in(book, path)
    assert refused.value.hint
    assert list(book.export()) == []
