"""The graph of a large book: a colour per kind, names that can be read, and what is missing."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from playwright.sync_api import expect

from .conftest import Opened
from .serving import Panel

KINDS = ("insight", "workflow", "fix", "preference", "domain-reference", "fact")
DRAWN = """() => {
  const element = document.querySelector('.cp-graph');
  const chart = getElement(parseInt(element.id.slice(1))).chart;
  const names = chart.getZr().storage.getDisplayList().filter(one => one.type === 'tspan');
  const boxes = names.filter(one => one.style.text).map(one => {
    const box = one.getBoundingRect().clone();
    box.applyTransform(one.getComputedTransform());
    return [one.style.text, box.x, box.y, box.width, box.height];
  });
  const dots = chart.getOption().series[0].data;
  return {boxes: boxes, colours: dots.map(one => one.itemStyle.borderColor)};
}"""


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
    page.wait_for_timeout(1_000)  # The layout is computed at once, and drawn with the next frame.
    drawn: dict[str, Any] = page.evaluate(DRAWN)
    assert len(set(drawn["colours"])) == len(KINDS)
    legend = page.locator(".cp-legend .cp-chip").evaluate_all(
        "chips => chips.map(one => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(legend)) == len(KINDS)
    boxes = drawn["boxes"]
    assert len(boxes) >= 10, "names are shown"
    for one, other in combinations(boxes, 2):
        assert not overlap(one, other), (one, other)
    shown = page.locator(".cp-not-drawn")
    expect(shown).to_contain_text("80 memories with")
    expect(shown).to_contain_text("Not drawn:")
    expect(shown).to_contain_text("with fewer connections")


def overlap(one: list[Any], other: list[Any]) -> bool:
    """Whether two boxes share more than a rounding error."""
    (_, x, y, wide, high), (_, left, top, across, down) = one, other
    return (
        min(x + wide, left + across) - max(x, left) > 1
        and min(y + high, top + down) - max(y, top) > 1
    )
