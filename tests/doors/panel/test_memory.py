"""One memory: its text, its versions, its ties, its uses and its trail."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import Opened
from .serving import Panel


def test_a_memory_shows_all_that_is_known_of_it(opened: Opened, panel: Panel) -> None:
    book = panel.book
    target = book.save("The tide table hangs in the kitchen", title="Tide table")
    old = book.save("# Boat\n\nThe boat is **green**.\n\nIt follows the [[Tide table]].")
    new = book.edit(
        old.id, content="# Boat\n\nThe boat is **blue**.\n\nIt follows the [[Tide table]]."
    )
    book.recall("which colour has the boat")
    page = opened(f"/memory/{new.id}")
    expect(page.locator(".cp-prose strong")).to_have_text("blue")
    expect(page.locator(".cp-gone")).to_have_text("The boat is **green**.")
    expect(page.locator(".cp-added")).to_have_text("The boat is **blue**.")
    expect(page.get_by_text("which colour has the boat")).to_be_visible()
    expect(page.get_by_text("edited by an agent over MCP")).to_be_visible()
    expect(page.locator(".cp-prose")).not_to_contain_text("[[")
    page.locator(".cp-prose").get_by_role("link", name="Tide table").click()
    expect(page.locator("h1")).to_have_text("Tide table")
    expect(page).to_have_url(f"{panel.url}/memory/{target.id}")
    expect(page.get_by_text("Linked from")).to_be_visible()


def test_a_correction_replaces_the_memory_and_can_be_undone(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("The choir meets on Wednesdays")
    page = opened(f"/memory/{saved.id}")
    page.get_by_role("button", name="Correct", exact=True).click()
    page.get_by_label("Corrected text").fill("The choir meets on Thursdays")
    page.locator(".cp-dialog").get_by_role("button", name="Correct").click()
    expect(page.locator("h1")).to_have_text("The choir meets on Thursdays")
    assert panel.book.recall("when does the choir meet")[0].memory.content.endswith("Thursdays")
    page.locator(".cp-done").get_by_role("button", name="Undo").click()
    expect(page.locator("h1")).to_have_text("The choir meets on Wednesdays")


def test_forget_and_restore_from_its_page(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("The windmill was sold in spring")
    page = opened(f"/memory/{saved.id}")
    page.get_by_role("button", name="Forget").click()
    expect(page.locator(".cp-chip", has_text="forgotten")).to_be_visible()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("button", name="Forget")).to_be_visible()
    assert panel.book.get(saved.id).status == "active"


def test_an_unknown_memory_is_said_plainly(opened: Opened) -> None:
    page = opened("/memory/nothing-of-the-kind")
    expect(page.get_by_text("This memory cannot be shown.")).to_be_visible()
    expect(page.get_by_role("link", name="Back to all memories")).to_be_visible()


def test_recalls_and_injections_are_told_apart(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("The pilot boat is called Tern and lies at pier four")
    panel.book.recall("where does the pilot boat lie")
    panel.book.prompt("Send the pilot boat out to the tanker")
    page = opened(f"/memory/{saved.id}")
    recalled, injected = page.locator(".cp-recalled"), page.locator(".cp-injections")
    expect(recalled).to_contain_text("where does the pilot boat lie")
    expect(recalled).not_to_contain_text("tanker")
    expect(injected).to_contain_text("Send the pilot boat out to the tanker")
    expect(injected).to_contain_text("injected")
    expect(injected).not_to_contain_text("where does the pilot boat lie")


def test_a_memory_of_a_person_is_said_to_be_one(opened: Opened, panel: Panel) -> None:
    by_agent = panel.book.save("The lamp in the attic is red")
    writer = panel.book.as_context(panel.book.context, source="panel")
    by_person = writer.save("The lamp in the hall is green")
    for saved, owner in ((by_agent, "An agent"), (by_person, "A person")):
        page = opened(f"/memory/{saved.memory.id}")
        expect(page.locator("dt", has_text="Owner").locator("+ dd")).to_have_text(owner)
