"""Every failure is one sentence, a hint and an exit code; never a traceback."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from commonplace.books.open import open_book
from commonplace.doors.cli import failures
from commonplace.model import errors
from commonplace.settings import Settings
from tests.doors.shell import Shell
from tests.permissions import held_to_permissions


def test_every_error_class_has_a_row_in_the_table() -> None:
    every = {
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, errors.CommonplaceError)
    }
    assert set(failures.classes()) == every
    for one in every:
        assert one.exit_code not in (0, failures.INTERRUPTED), (
            f"{one.__name__} must not look like something else"
        )


@pytest.mark.parametrize("kind", list(failures.classes()))
def test_every_error_is_reported_with_its_own_code(
    kind: type[errors.CommonplaceError], capsys: pytest.CaptureFixture[str]
) -> None:
    error = kind("The zebra left.", hint="Call it back.")
    assert failures.report(error, as_json=False) == kind.exit_code
    assert capsys.readouterr() == ("", "The zebra left.\nCall it back.\n")
    failures.report(error, as_json=True)
    out, err = capsys.readouterr()
    assert f'"code": "{kind.code}"' in out
    assert err == ""


def test_unknown_memory_is_answered_with_names_like_it(shell: Shell) -> None:
    slug = shell.ask("save", "We deploy from the branch main")["memory"]["slug"]
    failed = shell.try_("forget", slug[:-3])
    assert failed.code == 4
    assert failed.out == ""
    assert failed.err.count("\n") == 2
    assert slug in failed.err
    assert shell.try_("get", "zebra", "--json").json["error"]["code"] == "not_found"


@pytest.mark.parametrize("command", ["get", "forget", "restore", "history", "revert", "edit"])
def test_every_command_on_a_memory_says_when_there_is_none(
    vault_shell: Shell, command: str
) -> None:
    failed = vault_shell.try_(command, "zebra")
    assert failed.code == 4
    assert "zebra" in failed.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("save", ""), "bad_input"),
        (("save", "   "), "bad_input"),
        (("save", "bell \x07"), "bad_input"),
        (("save", "x" * 1_000_001), "bad_input"),
        (("save", "x", "--kind", "../etc"), "bad_input"),
        (("save", "x", "--scope", "/planet/mars"), "bad_scope"),
        (("save", "x", "--scope", "/project/.."), "bad_scope"),
        (("save", "x", "--user", "a/b"), "bad_scope"),
        (("save", "x", "--sensitivity", "secret"), "usage"),
        (("save", "x", "--confidence", "7"), "usage"),
        (("list", "--limit", "0"), "bad_input"),
        (("list", "--offset", "-1"), "bad_input"),
        (("list", "--status", "lost"), "usage"),
        (("list", "--order", "random"), "usage"),
        (("list", "--url", "nosuch:thing"), "backend_missing"),
        (("list", "--url", "vault:/nonexistent/place"), "store_unavailable"),
        (("recall", "x", "--limit", "0"), "bad_input"),
        (("recall", "x", "--limit", "many"), "usage"),
        (("recall",), "usage"),
        (("fact", "get", "zebra"), "not_found"),
        (("promote", "x"), "not_found"),
        (("promote",), "usage"),
        (("zebra",), "usage"),
        (("audit", "list", "--since", "yesterday-ish"), "bad_input"),
    ],
)
def test_bad_input_gets_one_sentence_and_changes_nothing(
    vault_shell: Shell, arguments: tuple[str, ...], code: str
) -> None:
    failed = vault_shell.try_(*arguments, "--json")
    assert failed.code != 0
    assert failed.json["error"]["code"] == code
    assert failed.json["error"]["hint"]
    in_words = vault_shell.try_(*arguments)
    assert in_words.code == failed.code
    assert in_words.out == ""
    assert 1 <= in_words.err.count("\n") <= 3
    assert vault_shell.ask("list") == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("list", "--order", "zzz"), "'zzz' is not one of 'newest', 'oldest', 'updated', 'name'."),
        (("export", "-", "--format", "bogus"), "'bogus' is not one of 'jsonl', 'json', 'zip'"),
        (("recall", "x", "--limit", "abc"), "it has to be a whole number."),
        (("save", "x", "--confidence", "abc"), "it has to be a number."),
        (("save", "x", "--confidence", "nan"), "'--confidence': it has to be a number."),
        (("save", "x", "--confidence", "7"), "it has to be 1 or less."),
        (("save", "x", "--confidence=-0.5"), "it has to be 0 or more."),
        (("digest", "--tokens=-1"), "it has to be 0 or more."),
        (("digest", "--tokens", "a few: 3"), "it has to be a whole number."),
        (("save", "x", "--bogus"), "No such option: --bogus\n"),
        (("save", "x", "--titel", "y"), "Did you mean --title?"),
        (("audit", "list", "--since", "soon"), "'soon' is not a period or a date."),
    ],
)
def test_a_wrong_option_is_told_in_words(
    vault_shell: Shell, arguments: tuple[str, ...], told: str
) -> None:
    failed = vault_shell.try_(*arguments)
    assert failed.code == 2
    assert told in failed.err
    assert not any(word in failed.err for word in ("Value error", "Input should", "Possible"))


def test_standard_input_must_be_text(vault_shell: Shell) -> None:
    failed = vault_shell.try_("save", "-", stdin=b"\xff\xfe\x00broken")
    assert failed.code == 2
    assert "UTF-8" in failed.err


def test_commands_without_a_book_say_how_to_make_one(bare_shell: Shell) -> None:
    failed = bare_shell.try_("save", "Something")
    assert failed.code == 3
    assert "commonplace init" in failed.err


def test_broken_settings_file_is_named(bare_shell: Shell) -> None:
    (bare_shell.home / "config.yaml").write_text("url: [unclosed\n")
    failed = bare_shell.try_("list")
    assert failed.code == 2
    assert "config.yaml" in failed.err


@pytest.mark.parametrize("leads_to", ["moved-away.yaml", "config.yaml"])
def test_settings_that_are_there_but_cannot_be_reached_are_not_taken_for_none(
    bare_shell: Shell, leads_to: str
) -> None:
    (bare_shell.home / "config.yaml").symlink_to(bare_shell.home / leads_to)
    failed = bare_shell.try_("list")
    assert failed.code == 2
    assert "config.yaml" in failed.err


def test_a_date_among_the_settings_is_its_text_at_every_reading(bare_shell: Shell) -> None:
    (bare_shell.home / "config.yaml").write_text("url: 2026-11-15\n")
    said = [bare_shell.try_("list").err for _ in range(2)]
    assert said[0] == said[1]
    assert "2026-11-15" in said[0]


def test_purge_needs_a_yes(vault_shell: Shell) -> None:
    slug = vault_shell.ask("save", "Keep me")["memory"]["slug"]
    for extra in ((), ("--json",)):
        assert vault_shell.try_("purge", slug, *extra).code == 5
    assert vault_shell.at_terminal("purge", slug, "--json", typed="").code == 2
    assert len(vault_shell.ask("list")) == 1


def test_purge_is_confirmed_by_typing_the_name(vault_shell: Shell) -> None:
    slug = vault_shell.ask("save", "Remove me")["memory"]["slug"]
    assert vault_shell.at_terminal("purge", slug, typed="something else").code == 6
    assert vault_shell.at_terminal("purge", slug, typed="").code == 130, "end of input is no yes"
    assert len(vault_shell.ask("list")) == 1
    assert vault_shell.at_terminal("purge", slug, typed=slug).code == 0
    assert vault_shell.ask("list") == []


def test_interrupt_ends_with_130(vault_shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("commonplace.book.Commonplace.list", interrupted)
    monkeypatch.setattr("commonplace.book.Commonplace.recall", interrupted)
    assert vault_shell.try_("list").code == 130
    assert vault_shell.try_("recall", "x").code == 130


def test_a_reader_that_stops_reading_is_no_error(vault_shell: Shell) -> None:
    vault_shell.run("save", "We deploy from the branch main " * 20)
    for arguments in (("recall", "branch"), ("list",), ("status", "--json")):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [sys.executable, "-m", "commonplace", *arguments],
            env=vault_shell.environ,
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
        os.close(writing)
        assert done.stderr == b"", arguments
        assert done.returncode == failures.OUTPUT_FAILED


@pytest.mark.parametrize("arguments", [("get", "zebra", "--json"), ("zebra", "--json")])
def test_a_failure_that_nobody_reads_leaves_no_traceback(
    vault_shell: Shell, arguments: tuple[str, ...]
) -> None:
    for stream in ("stdout", "stderr"):
        told = arguments if stream == "stdout" else arguments[:-1]
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [sys.executable, "-m", "commonplace", *told],
            env=vault_shell.environ,
            timeout=60,
            check=False,
            stdout=writing if stream == "stdout" else subprocess.PIPE,
            stderr=writing if stream == "stderr" else subprocess.PIPE,
        )
        os.close(writing)
        assert not done.stderr, done.stderr
        assert done.returncode == failures.OUTPUT_FAILED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="where no device is always full")
@pytest.mark.parametrize(
    "arguments", [("recall", "branch"), ("list",), ("status", "--json"), ("get", "zebra", "--json")]
)
def test_output_that_cannot_be_written_is_said_in_one_sentence(
    vault_shell: Shell, arguments: tuple[str, ...]
) -> None:
    vault_shell.run("save", "We deploy from the branch main")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "commonplace", *arguments],
            env=vault_shell.environ,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.stderr.startswith("The output cannot be written: No space left on device.\n")
    assert done.stderr.count("\n") == 2
    assert done.returncode == failures.OUTPUT_FAILED


@pytest.mark.skipif(os.name == "nt", reason="where a shell closes no streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["list", "recall branch", "save 'The arena is old'"])
def test_a_caller_may_close_the_streams_it_does_not_need(
    vault_shell: Shell, closed: str, command: str
) -> None:
    vault_shell.run("save", "We deploy from the branch main")
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$0" -m commonplace {command} {closed}', sys.executable],
        env=vault_shell.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_options_of_every_command_may_stand_after_a_group_s_name(vault_shell: Shell) -> None:
    vault_shell.run("fact", "--project", "x", "set", "port", "80")
    assert vault_shell.run("fact", "--json", "list").json[0]["scope"] == "/project/x"
    failed = vault_shell.try_("fact", "--json")
    assert (failed.code, failed.json["error"]["code"]) == (2, "usage")
    assert "Missing command" in failed.json["error"]["message"]


def test_text_a_terminal_cannot_show_is_escaped(vault_shell: Shell) -> None:
    vault_shell.run("save", "Größe 你好")
    vault_shell.environ["PYTHONIOENCODING"] = "ascii"
    for arguments in (("recall", "größe"), ("list",), ("get", "zebra")):
        done = vault_shell.process(*arguments)
        assert "Traceback" not in done.stderr


def test_read_only_vault_is_said_in_words(vault_shell: Shell, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    failed = vault_shell.try_("init", str(blocked / "book"))
    assert failed.code == 2
    assert "Traceback" not in failed.err


@pytest.mark.parametrize(
    ("book", "said"),
    [
        ("letter.txt", "is a file, and a vault is a folder"),
        ("letter.txt/notes", "is a file, and a vault is a folder"),
        ("sqlite:letter.txt", "is not a database"),
    ],
)
def test_a_file_of_another_kind_is_no_book(bare_shell: Shell, book: str, said: str) -> None:
    letter = bare_shell.home / "letter.txt"
    letter.write_text("Dear Ada, this is longer than a header of a database.\n")
    scheme, _, name = book.rpartition(":")
    told = bare_shell.try_("init", f"{scheme}{':' if scheme else ''}{bare_shell.home / name}")
    assert told.code != 0
    assert f"{letter} {said}" in told.err
    assert letter.read_text().startswith("Dear Ada")


@pytest.mark.parametrize(
    ("command", "argument"),
    [("save", "TEXT"), ("correct", "WRONG"), ("task start", "GOAL"), ("fact set", "KEY")],
)
def test_a_missing_argument_is_named_as_the_help_names_it(
    bare_shell: Shell, command: str, argument: str
) -> None:
    assert f"Missing argument '{argument}'." in bare_shell.try_(*command.split()).err
    assert argument in bare_shell.run(*command.split(), "--help").out


def test_a_command_without_arguments_says_that_it_takes_options_alone(bare_shell: Shell) -> None:
    told = bare_shell.try_("report", "week")
    assert "Too much was given: week. It takes options alone." in told.err
    told = bare_shell.try_("init", "one", "two")
    assert "Too much was given: two. Give one at a time" in told.err


def test_hints_name_what_was_probably_meant(vault_shell: Shell) -> None:
    told = vault_shell.try_("save", "deploy", "from", "main")
    assert "Too much was given: from main. Give one at a time, and a text of" in told.err
    vault_shell.run("fact", "set", "deploy.branch", "main")
    assert "Did you mean deploy.branch?" in vault_shell.try_("fact", "get", "deploy.brnach").err
    assert "fact list" in vault_shell.try_("fact", "get", "zebra").err


def test_a_decision_and_an_undo_are_said_in_plain_words(vault_shell: Shell) -> None:
    vault_shell.person("save", "The lamp is old")
    vault_shell.try_("forget", "The lamp is old")
    [waiting] = vault_shell.ask("inbox", "list")
    name = waiting["memory"]["slug"]
    told = vault_shell.person("inbox", "reject", name).out
    assert f"Undo: commonplace revert {name}" in told
    assert f"Undone; now waiting: {name}" in vault_shell.person("revert", name).out
    vault_shell.person("save", "We use tabs")
    assert "Undone; now forgotten: we-use-tabs" in vault_shell.person("revert", "We use tabs").out


@pytest.mark.parametrize("empty", ["", "  "])
@pytest.mark.parametrize(
    "command",
    [
        (), ("list",), ("recall", "x"), ("init",), ("mcp",), ("serve",), ("install",),
        ("install", "claude"), ("uninstall", "claude"), ("tour",), ("postgres", "init", "x"),
        ("backup", "restore", "--to", "vault:x"),
    ],
)  # fmt: skip
def test_an_empty_address_of_the_book_is_not_the_default(
    vault_shell: Shell, command: tuple[str, ...], empty: str
) -> None:
    before = sorted(vault_shell.home.iterdir())
    for arguments in ((*command, "--url", empty), (f"--url={empty}", *command)):
        failed = vault_shell.try_(*arguments)
        assert (failed.code, failed.out) == (2, "")
        assert failed.err.startswith("--url names no book.\nName one, such as vault:~/notes")
    assert sorted(vault_shell.home.iterdir()) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("install", "claude", "--mcp-url"), ("install", "--mcp-url"), ("move", "--to"),
        ("move", "--to", "vault:x", "--from"), ("serve", "--host"), ("serve", "--allow-host"),
        ("backup", "now"), ("backup", "list"), ("backup", "restore", "--check", "--from"),
        ("backup", "restore", "--to"), ("init",), ("postgres", "init"), ("import",), ("export",),
        ("sources", "add", "wiki"), ("sources", "add", "wiki", "--"),
    ],
)  # fmt: skip
def test_an_empty_address_is_refused(vault_shell: Shell, arguments: tuple[str, ...]) -> None:
    kept = vault_shell.home / "kept"
    vault_shell.run("backup", "now", str(kept))
    vault_shell.environ["COMMONPLACE_BACKUP_PLACE"] = str(kept)
    before = sorted(vault_shell.home.iterdir())
    for empty in ("", "  "):
        failed = vault_shell.try_(*arguments, empty)
        assert (failed.code, failed.out) == (2, "")
        assert failed.err.count("\n") == 2
    assert sorted(vault_shell.home.iterdir()) == before


def test_an_empty_address_is_not_the_default_of_the_library(tmp_path: Path) -> None:
    settings = Settings(state=str(tmp_path / "state"), url=f"vault:{tmp_path / 'notes'}")
    with pytest.raises(errors.BadInput, match="names no book"):
        open_book("", settings=settings)
    assert not (tmp_path / "notes").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--port", "99999"), "99999 is not a port."),
        (("--port", "-1"), "-1 is not a port."),
        (("--port", "abc"), "it has to be a whole number."),
        (("--host", "http://127.0.0.1"), "is more than a host."),
        (("--host", "127.0.0.1:8000"), "is more than a host."),
        (("--allow-host", "memory.example:99999"), "with a port from 1 to 65535"),
        (("--allow-host", "memory.example:0"), "with a port from 1 to 65535"),
        (("--allow-host", "memory.example:abc"), "with a port from 1 to 65535"),
        (("--allow-host", ":8000"), "is not a host name."),
    ],
)
def test_a_wrong_port_or_host_of_the_server_is_said(
    bare_shell: Shell, arguments: tuple[str, ...], told: str
) -> None:
    failed = bare_shell.try_("serve", *arguments)
    assert failed.code == 2
    assert told in failed.err
    assert not (bare_shell.home / "commonplace").exists()


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("h:99999", "port"), ("h:abc", "port"), ("h:0", "port"), ("h:-1", "port"),
        (":8000", "names no host"), ("", "names no host"), ("[::1", "cannot be read"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("name", "value", "command"),
    [
        ("EMBEDDER", "http:http://{}/v1#m", ("status",)),
        ("REASONER", "http:http://{}/v1#m", ("maintain",)),
        ("SESSIONS", "redis://{}/0", ("task", "start", "Count the boats")),
        ("INDEX", "milvus://{}/db", ("recall", "x")),
    ],
)
def test_a_wrong_address_in_a_setting_is_said(
    vault_shell: Shell, place: str, told: str, name: str, value: str, command: tuple[str, ...]
) -> None:
    vault_shell.environ[f"COMMONPLACE_{name}"] = value.format(place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(f"COMMONPLACE_{name}", value.format(place))
        failed = vault_shell.try_(*command)
    assert failed.code == 2, failed
    assert told in failed.err


@pytest.mark.parametrize("place", ["h:99999/x", "h:abc/x", "h:0/x", "a:1,b:-2/x", "h/x?port=0"])
def test_a_wrong_port_of_a_database_is_said(bare_shell: Shell, place: str) -> None:
    pytest.importorskip("psycopg_pool")
    for command in (("list", "--url"), ("postgres", "init"), ("init",)):
        failed = bare_shell.try_(*command, f"postgresql://{place}")
        assert failed.code == 2
        assert "port" in failed.err


@pytest.mark.parametrize("scheme", ["vault", "sqlite"])
@pytest.mark.parametrize("command", [("init",), ("move", "--to")])
@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("/proc/foo", "/proc holds no folders or files of ours"),
        ("/proc/x/y.db", "/proc holds no folders or files of ours"),
        ("{home}/locked/book", "{home}/locked may not be written"),
        ("{home}/locked/deep/book", "{home}/locked may not be written"),
        ("{home}/letter.txt/book", "{home}/letter.txt is a file"),
        ("{home}/new/" + 300 * "a", "a name in it is too long"),
        ("/dev/null", "/dev/null is a"),
    ],
)
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="where the kernel has no such folder")
def test_a_book_that_cannot_be_made_is_said_and_leaves_nothing(
    vault_shell: Shell, scheme: str, command: tuple[str, ...], place: str, why: str
) -> None:
    home = vault_shell.home
    vault_shell.run("save", "The lamp is old")
    (home / "letter.txt").write_text("Dear Ada")
    (home / "locked").mkdir(mode=0o500)
    before = sorted(home.rglob("*"))
    with held_to_permissions():
        failed = vault_shell.try_(*command, f"{scheme}:{place.format(home=home)}")
    assert (failed.code, failed.out) == (2, "")
    assert place.format(home=home) in failed.err
    assert why.format(home=home) in failed.err
    assert failed.err.count("\n") == 2
    assert sorted(home.rglob("*")) == before


def test_a_folder_is_no_book_in_one_file(bare_shell: Shell) -> None:
    folder = bare_shell.home / "notes"
    folder.mkdir()
    failed = bare_shell.try_("init", f"sqlite:{folder}")
    assert failed.code == 2
    assert f"{folder} is a folder, and an SQLite book is a file." in failed.err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("purge", "lamp"), ("purge", "--about", "the old lamp"), ("forget", "--about", "the lamp"),
        ("inbox", "accept", "--all"), ("token", "off"), ("erase-user", "ada"),
    ],
)  # fmt: skip
def test_the_end_of_the_input_is_no_answer(vault_shell: Shell, arguments: tuple[str, ...]) -> None:
    vault_shell.run("save", "The old lamp stands in the hall", "--title", "Lamp", "--user", "ada")
    vault_shell.run("save", "The user wants to be called captain", "--kind", "profile")
    vault_shell.person("token", "create", "--user", "ada")
    before = vault_shell.ask("list"), vault_shell.ask("inbox"), vault_shell.ask("token", "list")
    told = vault_shell.at_terminal(*arguments, typed="")
    assert told.code == 130
    assert told.err.endswith(
        "\nThe question was not answered, so nothing was changed.\n"
        "Run the command again, and answer it.\n"
    )
    after = vault_shell.ask("list"), vault_shell.ask("inbox"), vault_shell.ask("token", "list")
    assert after == before


@pytest.mark.parametrize("key", ["Ctrl-C", "Ctrl-D"])
@pytest.mark.parametrize(
    "arguments", [(), ("purge", "lamp"), ("forget", "--about", "the lamp"), ("token", "off")]
)
def test_a_key_that_ends_a_question_leaves_no_traceback(
    bare_shell: Shell, arguments: tuple[str, ...], key: str
) -> None:
    pty = pytest.importorskip("pty")
    home = bare_shell.home
    if arguments:
        bare_shell.run("init")
        bare_shell.run("save", "The old lamp stands in the hall", "--title", "Lamp")
        bare_shell.person("token", "create", "--user", "ada")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "commonplace", *arguments],
        env={**bare_shell.environ, "TERM": "dumb", "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=home, stdin=theirs, stdout=theirs, stderr=theirs,
    ) as process:  # fmt: skip
        os.close(theirs)
        told = b""
        deadline = time.monotonic() + 120
        with suppress(OSError):  # The terminal is gone when the process ends.
            while not told.rstrip().endswith((b":", b"ahead:")):
                told += os.read(ours, 1_000)
            while time.monotonic() < deadline:
                # A key that comes between the question and the wait for its answer is not heard
                # by a terminal's programs: a person presses it again.
                if key == "Ctrl-C":
                    process.send_signal(signal.SIGINT)
                else:
                    os.write(ours, b"\x04")
                while select.select([ours], [], [], 5)[0]:
                    told += os.read(ours, 1_000)
        with suppress(subprocess.TimeoutExpired):
            process.wait(60)
        process.kill()
    os.close(ours)
    assert process.returncode == 130, told
    assert b"Traceback" not in told
    assert b"Error" not in told
    assert (b"was not answered" in told) == (key == "Ctrl-D")
    assert (home / "commonplace").exists() == bool(arguments)


@pytest.mark.parametrize("scheme", ["vault", "sqlite"])
@pytest.mark.parametrize("state", ["letter.txt/state", "letter.txt"])
def test_a_state_folder_that_cannot_be_made_is_named(
    bare_shell: Shell, scheme: str, state: str
) -> None:
    home = bare_shell.home
    (home / "letter.txt").write_text("Dear Ada")
    bare_shell.environ["COMMONPLACE_STATE"] = str(home / state)
    failed = bare_shell.try_("init", f"{scheme}:{home / 'book'}")
    assert (failed.code, failed.out) == (2, "")
    assert f"No folder for this device's own files can be made at {home / state}: " in failed.err
    assert "COMMONPLACE_STATE" in failed.err
