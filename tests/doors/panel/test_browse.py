"""Browse: find memories, change them, undo it, and see what agents change meanwhile."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from commonplace.model.errors import NotFound

from .conftest import Opened
from .serving import Panel


def search(page: Page, words: str) -> None:
    page.get_by_label("Search", exact=True).fill(words)


def test_an_empty_book_teaches_the_first_step(opened: Opened, panel: Panel) -> None:
    for left in panel.book.list(limit=1_000):
        panel.book.forget(left.id)  # Other tests may have come first.
    page = opened()
    expect(page.get_by_text("There are no memories yet.")).to_be_visible()
    expect(page.get_by_text("commonplace install claude", exact=False)).to_be_visible()
    # And what an agent writes appears without a reload.
    panel.book.save("The lighthouse keeper prefers rye bread")
    expect(page.locator(".cp-name", has_text="lighthouse keeper")).to_be_visible()


def test_search_ranks_as_recall_does_and_says_why(opened: Opened, panel: Panel) -> None:
    for text in ("We deploy from main", "The deploy bell rings at noon", "Tea is served at four"):
        panel.book.save(text)
    # A word is worth the more, the fewer memories have it.
    for text in ("Bricks dry in the yard", "Otters moved in", "Paul tunes pianos", "Vans need oil"):
        panel.book.save(text)
    page = opened()
    search(page, "which branch do we deploy from")
    expect(page.locator(".cp-why").first).to_contain_text("contains deploy")
    expect(page.locator(".cp-name", has_text="Tea is served")).to_have_count(0)
    ranked = [hit.memory.content for hit in panel.book.recall("which branch do we deploy from")]
    assert page.locator(".cp-name").all_inner_texts() == ranked


def test_looking_is_not_counted_as_a_recall(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("The harbour crane is painted every seventh year")
    page = opened()
    search(page, "harbour crane painted")
    expect(page.locator(".cp-why").first).to_be_visible()
    assert (
        saved.id not in panel.book.uses([saved.id])
        or panel.book.uses([saved.id])[saved.id].count == 0
    )


def test_filters_narrow_the_list(opened: Opened, panel: Panel) -> None:
    panel.book.save("Orchids need rain water", kind="preference", scope="/project/garden")
    panel.book.save("Cacti need none", kind="fix", scope="/project/garden/agent/coding")
    page = opened("/")
    page.get_by_label("Project").click()
    page.get_by_role("option", name="garden").click()
    expect(page.locator(".cp-name")).to_have_count(2)
    page.get_by_label("Kind").click()
    page.get_by_role("option", name="fix", exact=True).click()
    expect(page.locator(".cp-name")).to_have_count(1)
    expect(page.locator(".cp-name")).to_have_text("Cacti need none")


def test_an_edit_is_saved_and_undone(opened: Opened, panel: Panel) -> None:
    panel.book.save("The ferry leaves at nine", tags=["travel"])
    page = opened("/?q=ferry leaves")
    page.get_by_role("button", name="Edit").first.click()
    page.get_by_label("Text").fill("The ferry leaves at ten")
    page.get_by_label("Topic").fill("timetable")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".cp-name", has_text="leaves at ten")).to_be_visible()
    found = panel.book.recall("ferry leaves")[0].memory
    assert (found.content, found.topic, found.trust) == (
        "The ferry leaves at ten",
        "timetable",
        "user",
    )
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".cp-name", has_text="leaves at nine")).to_be_visible()


def test_a_person_writes_a_memory_and_takes_it_back(opened: Opened, panel: Panel) -> None:
    page = opened("/?q=lantern oil")
    page.get_by_role("button", name="New memory").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Enter a text first.")).to_be_visible()
    page.get_by_label("Text").fill("The lantern oil comes from the chandler on Monday")
    page.locator(".cp-dialog").get_by_label("Scope").fill("/project/lighthouse")
    page.get_by_label("Tags").fill("oil, supplies")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.locator(".cp-name", has_text="lantern oil")).to_be_visible()
    found = panel.book.recall("where does the lantern oil come from")[0].memory
    assert (str(found.scope), found.tags, found.trust) == (
        "/project/lighthouse",
        ("oil", "supplies"),
        "user",
    )
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".cp-name", has_text="lantern oil")).to_have_count(0)


def test_several_are_forgotten_at_once_and_come_back(opened: Opened, panel: Panel) -> None:
    for colour in ("amber", "cobalt", "crimson"):
        panel.book.save(f"The {colour} kettle is in the pantry")
    page = opened("/?q=kettle pantry")
    expect(page.locator(".cp-name")).to_have_count(3)
    boxes = page.get_by_role("checkbox")
    boxes.nth(0).click()
    boxes.nth(1).click()
    page.get_by_role("button", name="Forget", exact=True).click()
    expect(page.get_by_text("2 memories forgotten.")).to_be_visible()
    expect(page.locator(".cp-name")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".cp-name")).to_have_count(3)


def test_a_purge_must_be_typed_and_is_for_good(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("The attic holds nine violins")
    page = opened("/?q=attic violins")
    page.get_by_role("checkbox").first.click()
    page.get_by_role("button", name="Purge…").click()
    page.get_by_role("button", name="Delete permanently").click()
    expect(page.get_by_text("Type “purge” first.")).to_be_visible()
    assert panel.book.get(saved.id).status == "active"
    page.get_by_label("Type “purge” to confirm").fill("purge")
    page.get_by_role("button", name="Delete permanently").click()
    expect(page.get_by_text("1 memory deleted permanently.")).to_be_visible()
    with pytest.raises(NotFound):
        panel.book.get(saved.id)


def test_two_people_editing_lose_nothing(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("The observatory opens on Mondays")
    page = opened("/?q=observatory opens")
    page.get_by_role("button", name="Edit").first.click()
    page.get_by_label("Text").fill("The observatory opens on Mondays and Fridays")
    panel.book.edit(saved.id, content="The observatory opens on Tuesdays")
    # The list behind is shown anew, and what was typed is still there.
    expect(page.locator(".cp-name", has_text="Tuesdays")).to_have_count(1)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Somebody changed this memory")).to_be_visible()
    expect(page.locator(".cp-warning .cp-verbatim")).to_have_text(
        "The observatory opens on Tuesdays"
    )
    expect(page.get_by_label("Text")).to_have_value("The observatory opens on Mondays and Fridays")
    page.get_by_role("button", name="Keep my text").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".cp-name", has_text="Mondays and Fridays")).to_be_visible()
    versions = panel.book.history(saved.id).versions
    assert [one.content.split(" on ")[1] for one in versions] == [
        "Mondays", "Tuesdays", "Mondays and Fridays",
    ]  # fmt: skip


def test_it_works_with_the_keyboard_and_on_a_phone(opened: Opened, panel: Panel) -> None:
    panel.book.save("The glacier moves two metres a year")
    page = opened("/", viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    expect(page.locator(".cp-name").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("glacier moves")
    expect(page.locator(".cp-why").first).to_contain_text("glacier")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator(".cp-name").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("The glacier moves two metres a year")


def test_dark_is_remembered(opened: Opened, panel: Panel) -> None:
    page = opened()
    expect(page.locator("body")).to_have_class("desktop no-touch body--light")
    page.get_by_role("button", name="Light or dark").click()
    expect(page.locator("body.body--dark")).to_be_visible()
    page.reload()
    expect(page.locator("body.body--dark")).to_be_visible()


def test_a_long_list_comes_in_pages(opened: Opened, panel: Panel) -> None:
    panel.book.save_many(
        [{"content": f"Buoy number {n} is red", "scope": "/project/buoys"} for n in range(1, 41)]
    )
    page = opened("/?scope=/project/buoys")
    expect(page.locator(".cp-name")).to_have_count(30)
    expect(page.locator(".cp-summary")).to_have_text("40 memories · 1 to 30")
    page.get_by_role("button", name="Next page").click()
    expect(page.locator(".cp-name")).to_have_count(10)
    expect(page.locator(".cp-summary")).to_have_text("40 memories · 31 to 40")
    page.get_by_role("button", name="Previous page").click()
    expect(page.locator(".cp-summary")).to_have_text("40 memories · 1 to 30")


def test_what_a_description_means_is_shown_ticked_forgotten_and_undone(
    opened: Opened, panel: Panel
) -> None:
    for text in ("Budget for the Narvik trip is 900 euros", "Our trip to Narvik starts in May"):
        panel.book.save(text)
    jonas = panel.book.save("Jonas's trip to Narvik was cancelled")
    page = opened()
    page.get_by_role("button", name="Forget about…").click()
    page.get_by_label("What is it about?").fill("the Narvik trip")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("Will go: 2 memories")).to_be_visible()
    expect(page.get_by_text("stays: it is another person's", exact=True)).to_be_visible()
    page.get_by_label(f"Also {jonas.id}").click()
    page.get_by_role("button", name="Forget", exact=True).click()
    expect(page.get_by_text("3 memories forgotten.")).to_be_visible()
    assert not list(panel.book.recall("Narvik"))
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone.")).to_be_visible()
    assert len(panel.book.recall("Narvik")) == 3


def test_an_address_without_a_page_leads_back(opened: Opened) -> None:
    page = opened("/nosuch/place")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    expect(page.get_by_text("HTTPException")).to_have_count(0)
    page.get_by_role("link", name="All memories").click()
    expect(page.get_by_role("heading", name="There is no such page")).to_have_count(0)
