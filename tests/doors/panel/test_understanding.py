"""Timeline, graph and health: how the book came to be what it is, and how it fares."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from .conftest import Opened
from .serving import Panel

CLICK = """(place) => {
  const element = document.querySelector('.cp-graph');
  const chart = getElement(parseInt(element.id.slice(1))).chart;
  const at = chart.getModel().getSeriesByIndex(0).getData().getItemLayout(place);
  const [x, y] = chart.convertToPixel({seriesIndex: 0}, at);
  const box = element.getBoundingClientRect();
  return {x: box.x + x, y: box.y + y};
}"""


def test_the_timeline_shows_changes_and_what_the_book_said_then(
    opened: Opened, panel: Panel
) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    last_week = datetime.now(UTC) - timedelta(days=7)
    panel.book.save("The beacon burns oil", created=last_week)
    panel.book.save("The beacon wall was painted today")
    page = opened("/timeline")
    expect(page.locator(".cp-chart canvas")).to_be_visible()
    expect(page.locator(".cp-item", has_text="created by an agent over MCP").first).to_be_visible()
    page.get_by_label("Day").fill(f"{yesterday:%Y-%m-%d}")
    page.get_by_role("button", name="Show that day").click()
    expect(page.locator(".cp-then")).to_contain_text("The beacon burns oil")
    expect(page.locator(".cp-then")).not_to_contain_text("painted today")
    page.get_by_label("Day").fill(f"{datetime.now(UTC):%Y-%m-%d}")
    page.get_by_label("Question").fill("beacon wall")
    page.get_by_role("button", name="Show that day").click()
    expect(page.locator(".cp-then")).to_contain_text("painted today")


def test_a_report_of_the_day_is_made_from_the_archive(opened: Opened, panel: Panel) -> None:
    task = panel.book.task("Repair the fog signal")
    panel.book.task_done(task.id, summary="The fog signal has a new valve")
    page = opened("/timeline")
    page.get_by_role("button", name="Today").click()
    expect(page.locator(".cp-report")).to_contain_text("Repair the fog signal")


def test_a_click_on_the_graph_leads_to_the_memory(opened: Opened, panel: Panel) -> None:
    panel.book.save("Rope is kept dry in the loft", title="Rope", kind="fact")
    knots = panel.book.save("Knots are tied with [[Rope]] only", title="Knots", kind="workflow")
    page = opened(f"/graph?around={knots.id}")
    expect(page.locator(".cp-graph canvas")).to_be_visible()
    expect(page.locator(".cp-graph-list .cp-link")).to_have_text(["Knots", "Rope"])
    page.wait_for_timeout(500)  # The dots appear slowly.
    spot = page.evaluate(CLICK, 1)
    page.mouse.click(spot["x"], spot["y"])
    expect(page.locator("h1")).to_have_text("Rope")


def test_a_topic_has_a_graph_too(opened: Opened, panel: Panel) -> None:
    for text in ("Sails are mended in winter", "Masts are oiled in spring"):
        panel.book.save(text, topic="rigging")
    page = opened("/graph")
    page.get_by_label("Memory or topic").fill("rigging")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".cp-graph-list .cp-link")).to_have_count(2)
