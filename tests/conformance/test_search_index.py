"""What every search index promises."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.model import identity
from commonplace.model.errors import BadInput
from commonplace.model.memory import LIVE, Link, Memory
from commonplace.model.scope import EVERYTHING, Context, Scope, Visible
from commonplace.ports.record_store import Changes, Document
from commonplace.ports.search_index import SearchIndex, Where
from commonplace.rules.access import visible_to
from commonplace.rules.relations.duplicates import signatures

from .indexes import OPENINGS, OpenIndex
from .samples import NOON, memory
from .searching import search

AT_ONCE = 4
"""More indexes than a test looks at together; those of earlier examples are closed."""

several_indexes = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=sorted(OPENINGS))
def new_index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenIndex]:
    """Makes empty indexes, each in a file of its own."""
    numbers, opened = count(), list[SearchIndex]()

    def make() -> SearchIndex:
        opened.append(OPENINGS[request.param](str(tmp_path / f"index-{next(numbers)}.db")))
        if len(opened) > AT_ONCE:
            opened.pop(0).close()
        return opened[-1]

    yield make
    for one in opened:
        one.close()


@pytest.fixture
def index(new_index: OpenIndex) -> SearchIndex:
    return new_index()


def place(one: Memory) -> str:
    return f"notes/{one.slug}.md"


def put(index: SearchIndex, *memories: Memory, revision: int | None = None) -> None:
    """Each memory in a note of its own."""
    documents = tuple(Document(place(one), (one,)) for one in memories)
    index.apply(Changes(index.revision() + 1 if revision is None else revision, documents))


def found(
    index: SearchIndex, query: str, visible: Visible = EVERYTHING, limit: int = 10, **where: Any
) -> list[str]:
    matches = search(index, query, visible=visible, where=Where(**where), limit=limit)
    assert [m.score for m in matches] == sorted((m.score for m in matches), reverse=True)
    return [match.memory.id for match in matches]


def listed(index: SearchIndex, visible: Visible = EVERYTHING, **where: Any) -> list[str]:
    return [one.id for one in index.select(Where(**where), visible=visible)]


def seen_by(**context: Any) -> Visible:
    return visible_to(Context(**context))


# Finding


def test_the_memory_that_answers_comes_first(index: SearchIndex) -> None:
    database = memory("We moved the orders database to Oregon in May")
    lunch = memory("The team had lunch and talked about moving desks")
    put(index, lunch, database, memory("Orders are shipped on Fridays"))
    assert found(index, "Where did we move our database for orders?")[0] == database.id


def test_a_match_is_the_whole_memory_and_says_which_words_it_shares(index: SearchIndex) -> None:
    tea = memory("Ada likes Darjeeling", tags=("tea",), title="Tea", confidence=0.5)
    put(index, tea)
    [match] = search(
        index, "which darjeelings does Ada drink", visible=EVERYTHING, where=Where(), limit=5
    )
    assert match.memory == tea
    assert set(match.terms) == {"ada", "darjeelings"}
    assert match.score > 0


def test_titles_tags_and_keys_are_found_and_count_more(index: SearchIndex) -> None:
    titled = memory("Use the runbook of last year", title="Kubernetes upgrade")
    said = memory("Use the Kubernetes runbook of last year")
    put(index, said, titled, memory("x", tags=("kafka",)), memory("y", key="editor", value="vim"))
    assert found(index, "kubernetes") == [titled.id, said.id]
    assert len(found(index, "kafka")) == len(found(index, "editor")) == 1


def test_a_book_among_notes_is_found_by_one_of_its_sentences(index: SearchIndex) -> None:
    pages = [
        f"Page {n} tells of ordinary things, of weather {n} and wind. " * 4 for n in range(600)
    ]
    pages[431] += "The spare key of the lighthouse hangs behind the second barometer."
    handbook = memory("\n\n".join(pages), title="Handbook", summary="All about keeping a light")
    notes = [memory(text) for text in (
        "The lighthouse was painted in May", "A spare tyre is in the car", "Keys are cut in town",
        "The barometer fell overnight", "Tea is at four", "Seconds matter at sea",
    )]  # fmt: skip
    put(index, handbook, *notes)
    assert found(index, "where is the spare key of the lighthouse?")[0] == handbook.id
    assert found(index, "keeping the light")[0] == handbook.id, "by its summary, too"
    assert found(index, "who painted the lighthouse?")[0] == notes[0].id
    matches = search(index, "spare key page 12", visible=EVERYTHING, where=Where(), limit=9)
    terms = {match.memory.id: set(match.terms) for match in matches}
    far_apart = {"spare", "12"}
    assert len(terms[handbook.id] & far_apart) == 1, "only the words of its best part count"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("we deployed user_service twice", "deployments of the user service"),
        ("the OAuthToken has expired", "oauth token expiry"),
        ("stay on v3.0 for now", "v3.0"),
        ("GET /api/v2/users is slow", "/api/v2/users"),
        ("我们把数据库迁移到新的服务器", "数据库在哪里"),
        ("来週東京でデータベースの会議がある", "東京の会議"),
        ("데이터베이스를 새 서버로 옮겼다", "데이터베이스"),
        ("El año pasado cambiamos de café", "ano cafe"),
        ("Die Kündigungsfristen für Häuser sind lang", "Haus"),
        ("قرأت الكِتَابَ أمس", "كتاب"),
        ("Мы перенесли базу данных", "базу"),
        ("shipped it 🚀", "🚀"),
    ],
)
def test_every_language_and_code_are_found(index: SearchIndex, text: str, question: str) -> None:
    wanted = memory(text)
    put(index, memory("nothing to see here"), wanted, memory("другое 其他 別の"))
    assert found(index, question)[0] == wanted.id


@pytest.mark.parametrize(
    "query",
    ['NEAR("tea" AND x*) OR NOT body:y', '"', "'; DROP TABLE memories; --", "tea AND OR NOT",
     "tea*", "^tea", "{head body}: tea", "tea" + " -" * 50],
)  # fmt: skip
def test_query_syntax_is_only_text(index: SearchIndex, query: str) -> None:
    tea = memory("Ada likes tea")
    put(index, tea)
    assert found(index, query) == ([tea.id] if "tea" in query else [])


@pytest.mark.parametrize("query", ["", "  ", "?!", "\0", "\ud800", "🦄", "unheard of"])
def test_a_query_without_known_words_finds_nothing(index: SearchIndex, query: str) -> None:
    put(index, memory("Ada likes tea"))
    assert found(index, query) == []


def test_only_function_words_still_find_something(index: SearchIndex) -> None:
    hamlet = memory("To be or not to be")
    put(index, hamlet, memory("Ada likes tea"))
    assert found(index, "to be or not to be") == [hamlet.id]


def test_a_query_of_a_hundred_kilobytes_is_answered(index: SearchIndex) -> None:
    tea = memory("Ada likes tea")
    put(index, tea)
    assert found(index, "tea " + "padding " * 12_500) == [tea.id]


def test_text_that_is_not_quite_unicode_comes_back_as_it_was(index: SearchIndex) -> None:
    odd = memory("tea \ud800 with half a pair", title="half \udc00", tags=("\ud83d",), slug="odd")
    put(index, odd)
    assert [m.memory for m in search(index, "tea", visible=EVERYTHING, where=Where(), limit=1)] == [
        odd
    ]
    assert listed(index, name="half \udc00") == [odd.id]


def test_equal_matches_come_newest_first_however_they_arrived(new_index: OpenIndex) -> None:
    cups = [
        memory(f"tea number {n}", created=NOON + timedelta(minutes=n), id=f"m{n:03}")
        for n in range(300)
    ]
    one, other = new_index(), new_index()
    put(one, *cups)
    for cup in reversed(cups):
        put(other, cup)
    newest = [cup.id for cup in reversed(cups)][:5]
    assert found(one, "tea", limit=5) == found(other, "tea", limit=5) == newest


def test_a_selective_condition_loses_no_match(index: SearchIndex) -> None:
    crowd = [memory(f"tea tea tea {n}") for n in range(800)]
    lost = memory("one long and lonely sentence that mentions tea at its very end", kind="fix")
    put(index, *crowd, lost)
    assert found(index, "tea", kinds=("fix",)) == [lost.id]


def test_a_memory_without_topic_takes_part_in_every_topic(index: SearchIndex) -> None:
    brewing, loose = memory("tea", topic="Brewing"), memory("tea too")
    put(index, brewing, loose, memory("tea and trains", topic="travel"))
    assert set(found(index, "tea", topics=("brewing",))) == {brewing.id, loose.id}
    assert listed(index, topics=("brewing",)) == [brewing.id]


# Visibility


values = st.sampled_from(["a", "b"])
scopes = st.builds(
    lambda chosen: Scope(tuple(chosen.items())),
    st.dictionaries(st.sampled_from(["org", "user", "project", "task"]), values, max_size=3),
)
contexts = st.builds(
    Context,
    org=st.none() | values, user=st.none() | values, project=st.none() | values,
    task=st.none() | values, role=st.sampled_from(["owner", "member"]),
)  # fmt: skip


@given(st.lists(scopes, max_size=12), contexts)
@several_indexes
def test_no_read_ever_returns_what_is_not_visible(
    new_index: OpenIndex, where: list[Scope], context: Context
) -> None:
    index, visible = new_index(), visible_to(context)
    memories = [memory(f"tea {n} [[tea]]", str(scope), slug="tea") for n, scope in enumerate(where)]
    index.apply(Changes(1, tuple(Document(m.id, (m,)) for m in memories)))
    allowed = {m.id for m in memories if visible.allows(m.scope)}
    assert set(found(index, "tea", visible, limit=50)) == allowed
    gathered = index.gather({"tea": "tea"}, None, visible=visible, where=Where(), least=-2.0)
    assert {one.id for one in gathered.candidates} == allowed
    assert set(listed(index, visible)) == allowed
    assert set(listed(index, visible, name="tea")) == allowed
    assert sum(index.count(Where(), visible=visible, by="scope").values()) == len(allowed)
    for link in index.links(None, visible=visible):
        assert {link.source, link.resolved} <= allowed


@given(
    st.lists(st.tuples(st.sampled_from(["tea", "tea tea cup", "cup", "green tea leaf"]),
                       st.booleans()), max_size=20),
    st.sampled_from(["tea", "cup of tea", "leaf cup"]),
)  # fmt: skip
@several_indexes
def test_invisible_memories_change_neither_scores_nor_order(
    new_index: OpenIndex, texts: list[tuple[str, bool]], query: str
) -> None:
    alone, crowded = new_index(), new_index()
    for number, (text, mine) in enumerate(texts):
        one = memory(text, "/user/ada" if mine else "/user/bob/task/9", id=f"m{number:03}")
        put(crowded, one)
        if mine:
            put(alone, one)
    visible = seen_by(user="ada")
    answers = [
        [
            (m.memory.id, m.score, m.meaning)
            for m in search(ix, query, visible=visible, where=Where(), limit=9)
        ]
        for ix in (alone, crowded)
    ]
    assert answers[0] == answers[1]


def test_a_user_reads_its_own_tasks_and_no_other_users(index: SearchIndex) -> None:
    mine = memory("tea", "/user/ada/task/9")
    put(index, mine, memory("tea", "/user/bob/task/9"), memory("tea", "/task/9"))
    assert found(index, "tea", seen_by(user="ada")) == [mine.id]
    assert found(index, "tea", seen_by(user="ada", task="8")) == []
    assert mine.id in found(index, "tea", seen_by(user="ada", task="9"))


def test_nobody_hides_another_scopes_memory_by_superseding_it(index: SearchIndex) -> None:
    mine = memory("Ada likes tea", "/user/ada")
    put(index, mine, memory("Ada likes mud", "/user/mallory", supersedes=mine.id))
    assert found(index, "tea", seen_by(user="ada"), statuses=LIVE) == [mine.id]


def test_sources_tiers_and_tags_filter_and_count(index: SearchIndex) -> None:
    tea = memory("tea", source="mcp", tier="topic", tags=("Drink", "leaf"))
    cup = memory("cup", source="import:mem0", tags=("drink",))
    bare = memory("bare", "/user/bob", source="mcp")
    put(index, tea, cup, bare)
    assert set(listed(index, sources=("mcp",))) == {tea.id, bare.id}
    assert listed(index, tagged=False) == [bare.id]
    assert set(listed(index, tagged=True)) == {tea.id, cup.id}

    def counts(by: Any, visible: Visible = EVERYTHING) -> dict[str, int]:
        return index.count(Where(), visible=visible, by=by)

    assert counts("tag") == {"drink": 2, "leaf": 1}
    assert counts("tier") == {"search": 2, "topic": 1}
    assert counts("source") == {"import:mem0": 1, "mcp": 2}
    assert counts("source", seen_by(user="bob")) == {"mcp": 1}
    assert counts("tag", seen_by(user="bob")) == {}


# Following the store


def test_a_new_index_has_seen_nothing(index: SearchIndex) -> None:
    assert index.revision() == 0
    assert listed(index) == []
    assert index.count(Where(), visible=EVERYTHING, by="kind") == {}


def test_changed_moved_and_removed_notes_are_followed(index: SearchIndex) -> None:
    tea = memory("Ada likes tea")
    put(index, tea)
    coffee = tea.but(content="Ada likes coffee")
    index.apply(Changes(2, (Document(place(tea), (coffee,)),)))
    assert found(index, "tea") == []
    assert found(index, "coffee") == [tea.id]
    index.apply(Changes(3, (Document("elsewhere.md", (coffee,)), Document(place(tea)))))
    assert found(index, "coffee") == listed(index, name="elsewhere") == [tea.id]
    index.apply(Changes(4, (Document("elsewhere.md"),)))
    assert found(index, "coffee") == listed(index) == []


def test_a_place_that_lost_one_of_its_memories_keeps_the_others(index: SearchIndex) -> None:
    editor, shell = memory("editor: vim"), memory("shell: fish")
    index.apply(Changes(1, (Document("facts.md", (editor, shell)),)))
    index.apply(Changes(2, (Document("facts.md", (shell,)),)))
    assert listed(index) == [shell.id]


def test_the_same_id_in_two_places_is_one_memory(index: SearchIndex) -> None:
    tea = memory("Ada likes tea")
    index.apply(Changes(1, (Document("a.md", (tea,)),)))
    index.apply(Changes(2, (Document("b.md", (tea.but(content="Ada likes coffee"),)),)))
    assert found(index, "ada") == [tea.id]
    index.apply(Changes(3, (Document("a.md"),)))
    assert found(index, "coffee") == [tea.id]


def test_a_batch_of_nothing_still_moves_the_revision_and_never_back(index: SearchIndex) -> None:
    index.apply(Changes(7))
    index.apply(Changes(5))
    assert index.revision() == 7


def test_an_older_change_that_comes_late_does_not_undo_a_newer_one(index: SearchIndex) -> None:
    tea = memory("Ada likes tea")
    put(index, tea.but(content="Ada likes coffee"), revision=9)
    put(index, tea, revision=8)
    assert found(index, "ada coffee") == [tea.id]
    assert found(index, "tea") == []
    assert index.revision() == 9


edits = st.lists(
    st.tuples(
        st.sampled_from(["a.md", "b.md", "c.md"]),
        st.lists(
            st.tuples(
                st.sampled_from(["m1", "m2", "m3"]),
                st.sampled_from(["tea", "tea and cake", "cake cake"]),
                st.sampled_from(["/", "/user/ada", "/user/ada/task/1"]),
                st.sampled_from(["active", "archived"]),
            ),
            max_size=2,
            unique_by=lambda one: one[0],
        ),
    ),
    max_size=8,
)


@given(edits)
@several_indexes
def test_any_history_ends_like_a_fresh_index_and_applying_twice_is_once(
    new_index: OpenIndex, history: list[tuple[str, list[tuple[str, str, str, str]]]]
) -> None:
    lived, fresh = new_index(), new_index()
    held: dict[str, tuple[str, Memory]] = {}
    for revision, (locator, contents) in enumerate(history, 1):
        now = tuple(
            memory(text, scope, id=id, slug=id, status=status)
            for id, text, scope, status in contents
        )
        changes = Changes(revision, (Document(locator, now),))
        lived.apply(changes)
        lived.apply(changes)
        held = {id: (at, m) for id, (at, m) in held.items() if at != locator}
        held |= {m.id: (locator, m) for m in now}
    for revision, (locator, _) in enumerate(held.values(), 1):
        there = tuple(m for at, m in held.values() if at == locator)
        fresh.apply(Changes(revision, (Document(locator, there),)))
    for visible in (EVERYTHING, seen_by(user="ada"), seen_by(user="ada", task="1")):
        for query in ("tea", "cake", "m1"):
            same = [search(ix, query, visible=visible, where=Where(), limit=9)
                    for ix in (lived, fresh)]  # fmt: skip
            assert same[0] == same[1]
        assert lived.select(Where(), visible=visible) == fresh.select(Where(), visible=visible)
        counts = [ix.count(Where(), visible=visible, by="status") for ix in (lived, fresh)]
        assert counts[0] == counts[1]


@pytest.mark.parametrize("newer_first", [False, True])
def test_a_memory_is_superseded_as_soon_as_its_successor_is_there(
    index: SearchIndex, newer_first: bool
) -> None:
    old = memory("The office is in Bern")
    new = memory("The office is in Basel", supersedes=old.id, version=2)
    for one in (new, old) if newer_first else (old, new):
        put(index, one)
    assert found(index, "office", statuses=LIVE) == [new.id]
    [retired] = index.select(Where(statuses=("superseded",)), visible=EVERYTHING)
    assert (retired.id, retired.status, retired.superseded_by) == (old.id, "superseded", new.id)


def test_a_memory_is_active_again_when_its_successor_is_deleted(index: SearchIndex) -> None:
    old = memory("The office is in Bern")
    new = memory("The office is in Basel", supersedes=old.id)
    put(index, old, new)
    put(index, new.but(status="deleted"))
    assert found(index, "office", statuses=LIVE) == [old.id]
    put(index, new)
    assert found(index, "office", statuses=LIVE) == [new.id]
    index.forget([new.id])
    assert found(index, "office", statuses=LIVE) == [old.id]


# Conditions


def test_every_condition_selects(index: SearchIndex) -> None:
    day = timedelta(days=1)
    rich = memory(
        "editor: vim", "/user/ada", kind="fact", tier="critical", owner="curated", trust="user",
        sensitivity="sensitive", topic="Tools", tags=("Setup", "cli"), key="editor", value="vim",
        namespace="ada", episode="e1", position=3, always_load=True, supersedes="older",
        derived_from=("origin-1", "origin-2"), imported_id="mem0:7", title="My editor",
        aliases=("IDE",), status="review", created=NOON - day, valid_from=NOON - day,
        valid_until=NOON + day, expires=NOON + 2 * day, slug="editor-abc123",
        superseded_by="newer",
    )  # fmt: skip
    plain = memory("nothing special", "/user/bob")
    put(index, rich, plain)
    matching = {
        "ids": (rich.id,), "scopes": ("/user/ada",), "kinds": ("fact",), "statuses": ("review",),
        "tiers": ("critical",), "owners": ("curated",), "sensitivities": ("sensitive",),
        "trusts": ("user",), "topics": ("tools",), "tags": ("cli", "setup"), "key": "editor",
        "namespace": "ada", "content_hashes": (identity.content_hash("Editor: VIM"),),
        "episode": "e1",
        "always_load": True, "supersedes": "older", "superseded_by": "newer",
        "derived_from": "origin-2",
        "imported_id": "mem0:7", "name": "EDITOR-abc123", "created_until": NOON,
    }  # fmt: skip
    for field, value in matching.items():
        assert listed(index, **{field: value}) == [rich.id], field
    assert listed(index, **matching) == [rich.id]
    assert found(index, "vim", **matching) == [rich.id]
    assert listed(index, not_kinds=("fact", "fix")) == [plain.id]
    assert listed(index, always_load=False) == listed(index, created_from=NOON) == [plain.id]
    assert listed(index, tags=("cli", "absent")) == listed(index, ids=()) == []
    for name in ("ide", "My Editor", "editor-abc123.md", "notes/editor-abc123"):
        assert listed(index, name=name) == [rich.id]
    assert listed(index, name="other/editor-abc123") == []
    for moment, valid in ((NOON, True), (NOON - 2 * day, False), (NOON + day, False)):
        assert (rich.id in listed(index, valid_at=moment)) is valid


def test_orders_limits_and_counts(index: SearchIndex) -> None:
    first = memory("one", title="Zebra", created=NOON, updated=NOON + timedelta(days=9))
    second = memory("two", title="apple", kind="fix", created=NOON + timedelta(hours=1))
    third = memory("three", "/", title="Mango", created=NOON + timedelta(hours=2))
    put(index, second, third, first)

    def ordered(order: str, **page: int) -> list[str]:
        return [m.title for m in index.select(Where(), visible=EVERYTHING, order=order, **page)]  # pyright: ignore[reportArgumentType]

    assert ordered("newest") == ["Mango", "apple", "Zebra"]
    assert ordered("oldest") == ["Zebra", "apple", "Mango"]
    assert ordered("updated")[0] == "Zebra"
    assert ordered("name") == ["apple", "Mango", "Zebra"]
    assert ordered("newest", limit=1, offset=1) == ["apple"]
    assert ordered("newest", limit=0) == []
    assert index.count(Where(), visible=EVERYTHING, by="scope") == {"/": 1, "/user/ada": 2}
    assert index.count(Where(), visible=EVERYTHING, by="kind") == {"fix": 1, "insight": 2}
    assert index.count(Where(), visible=seen_by(user="bob"), by="status") == {"active": 1}


# Links


def test_links_lead_to_slugs_titles_aliases_and_paths(index: SearchIndex) -> None:
    runbook = memory("How to deploy", title="Runbook", aliases=("How-to",), slug="runbook-1a2b3c")
    text = "[[runbook-1a2b3c]] [[RUNBOOK#Steps|here]] ![[how-to]] [[notes/runbook-1a2b3c]] [[gone]]"
    guide = memory(f"{text} [[#Own heading]] `[[Runbook]]`")
    put(index, runbook, guide)
    assert index.links([guide.id], visible=EVERYTHING) == [
        Link(guide.id, "runbook-1a2b3c", runbook.id),
        Link(guide.id, "RUNBOOK", runbook.id, heading="Steps", alias="here"),
        Link(guide.id, "how-to", runbook.id, embed=True),
        Link(guide.id, "notes/runbook-1a2b3c", runbook.id),
        Link(guide.id, "gone"),
        Link(guide.id, "", guide.id, heading="Own heading"),
    ]
    assert len(index.links([runbook.id], visible=EVERYTHING)) == 4
    assert len(index.links(None, visible=EVERYTHING)) == 6


def test_a_link_by_its_text_leads_to_a_memory_that_has_no_name(index: SearchIndex) -> None:
    mill = memory("The mill wheel turns at 9 rpm.", slug="the-mill-wheel-1a2b3c")
    titled = memory("The gate is green", title="Gate")
    plan = memory("[[The mill wheel turns at 9 rpm]] [[the mill wheel turns at 9 rpm.]]")
    other = memory("[[The gate is green]] [[The mill wheel turns]]")
    put(index, mill, titled, plan, other)
    found = index.links([plan.id], visible=EVERYTHING)
    assert [link.resolved for link in found] == [mill.id, mill.id]
    assert {link.source for link in index.links([mill.id], visible=EVERYTHING)} == {plan.id}
    broken = index.links([other.id], visible=EVERYTHING)
    assert [link.resolved for link in broken] == [None, None]


def test_a_link_prefers_its_own_scope_then_the_living_then_the_newest(index: SearchIndex) -> None:
    later = NOON + timedelta(days=1)
    near = memory("near", "/user/ada", title="Plan")
    far = memory("far", "/", title="Plan", created=later)
    dead = memory("dead", "/user/ada", title="Plan", created=later, status="archived")
    source = memory("see [[Plan]]", "/user/ada")
    put(index, near, far, dead, source)

    def leads_to() -> str | None:
        return index.links([source.id], visible=seen_by(user="ada"))[0].resolved

    assert leads_to() == near.id
    index.forget([near.id])
    assert leads_to() == dead.id
    index.forget([dead.id])
    assert leads_to() == far.id


def test_a_link_to_an_old_version_leads_to_the_newest(index: SearchIndex) -> None:
    first = memory("Office in Bern", title="Office", status="superseded", superseded_by="v2")
    second = memory("Basel", id="v2", supersedes=first.id, status="superseded", superseded_by="v3")
    third = memory("Chur", id="v3", supersedes="v2")
    source = memory("see [[office]]")
    put(index, first, second, third, source)
    wanted = [Link(source.id, "office", "v3")]
    assert index.links([source.id], visible=EVERYTHING) == wanted
    assert index.links(["v3"], visible=EVERYTHING) == wanted


def test_a_link_never_tells_of_an_invisible_memory(index: SearchIndex) -> None:
    secret = memory("secret", "/user/bob", title="Plan")
    source = memory("see [[Plan]]", "/user/ada")
    put(index, secret, source)
    assert index.links([source.id], visible=seen_by(user="ada")) == [Link(source.id, "Plan")]
    assert index.links([secret.id], visible=seen_by(user="bob")) == []


# Likeness


TIDY = "vibecop catches unhandled None checks in combat systems"
TIDIER = "vibecop also catches unhandled None checks in all combat systems"


def alike(index: SearchIndex, text: str, visible: Visible = EVERYTHING, **asked: Any) -> list[str]:
    scope = asked.pop("scope", "/user/ada")
    most = asked.pop("most", 8)
    wanted = {scope: signatures(text)}
    found = index.alike(wanted, visible=visible, where=Where(**asked), most=most)
    return [one.id for one in found]


def test_texts_with_mostly_the_same_words_find_each_other(index: SearchIndex) -> None:
    known = memory(TIDY)
    put(index, known, memory("Lunch is at noon"))
    assert alike(index, TIDIER) == [known.id]
    assert alike(index, "Nothing of the kind was ever said") == []
    assert alike(index, TIDIER, kinds=("workflow",)) == []


def test_likeness_stays_within_the_scope_asked_for_and_visible(index: SearchIndex) -> None:
    mine, theirs = memory(TIDY), memory(TIDY, "/user/bob")
    put(index, mine, theirs)
    assert alike(index, TIDIER) == [mine.id]
    assert alike(index, TIDIER, scope="/user/bob") == [theirs.id]
    assert alike(index, TIDIER, seen_by(user="ada"), scope="/user/bob") == []
    assert alike(index, TIDIER, scope="/user/nobody") == []


def test_of_a_crowd_with_one_signature_the_newest_are_looked_at(index: SearchIndex) -> None:
    crowd = [memory(TIDY) for _ in range(20)]
    for one in crowd:
        put(index, one)
    assert set(alike(index, TIDY, most=3)) == {one.id for one in crowd[-3:]}


def test_a_crowd_of_earlier_versions_does_not_hide_what_holds(index: SearchIndex) -> None:
    holds = memory(TIDY)
    put(index, holds)
    crowd = [memory(TIDY) for _ in range(9)]
    put(index, *crowd)
    put(index, *(one.but(status="superseded", superseded_by=holds.id) for one in crowd))
    assert alike(index, TIDY, most=8) == [holds.id]
    put(index, crowd[0])
    assert set(alike(index, TIDY, most=8)) == {holds.id, crowd[0].id}


def test_turns_and_facts_with_a_key_have_no_signature(index: SearchIndex) -> None:
    turn = memory(TIDY, episode="chat-1", position=1)
    put(index, turn, memory(TIDY, key="vibecop", value=TIDY))
    assert alike(index, TIDY) == []


def test_a_changed_or_forgotten_text_leaves_no_signature(index: SearchIndex) -> None:
    known, gone = memory(TIDY), memory(TIDY)
    put(index, known, gone)
    put(index, known.but(content="Something else was meant"))
    index.forget([gone.id])
    assert alike(index, TIDY) == []
    assert alike(index, "Something else was meant") == [known.id]


def test_two_that_claim_to_supersede_each_other_hide_neither(index: SearchIndex) -> None:
    one, other = memory("Alpha is first"), memory("Whales sing")
    put(index, one.but(supersedes=other.id), other.but(supersedes=one.id), memory("Apart"))
    assert set(listed(index, statuses=LIVE, superseding=True)) == {one.id, other.id}


def test_what_stands_meets_the_statuses_and_every_other_condition(index: SearchIndex) -> None:
    old = memory("Ada likes tea", status="superseded")
    other, live = memory("Ada likes mud", status="superseded"), memory("Ada likes cake")
    put(index, old, other, live)
    assert set(listed(index, statuses=LIVE, standing=(old.id,))) == {old.id, live.id}
    assert set(found(index, "ada", statuses=LIVE, standing=(old.id,))) == {old.id, live.id}
    assert listed(index, statuses=LIVE, standing=(old.id,), ids=(live.id,)) == [live.id]
    assert set(listed(index, not_ids=(old.id,))) == {other.id, live.id}
    where = Where(statuses=LIVE, standing=(old.id,))
    assert index.count(where, visible=EVERYTHING, by="kind") == {"insight": 2}


def test_places_are_those_of_visible_memories_that_meet_the_conditions(index: SearchIndex) -> None:
    here, there = "a" * 40, "b" * 40
    main = memory("Ada likes tea", commit=here, branch="main", supersedes="m_before")
    again = memory("Ada likes mud", commit=here, branch="main", supersedes="m_earlier")
    topic = memory("Ada likes cake", commit=there, branch="topic", scope="/project/b")
    put(index, main, again, topic, memory("Ada likes rain"))
    both = index.places(Where(), visible=EVERYTHING)
    assert set(both) == {f"{here} main", f"{there} topic"}
    assert both[f"{there} topic"] == topic.id
    replacing = index.places(Where(superseding=True), visible=EVERYTHING)
    assert set(replacing) == {f"{here} main"}
    assert replacing[f"{here} main"] in {main.id, again.id}
    seen = Visible(scopes=frozenset({"/project/b"}))
    assert index.places(Where(), visible=seen) == {f"{there} topic": topic.id}
    assert index.places(Where(superseding=True), visible=seen) == {}
    assert index.places(Where(), visible=Visible()) == {}
    assert listed(index, learned=(f"{there} topic", "elsewhere")) == [topic.id]
    assert listed(index, learned=()) == []


def test_versions_are_read_for_many_memories_at_once(index: SearchIndex) -> None:
    old = [memory(f"Version {n}", superseded_by=f"m_new{n}", key=f"k{n}") for n in range(3)]
    new = [memory(f"Heir {n}", supersedes=one.id) for n, one in enumerate(old)]
    put(index, *old, *new)
    ids = tuple(one.id for one in old[:2])
    assert set(listed(index, heirs_of=ids)) == {new[0].id, new[1].id}
    assert set(listed(index, replaced_by=("m_new0", "m_new2"))) == {old[0].id, old[2].id}
    assert set(listed(index, keys=("k1", "k2"))) == {old[1].id, old[2].id}
    assert listed(index, heirs_of=ids, not_ids=(new[0].id,)) == [new[1].id]


# Forgetting and starting again


def test_a_forgotten_memory_is_gone_from_every_answer(index: SearchIndex) -> None:
    tea, cake = memory("Ada likes tea", tags=("t",)), memory("Ada likes cake, see [[tea]]")
    put(index, tea, cake)
    index.forget([tea.id, "never heard of"])
    assert found(index, "tea ada") == listed(index) == [cake.id]
    assert index.count(Where(), visible=EVERYTHING, by="kind") == {"insight": 1}
    put(index, tea, revision=1)
    assert set(listed(index)) == {tea.id, cake.id}


def test_after_a_reset_everything_can_be_fed_again(index: SearchIndex) -> None:
    tea = memory("Ada likes tea")
    put(index, tea, revision=9)
    index.reset()
    assert index.revision() == 0
    assert found(index, "tea") == listed(index) == []
    put(index, tea, revision=3)
    assert found(index, "tea") == [tea.id]


def test_a_condition_names_any_texts(index: SearchIndex) -> None:
    odd = ('say "tea"', "back\\slash\\", "{brace, comma}", "NULL", "null", "o'clock", "?", "茶")
    put(index, *(made := [memory(f"tea {n}", key=key) for n, key in enumerate(odd)]))
    for one in made:
        assert listed(index, keys=(one.key, "no such")) == [one.id]
    assert len(listed(index, keys=odd)) == len(odd)
    assert listed(index, keys=()) == []


def test_reads_together_find_what_each_finds_alone(index: SearchIndex) -> None:
    put(index, tea := memory("tea with Bob", speaker="Bob", scope="/user/ada"))
    put(index, memory("coffee with Eve", speaker="Eve", scope="/user/eve"))
    ada = visible_to(Context(user="ada", role="member"))
    speakers, mine, all_of_them = index.read_together(
        ada,
        lambda there: (
            there.speakers(visible=ada),
            there.select(Where(), visible=ada),
            there.select(Where(), visible=EVERYTHING),
        ),
    )
    assert (speakers, [one.id for one in mine], len(all_of_them)) == (["Bob"], [tea.id], 2)


def test_an_index_serves_on_after_reads_together_that_failed(index: SearchIndex) -> None:
    def fails(there: SearchIndex) -> None:
        assert there.select(Where(), visible=EVERYTHING) == []
        raise BadInput("There is no tea.", hint="Make some.")

    with pytest.raises(BadInput):
        index.read_together(EVERYTHING, fails)
    put(index, tea := memory("tea with Bob"))
    assert found(index, "tea") == [tea.id]


def test_threads_share_an_index(index: SearchIndex) -> None:
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(20):
                put(index, memory(f"tea of {name} {number}"), revision=number)
                assert found(index, f"tea {name}")
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=work, args=(f"worker{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(found(index, "tea", limit=200)) == 80


def test_what_is_behind_a_candidate_is_handed_out_only_to_those_who_may_see_it(
    index: SearchIndex,
) -> None:
    put(index, memory("Bob's salary", scope="/user/bob"))
    [candidate] = index.gather(
        {"salari": "salary"}, None, visible=EVERYTHING, where=Where()
    ).candidates
    ada = visible_to(Context(user="ada", role="member"))
    assert index.fetch([candidate.key], visible=ada) == {}
    assert len(index.fetch([candidate.key], visible=EVERYTHING)) == 1
