"""`scope suggest` shows a table, and moves only with --apply."""

from __future__ import annotations

from tests.doors.shell import Shell


def test_suggestions_are_shown_first_and_moved_with_apply(vault_shell: Shell) -> None:
    vault_shell.run("save", "Fights are turn based", "--scope", "/project/mech-fighters")
    saved = vault_shell.ask("save", "Mech Fighters needs a lobby")["memory"]
    mine = vault_shell.person("save", "Mech Fighters is due in May", "--json").json["memory"]
    shown = vault_shell.run("scope", "suggest").out
    for part in (saved["slug"], "mentions mech-fighters", "/project/mech-fighters", "--apply"):
        assert part in shown
    [first, _] = vault_shell.ask("scope", "suggest")
    assert (first["memory"]["id"], first["scope"]) == (saved["id"], "/project/mech-fighters")
    assert vault_shell.ask("get", saved["id"])["scope"] == "/"

    done = vault_shell.ask("scope", "suggest", "--apply")
    assert [one["id"] for one in done["moved"]] == [saved["id"]]
    assert [one["memory"]["id"] for one in done["left"]] == [mine["id"]], "a person's stays"
    notes = vault_shell.home / "book" / "projects" / "mech-fighters"
    assert list(notes.rglob(f"{saved['slug']}.md"))
    assert not list((vault_shell.home / "book" / "system").rglob(f"{saved['slug']}.md"))
    vault_shell.run("revert", saved["id"])
    assert vault_shell.ask("get", saved["id"])["scope"] == "/"

    told = vault_shell.person("scope", "suggest", "--apply").out
    assert "2 memories were moved" in told
    assert "No memory" in vault_shell.run("scope", "suggest").out
