"""Code: the branches of a repository, claims about files that changed, and what is general."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from commonplace import Commonplace, Context
from commonplace.doors.panel.access import COOKIE
from commonplace.doors.server.callers import Tokens
from tests.backends.git.histories import git

from .conftest import Opened
from .serving import Panel

PORT = "The server port in settings.toml is 8080, as agreed with operations."
LOADER = "We never call `load_basket` twice for one visit, because it locks the shelf."
EXPORTER = "The invoice exporter writes CSV files with semicolons."
WISH = "I prefer short commit messages in this shop."


class Shop:
    """A repository with `main` and a branch `feature/exporter` that is ahead of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        self.write("settings.toml", "[server]\nport = 8080\n")
        self.write("basket.py", "def load_basket(visit):\n    return visit.basket\n")
        self.commit("begin")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def commit(self, name: str) -> None:
        git(self.folder, "add", ".")
        git(self.folder, "commit", "-q", "--allow-empty", "-m", name)

    def teach(self, book: Commonplace) -> None:
        """Save what was learned on both branches, then let the files go on."""
        here = book.in_folder(str(self.folder))
        for text in (PORT, LOADER):
            here.save(text)
        here.save(WISH, kind="preference")
        git(self.folder, "checkout", "-q", "-b", "feature/exporter")
        self.commit("exporter")
        book.in_folder(str(self.folder)).save(EXPORTER)
        git(self.folder, "checkout", "-q", "main")
        self.write("settings.toml", "[server]\nport = 9090\n")
        (self.folder / "basket.py").unlink()


@pytest.fixture(scope="module")
def shop(panel: Panel, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    made = Shop(tmp_path_factory.mktemp("code") / "shop")
    made.teach(panel.book)
    return made


def row(page: Page, name: str) -> Locator:
    return page.locator(".cp-branches .cp-item", has_text=name)


@pytest.mark.slow
def test_the_navigation_leads_to_code_once_a_memory_belongs_to_a_repository(
    opened: Opened, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Panel(tmp_path_factory.mktemp("fresh")) as fresh:
        fresh.book.save("The ferry leaves at nine")
        page = opened(f"{fresh.url}/")
        expect(page.locator(".cp-name", has_text="ferry")).to_be_visible()
        expect(page.get_by_role("link", name="Code")).to_be_hidden()
        made = Shop(tmp_path / "shop")
        made.teach(fresh.book)
        # Without a reload.
        page.get_by_role("link", name="Code").click()
        expect(page.get_by_role("heading", name="shop")).to_be_visible()
        expect(row(page, "feature/exporter")).to_contain_text("not merged here")
        # A person elsewhere sees the branches, but nothing that this machine's files say.
        grace = Context.of({"user": "grace", "project": "shop", "role": "member"})
        secret = Tokens(fresh.book.server_state).create(grace, now=datetime.now(UTC)).secret
        page.context.add_cookies([{"name": COOKIE, "value": secret, "url": fresh.url}])
        page.goto(f"{fresh.url}/code")
        expect(row(page, "feature/exporter")).to_contain_text("1 memory")
        expect(page.get_by_text("Only the user of this machine")).to_be_visible()
        expect(page.get_by_text("not merged here")).to_have_count(0)
        expect(page.get_by_text(str(made.folder))).to_have_count(0)


@pytest.mark.slow
def test_a_server_that_was_started_in_a_repository_shows_its_page(
    opened: Opened, tmp_path: Path
) -> None:
    made = Shop(tmp_path / "shop")
    with Panel(tmp_path / "panel", folder=made.folder) as running:
        page = opened(f"{running.url}/")
        page.get_by_role("link", name="Code").click()
        expect(row(page, "main")).to_contain_text("0 memories")
        expect(page.get_by_text("No memory names a file")).to_be_visible()


def test_the_page_of_a_memory_says_that_a_file_or_a_branch_differs(
    opened: Opened, panel: Panel, shop: Shop
) -> None:
    assert shop.folder.exists()
    port, exporter = (panel.book.recall(text, limit=1)[0].memory.id for text in (PORT, EXPORTER))
    page = opened(f"/memory/{port}")
    expect(page.locator(".cp-mark")).to_contain_text("settings.toml#server.port, now 9090")
    page = opened(f"/memory/{exporter}")
    expect(page.locator(".cp-mark")).to_have_text(
        "It was learned on branch feature/exporter, not merged here."
    )


def test_a_search_marks_what_a_file_or_a_branch_says_otherwise(opened: Opened, shop: Shop) -> None:
    assert shop.folder.exists()
    page = opened("/?q=server+port+settings")
    found = page.locator(".cp-memory", has_text="settings.toml is 8080")
    expect(found.locator(".cp-mark")).to_contain_text("settings.toml#server.port, now 9090")
    page = opened("/?q=invoice+exporter")
    found = page.locator(".cp-memory", has_text="invoice exporter")
    expect(found.locator(".cp-mark")).to_contain_text("learned on branch feature/exporter")


def test_branches_say_how_many_memories_they_have_and_whether_they_are_merged(
    opened: Opened, shop: Shop
) -> None:
    page = opened("/code")
    expect(page.get_by_text(f"Compared with {shop.folder}, branch main")).to_be_visible()
    expect(row(page, "main")).to_contain_text("2 memories")
    expect(row(page, "main")).to_contain_text("checked out")
    expect(row(page, "feature/exporter")).to_contain_text("1 memory")
    expect(row(page, "feature/exporter")).to_contain_text("not merged here")
    row(page, "feature/exporter").get_by_role("link").click()
    expect(page.locator(".cp-name")).to_have_text([EXPORTER])
    page.get_by_role("button", name="Any branch").click()
    expect(page.locator(".cp-name", has_text="server port")).to_be_visible()


def test_claims_about_changed_files_name_the_memory_and_what_happened(
    opened: Opened, shop: Shop
) -> None:
    page = opened("/code?project=shop")
    stale = page.locator(".cp-stale .cp-item")
    expect(stale).to_have_count(2)
    changed = stale.filter(has_text="settings.toml#server.port = 8080")
    expect(changed).to_contain_text("changed")
    expect(changed).to_contain_text("now 9090")
    gone = stale.filter(has_text="basket.py#load_basket")
    expect(gone).to_contain_text("gone")
    gone.get_by_role("link").click()
    expect(page.get_by_text("because it locks the shelf").first).to_be_visible()


def test_what_is_general_is_listed_and_grows_when_a_memory_is_promoted(
    opened: Opened, panel: Panel, shop: Shop
) -> None:
    page = opened("/code?project=shop")
    general = page.locator(".cp-general .cp-item")
    expect(general).to_have_count(1)
    expect(general).to_contain_text("short commit messages")
    saved = panel.book.in_folder(str(shop.folder)).save("The till closes at eight").memory
    panel.book.promote(saved.id)
    expect(general).to_have_count(2)
    panel.book.forget(saved.id)
    expect(general).to_have_count(1)


def test_claims_of_a_branch_that_is_not_merged_are_counted_as_unmerged(
    opened: Opened, panel: Panel, shop: Shop
) -> None:
    git(shop.folder, "stash", "-q")
    git(shop.folder, "checkout", "-q", "feature/exporter")
    claim = "We never call `load_basket` from the exporter, which has no visit."
    saved = panel.book.in_folder(str(shop.folder)).save(claim).memory
    git(shop.folder, "checkout", "-q", "main")
    git(shop.folder, "stash", "pop", "-q")
    page = opened("/code?project=shop")
    told = "Passed over: 1 memory of branches not merged here (unmerged)."
    expect(page.get_by_text(told)).to_be_visible()
    panel.book.forget(saved.id)


@pytest.mark.slow
@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_a_phone_and_a_desk_in_light_and_dark(
    opened: Opened, scheme: str, width: int
) -> None:
    page = opened(
        "/code?project=shop", viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    expect(page.locator(".cp-stale .cp-item")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("body.body--dark").count() == (scheme == "dark")


@pytest.fixture
def moved(shop: Shop) -> Iterator[str]:
    """A long path, to which the code of a claim has moved."""
    path = "warehouse/shelves_and_baskets/of_every_visit_to_the_shop/basket.py"
    file = shop.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("def load_basket(visit):\n    return visit.basket\n")
    yield path
    file.unlink()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_chip_is_as_wide_as_its_words(opened: Opened, moved: str, width: int) -> None:
    page = opened("/code?project=shop", viewport={"width": width, "height": 900})
    expect(page.locator(".cp-stale .cp-item", has_text=moved)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for chip in page.locator(".cp-chip").all():
        words = chip.evaluate(
            "chip => { const words = document.createRange(); words.selectNodeContents(chip);"
            " return words.getBoundingClientRect().width }"
        )
        box = chip.bounding_box()
        assert box is not None
        assert words < box["width"] < words + 30, chip.inner_text()
