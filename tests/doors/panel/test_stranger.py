"""What a person sees who does not know the book yet: names, reasons, counts and plain words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests import as_person
from tests.backends.git.histories import git

from .conftest import Opened
from .serving import Panel


def test_a_pending_memory_says_its_scope_and_why_it_is_asked(opened: Opened, panel: Panel) -> None:
    person = as_person(panel.book)
    gone = person.save("The release day is Friday", scope="/project/mech-fighters")
    person.forget(gone.id)
    assert panel.book.save("The release day is Friday", scope="/project/mech-fighters").action == (
        "staged"
    )
    page = opened("/inbox")
    card = page.locator(".cp-waiting", has_text="The release day is Friday")
    expect(card).to_contain_text("/project/mech-fighters")
    expect(card).to_contain_text("A person has forgotten this text")
    person.fact_store("harbour.master", "Ines")
    panel.book.fact_store("harbour.master", "Bruno")
    card = page.locator(".cp-waiting", has_text="Bruno")
    expect(card).to_contain_text("It differs from “harbour.master: Ines”")


def test_one_act_is_one_line_and_only_what_can_be_undone_has_an_undo(
    opened: Opened, panel: Panel
) -> None:
    person = as_person(panel.book)
    for number in range(3):
        saved = person.save(f"Buoy {number} drifts to the south in winter", owner="curated")
        person.purge(saved.id)
    gate = person.save("The orchard gate is blue", title="Orchard gate", owner="curated")
    for name in ("Ines", "Bruno"):
        person.save(f"{name} paints the [[{gate.memory.slug}]] in May", owner="curated")
    person.rename(gate.id, "garden-gate")
    page = opened("/inbox")
    # Other tests rename memories of this book as well.
    about = re.compile("Orchard gate|Ines paints|Bruno paints")
    renamed = page.locator(".cp-change", has_text="renamed by").filter(has_text=about)
    expect(renamed).to_have_count(1)
    expect(renamed.get_by_role("link", name="Orchard gate")).to_be_visible()
    expect(renamed).to_contain_text("and 2 other memories with it")
    purged = page.locator(".cp-change", has_text="purged by")
    expect(purged.last).to_contain_text("memories purged by")
    expect(purged.get_by_role("button", name="Undo")).to_have_count(0)
    nameless = page.locator(".cp-change", has_text="created by").filter(
        has_not=page.get_by_role("link")
    )
    expect(nameless).to_have_count(0)


def test_a_name_that_nothing_has_is_not_found_in_the_graph(opened: Opened) -> None:
    page = opened("/graph?around=nosuchthing")
    expect(page.get_by_text("No memory and no topic is called “nosuchthing”.")).to_be_visible()
    expect(page.get_by_text("Nothing is left out.")).to_have_count(0)


@pytest.mark.slow
def test_a_repository_without_commits_says_so(opened: Opened, tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    git(shop, "init", "-q", "-b", "main")
    with Panel(tmp_path / "panel", folder=shop) as running:
        page = opened(f"{running.url}/code?project=shop")
        expect(page.get_by_text("has no commits yet")).to_be_visible()


def test_an_error_can_be_read_and_takes_the_old_answer_away(opened: Opened, panel: Panel) -> None:
    panel.book.save("The bakery flour comes from the mill in Thun")
    page = opened("/lab?q=bakery flour")
    expect(page.locator(".cp-injected")).to_be_visible()
    page.get_by_label("Scope").fill("no scope at all")
    page.get_by_role("button", name="Run").click()
    close = page.locator(".q-notification").get_by_role("button", name="Close")
    expect(close).to_have_css("color", "rgb(255, 255, 255)")
    expect(page.locator(".cp-injected")).to_have_count(0)


def test_an_error_goes_when_the_next_try_succeeds(opened: Opened, panel: Panel) -> None:
    page = opened("/?tag=kiln")
    page.get_by_role("button", name="New memory").click()
    dialog, error = page.locator(".cp-dialog"), page.locator(".q-notification")
    # Two tries that are refused show the last refusal alone.
    for secret in (
        "ghp_9fKx2WvQmB7LdTzR4yNcJ8sHuE1oPgAi3Xq5",
        "ghp_sWyp0TgoC5EwtGIaPelVX3iGGha6t1o00n1Q",
    ):
        dialog.get_by_label("Text").fill(f"The kiln reports to the cloud with {secret}")
        dialog.get_by_role("button", name="Save").click()
        expect(error.filter(has_text="Nothing was saved")).to_have_count(1)
    dialog.get_by_label("Text").fill("The kiln reports to the cloud every hour")
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator(".cp-done")).to_contain_text("Saved")
    # Well before it would go by itself.
    expect(error).to_have_count(0, timeout=4_000)


def test_compact_rows_tell_two_projects_apart(opened: Opened, panel: Panel) -> None:
    for project in ("shop", "mill"):
        panel.book.save("The wagon is oiled in March", scope=f"/project/{project}", tags=["wagon"])
    page = opened("/?tag=wagon")
    page.get_by_role("button", name="Compact rows").click()
    expect(page.locator(".cp-scope", has_text="/project/mill")).to_be_visible()
    # The browser remembers it in a cookie, which a page that is left too soon does not set.
    page.wait_for_function("document.cookie.includes('compact')")
    page.goto("/?tag=wagon&scope=/project/mill")
    expect(page.locator(".cp-name")).to_have_count(1)
    expect(page.locator(".cp-scope")).to_be_hidden()


def test_a_correction_begins_with_the_present_text(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("The choir meets on Wednesdays")
    page = opened(f"/memory/{saved.id}")
    expect(page.get_by_text("when a question finds it (tier search)")).to_be_visible()
    page.get_by_role("button", name="Correct", exact=True).click()
    expect(page.get_by_label("Corrected text")).to_have_value("The choir meets on Wednesdays")


def test_imported_notes_show_when_they_were_said(
    opened: Opened, panel: Panel, tmp_path: Path
) -> None:
    one = {"id": "m1", "memory": "Anna keeps the tide plan", "created_at": "2024-03-04T10:00:00Z"}
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps({"results": [one]}))
    page = opened("/export")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".cp-imported")).to_contain_text("1 saved")
    page.goto("/?source=import:mem0")
    row = page.locator(".cp-item", has_text="tide plan")
    expect(row.locator(".cp-facts")).to_contain_text("4 Mar 2024")
    row.locator(".cp-name").click()
    expect(page.get_by_text("Imported on")).to_be_visible()
    page.goto("/timeline")
    expect(page.get_by_text("said 4 Mar 2024, imported")).to_be_visible()


def test_a_note_imported_as_it_is_written_has_no_second_time_in_the_timeline(
    opened: Opened, panel: Panel, tmp_path: Path
) -> None:
    file = tmp_path / "Kettle.md"
    file.write_text("The kettle of the harbour office boils slowly")
    page = opened("/export")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".cp-imported")).to_contain_text("1 saved")
    page.goto("/timeline")
    row = page.locator(".cp-item", has_text="Kettle")
    expect(row).to_be_visible()
    expect(row).not_to_contain_text("said")


def test_a_memory_that_nobody_asked_for_was_never_recalled(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("The lifeboat is painted in spring")
    page = opened(f"/memory/{saved.memory.id}")
    expect(page.locator(".cp-pairs")).to_contain_text("Recallednever")


def test_an_import_of_conversations_says_where_its_turns_are(
    opened: Opened, tmp_path: Path
) -> None:
    file = tmp_path / "conversations.json"
    message = {"uuid": "1", "sender": "human", "text": "The foghorn uses bottled air"}
    file.write_text(json.dumps([{"uuid": "c", "name": "Horn", "chat_messages": [message]}]))
    page = opened("/export")
    page.locator("input[type=file]").set_input_files(file)
    told = "1 saved, 1 of them turns of conversations, which a search finds"
    expect(page.locator(".cp-imported")).to_contain_text(told)


def test_browse_and_health_count_the_same(opened: Opened, panel: Panel) -> None:
    old = panel.book.save("The ferry to Narvik leaves at nine")
    panel.book.edit(old.id, content="The ferry to Narvik leaves at ten")
    page = opened()
    summary = page.locator(".cp-summary")
    expect(summary).to_contain_text("memor")
    listed = summary.inner_text().split()[0]
    page.goto("/vitals")
    figure = page.locator(".cp-figure", has_text="memories").first
    expect(figure.locator(".cp-number")).to_have_text(listed)
    expect(figure).to_contain_text("in use, as in Browse")


def test_commands_in_health_look_like_commands(opened: Opened, panel: Panel) -> None:
    panel.book.save("The capstan follows [[No such note at all]]")
    page = opened("/vitals")
    page.get_by_role("button", name="Check now").click()
    expect(page.locator(".cp-faults")).to_contain_text("No such note at all")
    expect(page.locator(".cp-main")).not_to_contain_text("`")


LOOKS = {"light": (1280, "light"), "dark": (1280, "dark"), "phone": (390, "light")}
PLACES = {
    "browse": ("/", ".cp-item"), "search": ("/?q=pier", ".cp-item"), "graph": ("/graph", "input"),
    "memory": ("/memory/{id}", ".cp-pairs"), "timeline": ("/timeline", ".cp-item"),
    "health": ("/vitals", ".cp-figure"), "inbox": ("/inbox", ".cp-section"),
    "recall": ("/lab", "textarea"), "profile": ("/profile", "textarea"), "code": ("/code", "h1"),
    "export": ("/export", ".cp-download"), "no page": ("/nothing-here", "h1"),
}  # fmt: skip
"""The address of each page, and what is on it once it is drawn."""


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_every_page_fits_a_desk_and_a_phone_in_light_and_dark(
    opened: Opened, panel: Panel, place: str
) -> None:
    saved = panel.book.save("The pier is closed in January; see [[Storm]]", tags=["harbour"])
    panel.book.fact_store("pier.length", "120 m")
    address, drawn = PLACES[place]
    for width, scheme in LOOKS.values():
        size = {"width": width, "height": 900}
        page = opened(address.format(id=saved.memory.id), viewport=size, color_scheme=scheme)
        expect(page.locator(drawn).first).to_be_visible()
        assert page.locator("body.body--dark").count() == (scheme == "dark")
        # The page itself never moves sideways; a row of filters may.
        assert page.evaluate("document.documentElement.scrollWidth") <= width
