"""docs/server.md says what is so."""

from __future__ import annotations

import re

from commonplace import Commonplace
from commonplace.doors.cli.app import built
from commonplace.doors.cli.serve import SETS as OFFERED
from commonplace.doors.mcp.catalog import SETS
from commonplace.doors.server.gate import MAX_BODY_BYTES
from commonplace.doors.server.mcp import tools_in_set
from commonplace.doors.server.run import HOST, PORT
from tests import ROOT

SAID = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")


def _never() -> Commonplace:
    raise AssertionError


def test_every_set_of_tools_is_listed_as_it_is() -> None:
    assert OFFERED == SETS
    for name in SETS[:-1]:
        row = next(line for line in SAID.splitlines() if line.startswith(f"| `{name}`"))
        tools = {tool.name for tool in tools_in_set(name, _never)}
        assert set(re.findall(r"`(memory_\w+)`", row)) == tools


def test_every_option_of_serve_is_explained_and_defaults_are_the_real_ones() -> None:
    options = {flag for one in built().commands["serve"].params for flag in one.opts}
    shared = {flag for one in built().commands["status"].params for flag in one.opts}
    for flag in options - shared:
        assert f"`{flag}" in SAID
    assert f"http://{HOST}:{PORT}/mcp" in SAID
    assert f"{MAX_BODY_BYTES // 2**20} MiB" in SAID
