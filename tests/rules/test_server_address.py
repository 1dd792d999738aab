"""The host and the port of an address are checked before anything connects to it."""

from __future__ import annotations

import pytest

from commonplace.rules.server_address import address_fault

HTTP = ("http", "https")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8765/mcp", "https://memory.example", "http://[::1]:1/x",
        "http://ada:pass%20word@h:65535", "http://h:/x",
    ],
)  # fmt: skip
def test_address_of_a_server_has_no_fault(url: str) -> None:
    assert address_fault(url, HTTP) == ""


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("http://:8000", "names no host"),
        ("http://", "names no host"),
        ("http:///mcp", "names no host"),
        ("http://ada@:80/", "names no host"),
        ("http://[]:80/", "cannot be read"),
        ("http://[::1", "cannot be read"),
        ("http://h:99999/mcp", "port that is not a number from 1 to 65535"),
        ("http://h:abc", "port"),
        ("http://h:0", "port"),
        ("http://h:-1", "port"),
        ("http://h:٨٠", "port"),
        (f"http://h:{'9' * 5000}", "port"),
        ("127.0.0.1:8765", "does not begin with http:// or https://"),
        ("h:8765/mcp", "does not begin with"),
        ("ftp://h/x", "does not begin with"),
        ("http://a b/", "blanks"),
    ],
)
def test_fault_of_an_address_is_said(url: str, fault: str) -> None:
    assert fault in address_fault(url, HTTP)


def test_several_servers_and_none_are_for_databases() -> None:
    assert address_fault("postgresql://a:1,b:2/x", ("postgresql",)) == ""
    assert "port" in address_fault("postgresql://a:1,b:99999/x", ("postgresql",))
    assert address_fault("postgresql:///x", ("postgresql",), host=False) == ""


def test_no_fault_repeats_a_password() -> None:
    assert "Tr0ub4dor3" not in address_fault("http://ada:Tr0ub4dor3/x@h", HTTP)
