"""Filters, groups, the cut-off of a search and rows: what the address says is what is shown."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import parse_qsl

from playwright.sync_api import expect

from commonplace.doors.panel.filters import Filters
from commonplace.model.memory import Memory
from commonplace.notes.display import own_time

from .conftest import Opened
from .serving import Panel


def test_an_address_read_and_written_again_is_the_same() -> None:
    address = "/?q=two+words&status=all&tier=topic&tag=a%26b&sort=name&group=tag&weak=1&page=3"
    filters = Filters(dict(parse_qsl(address[2:])))
    assert (filters.ignored, filters.address()) == ([], address)
    assert Filters({}).address() == "/"


def test_parts_without_meaning_are_ignored_and_named() -> None:
    wrong = {"group": "moon", "page": "0", "status": "lost", "colour": "red", "sort": ""}
    filters = Filters(wrong)
    assert filters.address() == "/"
    assert filters.ignored == ["group=moon", "page=0", "status=lost", "colour=red", "sort="]


def test_a_filter_is_in_the_address_and_back_takes_it_away(opened: Opened, panel: Panel) -> None:
    panel.book.save("Tulips are planted in October", kind="workflow", tags=["Bulbs"])
    panel.book.save("Roses are cut in March", kind="workflow", tags=["shrubs"])
    page = opened("/?kind=workflow")
    expect(page.locator(".cp-name")).to_have_count(2)
    page.get_by_role("link", name="#Bulbs").click()
    expect(page).to_have_url(f"{panel.url}/?tag=bulbs")
    expect(page.locator(".cp-name")).to_have_text(["Tulips are planted in October"])
    page.go_back()
    page.get_by_label("Tier").click()
    page.get_by_role("option", name="identity").click()
    expect(page).to_have_url(f"{panel.url}/?kind=workflow&tier=identity")
    expect(page.get_by_text("No matches.")).to_be_visible()
    page.go_back()
    expect(page.locator(".cp-name")).to_have_count(2)
    source = opened("/?source=mcp&kind=workflow")
    expect(source.locator(".cp-name")).to_have_count(2)
    expect(opened("/?source=hand&kind=workflow").get_by_text("No matches.")).to_be_visible()


def test_a_typed_search_is_in_the_address(opened: Opened, panel: Panel) -> None:
    page = opened("/?kind=workflow")
    box = page.get_by_label("Search", exact=True)
    box.press_sequentially("tulip bed")
    box.press("Enter")
    expect(page).to_have_url(f"{panel.url}/?q=tulip+bed&kind=workflow")
    page.go_back()
    expect(page).to_have_url(f"{panel.url}/?kind=workflow")


def test_groups_have_totals_and_lead_to_their_memories(opened: Opened, panel: Panel) -> None:
    panel.book.save_many(
        [{"content": f"Jar {n} holds plums", "scope": "/project/jam"} for n in range(1, 8)]
    )
    panel.book.save("Jar 9 is chipped", scope="/project/jam", tags=["glass"])
    page = opened("/?scope=/project/jam&group=tag")
    expect(page.locator(".cp-group h2")).to_have_text(["glass", "no tag"])
    bare = page.locator(".cp-group", has_text="no tag")
    expect(bare.locator(".cp-name")).to_have_count(5)
    bare.get_by_role("link", name="Show all 7").click()
    expect(page.locator(".cp-name")).to_have_count(7)
    tiers = opened("/?scope=/project/jam&group=tier")
    expect(tiers.locator(".cp-group h2")).to_have_text(["search"])
    expect(tiers.locator(".cp-group")).to_contain_text("8 memories")
    sources = opened("/?scope=/project/jam&group=source")
    expect(sources.locator(".cp-group h2")).to_have_text(["mcp"])


def test_what_fits_nothing_is_not_shown_and_said(opened: Opened, panel: Panel) -> None:
    panel.book.save("The heron waits at the weir every single morning before the mill opens")
    # Seen in a list first: a page that is drawn anew while somebody clicks loses the click.
    page = opened("/")
    expect(page.locator(".cp-name", has_text="heron")).to_be_visible()
    page.goto("/?q=purchase seventeen violet balloons every morning for grandmother")
    expect(page.get_by_text("Nothing fits this search.")).to_be_visible()
    expect(page.locator(".cp-summary")).to_contain_text("hardly fit")
    page.get_by_role("button", name="Show them").click()
    expect(page.locator(".cp-name", has_text="heron")).to_be_visible()


def test_rows_render_markdown_and_never_html(opened: Opened, panel: Panel) -> None:
    text = "## Kiln **rules**\n\nUse `cone 6` and <img src=x onerror=alert(1)>"
    panel.book.save(text, scope="/project/kiln")
    page = opened("/?scope=/project/kiln")
    expect(page.locator(".cp-name strong")).to_have_text("rules")
    expect(page.locator(".cp-snippet code")).to_have_text("cone 6")
    expect(page.locator(".cp-snippet")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(page.locator(".cp-snippet img")).to_have_count(0)
    # Compact rows leave the snippet out, and are remembered.
    page.get_by_role("button", name="Compact rows").click()
    expect(page.locator(".cp-snippet")).to_be_hidden()
    page.reload()
    expect(page.get_by_role("button", name="Full rows")).to_be_visible()
    expect(page.locator(".cp-snippet")).to_be_hidden()


def test_the_inbox_has_a_badge_and_marks_the_difference(opened: Opened, panel: Panel) -> None:
    mine = panel.book.as_context(panel.book.context, source="cli")
    mine.fact_store("kiln.cone", "six")
    panel.book.fact_store("kiln.cone", "ten")
    page = opened("/inbox")
    waiting = panel.book.inbox_count()
    expect(page.locator(".cp-badge")).to_have_text(str(waiting))
    card = page.locator(".cp-waiting", has_text="kiln.cone")
    expect(card.locator("mark")).to_have_text(["six", "ten"])
    card.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Rejected.")).to_be_visible()


def test_new_and_edit_have_the_same_fields(opened: Opened, panel: Panel) -> None:
    panel.book.save("The oars lie under the bench", scope="/project/oars")
    page = opened("/?scope=/project/oars")
    labels: list[list[str]] = []
    for name in ("New memory", "Edit"):
        page.get_by_role("button", name=name).first.click()
        dialog = page.locator(".cp-dialog")
        expect(dialog).to_be_visible()
        labels.append(dialog.locator(".q-field__label").all_inner_texts())
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_have_count(0)
    assert labels[0] == labels[1]
    assert labels[0] == ["Text", "Title", "Kind", "Scope", "Topic", "Tags, separated by commas"]


def test_turns_of_conversations_are_listed_with_the_archive_alone() -> None:
    asked = ({"tier": "archive"}, {"status": "all"}, {"kind": "turn"}, {"q": "tulips"})
    assert [Filters(one).where([]).in_conversation for one in asked] == [None] * len(asked)
    unasked: tuple[dict[str, str], ...] = ({}, {"tier": "search"}, {"tag": "bulbs"})
    assert [Filters(one).where([]).in_conversation for one in unasked] == [False] * len(unasked)


def test_an_imported_memory_is_as_old_as_what_it_says() -> None:
    said, imported = datetime(2021, 3, 4, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC)
    memory = Memory("1", "Tulips are planted in October", said, imported, source="import:mem0")
    assert own_time(memory) == said
    assert own_time(memory.but(source="panel")) == imported
