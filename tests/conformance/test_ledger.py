"""What every ledger promises."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.model.errors import LedgerUnavailable
from commonplace.model.identity import content_hash
from commonplace.model.memory import HandedDigest, Retrieval, Use
from commonplace.model.results import Spend, Spent
from commonplace.model.scope import EVERYTHING, Scope, Tenant, Visible
from commonplace.ports.ledger import Ledger

from .chains import VANDALS
from .opening import Opener, finish
from .samples import NOON, event

ADA = Visible(scopes=frozenset({"/", "/user/ada"}), task_parents=frozenset({"/user/ada"}))


def retrieval(query: str = "how do we deploy?", minute: float = 0, **fields: object) -> Retrieval:
    values = {"id": f"r-{query}", "at": NOON + timedelta(minutes=minute), "scope": "/user/ada"}
    return Retrieval(**(values | {"query": query} | fields))  # pyright: ignore[reportArgumentType]


def handed(
    id: str = "d-1", lines: tuple[str, ...] = ("- [m-a] Deploy from main",), **fields: object
) -> HandedDigest:
    text = "\n".join(("<memory-context>", "Notes:", *lines, "</memory-context>"))
    values = {"id": id, "at": NOON, "scope": "/user/ada", "text": text, "memories": ("m-a",)}
    return HandedDigest(**(values | {"by": "hook"} | fields))  # pyright: ignore[reportArgumentType]


def queries(ledger: Ledger, visible: Visible = EVERYTHING, limit: int = 100) -> list[str]:
    return [one.query for one in ledger.retrievals(visible=visible, limit=limit)]


# Events


def test_events_read_back_newest_first(ledger: Ledger) -> None:
    tea = event("m-tea", minute=1, before='{"status": "active"}', related=("m-old",), digest="d1")
    coffee = event("m-coffee", "forgotten", minute=2, automatic=True, by="mcp")
    ledger.append([tea, coffee])
    ledger.append([cocoa := event("m-cocoa", minute=3)])
    assert ledger.events(visible=EVERYTHING) == [cocoa, coffee, tea]
    assert ledger.events(visible=EVERYTHING, limit=1) == [cocoa]
    assert ledger.events(visible=EVERYTHING, since=NOON + timedelta(minutes=2)) == [cocoa, coffee]


def test_events_of_the_same_moment_keep_their_order(ledger: Ledger) -> None:
    batch = [event(f"m-{n}") for n in range(5)]
    ledger.append(batch)
    assert ledger.events(visible=EVERYTHING) == batch[::-1]


def test_events_are_found_by_id_and_by_any_memory_they_name(ledger: Ledger) -> None:
    made = event("m-tea", minute=1)
    replaced = event("m-coffee", "superseded", minute=2, related=("m-tea",))
    other = event("m-cocoa", minute=3)
    ledger.append([made, replaced, other])
    assert ledger.events(visible=EVERYTHING, ids=[made.id]) == [made]
    assert ledger.events(visible=EVERYTHING, memories=["m-tea"]) == [replaced, made]
    assert ledger.events(visible=EVERYTHING, ids=[]) == []
    assert ledger.events(visible=EVERYTHING, ids=[other.id], memories=["m-tea"]) == []


def test_events_of_other_scopes_stay_hidden(ledger: Ledger) -> None:
    mine = [
        event("m-tea", minute=1),
        event("m-task", scope="/user/ada/task/7", minute=2),
        event("m-all", scope="/", minute=3),
    ]
    theirs = [event("m-bob", scope="/user/bob"), event("m-t", scope="/user/bob/task/7")]
    ledger.append([*mine, *theirs])
    assert ledger.events(visible=ADA) == mine[::-1]
    assert ledger.events(visible=ADA, memories=["m-bob", "m-t"]) == []
    assert ledger.events(visible=Visible()) == []


def test_appending_nothing_changes_nothing(ledger: Ledger) -> None:
    ledger.append([])
    assert ledger.verify().events == 0
    assert ledger.verify().sound


def test_chain_goes_on_after_reopening(opener: Opener) -> None:
    first = opener.open().ledger
    first.append([event("m-tea")])
    first.close()
    second = opener.open().ledger
    second.append([event("m-coffee", minute=1)])
    assert [one.memory for one in second.events(visible=EVERYTHING)] == ["m-coffee", "m-tea"]
    assert (second.verify().events, second.verify().sound) == (2, True)


def test_closed_ledger_says_so(opener: Opener) -> None:
    ledger = opener.open().ledger
    ledger.close()
    with pytest.raises(LedgerUnavailable):
        ledger.append([event()])


def test_four_processes_append_to_one_sound_chain(opener: Opener) -> None:
    ledger = opener.open().ledger
    script = """
for n in range(20):
    parts.ledger.append([event(f"{arguments[0]}-{n}"), event(f"{arguments[0]}-{n}-twin")])
"""
    finish(*(opener.run(script, who) for who in ("ada", "bob", "eve", "dan")))
    named = [one.memory for one in ledger.events(visible=EVERYTHING, limit=1000)]
    assert len(named) == len(set(named)) == 160
    verified = ledger.verify()
    assert (verified.events, verified.problems) == (160, ())


# Tampering


def _change(lines: list[str]) -> list[str]:
    return [lines[0], lines[1].replace('"created"', '"restored"'), *lines[2:]]


def _garble(lines: list[str]) -> list[str]:
    return [lines[0], "{}\n", *lines[2:]]


def _remove_one(lines: list[str]) -> list[str]:
    return [lines[0], *lines[2:]]


def _remove_first(lines: list[str]) -> list[str]:
    return lines[1:]


def _remove_last(lines: list[str]) -> list[str]:
    return lines[:-1]


def _remove_all(lines: list[str]) -> list[str]:
    return []


def _swap(lines: list[str]) -> list[str]:
    return [lines[0], lines[2], lines[1], *lines[3:]]


def _duplicate(lines: list[str]) -> list[str]:
    return [lines[0], lines[0], *lines[2:]]


def _forge(lines: list[str]) -> list[str]:
    """Rewrite history from the second event on, with hashes that fit."""
    from commonplace.rules import audit

    linked = [audit.from_line(line) for line in lines]
    forged = [one.event.but(by="nobody") for one in linked[1:]]
    return [
        lines[0],
        *(f"{audit.to_line(one)}\n" for one in audit.link_events(forged, linked[0].head)),
    ]


@pytest.mark.parametrize(
    "vandalize",
    [
        _change,
        _garble,
        _remove_one,
        _remove_first,
        _remove_last,
        _remove_all,
        _swap,
        _duplicate,
        _forge,
    ],
)
def test_verify_finds_whatever_was_done_to_the_chain(
    opener: Opener, vandalize: Callable[[list[str]], list[str]]
) -> None:
    ledger = opener.open().ledger
    ledger.append([event(f"m-{n}", minute=n) for n in range(5)])
    assert ledger.verify().sound
    ledger.close()
    VANDALS[opener.scheme](opener.place / "book", vandalize)
    ledger = opener.open().ledger
    assert not ledger.verify().sound
    ledger.append([event("m-later", minute=9)])
    assert not ledger.verify().sound, "a later event must not cover it up"


# Tombstones


def test_purged_memory_and_its_text_are_recognized(ledger: Ledger) -> None:
    ledger.append([event("m-tea", digest="d-tea"), event("m-coffee", "forgotten", digest="d-c")])
    assert ledger.tombstone_count() == 0
    ledger.append([event("m-tea", "purged", digest="d-tea", related=("m-still-there",))])
    keys = ["m-tea", "d-tea", "m-coffee", "d-c", "m-still-there", "never"]
    assert ledger.purged_keys(keys) == {"m-tea", "d-tea"}
    assert ledger.purged_keys([]) == set()
    assert ledger.tombstone_count() > 0


def test_tombstones_outlive_reopening(opener: Opener) -> None:
    first = opener.open().ledger
    first.append([event("m-tea", "purged", digest="d-tea")])
    known = first.tombstone_count()
    first.close()
    second = opener.open().ledger
    assert second.tombstone_count() == known
    assert second.purged_keys(["m-tea"]) == {"m-tea"}


def test_purge_on_another_device_counts_here_too(opener: Opener) -> None:
    here, there = opener.open().ledger, opener.open(state="another-device").ledger
    here.append([event("m-coffee", "purged", digest="d-coffee")])
    known = here.tombstone_count()
    there.append([event("m-tea", "purged", digest="d-tea", minute=5)])
    assert here.tombstone_count() > known
    assert here.purged_keys(["m-tea", "d-tea"]) == {"m-tea", "d-tea"}
    assert here.events(visible=EVERYTHING, limit=1)[0].memory == "m-tea"
    assert here.verify().sound
    assert there.verify().events == 2


# Counters


def test_uses_are_counted(ledger: Ledger) -> None:
    ledger.count_use(["m-tea", "m-coffee", "m-tea"], at=NOON)
    ledger.count_use(["m-tea"], at=NOON + timedelta(hours=1))
    assert ledger.uses(["m-tea", "m-coffee", "m-never"]) == {
        "m-tea": Use(2, NOON + timedelta(hours=1)),
        "m-coffee": Use(1, NOON),
        "m-never": Use(),
    }


def test_outcomes_are_counted_by_scope_and_earlier_ones_fade(ledger: Ledger) -> None:
    assert ledger.outcomes() == {}
    ledger.count_outcomes([("/user/ada", "used"), ("/user/bob", "ignored")])
    ledger.count_outcomes([("/user/ada", "corrected")])
    ledger.count_outcomes([])
    ada = ledger.outcomes(["/user/ada", "/user/eve"])["/user/ada"]
    assert (0.9 < ada.used < 1, ada.ignored, ada.corrected) == (True, 0, 1)
    assert set(ledger.outcomes()) == {"/user/ada", "/user/bob"}
    ledger.wipe(Tenant.of(Scope.parse("/user/ada")), erasure=event("ada", "erased"))
    assert set(ledger.outcomes()) == {"/user/bob"}


def test_clock_that_jumps_back_does_not_undo_the_last_use(ledger: Ledger) -> None:
    ledger.count_use(["m-tea"], at=NOON)
    ledger.count_use(["m-tea"], at=NOON - timedelta(days=1))
    assert ledger.uses(["m-tea"]) == {"m-tea": Use(2, NOON)}


# What models cost


def test_questions_to_models_read_back_in_order(ledger: Ledger) -> None:
    assert list(ledger.spends()) == []
    asked = [
        Spend(NOON, "merge", "small", "m-tea", 10, 20, 0.25),
        Spend(NOON - timedelta(days=1), "judge", "large", failure="timed out"),
    ]
    for one in asked:
        ledger.record_spend(one)
    assert list(ledger.spends()) == asked


# The retrieval log


def test_logged_recalls_read_back_newest_first(ledger: Ledger) -> None:
    first = retrieval("how do we deploy?", results=(("m-a", 1.5), ("m-b", 0.25)), details='{"k":1}')
    second = retrieval("what is FOO; DROP TABLE", minute=1)
    ledger.log(first)
    ledger.log(second)
    assert ledger.retrievals(visible=EVERYTHING) == [second, first]
    assert ledger.retrievals(visible=EVERYTHING, limit=1) == [second]


def test_a_logged_recall_counts_what_it_used(opener: Opener) -> None:
    ledger = opener.open().ledger
    ledger.log(retrieval(), ["m-tea", "m-coffee", "m-tea"])
    ledger.log(retrieval(minute=1), ["m-tea"])
    assert {id: use.count for id, use in ledger.all_uses().items()} == {"m-tea": 2, "m-coffee": 1}
    assert len(ledger.retrievals(visible=EVERYTHING)) == 2


def test_recalls_of_others_stay_hidden(ledger: Ledger) -> None:
    ledger.log(retrieval("ada asks"))
    ledger.log(retrieval("ada asks in a task", scope="/user/ada/task/7"))
    ledger.log(retrieval("bob asks", scope="/user/bob"))
    assert queries(ledger, ADA) == ["ada asks in a task", "ada asks"]
    assert queries(ledger, Visible()) == []


def test_log_keeps_only_the_newest(opener: Opener) -> None:
    ledger = opener.open(keep=5).ledger
    for n in range(12):
        ledger.log(retrieval(f"question {n}", minute=n))
    assert queries(ledger) == [f"question {n}" for n in range(11, 6, -1)]


def test_log_of_no_size_keeps_nothing(opener: Opener) -> None:
    ledger = opener.open(keep=0).ledger
    ledger.log(retrieval())
    assert queries(ledger) == []


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text())
def test_any_query_can_be_logged(ledger: Ledger, query: str) -> None:
    ledger.log(retrieval(query))
    readable = query.encode("utf-8", "replace").decode()
    assert queries(ledger, limit=1) == [readable]


# The log of digests


def test_digests_read_back_newest_first_and_by_id(ledger: Ledger) -> None:
    first, second = handed(), handed("d-2", ("- [m-a] ⏎ 'x' \"y\" 日本",), scope="/user/ada/task/7")
    ledger.log_digest(first)
    ledger.log_digest(second)
    assert ledger.digests(visible=EVERYTHING) == [second, first]
    assert ledger.digests(visible=EVERYTHING, limit=1) == [second]
    assert ledger.digests(visible=EVERYTHING, id="d-1") == [first]
    assert ledger.digests(visible=EVERYTHING, id="d-3") == []
    assert ledger.digests(visible=EVERYTHING, id="\0") == []


def test_digests_show_only_those_of_visible_scopes(ledger: Ledger) -> None:
    for id, scope in (("d-1", "/user/ada"), ("d-2", "/user/ada/task/7"), ("d-3", "/user/bob")):
        ledger.log_digest(handed(id, scope=scope))
    assert [one.id for one in ledger.digests(visible=ADA)] == ["d-2", "d-1"]
    assert ledger.digests(visible=ADA, id="d-3") == []


def test_the_log_of_digests_has_a_bounded_size(opener: Opener) -> None:
    ledger = opener.open(keep=5).ledger
    for n in range(12):
        ledger.log_digest(handed(f"d-{n}"))
    assert [one.id for one in ledger.digests(visible=EVERYTHING, limit=100)] == [
        "d-11", "d-10", "d-9", "d-8", "d-7",
    ]  # fmt: skip


def test_scrub_takes_the_lines_of_purged_memories_out_of_digests(opener: Opener) -> None:
    ledger = opener.open().ledger
    gone, quoting, kept = (
        f"- [m-gone] {SECRET}", f"- [m-copy] (note) As I said: {SECRET}", "- [m-kept] Deploy Friday"
    )  # fmt: skip
    lines, memories = (gone, kept, quoting), ("m-gone", "m-kept", "m-copy")
    ledger.log_digest(handed("d-1", lines, memories=memories))
    ledger.log_digest(handed("d-2", lines, memories=memories, scope="/user/bob"))
    ledger.log_digest(handed("d-3", (kept,), memories=("m-kept",)))
    assert b"marmalade-4711" in opener.everything_on_disk()
    ledger.scrub(["m-gone"], [SECRET], within=Tenant(None, "ada"))
    third, second, first = ledger.digests(visible=EVERYTHING)
    assert first.text.split("\n")[2:-1] == [
        "- [m-gone] (purged since)", kept, "- [m-copy] (purged since)"
    ]  # fmt: skip
    assert second.text.split("\n")[2:-1] == ["- [m-gone] (purged since)", kept, quoting]
    assert third.text == handed("d-3", (kept,)).text
    ledger.scrub(["m-gone"], [SECRET])
    assert b"marmalade-4711" not in opener.everything_on_disk()


# Spending


def spend(minute: float = 0, **fields: object) -> Spend:
    values = {"at": NOON + timedelta(minutes=minute), "operation": "merge", "model": "tiny"}
    return Spend(**(values | fields))  # pyright: ignore[reportArgumentType]


def test_what_models_cost_is_summed_since_a_moment(ledger: Ledger) -> None:
    assert ledger.spent() == Spent()
    ledger.record_spend(spend(input_tokens=100, output_tokens=10, cost=0.5))
    ledger.record_spend(spend(60, input_tokens=7, failure="it refused"))
    assert ledger.spent() == Spent(2, 107, 10, 0.5, 1, "it refused")
    assert ledger.spent(NOON + timedelta(minutes=1)) == Spent(1, 7, 0, 0.0, 1, "it refused")
    assert ledger.spent(NOON + timedelta(days=1)) == Spent()


def test_what_one_memory_cost_can_be_told(ledger: Ledger) -> None:
    ledger.record_spend(spend(subject="m-tea", input_tokens=3))
    ledger.record_spend(spend(subject="m-cocoa", input_tokens=4))
    assert ledger.spent(subject="m-tea") == Spent(1, 3)


def test_a_failure_is_over_once_an_answer_was_used(ledger: Ledger) -> None:
    ledger.record_spend(spend(failure="it refused"))
    ledger.record_spend(spend(1))
    assert ledger.spent() == Spent(2, failed=1, last_failure="")


def test_spending_outlives_a_process(opener: Opener) -> None:
    opener.open().ledger.record_spend(spend(input_tokens=100))
    assert opener.open().ledger.spent().input_tokens == 100


def test_scrub_forgets_what_a_question_was_about_but_not_what_it_cost(ledger: Ledger) -> None:
    ledger.record_spend(spend(subject="m-gone", input_tokens=1))
    ledger.record_spend(spend(subject=content_hash(SECRET), input_tokens=2))
    ledger.record_spend(spend(subject="m-kept", input_tokens=4))
    ledger.scrub(["m-gone"], [SECRET])
    assert ledger.spent().input_tokens == 7
    assert ledger.spent(subject="m-gone") == Spent()
    assert ledger.spent(subject=content_hash(SECRET)) == Spent()
    assert ledger.spent(subject="m-kept").input_tokens == 4


# Scrubbing


SECRET = "The vault code is marmalade-4711, as Ada said."


def test_scrub_removes_counters_and_telling_queries(ledger: Ledger) -> None:
    kept = [
        retrieval("code", minute=1),
        retrieval("where is the marmalade?", minute=2),
        retrieval("how do we deploy?", minute=3, results=(("m-other", 1.0),)),
    ]
    telling = [
        retrieval("harmless, but it was found", minute=4, results=(("m-x", 2.0), ("m-gone", 1.0))),
        retrieval(f"Is it true that {SECRET}?", minute=5),
        retrieval("  the VAULT code is   marmalade-4711, as ada said ", minute=6),
        retrieval("code is marmalade-4711, as", minute=7),
        retrieval("quoted", minute=8, details=json.dumps({"expanded": SECRET})),
    ]
    for one in (*kept, *telling):
        ledger.log(one)
    ledger.count_use(["m-gone", "m-other"], at=NOON)
    ledger.scrub(["m-gone"], [SECRET])
    assert queries(ledger) == [one.query for one in reversed(kept)]
    assert ledger.uses(["m-gone", "m-other"]) == {"m-gone": Use(), "m-other": Use(1, NOON)}


@pytest.mark.parametrize(
    ("text", "telling", "harmless"),
    [
        ("1", "1", "which of the 10 servers has 1 disk?"),
        ("main", "Main!", "is main the branch that the domain deploys?"),
        ("cli", "cli", "how do I call it?"),
        ("hunter2", "is it still hunter2?", "who are hunter21 and hunter22?"),
        ("Ada is ill", "who says that Ada is ill?", "Canada is illiberal, who says that?"),
        ("Ada hat die Grippe.", "weiß Bob: Ada hat die Grippe?", "hat Ada die Grippe?"),
        ("安娜怀孕了", "谁知道安娜怀孕了吗", "安娜怎么了"),
        ("数据库", "数据库", "哪个数据库在用"),
    ],
)
def test_scrub_spares_questions_that_only_share_a_word_with_what_was_purged(
    ledger: Ledger, text: str, telling: str, harmless: str
) -> None:
    beside = json.dumps({"by": "cli", "ms": 1, "why": [{"main": 1.0}], "sure": True})
    for query in (telling, harmless):
        ledger.log(retrieval(query, details=beside))
    ledger.scrub([], [text])
    assert queries(ledger) == [harmless]


def test_scrub_within_a_tenant_leaves_the_words_of_others_alone(ledger: Ledger) -> None:
    bob = Tenant(None, "bob")
    for scope in ("/", "/user/ada", "/user/bob", "/user/bob/project/x"):
        ledger.log(retrieval(f"{SECRET} {scope}", scope=scope))
    ledger.log(retrieval("found", results=(("m-gone", 1.0),)))
    ledger.scrub(["m-gone"], [SECRET], within=bob)
    assert queries(ledger) == [f"{SECRET} /user/ada", f"{SECRET} /"]


def test_scrub_of_nothing_removes_nothing(ledger: Ledger) -> None:
    ledger.log(retrieval())
    ledger.scrub([], [])
    ledger.scrub([], ["", "  "])
    assert queries(ledger) == ["how do we deploy?"]


def test_no_file_holds_a_byte_of_scrubbed_text(opener: Opener) -> None:
    ledger = opener.open().ledger
    for n in range(200):
        ledger.log(retrieval(f"filler {n} " + "and more " * (n % 40)))
        if n % 20 == 0:
            ledger.log(retrieval(f"{n}: {SECRET}"))
    ledger.log(retrieval(SECRET))
    assert b"marmalade-4711" in opener.everything_on_disk()
    ledger.scrub(["m-gone"], [SECRET])
    assert b"marmalade-4711" not in opener.everything_on_disk()
    assert len(queries(ledger, limit=1000)) == 200
