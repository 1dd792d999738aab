"""Edits that change how a file looks do not make claims about it stale; others do."""

from __future__ import annotations

import pytest

from tests.test_projects import repository

from .shell import Shell

FILES = {
    "app.py": "def total(basket):\n    return sum(basket) + 3\n",
    "web.ts": "export function openTill(a: number) {\n  return a + 1;\n}\n",
    "till.rs": "pub fn close_till(a: u8) -> u8 {\n    a + 1\n}\n",
    "poll.ts": "export const POLL_MS = 4000;\n",
    "hive.rs": "pub const MAX_CELLS: u32 = 1_200;\n",
    "wait.go": "package main\n\nfunc waitLong() int {\n\treturn 10_000 + 5\n}\n",
    "server.toml": "[server]\nport = 8443\n",
    "flags.yaml": "checkout:\n  dark_mode: true\n",
    "conf.yaml": "limits: {cpu: 2, mem: 512}\n",
}
CLAIMS = {
    "app.py": "We call `total` in app.py once per basket, because vouchers are not undone.",
    "web.ts": "`openTill` in web.ts must come first in a shift, or the drawer jams.",
    "till.rs": "`close_till` in till.rs must come last in a shift, or the drawer jams.",
    "poll.ts": "POLL_MS in poll.ts is 4000.",
    "hive.rs": "MAX_CELLS in hive.rs is 1200, as the bees have it.",
    "wait.go": "`waitLong` in wait.go must come last in a shift, or the drawer jams.",
    "server.toml": "The server port in server.toml is 8443.",
    "flags.yaml": "The flag dark_mode in flags.yaml is true.",
    "conf.yaml": "The mem limit in conf.yaml is 512.",
}
EDITS = {
    "app.py": ("sum(basket) + 3", "(sum(basket) + 3)", "sum(basket) + 4"),
    "web.ts": ("a + 1;", "(a + 1)", "a + 2"),
    "till.rs": ("pub fn", "#[inline]\npub fn", "pub async fn"),
    "poll.ts": ("4000", "4_000", "4_001"),
    "hive.rs": ("1_200", "1200", "1_300"),
    "wait.go": ("10_000", "10000", "10_001"),
    "server.toml": ("8443", "8_443", "8_444"),
    "flags.yaml": ("true", "yes", "off"),
    "conf.yaml": ("cpu: 2, mem: 512", "mem: 512,   cpu: 3", "cpu: 2, mem: 1024"),
}


@pytest.fixture
def house(vault_shell: Shell) -> Shell:
    """A person in a repository whose memories speak of its files."""
    root = repository(vault_shell.home / "house")
    for name, text in FILES.items():
        (root / name).write_text(text)
    vault_shell.folder = root
    for claim in CLAIMS.values():
        vault_shell.ask("save", claim)
    return vault_shell


def states(house: Shell) -> dict[str, str]:
    """States by file."""
    told = house.try_("verify", "--json").json["anchors"]
    return {one["anchor"].partition("#")[0]: one["state"] for one in told}


def test_only_edits_that_say_something_else_are_told(house: Shell) -> None:
    assert states(house) == dict.fromkeys(FILES, "unchanged")
    for name, (old, looks, _) in EDITS.items():
        (house.folder / name).write_text(FILES[name].replace(old, looks))
    assert states(house) == dict.fromkeys(FILES, "unchanged")
    for name, (old, _, other) in EDITS.items():
        (house.folder / name).write_text(FILES[name].replace(old, other))
    assert states(house) == dict.fromkeys(FILES, "changed")
