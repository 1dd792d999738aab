"""Health: how the book fares, what rings, and what can be done about it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from commonplace import Refused
from commonplace.doors.panel.filters import Filters
from commonplace.doors.panel.memory_list import count_all
from commonplace.rules.screening.credential_formats import FORMATS
from tests.rules import made_credentials as made

from .conftest import Opened
from .serving import Panel

TOKEN = made.credential(
    next(form for form in FORMATS if form.label == "GitHub token"), random.Random(2)
)


def test_health_counts_what_the_book_holds_and_goes_on_counting(
    opened: Opened, panel: Panel
) -> None:
    saved = panel.book.save("The barometer is read at dawn and dusk")
    panel.book.recall("when is the barometer read")
    page = opened("/vitals")
    expect(page.locator(".cp-chart canvas")).to_have_count(2)
    total = page.locator(".cp-figure", has_text="memories").first.locator(".cp-number")
    expect(total).to_have_text(f"{count_all(panel.book, Filters({}))}")
    expect(page.locator(".cp-figure", has_text="on disk")).to_contain_text("records")
    hot = page.locator("section", has_text="Most recalled")
    expect(hot.get_by_role("link", name="The barometer is read")).to_be_visible()
    figures = panel.book.vitals(datetime.now(UTC) - timedelta(days=1))
    assert (saved.id, 1) in {(memory.id, count) for memory, count in figures.hot}
    # Without a reload.
    cold = panel.book.save("The sextant was never asked for")
    expect(total).to_have_text(f"{count_all(panel.book, Filters({}))}")
    expect(
        page.locator("section", has_text="Never recalled").locator(f"a[href='/memory/{cold.id}']")
    ).to_be_visible()


def test_refused_secrets_are_counted_and_ring_with_what_to_do(opened: Opened, panel: Panel) -> None:
    with pytest.raises(Refused):
        panel.book.save_many([f"Key {n}: {TOKEN}" for n in range(21)])
    page = opened("/vitals")
    expect(page.locator(".cp-refused")).to_contain_text("contained a credential")
    expect(page.locator(".cp-refused")).to_contain_text("21")
    alarm = page.locator(".cp-alarms .cp-alert", has_text="21 writes")
    expect(alarm).to_contain_text("Usual: 0 to 5 a day")
    expect(alarm).to_contain_text("should be changed")


def test_what_is_said_twice_is_listed_and_leads_to_the_inbox(opened: Opened, panel: Panel) -> None:
    notes = panel.vault / "system"
    notes.mkdir(parents=True, exist_ok=True)
    for name in ("rope", "ropes"):
        text = "---\nowner: curated\n---\nThe spare rope hangs behind the boathouse door\n"
        (notes / f"{name}.md").write_text(text, encoding="utf-8")
    panel.book.maintain()
    page = opened("/vitals")
    twice = page.locator(".cp-duplicates")
    expect(twice.get_by_role("link", name="The spare rope hangs")).to_have_count(2)
    twice.get_by_role("link", name="Decide in the inbox").click()
    expect(page).to_have_url(f"{panel.url}/inbox")


def test_faults_are_looked_for_when_asked(opened: Opened, panel: Panel) -> None:
    panel.book.save("The capstan follows [[No such note at all]]")
    page = opened("/vitals")
    expect(page.locator(".cp-faults .cp-alert")).to_have_count(0)
    page.get_by_role("button", name="Check now").click()
    expect(page.locator(".cp-faults")).to_contain_text("No such note at all")
