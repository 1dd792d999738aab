"""What is changed on one branch leaves the others as they are, until they are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from commonplace import Commonplace, Settings
from commonplace.books.open import open_book
from commonplace.doors.mcp.tool_answers import newest_text
from commonplace.model.errors import Conflict, NotFound
from tests.backends.git.histories import git
from tests.hosts.machine import Machine

PORT = "exporter.port"
QUESTION = "which files does the invoice exporter write?"
SEMICOLONS = "The invoice exporter writes CSV files with semicolons."
TABS = "The invoice exporter writes CSV files with tabs."


class Desk:
    """A person in a repository with the branches `main` and `feature`, which is ahead of it."""

    def __init__(self, book: Commonplace, folder: Path) -> None:
        self._book = book
        self.folder = folder
        git(folder, "init", "-q", "-b", "main")
        self.commit("begin")

    @property
    def book(self) -> Commonplace:
        """The book of somebody who works in the folder, as a command opens it."""
        return self._book.working_in(str(self.folder))

    def commit(self, name: str) -> None:
        (self.folder / name).write_text(name)
        git(self.folder, "add", ".")
        git(self.folder, "commit", "-q", "-m", name)

    def on(self, branch: str) -> Commonplace:
        """The book on a branch; a new one begins here and is one commit ahead."""
        if git(self.folder, "branch", "--list", branch):
            git(self.folder, "checkout", "-q", branch)
        else:
            git(self.folder, "checkout", "-q", "-b", branch)
            self.commit(branch)
        return self.book

    def merge(self, branch: str) -> Commonplace:
        git(self.folder, "merge", "-q", "--no-ff", "--no-edit", branch)
        return self.book

    def port(self, branch: str) -> str:
        """The value of the fact on a branch, by look-up, which the list has to agree with."""
        book = self.on(branch)
        fact = book.fact_recall(PORT)
        value = fact.value or "" if fact else ""
        assert [one.value for one in book.fact_list()] == ([value] if value else [])
        return value

    def found(self, branch: str) -> list[str]:
        return [hit.memory.content for hit in self.on(branch).recall(QUESTION)]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    machine = Machine(tmp_path)
    settings = Settings(state=str(machine.state), embedder="none")
    with open_book(
        machine.url, settings=settings, context={"project": "shop"}, source="shell", create=True
    ) as book:
        yield Desk(book, folder)


@pytest.fixture
def valued(desk: Desk) -> Desk:
    """A desk where `feature` has another value of the port than `main`."""
    desk.book.fact_store(PORT, "8080")
    desk.on("feature").fact_store(PORT, "9090")
    desk.on("main")
    return desk


def test_every_branch_has_its_own_value(valued: Desk) -> None:
    assert (valued.port("main"), valued.port("feature")) == ("8080", "9090")
    [shown] = valued.on("main").fact_list(branch="feature")
    assert shown.value == "9090"
    assert valued.book.get(PORT).value == "8080"
    assert valued.book.get(PORT).status == "active"
    assert valued.book.get(PORT, branch="feature").value == "9090"


def test_a_correction_on_main_leaves_the_value_of_a_branch(valued: Desk) -> None:
    assert valued.book.correct(PORT, "7070").replaced.value == "8080"
    assert (valued.port("main"), valued.port("feature")) == ("7070", "9090")


def test_an_edit_on_main_leaves_the_value_of_a_branch(valued: Desk) -> None:
    before = valued.book.get(PORT)
    valued.book.edit(PORT, content="exporter.port: 7070", expect=before)
    assert (valued.port("main"), valued.port("feature")) == ("7070", "9090")


def test_forgetting_on_main_leaves_the_value_of_a_branch(valued: Desk) -> None:
    gone = valued.book.forget(PORT).memory
    assert gone.value == "8080"
    assert (valued.port("main"), valued.port("feature")) == ("", "9090")
    valued.on("main").restore(gone.id)
    assert (valued.port("main"), valued.port("feature")) == ("8080", "9090")


def test_forgetting_the_value_of_a_branch_leaves_that_of_main(valued: Desk) -> None:
    gone = valued.on("feature").forget(PORT).memory
    assert gone.value == "9090"
    assert (valued.port("main"), valued.port("feature")) == ("8080", "8080")
    valued.on("feature").restore(gone.id)
    assert (valued.port("main"), valued.port("feature")) == ("8080", "9090")
    valued.on("main")
    valued.merge("feature")
    assert valued.book.forget(PORT).memory.value == "9090"
    assert valued.port("main") == "", "it was replaced here"


def test_a_new_value_on_main_is_the_only_one_there_also_when_it_is_forgotten(valued: Desk) -> None:
    saved = valued.book.fact_store(PORT, "7070").memory
    assert (valued.port("main"), valued.port("feature")) == ("7070", "9090")
    valued.on("main").forget(PORT)
    assert (valued.port("main"), valued.port("feature")) == ("", "9090")
    valued.on("main").restore(saved.id)
    assert valued.port("main") == "7070"


def test_an_undone_value_of_main_gives_way_to_the_one_before(valued: Desk) -> None:
    saved = valued.book.fact_store(PORT, "7070").memory
    valued.book.revert(saved.id)
    assert (valued.port("main"), valued.port("feature")) == ("8080", "9090")


def test_the_value_of_another_branch_is_changed_by_its_name(valued: Desk) -> None:
    valued.book.correct(PORT, "9191", branch="feature")
    assert (valued.port("main"), valued.port("feature")) == ("8080", "9191")
    assert valued.on("main").forget(PORT, branch="feature").memory.value == "9191"


def test_what_only_another_branch_knows_is_not_changed_by_its_key(desk: Desk) -> None:
    desk.on("feature").fact_store(PORT, "9090")
    main = desk.on("main")
    for act in (main.forget, main.get, lambda ref: main.correct(ref, "7070")):
        with pytest.raises(NotFound, match="branch feature") as missing:
            act(PORT)
        assert "--branch feature" in missing.value.hint
    [there] = main.fact_list(branch="feature")
    agent = main.as_context(main.context, source="mcp")
    with pytest.raises(NotFound, match="branch feature") as missing:
        agent.forget(PORT)
    assert missing.value.hint == f"Name it by its id: {there.id}."
    assert agent.get(there.id).value == "9090"
    assert desk.port("feature") == "9090"


def test_promote_finds_what_another_branch_says_by_its_text_but_not_by_a_key(desk: Desk) -> None:
    desk.on("feature").save(SEMICOLONS)
    desk.book.fact_store(PORT, "8080")
    main = desk.on("main")
    assert main.promote(SEMICOLONS).memory.commit is None
    assert SEMICOLONS in desk.found("main")
    with pytest.raises(NotFound, match="Only the branch feature"):
        main.promote(PORT)
    assert main.promote(PORT, branch="feature").memory.value == "8080"
    assert desk.port("main") == "8080"


def test_two_values_that_meet_are_told_apart_by_their_branches(valued: Desk) -> None:
    valued.commit("ahead")
    valued.book.fact_store(PORT, "7070")
    merged = valued.merge("feature")
    assert merged.fact_recall(PORT) is not None
    with pytest.raises(Conflict, match="Several") as unclear:
        merged.forget(PORT)
    assert "branch feature" in unclear.value.hint
    assert "branch main" in unclear.value.hint


def test_a_correction_on_a_branch_holds_there_until_it_is_merged(desk: Desk) -> None:
    desk.book.save(SEMICOLONS)
    done = desk.on("feature").correct(SEMICOLONS, TABS)
    assert (done.replaced.branch, done.memory.branch) == ("main", "feature")
    assert (desk.found("feature"), desk.found("main")) == ([TABS], [SEMICOLONS])
    desk.merge("feature")
    assert desk.found("main") == [TABS]


def test_two_branches_correct_the_same_memory(desk: Desk) -> None:
    pipes = "The invoice exporter writes CSV files with pipes."
    desk.book.save(SEMICOLONS)
    desk.on("feature").correct(SEMICOLONS, TABS)
    desk.on("main").correct(SEMICOLONS, pipes)
    assert (desk.found("feature"), desk.found("main")) == ([TABS], [pipes])
    desk.on("main").revert(pipes)
    assert (desk.found("feature"), desk.found("main")) == ([TABS], [SEMICOLONS])


def test_a_third_branch_keeps_what_two_others_have_corrected(desk: Desk) -> None:
    pipes = "The invoice exporter writes CSV files with pipes."
    desk.book.save(SEMICOLONS)
    desk.on("other")
    desk.on("main")
    desk.on("feature").correct(SEMICOLONS, TABS)
    desk.on("main")
    desk.commit("ahead")
    desk.book.correct(SEMICOLONS, pipes)
    assert desk.found("other") == [SEMICOLONS]
    desk.on("main").forget(pipes)
    assert (desk.found("feature"), desk.found("main")) == ([TABS], [])
    assert desk.found("other") == [SEMICOLONS]


def test_a_save_on_main_replaces_there_what_a_branch_has_replaced(desk: Desk) -> None:
    desk.book.save("The deploy branch is main.")
    desk.on("feature").save("The deploy branch is release.")
    desk.on("main").save("The deploy branch is stable.")

    def said(branch: str) -> list[str]:
        hits = desk.on(branch).recall("which is the deploy branch?")
        return [hit.memory.content for hit in hits]

    assert said("main") == ["The deploy branch is stable."]
    assert said("feature") == ["The deploy branch is release."]


def test_copies_on_other_branches_are_not_corrected(desk: Desk) -> None:
    desk.on("feature").save(SEMICOLONS)
    desk.on("main").save(SEMICOLONS)
    desk.commit("ahead")
    desk.book.correct(SEMICOLONS, TABS)
    assert (desk.found("main"), desk.found("feature")) == ([TABS], [SEMICOLONS])


def test_a_correction_of_what_holds_everywhere_holds_everywhere(desk: Desk) -> None:
    saved = desk.book.save(SEMICOLONS).memory
    desk.book.promote(saved.id)
    desk.on("feature").correct(SEMICOLONS, TABS)
    assert (desk.found("feature"), desk.found("main")) == ([TABS], [TABS])


def test_a_question_that_only_a_branch_can_answer_names_the_branch(desk: Desk) -> None:
    desk.on("feature").save(SEMICOLONS)
    main = desk.on("main")
    for _ in range(2):  # Git is asked, then the answer is remembered.
        found = main.recall(QUESTION)
        assert (list(found), found.branches) == ([], ("feature",))
    assert main.recall(QUESTION, branch="feature").branches == ()
    assert desk.on("feature").recall(QUESTION).branches == ()
    marks = desk.on("main").marks(desk.book.list())
    assert {id: one.warning for id, one in marks.items()} == {
        one.id: "learned on branch feature, not merged here" for one in desk.book.list()
    }
    assert main.overview().branches == ("feature",)
    assert main.overview(branch="feature").branches == ()
    assert desk.on("feature").overview().branches == ()


def sureness(book: Commonplace, question: str) -> tuple[str, list[str], tuple[str, ...]]:
    found = book.recall(question)
    return found.sure, [hit.memory.content for hit in found], found.branches


def test_a_correction_on_a_branch_leaves_main_as_sure_as_before(desk: Desk) -> None:
    desk.book.save(SEMICOLONS)
    before = sureness(desk.book, QUESTION)
    assert before == ("strong", [SEMICOLONS], ())
    desk.on("feature").correct(SEMICOLONS, "Bookings leave the house as tab separated tables.")
    main = desk.on("main")
    for _ in range(2):  # Git is asked, then the answer is remembered.
        assert sureness(main, QUESTION) == before, "the words are those of the old text"
    assert main.recall(QUESTION)[0].memory.status == "active"
    assert sureness(main, "how do bookings leave the house as tables?")[1:] == ([], ("feature",))
    assert sureness(desk.on("feature"), QUESTION)[1] != [SEMICOLONS]


def test_a_value_of_a_branch_leaves_that_of_main_sure(valued: Desk) -> None:
    assert sureness(valued.book, PORT) == ("strong", ["exporter.port: 8080"], ())
    assert sureness(valued.book, "what is the exporter port?")[1:] == (["exporter.port: 8080"], ())
    assert [hit.memory.value for hit in valued.book.recall(PORT, branch="feature")] == ["9090"]


def test_recall_of_a_branch_finds_what_another_one_has_replaced_there(desk: Desk) -> None:
    desk.book.save(SEMICOLONS)
    desk.on("feature").correct(SEMICOLONS, TABS)
    for branch in ("main", "feature"):
        book = desk.on(branch)
        assert [hit.memory.content for hit in book.recall(QUESTION, branch="main")] == [SEMICOLONS]
        assert [hit.memory.content for hit in book.recall(QUESTION, branch="feature")] == [TABS]
    desk.on("main")
    desk.merge("feature")
    assert list(desk.book.recall(QUESTION, branch="main")) == []


def test_lists_and_counts_have_what_holds_here_though_a_branch_replaced_it(desk: Desk) -> None:
    desk.book.save(SEMICOLONS)
    desk.on("feature").correct(SEMICOLONS, TABS)

    def listed(book: Commonplace, branch: str | None = None) -> set[tuple[str, str]]:
        found = {(one.content, one.status) for one in book.list(branch=branch)}
        assert {(one.content, one.status) for one in book.export(branch=branch)} == found
        return found

    here, there = (SEMICOLONS, "active"), (TABS, "active")
    main = desk.on("main")
    assert listed(main) == {here, there}
    assert (listed(main, "main"), listed(main, "feature")) == ({here}, {there})
    assert main.status().memories == 2
    assert [one.content for one in main.list(limit=1, offset=1)] == [SEMICOLONS]
    assert [one.content for one in main.list(statuses=["superseded"])] == [SEMICOLONS]
    stored = {(one.content, one.status) for one in main.export(everything=True)}
    assert stored == {(SEMICOLONS, "superseded"), there}
    feature = desk.on("feature")
    assert (listed(feature), listed(feature, "main")) == ({there}, {here})
    desk.on("main")
    desk.merge("feature")
    assert (listed(desk.book), listed(desk.book, "main")) == ({there}, set())


def test_an_overview_leaves_out_what_is_not_merged_here(desk: Desk) -> None:
    desk.book.save(SEMICOLONS)
    desk.on("feature").correct(SEMICOLONS, TABS)
    desk.book.save("The nightly backup goes to Oslo.")

    def seen(book: Commonplace, branch: str | None = None) -> set[str]:
        found = book.overview(branch=branch)
        assert found.memories == len(found.newest)
        return {one.content for one in found.newest}

    oslo = "The nightly backup goes to Oslo."
    assert seen(desk.on("main")) == {SEMICOLONS} == seen(desk.book, "main")
    assert seen(desk.book, "feature") == {TABS, oslo}
    assert len(desk.book.list()) == sum(desk.book.count_by("kind").values()) == 3
    assert "Oslo" not in newest_text(desk.book)
    assert "semicolons" in newest_text(desk.book)
    assert seen(desk.merge("feature")) == {TABS, oslo}


def test_what_is_about_a_thing_on_another_branch_stays_and_says_so(desk: Desk) -> None:
    desk.book.save("The Oslo trip starts in May.")
    other = desk.on("feature").save("The Oslo trip is paid by the guild.").memory
    main = desk.on("main")
    seen = main.about("the Oslo trip")
    assert [one.content for one in seen.going] == ["The Oslo trip starts in May."]
    [near] = [one for one in seen.near if one.memory.id == other.id]
    assert near.why == "it was learned on branch feature, not merged here"
    assert len(main.about("the Oslo trip", purge=True).going) == 2
    done = main.forget_about("the Oslo trip", seen.id, also=[other.id])
    assert len(done.memories) == 2


def test_a_bisection_blames_no_memory_of_another_branch(desk: Desk) -> None:
    desk.book.save(SEMICOLONS)
    desk.on("feature").correct(SEMICOLONS, TABS)
    without = "! grep -q {} $COMMONPLACE_DIGEST_FILE"
    main = desk.on("main")
    assert main.bisect(without.format("tabs")).outcome == "passes"
    assert main.bisect(without.format("semicolons")).outcome == "found"


def test_maintenance_asks_nothing_about_a_branch_that_is_not_merged(desk: Desk) -> None:
    desk.on("feature").save("The staging database is not reset on Sundays.")
    desk.on("main")
    desk.commit("ahead")
    desk.book.save("The staging database is reset on Sundays.")
    assert desk.on("main").maintain(dry_run=True).changes == ()
    desk.book.maintain()
    assert {one.content for one in desk.book.list()} == {
        "The staging database is reset on Sundays.",
        "The staging database is not reset on Sundays.",
    }
    assert [one.step for one in desk.merge("feature").maintain().changes] == ["contradictions"]


def test_two_merged_corrections_of_one_memory_are_disputed(desk: Desk) -> None:
    pipes = "Pipes are what the invoice exporter writes between its files."
    desk.book.save(SEMICOLONS)
    tabs = desk.on("feature").correct(SEMICOLONS, TABS).memory
    desk.on("main")
    other = desk.on("other").correct(SEMICOLONS, pipes).memory
    desk.on("main")
    desk.merge("feature")
    assert not desk.book.recall(QUESTION)[0].disputed_with
    found = desk.merge("other").recall(QUESTION)
    assert {hit.memory.id: hit.disputed_with for hit in found} == {
        tabs.id: (other.id,),
        other.id: (tabs.id,),
    }
    assert found.sure == "weak"
    assert desk.book.digest(QUESTION).text.count("disputed") == 2
    assert desk.book.session_start().text.count("disputed") == 2
    desk.book.forget(other.id)
    [left] = desk.book.recall(QUESTION)
    assert (left.memory.id, left.disputed_with) == (tabs.id, ())


@pytest.fixture
def corrected(desk: Desk) -> Desk:
    """A desk where `feature` has corrected a note of `main`."""
    desk.book.save(SEMICOLONS)
    desk.on("feature").correct(SEMICOLONS, TABS)
    desk.on("main")
    return desk


@pytest.mark.parametrize("back", ["restore", "revert"])
def test_what_main_forgot_comes_back_by_its_name(corrected: Desk, back: str) -> None:
    gone = corrected.book.forget(SEMICOLONS).memory
    assert (corrected.found("main"), corrected.found("feature")) == ([], [TABS])
    getattr(corrected.on("main"), back)(gone.slug)
    assert (corrected.found("main"), corrected.found("feature")) == ([SEMICOLONS], [TABS])


@pytest.mark.parametrize("back", ["restore", "revert"])
def test_a_value_that_main_forgot_comes_back_by_its_key(valued: Desk, back: str) -> None:
    valued.book.forget(PORT)
    getattr(valued.book, back)(PORT)
    assert (valued.port("main"), valued.port("feature")) == ("8080", "9090")


def test_what_holds_here_needs_no_restoring(corrected: Desk) -> None:
    with pytest.raises(Conflict, match="in use already"):
        corrected.book.restore(SEMICOLONS)


def test_an_undo_on_main_leaves_the_value_of_a_branch(valued: Desk) -> None:
    [first] = valued.book.fact_list()
    valued.book.revert(PORT)
    assert (valued.port("main"), valued.port("feature")) == ("", "9090")
    [back] = valued.on("main").revert(first.id).memories
    assert (back.value, back.status) == ("8080", "active"), "it holds here"
    assert (valued.port("main"), valued.port("feature")) == ("8080", "9090")
    valued.on("main").forget(PORT)
    assert valued.book.restore(PORT).memory.status == "active"


def test_an_undone_note_of_main_gives_way_to_the_one_before_on_main_alone(desk: Desk) -> None:
    pipes = "The invoice exporter writes CSV files with pipes."
    desk.book.save(pipes)
    desk.book.correct(pipes, SEMICOLONS)
    desk.on("feature").correct(SEMICOLONS, TABS)
    desk.on("main").revert(SEMICOLONS)
    assert (desk.found("main"), desk.found("feature")) == ([pipes], [TABS])
    desk.on("main")
    desk.merge("feature")
    assert desk.found("main") == [TABS]


def test_a_name_means_the_version_of_main_also_if_a_branch_replaced_it_later(desk: Desk) -> None:
    pipes = "The invoice exporter writes CSV files with pipes."
    first = desk.book.save(SEMICOLONS).memory
    desk.on("feature")
    desk.on("main")
    desk.commit("ahead")
    desk.book.correct(SEMICOLONS, pipes)
    desk.on("feature").correct(SEMICOLONS, TABS)
    assert desk.on("main").get(first.slug).content == pipes
    assert desk.on("feature").get(first.slug).content == TABS


def test_a_text_that_only_a_branch_has_is_not_taken_for_the_one_of_main(corrected: Desk) -> None:
    main = corrected.book
    for act in (main.forget, main.get, main.revert, main.restore):
        with pytest.raises(NotFound, match="Only the branch feature"):
            act(TABS)
    assert (corrected.found("main"), corrected.found("feature")) == ([SEMICOLONS], [TABS])


def test_the_name_of_a_branchs_version_means_that_version(corrected: Desk) -> None:
    there = corrected.book.get(TABS, branch="feature")
    for name in (there.slug, there.id[-6:], there.id):
        assert corrected.book.get(name).content == TABS


def test_a_save_that_names_what_it_replaces_does_so_here_alone(corrected: Desk) -> None:
    pipes = "The invoice exporter writes CSV files with pipes."
    old = corrected.book.get(SEMICOLONS)
    saved = corrected.book.save(pipes, supersedes=old.id)
    assert (saved.action, saved.replaced) == ("superseded", old.id)
    assert (corrected.found("main"), corrected.found("feature")) == ([pipes], [TABS])
    with pytest.raises(NotFound, match=r"Only the branch main .* a later version holds here"):
        corrected.on("feature").forget(pipes)


def test_a_person_accepts_what_an_agent_replaces_here_alone(desk: Desk) -> None:
    def person() -> Commonplace:
        return desk.book.as_context(desk.book.context, source="cli")

    pipes = "The invoice exporter writes CSV files with pipes."
    person().save(SEMICOLONS)
    desk.on("feature")
    person().correct(SEMICOLONS, TABS)
    saved = desk.on("main").save(pipes, supersedes=desk.book.get(SEMICOLONS).id)
    assert saved.action == "staged"
    person().accept(saved.memory.id)
    assert (desk.found("main"), desk.found("feature")) == ([pipes], [TABS])


def test_verify_compares_what_holds_here_with_the_files_here(desk: Desk) -> None:
    def keep(port: int) -> str:
        (desk.folder / "settings.toml").write_text(f"[server]\nport = {port}\n")
        desk.commit(f"port-{port}")
        return f"The server port in settings.toml is {port}, as agreed with operations."

    first = keep(8080)
    desk.book.save(first)
    desk.on("feature")
    there = keep(9090)
    desk.book.correct(first, there)
    for branch, memories, unmerged in (("feature", 1, 0), ("main", 1, 1)):
        done = desk.on(branch).verify()
        assert (done.memories, done.unmerged, done.stale) == (memories, unmerged, ()), branch
        assert "claims" not in desk.book.maintain(dry_run=True).steps, branch
    keep(7070)
    assert {one.text for one in desk.book.verify().stale} == {first}
    desk.on("feature")
    keep(6060)
    assert {one.text for one in desk.book.verify().stale} == {there}
    assert "claims" in desk.book.maintain(dry_run=True).steps


def test_forgetting_a_note_of_main_on_a_branch_says_that_main_has_lost_it(desk: Desk) -> None:
    desk.book.save(SEMICOLONS)
    assert desk.on("feature").forget(SEMICOLONS).also_on == "main"
    assert desk.found("main") == []
    desk.on("main").restore(SEMICOLONS)
    assert desk.book.forget(SEMICOLONS).also_on == ""
    desk.on("feature").save(TABS)
    assert desk.on("main").forget(TABS, branch="feature").also_on == "", "it was named"


@pytest.mark.parametrize("door", ["hook", "rest"])
def test_a_prompt_finds_the_note_of_main_by_its_own_words(corrected: Desk, door: str) -> None:
    def prompted(book: Commonplace) -> str:
        return book.as_context(book.context, source=door).digest("what about semicolons?").text

    assert SEMICOLONS in prompted(corrected.on("main"))
    assert SEMICOLONS not in prompted(corrected.on("feature"))


def test_an_amended_commit_is_still_of_its_own_branch(desk: Desk) -> None:
    desk.on("feature").save(SEMICOLONS)
    (desk.folder / "more").write_text("more")
    git(desk.folder, "add", ".")
    git(desk.folder, "commit", "-q", "--amend", "--no-edit")
    assert [hit.warning for hit in desk.book.recall(QUESTION)] == [""]
    desk.commit("later")
    assert [hit.warning for hit in desk.book.recall(QUESTION)] == [""]
    git(desk.folder, "reset", "-q", "--hard", "main")
    [hit] = desk.book.recall(QUESTION)
    assert "no longer in its history" in hit.warning


def test_a_renamed_branch_has_the_memories_of_its_former_name(desk: Desk) -> None:
    saved = desk.on("feature").save(SEMICOLONS).memory
    desk.book.fact_store(PORT, "9090")
    git(desk.folder, "branch", "-m", "feature", "exporter")
    git(desk.folder, "branch", "-m", "exporter", "csv")
    main = desk.on("main")
    assert {one.content for one in main.list(branch="csv")} == {SEMICOLONS, f"{PORT}: 9090"}
    assert main.recall(QUESTION, branch="csv")[0].memory.id == saved.id
    assert main.get(SEMICOLONS, branch="csv").id == saved.id
    assert [one.value for one in main.fact_list(branch="csv")] == ["9090"]
    fact = main.fact_recall(PORT, branch="csv")
    assert fact
    assert fact.value == "9090"
    desk.on("feature")
    assert desk.book.list(branch="csv") == [], "another branch has the old name now"


def by_log(desk: Desk) -> None:
    git(desk.folder, "branch", "-m", "feature", "exporter")
    git(desk.folder, "branch", "-m", "exporter", "team/csv")


def without_a_log(desk: Desk) -> None:
    by_log(desk)
    (desk.folder / ".git" / "logs" / "refs" / "heads" / "team" / "csv").unlink()


def packed_without_a_log(desk: Desk) -> None:
    without_a_log(desk)
    git(desk.folder, "pack-refs", "--all")


@pytest.mark.parametrize("rename", [by_log, without_a_log, packed_without_a_log])
def test_marks_and_hints_name_a_renamed_branch_as_it_is_called_now(
    desk: Desk, rename: Callable[[Desk], None]
) -> None:
    saved = desk.on("feature").save(SEMICOLONS).memory
    desk.on("main")
    rename(desk)
    main = desk.book
    assert main.marks([saved])[saved.id].warning == "learned on branch team/csv, not merged here"
    assert main.overview().branches == ("team/csv",)
    assert main.recall(QUESTION).branches == ("team/csv",)
    with pytest.raises(NotFound, match="Only the branch team/csv") as refused:
        main.get(SEMICOLONS)
    assert "feature" not in str(refused.value)
    assert main.why_not(QUESTION, saved.id).figures == {"branch": "team/csv"}
    assert [one.name for one in main.repository("shop").branches] == ["main", "team/csv"]
    assert main.forget(saved.id).also_on == "team/csv"


def test_a_branch_that_is_gone_is_named_nowhere(desk: Desk) -> None:
    saved = desk.on("feature").save(SEMICOLONS).memory
    main = desk.on("main")
    git(desk.folder, "branch", "-D", "feature")
    where = f"learned at commit {str(saved.commit)[:10]}"
    assert main.marks([saved])[saved.id].warning == f"{where}, not merged here"
    assert main.recall(QUESTION).branches == ()
    with pytest.raises(NotFound, match=where) as refused:
        main.get(SEMICOLONS)
    assert "feature" not in str(refused.value)
    assert saved.id in refused.value.hint
    told = main.why_not(QUESTION, saved.id)
    assert told.step == "unmerged_commit"
    assert "branch feature" not in f"{told.sentence} {told.hint}"
    assert main.forget(saved.id).also_on == ""


def test_two_branches_at_one_commit_are_neither_taken_for_the_renamed_one(desk: Desk) -> None:
    saved = desk.on("feature").save(SEMICOLONS).memory
    main = desk.on("main")
    without_a_log(desk)
    git(desk.folder, "branch", "backup", "team/csv")
    assert main.marks([saved])[saved.id].warning.startswith("learned at commit")


def test_a_branch_of_a_remote_keeps_its_name(desk: Desk) -> None:
    saved = desk.on("feature").save(SEMICOLONS).memory
    main = desk.on("main")
    git(desk.folder, "update-ref", "refs/remotes/origin/feature", "feature")
    git(desk.folder, "branch", "-D", "feature")
    assert main.marks([saved])[saved.id].warning.startswith("learned on branch feature")


def test_why_not_follows_the_version_of_a_branch(corrected: Desk) -> None:
    with pytest.raises(NotFound, match="Only the branch feature") as refused:
        corrected.book.why_not(QUESTION, TABS)
    assert "`why-not` also take --branch feature" in refused.value.hint
    told = corrected.book.why_not(QUESTION, TABS, branch="feature")
    assert (told.handed, told.step) == (False, "unmerged")
    assert corrected.book.why_not(QUESTION, SEMICOLONS).handed


def test_a_name_that_a_branch_does_not_have_is_answered_with_where_it_is(corrected: Desk) -> None:
    book = corrected.book
    for ask in (lambda ref, branch: book.why_not(QUESTION, ref, branch=branch),
                lambda ref, branch: book.get(ref, branch=branch)):  # fmt: skip
        with pytest.raises(NotFound, match="on the branch feature or elsewhere") as never:
            ask("It was never saved", "feature")
        assert (
            never.value.hint == "`commonplace list --branch feature` shows what was learned there."
        )
        with pytest.raises(NotFound, match="was learned on the branch feature, not on main"):
            ask(TABS, "main")
        with pytest.raises(NotFound, match="there is no such branch here"):
            ask(TABS, "nobody")


def test_a_branch_that_nobody_knows_is_refused_with_those_that_are_known(desk: Desk) -> None:
    desk.on("feature").save(SEMICOLONS)
    git(desk.folder, "branch", "hydraulics")
    git(desk.folder, "pack-refs", "--all")
    book = desk.on("main")
    asks: tuple[Callable[[str], object], ...] = (
        lambda branch: book.recall(QUESTION, branch=branch),
        lambda branch: book.list(branch=branch),
        lambda branch: book.overview(branch=branch),
        lambda branch: book.fact_list(branch=branch),
        lambda branch: book.fact_recall(PORT, branch=branch),
    )
    logged = len(book.retrievals())
    for ask in asks:
        with pytest.raises(NotFound, match="'featrue', and there is no such branch here") as told:
            ask("featrue")
        assert told.value.hint == "Known branches: feature, hydraulics, main."
    assert len(book.retrievals()) == logged
    for ask in asks:
        ask("hydraulics")  # A branch of git on which nothing was learned yet.
    git(desk.folder, "branch", "-D", "feature")
    assert book.list(branch="feature"), "a memory still has its name"


def test_why_not_says_that_a_memory_is_another_projects_whatever_the_branch(desk: Desk) -> None:
    till = desk.book.as_context({"project": "till"})
    other = till.save("The till prints receipts twice").memory
    desk.on("feature").save(SEMICOLONS)
    for ref in (other.id, other.id[-6:], other.content):
        for branch in (None, "feature"):
            told = desk.book.why_not(QUESTION, ref, branch=branch)
            assert (told.memory, told.step) == (other.id, "scope")
