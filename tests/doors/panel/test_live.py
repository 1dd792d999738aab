"""Every page shows what agents change meanwhile, without a reload and without losing its place."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import Opened
from .serving import Panel


def test_the_timeline_goes_on(opened: Opened, panel: Panel) -> None:
    page = opened("/timeline")
    panel.book.save("The tern colony moved to the north rock")
    expect(page.get_by_role("link", name="The tern colony moved")).to_be_visible()


def test_the_graph_grows(opened: Opened, panel: Panel) -> None:
    panel.book.save("Rope is kept dry in the loft", title="Rope")
    knots = panel.book.save("Knots are tied with [[Rope]] only", title="Knots")
    page = opened(f"/graph?around={knots.id}")
    expect(page.locator(".cp-graph-list .cp-link")).to_have_count(2)
    panel.book.save("Splices need [[Knots]] first", title="Splices")
    expect(page.locator(".cp-graph-list .cp-link")).to_have_count(3)


def test_the_lab_answers_anew(opened: Opened, panel: Panel) -> None:
    panel.book.save("The galley stove burns driftwood")
    page = opened("/lab?q=what does the galley stove burn")
    expect(page.locator(".cp-injected")).to_contain_text("driftwood")
    panel.book.save("The galley stove also burns peat in winter, says the cook")
    expect(page.locator(".cp-injected")).to_contain_text("peat")


def test_a_profile_that_nobody_is_editing_follows_and_an_edited_one_is_not_lost(
    opened: Opened, panel: Panel
) -> None:
    panel.book.profile_set("## Role\nKeeper of the buoy yard")
    page = opened("/profile")
    box = page.get_by_label("Profile")
    expect(box).to_have_value("## Role\nKeeper of the buoy yard")
    panel.book.profile_set("## Role\nKeeper of the whole harbour")
    expect(box).to_have_value("## Role\nKeeper of the whole harbour")
    box.fill("## Role\nKeeper of the whole harbour and its cats")
    panel.book.profile_set("## Role\nKeeper of the foghorn")
    expect(page.locator(".cp-warning")).to_contain_text("Keeper of the foghorn")
    expect(box).to_have_value("## Role\nKeeper of the whole harbour and its cats")
