"""The inbox, the recall lab and the profile."""

from __future__ import annotations

from contextlib import suppress

from playwright.sync_api import expect

from commonplace.model.errors import Proposed
from tests import as_person

from .conftest import Opened
from .serving import Panel


def test_an_empty_inbox_says_what_would_be_there(opened: Opened, panel: Panel) -> None:
    for left in panel.book.inbox():
        panel.book.reject(left.memory.id)  # Other tests may have come first.
    page = opened("/inbox")
    expect(page.get_by_text("No pending decisions.")).to_be_visible()


def test_a_staged_memory_is_accepted_and_that_undone(opened: Opened, panel: Panel) -> None:
    # A person has said so; an agent that says otherwise is put aside until the person decides.
    mine = panel.book.as_context(panel.book.context, source="cli")
    mine.fact_store("harbour.master", "Ines")
    staged = panel.book.fact_store("harbour.master", "Bruno")
    assert staged.memory.status == "staged"
    page = opened("/inbox")
    card = page.locator(".cp-waiting", has_text="Bruno")
    expect(card.get_by_text("Save this memory?")).to_be_visible()
    expect(card.locator(".cp-current")).to_contain_text("harbour.master: Ines")
    card.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("Accepted.")).to_be_visible()
    fact = panel.book.fact_recall("harbour.master")
    assert fact is not None
    assert fact.value == "Bruno"
    page.locator(".cp-done").get_by_role("button", name="Undo").click()
    expect(page.locator(".cp-waiting", has_text="Bruno")).to_be_visible()
    page.locator(".cp-waiting", has_text="Bruno").get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Rejected.")).to_be_visible()
    fact = panel.book.fact_recall("harbour.master")
    assert fact is not None
    assert fact.value == "Ines"


def test_both_sides_of_a_contradiction_are_kept(opened: Opened, panel: Panel) -> None:
    as_person(panel.book).save("The ferry to Hven leaves at nine. Dogs travel free.")
    panel.book.save("The ferry to Hven leaves at ten.")
    page = opened("/inbox")
    card = page.locator(".cp-waiting", has_text="ferry to Hven")
    card.get_by_role("button", name="Keep both").click()
    expect(page.get_by_text("Both are kept.")).to_be_visible()
    kept = [one for one in panel.book.list(limit=1_000) if "ferry to Hven" in one.content]
    assert [one.status for one in kept] == ["active", "active"]


def test_several_are_accepted_at_once_and_that_undone(opened: Opened, panel: Panel) -> None:
    for left in panel.book.inbox():
        panel.book.reject(left.memory.id)  # Other tests may have come first.
    for wish in ("moor the Anna at pier two", "varnish the Berta in March", "fuel the Clara first"):
        panel.book.save(f"Always {wish}", kind="preference")
    page = opened("/inbox")
    for boat in ("Anna", "Clara"):
        page.locator(".cp-waiting", has_text=boat).get_by_role("checkbox").click()
    page.get_by_role("button", name="Accept selected").click()
    expect(page.get_by_text("2 accepted.")).to_be_visible()
    expect(page.locator(".cp-waiting")).to_have_count(1)
    page.locator(".cp-done").get_by_role("button", name="Undo").click()
    expect(page.locator(".cp-waiting")).to_have_count(3)
    page.get_by_role("button", name="Accept all 3 shown").click()
    expect(page.get_by_text("3 accepted.")).to_be_visible()
    assert panel.book.inbox() == []


def test_of_a_contradiction_one_side_is_kept(opened: Opened, panel: Panel) -> None:
    insights = panel.vault / "system" / "memory" / "insight"
    insights.mkdir(parents=True, exist_ok=True)
    for port in (8080, 9090):
        text = f"The staging server listens on port {port}\n"
        (insights / f"port-{port}.md").write_text(text, encoding="utf-8")
    panel.book.maintain()
    page = opened("/inbox")
    card = page.locator(".cp-waiting", has_text="These cannot both be true.")
    side = card.locator(".cp-alert", has_text="9090")
    side.get_by_role("button", name="This one is right").click()
    expect(page.get_by_text("Accepted.")).to_be_visible()
    found = panel.book.recall("which port does the staging server listen on")
    assert [hit.memory.content[-4:] for hit in found] == ["9090"]


def test_a_staged_memory_is_edited_before_it_is_accepted(opened: Opened, panel: Panel) -> None:
    mine = panel.book.as_context(panel.book.context, source="cli")
    mine.fact_store("pilot.boat", "Gull")
    panel.book.fact_store("pilot.boat", "Tern")
    page = opened("/inbox")
    page.locator(".cp-waiting", has_text="Tern").get_by_role("button", name="Edit").click()
    page.get_by_label("Text").fill("pilot.boat: Petrel")
    page.get_by_role("button", name="Save", exact=True).click()
    card = page.locator(".cp-waiting", has_text="Petrel")
    card.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("Accepted.")).to_be_visible()
    fact = panel.book.fact_recall("pilot.boat")
    assert fact is not None
    assert fact.value == "Petrel"


def test_a_change_in_curated_space_is_shown_and_taken_back(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("The orchard gate is blue", owner="curated")
    panel.book.edit(saved.id, tags=["paint"])
    page = opened("/inbox")
    change = page.locator(".cp-item", has_text="edited by an agent over MCP").first
    expect(change.get_by_role("link", name="The orchard gate is blue")).to_be_visible()
    change.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone.")).to_be_visible()
    assert panel.book.get(saved.id).tags == ()


def test_the_lab_shows_what_would_be_handed_over_without_a_trace(
    opened: Opened, panel: Panel
) -> None:
    saved = panel.book.save("The bakery flour comes from the mill in Thun")
    before = len(panel.book.retrievals(limit=100))
    page = opened("/lab")
    page.get_by_label("Prompt").fill("where does the bakery flour come from?")
    page.get_by_label("Compare with").click()
    page.get_by_role("option", name="rrf").click()
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".cp-injected")).to_have_count(2)
    handed = panel.book.rehearsed().digest("where does the bakery flour come from?").text
    assert "mill in Thun" in handed
    assert page.locator(".cp-injected").first.inner_text().strip() == handed.strip()
    expect(page.locator(".cp-why", has_text="contains").first).to_contain_text("bakery")
    assert len(panel.book.retrievals(limit=100)) == before
    use = panel.book.uses([saved.id]).get(saved.id)
    assert use is None or use.count == 0


def test_the_profile_shows_how_full_it_is_and_refuses_too_much(
    opened: Opened, panel: Panel
) -> None:
    page = opened("/profile")
    box = page.get_by_label("Profile")
    box.fill("## Role\nKeeper of the lighthouse")
    expect(page.locator(".cp-percent")).to_have_text("4 % · 32 of 1,000")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert panel.book.profile().text == "## Role\nKeeper of the lighthouse"
    box.fill("too long " * 120)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("it holds 1,000")).to_be_visible()
    assert panel.book.profile().text == "## Role\nKeeper of the lighthouse"
    # Somebody else was faster: both texts are there.
    box.fill("## Role\nKeeper of two lighthouses")
    as_person(panel.book).profile_set("## Role\nKeeper of the foghorn")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".cp-warning")).to_contain_text("Keeper of the foghorn")
    expect(box).to_have_value("## Role\nKeeper of two lighthouses")


def test_lines_of_agents_in_the_profile_are_told_apart_until_they_are_confirmed(
    opened: Opened, panel: Panel
) -> None:
    agent = panel.book.as_context(panel.book.context, source="mcp")
    person = as_person(panel.book)
    person.profile_set("Keeper of the lighthouse")
    agent.profile_set("Speaks Faroese")
    page = opened("/profile")
    expect(page.get_by_label("Profile")).to_have_value("Keeper of the lighthouse")
    expect(page.locator(".cp-mark")).to_contain_text("not confirmed; see the inbox")
    expect(page.locator(".cp-mark")).to_contain_text("Speaks Faroese")
    [waiting] = [one for one in panel.book.inbox() if "Faroese" in one.memory.content]
    person.accept(waiting.memory.id)
    expect(page.locator(".cp-mark")).not_to_contain_text("not confirmed")


def test_a_request_that_is_met_already_is_only_put_away(opened: Opened, panel: Panel) -> None:
    person = panel.book.as_context(panel.book.context, source="panel")
    saved = person.save("The lamp at the pier is green").memory
    person.forget(saved.id)
    with suppress(Proposed):
        panel.book.revert(saved.id)
    person.restore(saved.id)
    page = opened("/inbox")
    card = page.locator(".cp-waiting", has_text="wants to undo a change")
    expect(card.get_by_text("Settled already")).to_be_visible()
    expect(card.get_by_text("Nothing is left to decide: that change is undone")).to_be_visible()
    expect(card.get_by_role("button", name="Accept")).to_have_count(0)
    card.get_by_role("button", name="Put away").click()
    expect(card).to_have_count(0)
    assert panel.book.get(saved.id).status == "active"
