"""Files for deploying name only commands, options, settings and paths that there are."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from commonplace.doors.cli.app import built
from commonplace.doors.server.app import build_routes
from commonplace.doors.server.gate import PUBLIC_PATHS
from commonplace.doors.server.run import PORT
from commonplace.locations import PREFIX
from commonplace.settings import Settings
from tests import ROOT
from tests.doors.serving import book_in

DEPLOY = ROOT / "deploy"
GUIDE = (DEPLOY.parent / "docs" / "deploy.md").read_text(encoding="utf-8")
SERVICE = (DEPLOY / "commonplace.service").read_text(encoding="utf-8")


def documents(name: str) -> list[Any]:
    reader: Any = YAML(typ="safe", pure=True)
    return list(reader.load_all((DEPLOY / name).read_text(encoding="utf-8")))


def containers() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every container of the manifest, and what it is part of."""
    for one in documents("kubernetes.yaml"):
        for container in (
            one.get("spec", {}).get("template", {}).get("spec", {}).get("containers", ())
        ):
            yield container, one


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every command of ours that is run somewhere."""
    services = documents("compose.yaml")[0]["services"]
    for name, one in services.items():
        if one.get("image") == "commonplace":
            yield f"compose {name}", [re.sub(r"\$\{\w+:-(\w+)\}", r"\1", x) for x in one["command"]]
    for container, _ in containers():
        if container["image"].startswith("commonplace:"):
            yield f"kubernetes {container['name']}", container["args"]
    (started,) = re.findall(r"^ExecStart=(.*)$", SERVICE, re.M)
    yield "systemd", shlex.split(started)[1:]
    for name in ("compose.yaml", "kubernetes.yaml"):
        for line in re.findall(r"^# .* commonplace (token .*)$", _text(name), re.M):
            yield f"{name} comment", shlex.split(line)
    for way, line in re.findall(r"^(.*)\bcommonplace (token .*)$", GUIDE, re.M):
        yield f"guide {way.split()[0]}", shlex.split(line)


def _text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [pytest.param(c, id=where) for where, c in commands()])
def test_every_command_is_one_that_the_command_line_takes(command: list[str]) -> None:
    known, words = built(), list(command)
    while hasattr(known, "commands"):
        known = known.commands[words.pop(0)]
    parsed = known.make_context(known.name, words)
    if known.name == "serve":
        assert parsed.params["port"] == PORT, "what proxies and probes expect"


def test_nobody_is_taken_for_the_owner_however_it_is_deployed() -> None:
    serving = {where: words for where, words in commands() if words[0] == "serve"}
    assert len(serving) == 5
    for where, words in serving.items():
        beyond = "--host=0.0.0.0" in words or "--allow-host" in words
        assert beyond, f"{where}: what a proxy of the same machine passes on would be the owner's"
    for way in re.split(r"^\*\*", GUIDE.partition("## Three ways")[2], flags=re.M)[1:4]:
        assert "commonplace token create" in way.partition("\n## ")[0], way.splitlines()[0]


def test_there_is_something_to_check() -> None:
    where = [name for name, _ in commands()]
    assert len(where) >= 8
    assert where.count("compose server") == where.count("kubernetes server") == 1


@pytest.mark.parametrize("name", sorted(one.name for one in DEPLOY.iterdir()))
def test_every_setting_is_one_that_is_read(name: str) -> None:
    for variable in re.findall(rf"\b{PREFIX}([A-Z_]+)", _text(name)):
        assert variable.lower() in Settings.__fields__, variable


def test_whoever_asks_after_a_server_asks_what_it_answers_without_a_token(tmp_path: Path) -> None:
    asked = set(re.findall(r"path: (/health\S*)$", _text("kubernetes.yaml"), re.M))
    asked |= set(re.findall(rf"127\.0\.0\.1:{PORT}(/\S*?)'", _text("compose.yaml")))
    assert asked == {"/health", "/health/ready"}
    assert asked <= PUBLIC_PATHS
    with book_in(tmp_path) as book:
        there = build_routes(book).openapi()["paths"]
    assert asked <= there.keys()


def test_programs_go_to_any_server_and_pages_to_the_one_that_holds_them() -> None:
    (ingress,) = [one for one in documents("kubernetes.yaml") if one["kind"] == "Ingress"]
    paths = ingress["spec"]["rules"][0]["http"]["paths"]
    sent = {one["path"]: one["backend"]["service"]["name"] for one in paths}
    assert sent == {
        "/v1": "commonplace", "/mcp": "commonplace", "/health": "commonplace",
        "/": "commonplace-panel",
    }  # fmt: skip
    for path in ("/v1/*", "/mcp", "/health/*"):
        assert f" {path}" in _text("Caddyfile")
    assert f"server {PORT}" in _text("Caddyfile")
    assert f"panel:{PORT}" in _text("Caddyfile")


def test_services_choose_pods_that_there_are_and_ports_that_these_open() -> None:
    pods = {
        one["spec"]["template"]["metadata"]["labels"]["app"]: {
            port["name"] for port in container["ports"]
        }
        for container, one in containers()
        if one["kind"] == "Deployment"
    }
    services = [one["spec"] for one in documents("kubernetes.yaml") if one["kind"] == "Service"]
    assert len(services) == 3
    for one in services:
        assert one["ports"][0]["targetPort"] in pods[one["selector"]["app"]]


def test_several_servers_leave_time_to_finish_and_the_panel_is_one() -> None:
    for container, one in containers():
        if container["name"] in ("server", "panel"):
            within = one["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
            assert within > 5 + 10, "to linger, and to finish what has begun"
            alone = "--no-panel" not in container["args"]
            assert (one["spec"]["replicas"] == 1) is alone
    services = documents("compose.yaml")[0]["services"]
    assert services["server"]["deploy"]["replicas"] == 2
    assert "--no-panel" in services["server"]["command"]
    assert "deploy" not in services["panel"]


def test_no_secret_is_written_down() -> None:
    for path in DEPLOY.iterdir():
        for name, value in re.findall(r"(\w*PASSWORD\w*): (\S+)", path.read_text(encoding="utf-8")):
            assert value.startswith("${"), name


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    program = tmp_path / "commonplace"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "commonplace.service"
    unit.write_text(SERVICE.replace("/opt/commonplace/bin/commonplace", str(program)))
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    complaints = [line for line in checked.stderr.splitlines() if unit.name in line]
    assert complaints == []
