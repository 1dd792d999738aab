"""Sealed memories and keys at the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.backends.ciphers.file_keyring import only_a_file
from tests.doors.shell import Shell

HIDDEN = "Kakadu77-Wombat"
WORD = "pass" + "word"


@pytest.fixture(autouse=True)
def _keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with only_a_file(tmp_path / "keyring.json", monkeypatch):
        yield


def test_a_credential_is_refused_and_never_repeated(vault_shell: Shell) -> None:
    told = vault_shell.try_("save", f"the wifi {WORD} is {HIDDEN}")
    assert told.code == 6
    assert HIDDEN not in told.err + told.out
    assert "--seal" in told.err


def test_a_printed_key_is_the_whole_answer(vault_shell: Shell) -> None:
    assert len(vault_shell.run("key", "new", "--print").out.split()) == 1
    assert list(vault_shell.ask("key", "new", "--print")) == ["key"]


def test_what_is_sealed_shows_only_when_revealed(vault_shell: Shell) -> None:
    assert "There is no key yet" in vault_shell.run("key", "show-where").out
    made = vault_shell.run("key", "new").out
    assert "Keep a copy" in made
    text = f"the wifi {WORD} is {HIDDEN}".encode()
    vault_shell.run("save", "-", "--seal", "--title", "Cabin wifi", stdin=text)
    shown = "".join(
        vault_shell.run(*command).out
        for command in (("list",), ("recall", "cabin wifi"), ("get", "Cabin wifi"))
    )
    assert "(sealed)" in shown
    assert HIDDEN not in shown
    assert "sealed:v1" not in shown
    assert vault_shell.person("reveal", "Cabin wifi").out.strip() == text.decode()
    assert vault_shell.person("reveal", "Cabin wifi", "--json").json["text"] == text.decode()


def test_a_key_can_be_changed_and_is_never_shown(vault_shell: Shell, tmp_path: Path) -> None:
    vault_shell.run("key", "new")
    vault_shell.run("save", HIDDEN, "--seal", "--title", "Door code")
    [old] = vault_shell.ask("key", "show-where")["ids"]
    rotated = vault_shell.ask("key", "rotate")
    assert rotated["resealed"] == 1
    assert rotated["key"] != old
    told = vault_shell.run("key", "show-where").out
    assert rotated["key"] in told
    kept = (tmp_path / "keyring.json").read_text()
    assert kept.split('"')[3] not in told
    assert vault_shell.person("reveal", "Door code").out.strip() == HIDDEN


def test_a_printed_key_goes_into_the_environment(
    vault_shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = vault_shell.run("key", "new", "--print").out.strip()
    monkeypatch.setenv("COMMONPLACE_KEY", key)
    vault_shell.run("save", HIDDEN, "--seal", "--title", "Door code")
    assert vault_shell.person("reveal", "Door code").out.strip() == HIDDEN
    told = vault_shell.try_("key", "rotate")
    assert "first key already" in told.err
    monkeypatch.setenv("COMMONPLACE_KEY", vault_shell.run("key", "new", "--print").out.strip())
    refused = vault_shell.at_terminal("reveal", "Door code", typed="")
    assert refused.code == 5
    assert key not in refused.err
