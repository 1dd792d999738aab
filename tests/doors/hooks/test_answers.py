"""Hosts hear what belongs to the moment, in the one form each of them accepts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Context, Settings
from commonplace.doors.hooks import host_events, prefetch
from commonplace.doors.hooks.caller_context import host_settings
from commonplace.rules.handed_over import quotation
from commonplace.rules.handed_over.digest_settings import resolve_digest_settings
from tests import as_person
from tests.doors.cli.test_recall import HEAVY
from tests.hosts.accepted import ACCEPTED, check
from tests.hosts.machine import ASKED, HOSTS, Machine, context_in, event_of, recorded

limits = st.fixed_dictionaries(
    {}, optional={name: st.integers(0, 9_000) for name in ("items", "characters", "tokens")}
)
digests = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "pinned_keys": st.lists(st.sampled_from(["deploy.branch", "test_command"])),
        "threshold": st.floats(0, 1),
        "budgets": st.fixed_dictionaries(
            {},
            optional={
                "total": limits,
                "sections": st.dictionaries(st.sampled_from(["critical", "relevant"]), limits),
                "kinds": st.dictionaries(st.sampled_from(["fix", "idea"]), limits),
            },
        ),
        "phases": st.dictionaries(
            st.sampled_from(["plan", "review"]),
            st.dictionaries(st.sampled_from(["fix", "idea"]), limits),
        ),
    },
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose book knows three things."""
    one = Machine(tmp_path)
    with one.book() as book:
        book.save("We deploy from the branch main")
        book.fact_store("arena.name", "Colosseum")
        book.save("Always write tests first", always_load=True)
    return one


@pytest.mark.parametrize("options", [("--user", "alice"), ("--user=alice", "--json")], ids=str)
def test_a_hook_asks_as_whom_its_options_say(machine: Machine, options: tuple[str, ...]) -> None:
    with machine.book() as book:
        book.save("Bob deploys from the branch bobs-own", scope="/user/bob")
        book.save("Alice deploys from the branch hers", scope="/user/alice")
    event = event_of("claude", "UserPromptSubmit")
    done = machine.run("claude", event, options=options)
    heard = context_in(done.stdout.decode())
    assert "bobs-own" not in heard
    assert "hers" in heard
    assert machine.waiting()[0]["context"] == {"user": "alice"}


def test_a_hook_asks_the_book_that_its_options_name(machine: Machine) -> None:
    event = event_of("claude", "UserPromptSubmit")
    machine.environ["COMMONPLACE_URL"] = "vault:/nowhere/at/all"
    done = machine.run("claude", event, options=("--url", machine.url))
    assert "branch main" in context_in(done.stdout.decode())
    machine.run("claude", event_of("claude", "SessionEnd"), options=("--url", machine.url))
    machine.drain("--url", machine.url)
    assert machine.log == []
    assert machine.waiting() == []
    with machine.book() as book:
        assert len(book.list(kinds=["session-summary"])) == 1


@pytest.mark.parametrize("host", HOSTS)
def test_a_whole_session_is_answered_as_its_host_accepts(machine: Machine, host: str) -> None:
    for event in recorded(host):
        name = event.get("hook_event_name") or event["command"]
        said = machine.told(host, event)
        if (host, name) not in ACCEPTED:
            assert said == "", name
            continue
        if event.get("source") == "resume":
            assert said == ""  # The conversation has what its start was given.
            continue
        check(host, name, json.loads(said))
        context = context_in(said)
        assert context.startswith(quotation.OPENING)
        assert context.endswith(quotation.CLOSING)
        asked = ASKED in event.get("prompt", "")
        assert ("We deploy from the branch main" in context) == asked, name
        assert ("Colosseum" in context) == (not asked), name
        assert ("tests first" in context) == (not asked), name
    assert machine.log == []


def test_each_line_says_where_it_is_from(machine: Machine) -> None:
    with machine.book() as book:
        keys = {memory.key for memory in book.list() if memory.key}
        texts = {memory.content for memory in book.list()}
    context = context_in(machine.told("claude", event_of("claude", "SessionStart")))
    lines = [line for line in context.splitlines() if line.startswith("- ")]
    assert len(lines) == 2
    shown = {re.sub(r"- (?:\(.*?\) )?", "", line) for line in lines}
    assert shown < texts
    assert {text.partition(":")[0] for text in shown} & keys
    assert [line for line in lines if line.startswith("- (insight, user) ")]
    assert not any("unconfirmed" in line for line in lines)


def test_a_start_holds_the_role_and_the_override_of_its_host(machine: Machine) -> None:
    with machine.book() as book:
        mine = as_person(book)
        mine.save("## Role\nPlan before you write code.", kind="profile", scope="/agent/claude")
        mine.save("Leave the seed data alone.", kind="override", scope="/agent/claude")
        mine.save("## Role\nReview only.", kind="profile", scope="/agent/codex")
    context = context_in(machine.told("claude", event_of("claude", "SessionStart")))
    assert "Plan before you write code." in context
    assert "Leave the seed data alone." in context
    assert "Review only." not in context
    named = {"COMMONPLACE_AGENT": "codex"}
    event = {**event_of("claude", "SessionStart"), "session_id": "of another agent"}
    assert "Review only." in context_in(machine.told("claude", event, environ=named))


def test_what_a_hook_handed_over_is_in_the_retrieval_log(machine: Machine) -> None:
    machine.told("claude", event_of("claude", "UserPromptSubmit"))
    with machine.book() as book:
        [asked] = book.retrievals()
        assert asked.query == ASKED
        assert [book.get(id).content for id, _ in asked.results] == [
            "We deploy from the branch main"
        ]


def test_much_to_say_stays_within_what_hosts_take(machine: Machine) -> None:
    (machine.home / "config.yaml").write_text(
        "digest: {default: {threshold: 0, budgets: {total: {tokens: 90000}, sections: "
        "{always: {tokens: 90000}, relevant: {tokens: 90000, items: 50}}}}}\n"
    )
    animals = ("falcon", "otter", "badger", "heron", "lynx", "marten", "osprey", "pike", "quail")
    with machine.book() as book:
        book.save_many({"content": f"{one} 旗を立てて " * 60} for one in animals)
        book.save_many({"content": f"{one} rules " * 90, "always_load": True} for one in animals)
    start, prompt = recorded("codex")[:2]
    for event in (start, {**prompt, "prompt": " ".join(animals)}):
        said = machine.told("codex", event)
        check("codex", event["hook_event_name"], json.loads(said))
        assert 2_000 < len(context_in(said)) <= host_events.MOST_CHARACTERS


def test_nothing_known_is_nothing_said(tmp_path: Path) -> None:
    empty = Machine(tmp_path)
    empty.book().close()
    assert empty.told("claude", event_of("claude", "SessionStart")) == ""
    assert empty.told("claude", event_of("claude", "UserPromptSubmit")) == ""


def test_one_switch_silences_all_hooks(machine: Machine) -> None:
    (machine.home / "config.yaml").write_text("digest: {default: {enabled: false}}\n")
    for event in recorded("claude"):
        assert machine.told("claude", event) == ""


def test_a_host_is_an_agent_with_settings_of_its_own(machine: Machine) -> None:
    (machine.home / "config.yaml").write_text(
        "digest:\n"
        "  default: {budgets: {total: {characters: 400}, sections: {relevant: {items: 3}}}}\n"
        "  agents:\n"
        "    codex: {enabled: false}\n"
        "    claude: {budgets: {total: {characters: 300}}}\n"
        "    reviewer: {enabled: true}\n"
    )
    asked = event_of("codex", "UserPromptSubmit")
    assert machine.told("codex", asked) == ""
    named = {"COMMONPLACE_AGENT": "reviewer"}
    later = {**asked, "session_id": "of a reviewer"}
    assert "main" in context_in(machine.told("codex", later, environ=named))
    start = context_in(machine.told("claude", event_of("claude", "SessionStart")))
    assert 0 < len(start) <= 300
    assert machine.log == []


@given(digests, digests)
def test_settings_of_a_host_are_laid_over_the_others_as_those_of_any_agent(
    default: dict[str, object], own: dict[str, object]
) -> None:
    chosen = Settings(digest={"default": default, "agents": {"claude": own}})
    merged = host_settings(chosen, "claude", Context())
    assert resolve_digest_settings(merged.digest, None) == resolve_digest_settings(
        chosen.digest, "claude"
    )


def test_a_smaller_budget_of_the_person_holds(machine: Machine) -> None:
    (machine.home / "config.yaml").write_text(
        "digest: {default: {budgets: {total: {characters: 280}}}}\n"
    )
    context = context_in(machine.told("claude", event_of("claude", "SessionStart")))
    assert 0 < len(context) <= 280


def test_project_of_the_environment_is_the_one_that_is_asked(machine: Machine) -> None:
    with machine.book() as book:
        book.save("Mech deploys from release", scope="/project/mech-fighters")
        book.save("Chess deploys from trunk", scope="/project/chess")
    environ = {"COMMONPLACE_PROJECT": "chess"}
    event = event_of("claude", "UserPromptSubmit")
    context = context_in(machine.told("claude", event, environ=environ))
    assert "trunk" in context
    assert "release" not in context


NOT_FOR_READING = {
    "json", "commonplace.model.results", "commonplace.language.passages",
    "commonplace.backends.sql.index.rows", "commonplace.backends.sql.index.write",
    "commonplace.backends.common.repair", "commonplace.doors.hooks.options",
    "commonplace.doors.hooks.background_drain", "commonplace.notes.wikilinks",
    "commonplace.backends.common.ledger.quotes", "commonplace.rules.handed_over.handed_digest",
}  # fmt: skip
"""Modules that a hook's answer is made without, for a cold start counts every one."""
PATTERNS = {
    "re", "enum", "functools", "contextlib", "commonplace.language.words",
    "commonplace.engine.search", "commonplace.verbs.find", "commonplace.rules.audit",
}  # fmt: skip
"""Modules that the start of a session is made without: it asks nothing."""
COMPILED = {"re", "enum", "functools", "contextlib"}
"""Modules that an ordinary question is answered without, for most need no pattern."""


def test_hooks_load_nothing_heavy(machine: Machine) -> None:
    said, loaded = loaded_in_place(machine, event_of("claude", "UserPromptSubmit"))
    assert "branch main" in said
    assert "commonplace.doors.hooks.answer" in loaded
    assert loaded & {*HEAVY, *NOT_FOR_READING, "signal", "socket", "selectors", "http"} == set()
    assert loaded & COMPILED == set()


def test_notes_about_code_are_read_without_a_pattern(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    with machine.book() as book:
        book.save("getUserName in src/users.py, v2.0, is node18's deploy branch; don't say `PR-12`")
        book.save("We deploy from the branch mainLine")
    said, loaded = loaded_in_place(machine, event_of("claude", "UserPromptSubmit"))
    assert "mainLine" in said
    assert loaded & COMPILED == set()


def test_a_start_of_plain_lines_compiles_no_pattern(machine: Machine) -> None:
    with machine.book() as book:
        as_person(book).save("Prefers pnpm: never npm [see the guide]", kind="preference")
    # Files that changed a moment ago are compared by their bytes, once.
    machine.told("claude", event_of("claude", "UserPromptSubmit"))
    said, loaded = loaded_in_place(machine, event_of("claude", "SessionStart"))
    assert "Colosseum" in said
    assert "never npm [see the guide]" in said
    assert "commonplace.doors.hooks.answer" in loaded
    assert loaded & {*HEAVY, *NOT_FOR_READING, *PATTERNS} == set()


def loaded_in_place(machine: Machine, event: dict[str, object]) -> tuple[str, set[str]]:
    """The answer to an event, and the modules that it took."""
    # A child makes the answer, whose imports nobody hears of: here it is made in place.
    code = (
        "import os, sys; from commonplace.doors.hooks import entrypoint; del os.fork\n"
        "entrypoint.run(['claude'], os.environ)"
    )
    done = machine.run("claude", event, python=("-X", "importtime", "-c", code))
    told = done.stderr.decode().splitlines()
    return done.stdout.decode(), {line.rsplit("|", 1)[1].strip() for line in told if "|" in line}


@pytest.mark.parametrize("host", HOSTS)
def test_every_recorded_event_is_understood(host: str) -> None:
    heard: list[str] = []
    for told in recorded(host):
        name = told.pop("command", "")
        event = host_events.read_event(host, name, json.dumps(told).encode())
        if event is None:
            assert "ompact" in str(told) + name or "PreCompress" in str(told) or "stop" in str(told)
            continue
        assert event.cwd == "/home/ada/mech-fighters"
        assert event.session in str(told)
        heard.append(event.moment)
        if event.moment == "prompt":
            assert event.text == ASKED
        if event.moment == "turn" and host != "copilot":
            assert event.text == "From main."
    assert heard[:4] == ["start", "prompt", "turn", "end"]


def test_every_host_has_its_moments_and_its_renderer() -> None:
    assert set(host_events.MOMENTS) == set(host_events.CONTEXT_MOMENTS) == set(HOSTS)
    for host, names in host_events.MOMENTS.items():
        assert set(names.values()) == {"start", "prompt", "turn", "end"}
        taken = {names[name] for one, name in ACCEPTED if one == host}
        assert taken == set(host_events.CONTEXT_MOMENTS[host])


def test_every_event_that_is_answered_lets_the_look_begin_at_once() -> None:
    answered = {
        name
        for names in host_events.MOMENTS.values()
        for name, moment in names.items()
        if moment in (host_events.START, host_events.PROMPT)
    }
    assert answered == set(prefetch.ANSWERED_EVENTS)


def test_a_note_written_by_hand_a_moment_ago_is_handed_over(machine: Machine) -> None:
    note = machine.home / "book" / "projects" / "arena" / "note" / "lions.md"
    note.parent.mkdir(parents=True)
    note.write_text("The branch that feeds the lions is called savanna.\n")
    asked = event_of("claude", "UserPromptSubmit") | {"prompt": "Which branch feeds the lions?"}
    assert "savanna" in context_in(machine.told("claude", asked))
    note.write_text("The branch that feeds the lions is called steppe.\n")
    asked |= {"session_id": "another"}
    handed = context_in(machine.told("claude", asked))
    assert "steppe" in handed
    assert "savanna" not in handed
