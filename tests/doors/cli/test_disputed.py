"""`recall` on the command line names what contradicts a hit."""

from __future__ import annotations

from pathlib import Path

from commonplace.model.identity import short_id
from tests.doors.shell import Shell
from tests.verbs.test_maintain import by_hand

ASKED = "which port does the staging server listen on?"


def test_recall_names_the_other_side_of_a_dispute(vault_shell: Shell, tmp_path: Path) -> None:
    insights = tmp_path / "book" / "system" / "memory" / "insight"
    by_hand(insights, "one.md", "The staging server listens on port 8080")
    by_hand(insights, "two.md", "The staging server listens on port 9090")
    vault_shell.run("maintain")
    hits = vault_shell.run("recall", ASKED, "--json").json["hits"]
    assert [len(hit["disputed_with"]) for hit in hits] == [1, 1]
    shown = vault_shell.run("recall", ASKED).out
    for hit in hits:
        assert f"disputed by {short_id(hit['disputed_with'][0])}" in shown
    assert "sure: weak" in shown
