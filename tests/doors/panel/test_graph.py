"""The graph of a large book: a colour per kind, names that can be read, and what is missing."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from commonplace.doors.panel.pages.graph import graph_to_draw, written_names

from .conftest import Opened
from .serving import Panel

KINDS = ("insight", "workflow", "fix", "preference", "domain-reference", "fact")
WINDOWS = {"wide": (1280, 900), "phone": (390, 800)}
LONG = (
    "on every second morning of the rainy season, before the harbour master has counted the boats"
)
DRAWN = """() => {
  const element = document.querySelector('.cp-graph');
  const chart = getElement(parseInt(element.id.slice(1))).chart;
  const names = chart.getZr().storage.getDisplayList().filter(one => one.type === 'tspan');
  const places = chart.getModel().getSeriesByIndex(0).getData();
  const boxes = names.filter(one => one.style.text).map(one => {
    const box = one.getBoundingRect().clone();
    box.applyTransform(one.getComputedTransform());
    return [one.style.text, box.x, box.y, box.width, box.height];
  });
  const dots = chart.getOption().series[0].data;
  const round = dots.map((one, index) => {
    const [x, y] = chart.convertToPixel({seriesIndex: 0}, places.getItemLayout(index));
    const size = one.symbolSize;
    return [one.name, x - size / 2, y - size / 2, size, size];
  });
  return {
    boxes: boxes, dots: round, size: [chart.getWidth(), chart.getHeight()],
    unwritten: document.querySelector('.cp-unwritten').textContent,
    colours: dots.map(one => one.itemStyle.borderColor),
  };
}"""


def test_memories_that_are_not_drawn_are_counted_as_browse_counts_them(panel: Panel) -> None:
    before = len(panel.book.list(limit=100))
    panel.book.save("The bell of the pier is cracked")
    panel.book.save("Who mends the bell?", kind="turn")
    drawn, said = graph_to_draw(panel.book, "", "")
    count = before + 1 - len(drawn.memories)
    assert said.startswith(f"Not drawn: {count} memor")
    assert said.endswith(" without connections, 1 turn of conversations.")


def test_two_hundred_notes_are_drawn_so_that_they_can_be_read(opened: Opened, panel: Panel) -> None:
    for number in range(200):
        panel.book.save(
            f"Signal {number} answers the lamp of mast {number * 7}; see [[Mast {number // 3}]]",
            title=f"Mast {number}",
            kind=KINDS[number % len(KINDS)],
        )
    page = opened("/graph")
    expect(page.locator(".cp-graph canvas")).to_be_visible()
    expect(page.locator(".cp-legend .cp-chip")).to_have_count(len(KINDS))
    drawn = when_drawn(page)
    assert len(set(drawn["colours"])) == len(KINDS)
    legend = page.locator(".cp-legend .cp-chip").evaluate_all(
        "chips => chips.map(one => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(legend)) == len(KINDS)
    assert len(drawn["boxes"]) >= 10, "names are shown"
    assert_readable(drawn)
    shown = page.locator(".cp-not-drawn")
    expect(shown).to_contain_text("80 memories with")
    expect(shown).to_contain_text("Not drawn:")
    expect(shown).to_contain_text("with fewer connections")


@pytest.mark.slow
@pytest.mark.parametrize("count", [8, 40, 150])
@pytest.mark.parametrize("length", ["short", "long"])
def test_names_neither_overlap_nor_leave_the_picture(
    opened: Opened, panel: Panel, count: int, length: str
) -> None:
    topic = f"{length}-{count}"
    end = f" {LONG}" if length == "long" else ""
    titles = [f"{topic} buoy {number}{end}" for number in range(count)]
    panel.book.save_many(
        {
            "content": f"Buoy {number} of {topic} points to [[{titles[number // 4]}]]",
            "title": titles[number],
            "kind": KINDS[number % len(KINDS)],
            "topic": topic,
        }
        for number in range(count)
    )
    page = opened(f"/graph?topic={topic}")
    for window, colours in product(WINDOWS, ("light", "dark")):
        wide, high = WINDOWS[window]
        page.set_viewport_size({"width": wide, "height": high})
        page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
        drawn = when_drawn(page)
        assert_readable(drawn)
        written = len(drawn["boxes"])
        assert written >= min(count, 8 if window == "wide" else 4), (window, written)
        if missing := min(count, 80) - written:
            assert drawn["unwritten"].startswith(f"{missing} name"), drawn["unwritten"]
        else:
            assert drawn["unwritten"] == ""


def test_a_name_without_room_is_shown_where_one_points(opened: Opened, panel: Panel) -> None:
    panel.book.save_many(
        {
            "content": f"Crane {number} lifts for [[Crane {number // 9}]]",
            "title": f"Crane {number}",
            "topic": "cranes",
        }
        for number in range(60)
    )
    page = opened("/graph?topic=cranes", viewport={"width": 390, "height": 800})
    before = {one[0] for one in when_drawn(page)["boxes"]}
    rows = page.locator(".cp-graph-list .cp-row a.cp-link")
    named = [one for one in rows.all_inner_texts() if one not in before]
    assert named, "some names find no room"
    page.locator(".cp-graph-list .cp-row a.cp-link", has_text=named[0]).first.focus()
    page.wait_for_function(f"() => ({DRAWN})().boxes.some(one => one[0] === {named[0]!r})")


def test_names_that_begin_alike_are_written_from_where_they_differ(
    opened: Opened, panel: Panel
) -> None:
    first = "The ferry to the outer islands leaves from {} quay {{b}}"
    one = panel.book.save(first.format("north"), topic="ferries")
    panel.book.correct(one.id, first.format("south"))
    panel.book.save(f"Tickets: see [[{one.id}]]", topic="ferries")
    drawn = when_drawn(opened(f"/graph?around={one.id}"))
    written = {box[0] for box in drawn["boxes"]}
    assert {"… leaves from north quay {b}", "… leaves from south quay {b}"} <= written


def test_names_that_begin_alike_keep_their_subject_beside_the_difference() -> None:
    names = {
        "The cost per kilo of the slip tank in workshop 28 is 48": (
            "… slip tank in workshop 28 is 48"
        ),
        "The cost per kilo of the slip tank in workshop 33 is 1319": (
            "… tank in workshop 33 is 1319"
        ),
        "The contact of the kiln in workshop 16 is 518": "… the kiln in workshop 16 is 518",
        "The contact of the kiln in workshop 16 is 327": "… the kiln in workshop 16 is 327",
        f"Every contact of the harbour master {LONG}": f"… harbour master {LONG}",
        "Every contact of the harbour pilot": "… contact of the harbour pilot",
        "The kiln is out of order": "The kiln is out of order",
        "a" * 40: "a" * 40,
        "a" * 50: "a" * 50,
    }
    assert written_names(list(names)) == list(names.values())
    assert written_names(["The cost per kilo of clay is 48"] * 2) == (
        ["The cost per kilo of clay is 48"] * 2
    )


def when_drawn(page: Page) -> dict[str, Any]:
    """What the picture shows once its script has fitted it into the window."""
    page.wait_for_function(
        "() => { const one = document.querySelector('[data-fitted]');"
        " return one && one.dataset.fitted === `${one.clientWidth} ${one.clientHeight}`; }"
    )
    return page.evaluate(DRAWN)


def assert_readable(drawn: dict[str, Any]) -> None:
    """No name lies over another or over a dot, and the picture's edge cuts nothing."""
    wide, high = drawn["size"]
    for name, x, y, across, down in (*drawn["boxes"], *drawn["dots"]):
        assert min(x, y) >= 0, name
        assert x + across <= wide, name
        assert y + down <= high, name
    for one, other in combinations(drawn["boxes"], 2):
        assert not overlap(one, other), (one, other)
    for one, other in product(drawn["boxes"], drawn["dots"]):
        assert not overlap(one, other), (one, other)
    for (name, x, y, size, _), (_, left, top, across, _) in combinations(drawn["dots"], 2):
        apart = math.dist((x + size / 2, y + size / 2), (left + across / 2, top + across / 2))
        assert apart >= (size + across) / 2, name


def overlap(one: list[Any], other: list[Any]) -> bool:
    """Whether two boxes share more than a rounding error."""
    (_, x, y, wide, high), (_, left, top, across, down) = one, other
    return (
        min(x + wide, left + across) - max(x, left) > 1
        and min(y + high, top + down) - max(y, top) > 1
    )
