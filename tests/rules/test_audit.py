"""The audit chain: every edit shows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from commonplace.model.memory import Event
from commonplace.rules import audit

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)

events = st.builds(
    Event,
    id=st.text(min_size=1, max_size=10),
    at=st.datetimes(
        datetime(2000, 1, 1),
        datetime(2100, 1, 1),
        timezones=st.just(UTC),
    ).map(lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000)),
    action=st.sampled_from(["created", "purged", "forgotten"]),
    memory=st.text(max_size=10),
    scope=st.sampled_from(["/", "/user/ada", "/user/名/task/7"]),
    by=st.sampled_from(["cli", "mcp"]),
    automatic=st.booleans(),
    before=st.sampled_from(["{}", '{"tags": ["a\\nb"]}']),
    related=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    digest=st.text(max_size=8),
)


def five() -> list[Event]:
    return [
        Event(f"e{n}", NOON + timedelta(minutes=n), "created", f"m{n}", "/user/ada", "cli")
        for n in range(1, 6)
    ]


def written(given: list[Event], name: str = "laptop") -> list[str]:
    return [f"{audit.to_line(one)}\n" for one in audit.link_events(given, audit.empty_chain(name))]


def said(lines: list[str], name: str = "laptop", seen: audit.Head | None = None) -> list[str]:
    return [p.what for p in audit.verify_chain(lines, name=name, where="here", seen=seen).problems]


@given(event=events)
def test_event_reads_back_from_one_line(event: Event) -> None:
    (linked,) = audit.link_events([event], audit.empty_chain("laptop"))
    line = audit.to_line(linked)
    assert "\n" not in line
    assert audit.from_line(line) == linked


@given(given=st.lists(events, max_size=6))
def test_untouched_chain_is_sound(given: list[Event]) -> None:
    checked = audit.verify_chain(written(given), name="laptop", where="here")
    assert checked.problems == ()
    assert [one.event for one in checked.linked] == given


def test_chain_linked_in_parts_is_the_same_chain() -> None:
    first, second = five()[:2], five()[2:]
    head = audit.link_events(first, audit.empty_chain("laptop"))[-1].head
    parts = written(first) + [f"{audit.to_line(one)}\n" for one in audit.link_events(second, head)]
    assert parts == written(five())


@settings(max_examples=200)
@given(data=st.data())
def test_no_edit_of_a_chain_goes_unnoticed(data: st.DataObject) -> None:
    lines = written(five())
    edited = data.draw(
        st.one_of(
            st.permutations(lines),
            st.lists(st.sampled_from(lines), max_size=6),
            st.tuples(
                st.integers(0, len("".join(lines)) - 1), st.characters(exclude_categories=["Cs"])
            ).map(lambda at: "".join(lines)[: at[0]] + at[1] + "".join(lines)[at[0] + 1 :]),
        )
    )
    text = edited if isinstance(edited, str) else "".join(edited)
    assume(text != "".join(lines))
    *whole, rest = text.split("\n")
    given = [f"{line}\n" for line in whole] + ([rest] if rest else [])
    assert said(given, seen=audit.from_line(lines[-1]).head)


def test_changed_event_is_named() -> None:
    lines = written(five())
    lines[2] = lines[2].replace('"m3"', '"m9"')
    assert said(lines) == ["Event 3 (e3) was changed."]


def test_removed_events_are_counted() -> None:
    lines = written(five())
    assert said([lines[0], *lines[3:]]) == ["Events 2 to 3 were removed."]
    assert said(lines[1:]) == ["Event 1 was removed."]


def test_reordered_events_are_named() -> None:
    lines = written(five())
    (problem,) = said([lines[0], lines[2], lines[1], *lines[3:]])
    assert "reordered" in problem
    assert "e2" in problem


def test_cut_chain_is_noticed_by_whoever_saw_its_end() -> None:
    lines = written(five())
    head = audit.from_line(lines[-1]).head
    assert said(lines[:3]) == []
    assert said(lines[:3], seen=head) == ["Events 4 to 5 were removed."]
    assert said([], seen=head) == ["Events 1 to 5 were removed."]


def test_forged_chain_is_noticed_by_whoever_saw_its_end() -> None:
    head = audit.from_line(written(five())[-1]).head
    forged = written([one.but(by="nobody") for one in five()])
    assert said(forged) == []
    assert "not the ones this device has seen" in said(forged, seen=head)[0]


def test_chain_of_one_device_does_not_pass_for_anothers() -> None:
    assert said(written(five(), "laptop"), name="phone")


def test_torn_last_line_is_only_a_notice() -> None:
    lines = written(five())
    lines[-1] = lines[-1][:40]
    checked = audit.verify_chain(lines, name="laptop", where="here")
    assert [problem.severity for problem in checked.problems] == ["notice"]
    assert len(checked.linked) == 4


def test_absurd_numbers_are_no_trouble() -> None:
    lines = written(five())
    lines[4] = lines[4].replace('"n":5', '"n":999999999999')
    assert any("Events 5 to 999999999998 were removed." in what for what in said(lines))


@pytest.mark.parametrize("line", ["", "{}", "[]", "null", "1", '{"n":1}', "{", '"x"'])
def test_line_that_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="line"):
        audit.from_line(line)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('"m1"', "1"),
        ('"m1"', '"\\ud800"'),
        ('"/user/ada"', '["/user/ada"]'),
        ('"n":1', '"n":1e400'),
        ('"n":1', '"n":99999999999999999999'),
        ('"n":1', '"n":0'),
        ('"action"', '"colour"'),
        ("2026-11-15", "2026-99-99"),
    ],
)
def test_event_of_wrong_values_is_refused(right: str, wrong: str) -> None:
    line = written(five())[0]
    assert right in line
    line = line.replace(right, wrong)
    with pytest.raises(ValueError, match="line"):
        audit.from_line(line)


def test_remembered_head_moves_on_only_with_its_own_chain() -> None:
    linked = audit.link_events(five(), audit.empty_chain("laptop"))
    forged = audit.link_events(
        [one.but(by="nobody") for one in five()], audit.empty_chain("laptop")
    )
    assert audit.furthest_head(audit.empty_chain("laptop"), linked) == linked[-1].head
    assert audit.furthest_head(linked[2].head, linked[2:]) == linked[-1].head
    assert audit.furthest_head(linked[2].head, forged) == linked[2].head
    assert audit.furthest_head(linked[4].head, linked[:2]) == linked[4].head
