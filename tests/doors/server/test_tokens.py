"""Tokens: who a caller is, for how long, and how often it may ask."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace import BadInput, Commonplace, Context, NotFound
from commonplace.backends.common.server_state import LocalServerState
from commonplace.backends.sql.postgres.database import PostgresAddress
from commonplace.backends.sql.postgres.server_state import PostgresServerState
from commonplace.doors.server.callers import Tokens
from commonplace.doors.server.gate import RateLimit
from commonplace.model.errors import StoreUnavailable
from commonplace.ports.server_state import ServerState
from tests.backends.postgres import server
from tests.doors.serving import KEY, Served, book_in, serving
from tests.doors.shell import Shell

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
ADA = Context(org="acme", user="ada", role="member")


@pytest.fixture(scope="module")
def shared_book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commonplace]:
    with book_in(tmp_path_factory.mktemp("tokens")) as book:
        yield book


@pytest.fixture(scope="module")
def served(shared_book: Commonplace) -> Iterator[Served]:
    """A server that has a token, and so needs one."""
    with serving(shared_book) as one:
        one.token(org="acme", user="somebody")
        yield one


@pytest.fixture(params=["vault", "postgresql"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServerState]:
    """Where tokens are kept: on one machine, and for many."""
    if request.param == "vault":
        yield LocalServerState(str(tmp_path))
        return
    shared = PostgresServerState(PostgresAddress.parse(server.made(tmp_path / "book")))
    yield shared
    shared.close()
    server.give_back(tmp_path / "book")


@pytest.fixture
def tokens(desk: ServerState) -> Tokens:
    return Tokens(desk)


@pytest.fixture
def local(tmp_path: Path) -> LocalServerState:
    return LocalServerState(str(tmp_path))


def test_a_token_lets_in_whoever_it_was_made_for(tokens: Tokens) -> None:
    made = tokens.create(ADA, now=NOW, name="ada's laptop")
    found = tokens.find(made.secret, NOW)
    assert found is not None
    assert found == made.token
    assert (found.context, found.name) == (ADA, "ada's laptop")


def test_the_secret_is_kept_nowhere(tokens: Tokens, desk: ServerState) -> None:
    made = tokens.create(ADA, now=NOW)
    assert made.secret.split("_", 2)[2] not in str(desk.tokens())
    assert made.token.id in desk.tokens()


def test_the_file_of_a_token_is_private(local: LocalServerState) -> None:
    Tokens(local).create(ADA, now=NOW)
    (path,) = Path(local.folder).iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(os.stat(local.folder).st_mode) == 0o700


@pytest.mark.parametrize(
    "wrong",
    [
        "", "x", "cpt_", "cpt__", "cpt_../../../etc/passwd_x", "cpt_000000000000_secret",
        "cpt_0000_x", "\x00", "cpt_éééééééééééé_x", "_".join("abcd"),
    ],
)  # fmt: skip
def test_what_is_no_token_lets_nobody_in(tokens: Tokens, wrong: str) -> None:
    tokens.create(ADA, now=NOW)
    assert tokens.find(wrong, NOW) is None


def test_one_changed_letter_lets_nobody_in(tokens: Tokens) -> None:
    secret = tokens.create(ADA, now=NOW).secret
    other = "A" if secret[-1] != "A" else "B"
    assert tokens.find(secret[:-1] + other, NOW) is None
    assert tokens.find(secret + "x", NOW) is None


def test_a_token_ends_when_it_was_said_to(tokens: Tokens) -> None:
    made = tokens.create(ADA, now=NOW, days=1)
    assert tokens.find(made.secret, NOW + timedelta(hours=23))
    assert tokens.find(made.secret, NOW + timedelta(days=1)) is None
    assert tokens.list() == [made.token]


def test_a_revoked_token_lets_nobody_in_and_the_door_stays_shut(tokens: Tokens) -> None:
    assert not tokens.required()
    made = tokens.create(ADA, now=NOW)
    tokens.revoke(made.token.id)
    assert tokens.find(made.secret, NOW) is None
    assert tokens.required()
    for id in (made.token.id, "../tokens", ""):
        with pytest.raises(NotFound):
            tokens.revoke(id)


def test_a_token_that_could_not_be_kept_locks_nobody_out(
    local: LocalServerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = Tokens(local)

    def full_disk(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full_disk)
        with pytest.raises(StoreUnavailable, match="cannot be stored"):
            tokens.create(ADA, now=NOW)
    assert not tokens.required()
    kept = tokens.create(ADA, now=NOW)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full_disk)
        with pytest.raises(StoreUnavailable):
            tokens.create(ADA, now=NOW)
    assert tokens.list() == [kept.token]
    assert len(list(Path(local.folder).iterdir())) == 1


def test_half_a_token_file_lets_nobody_in(local: LocalServerState) -> None:
    tokens = Tokens(local)
    made = tokens.create(ADA, now=NOW)
    (path,) = Path(local.folder).iterdir()
    for damage in ("", "{", "[]", json.dumps({"hash": "x"}), path.read_text().replace("mem", "")):
        path.write_text(damage)
        assert tokens.find(made.secret, NOW) is None
        assert tokens.list() == []


@pytest.mark.parametrize(
    ("context", "days"),
    [
        ({"role": "owner", "user": "ada"}, None),
        ({"role": "member"}, None),
        ({"role": "member", "org": "acme"}, None),
        ({"role": "member", "user": "ada"}, 0),
        ({"role": "member", "user": "ada"}, 1e9),
    ],
)
def test_a_token_for_nobody_in_particular_is_refused(
    tokens: Tokens, context: dict[str, str], days: float | None
) -> None:
    with pytest.raises(BadInput):
        tokens.create(Context.of(context), now=NOW, days=days)
    assert not tokens.required()


# At the server


@pytest.mark.parametrize("path", ["/v1/status", "/mcp", "/metrics", "/v1/openapi.json", "/nothing"])
@pytest.mark.parametrize("shown", [None, "Bearer", "Bearer cpt_000000000000_x", "Basic YTpi", "?"])
def test_without_a_good_token_there_is_one_answer(
    served: Served, path: str, shown: str | None
) -> None:
    headers = {} if shown is None else {"Authorization": shown}
    with served.http(**headers) as client:
        refused = client.post(path, json={}) if path == "/mcp" else client.get(path)
    assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert refused.headers["content-type"] == "application/problem+json"
    assert "token create" in refused.json()["hint"]


def test_an_expired_and_a_revoked_token_are_turned_away_at_once(served: Served) -> None:
    expired = served.tokens.create(ADA, now=datetime.now(UTC) - timedelta(days=2), days=1)
    revoked = served.tokens.create(ADA, now=datetime.now(UTC))
    with served.http(revoked.secret) as client:
        assert client.get("/v1/status").status_code == 200
        served.tokens.revoke(revoked.token.id)
        assert client.get("/v1/status").status_code == 401
    with served.http(expired.secret) as client:
        assert client.get("/v1/status").status_code == 401


def test_a_caller_is_who_its_token_says_and_nobody_else(served: Served) -> None:
    with served.http(served.token(org="acme", user="ada")) as ada:
        saved = ada.post("/v1/save", json={"content": "Ada likes tea"}).json()
        assert saved["memory"]["scope"] == "/org/acme/user/ada"
        away = ada.post("/v1/save", json={"content": "x", "scope": "/org/acme/user/bob"})
        assert (away.status_code, away.json()["code"]) == (403, "not_allowed")
        posing = ada.get("/v1/status", headers={"Commonplace-Context": "/org/acme/user/bob"})
        assert posing.status_code == 403
        assert ada.post("/v1/sync", json={}).status_code == 403
        assert ada.get("/metrics").status_code == 403


def test_a_grant_and_an_admin_may_write_what_others_share(served: Served) -> None:
    granted = served.token(org="acme", user="cyd", grants=frozenset({"/org/acme"}))
    admin = served.token(org="acme", role="admin")
    for token in (granted, admin):
        with served.http(token) as client:
            given = {"content": f"Acme closes at {token[-5:]}", "scope": "/org/acme"}
            assert client.post("/v1/save", json=given).status_code == 200
    with served.http(admin) as client:
        assert client.get("/metrics").status_code == 200


def test_the_owner_s_own_key_opens_everything_and_names_its_place(served: Served) -> None:
    with served.http(KEY) as owner:
        assert owner.get("/v1/audit_verify").status_code == 200
        here = {"Commonplace-Context": "/project/caf%C3%A9"}
        saved = owner.post("/v1/save", json={"content": "Open at 8"}, headers=here).json()
        assert saved["memory"]["scope"] == "/project/café"
        for bad in ("nonsense", "/planet/mars", "/project/%ff"):
            refused = owner.get("/v1/status", headers={"Commonplace-Context": bad})
            assert refused.status_code == 422


def test_asking_too_often_is_answered_with_when_to_come_back(shared_book: Commonplace) -> None:
    with serving(shared_book, per_second=0.3) as slow:
        greedy, other = slow.token(user="greedy"), slow.token(user="other")
        with slow.http(greedy) as client:
            answers = [client.get("/v1/tasks") for _ in range(5)]
        assert [one.status_code for one in answers][:3] == [200, 200, 200]
        assert answers[-1].status_code == 429
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert answers[-1].json()["code"] == "too_many"
        with slow.http(other) as client:
            assert client.get("/v1/tasks").status_code == 200
        with slow.http(KEY) as client:
            assert {client.get("/v1/tasks").status_code for _ in range(5)} == {200}


def test_a_share_grows_back_with_time(tmp_path: Path) -> None:
    now = [0.0]
    rate = RateLimit(LocalServerState(str(tmp_path), clock=lambda: now[0]), 2)
    assert [rate.wait_s("ada") for _ in range(20)] == [0.0] * 20
    assert rate.wait_s("ada") == pytest.approx(0.5)
    now[0] = 0.5
    assert rate.wait_s("ada") == 0.0
    assert rate.wait_s("ada") > 0


def test_two_processes_of_a_shared_book_give_out_one_share(tmp_path: Path) -> None:
    address = PostgresAddress.parse(server.made(tmp_path / "book"))
    desks = [PostgresServerState(address), PostgresServerState(address)]
    rates = [RateLimit(desk, 0.3) for desk in desks]
    waits = [rates[n % 2].wait_s("ada") for n in range(8)]
    assert waits.count(0.0) == 3, "ten seconds' worth, through whichever process"
    assert all(0 < wait <= 4 for wait in waits[3:])
    assert rates[1].wait_s("bob") == 0.0
    for desk in desks:
        desk.close()
    server.give_back(tmp_path / "book")


# At the command line


def test_a_token_is_made_listed_and_revoked_at_the_command_line(vault_shell: Shell) -> None:
    assert "token create" in vault_shell.run("token", "list").out
    told = vault_shell.run("token", "create", "--org", "acme", "--user", "ada", "--days", "30").out
    secret = told.split()[0]
    assert secret.startswith("cpt_")
    assert "shown only once" in told
    listed: list[Any] = vault_shell.ask("token", "list")
    assert [one["context"]["user"] for one in listed] == ["ada"]
    assert secret.split("_", 2)[2] not in json.dumps(listed)
    assert "/org/acme/user/ada" in vault_shell.run("token", "list").out
    assert "Revoked" in vault_shell.person("token", "revoke", listed[0]["id"]).out
    assert vault_shell.ask("token", "list") == []
    assert vault_shell.at_terminal("token", "revoke", "0" * 12, typed="").code == 4
    assert vault_shell.try_("token", "create", "--org", "acme").code == 2


def test_options_name_the_caller_of_the_token_and_not_the_one_who_makes_it(
    vault_shell: Shell,
) -> None:
    made = vault_shell.person(
        "token", "create", "--user", "ada", "--project", "x", "--role", "admin",
        "--grant", "/org/acme", "--json",
    ).json  # fmt: skip
    context = made["token"]["context"]
    assert (context["project"], context["role"], context["grants"]) == ("x", "admin", ["/org/acme"])


def test_who_revokes_the_last_token_is_told_that_the_door_is_shut_and_how_to_open_it(
    vault_shell: Shell,
) -> None:
    assert "not needed" in vault_shell.run("status").out
    for user in ("ada", "bob"):
        vault_shell.run("token", "create", "--user", user)
    ada, bob = (one["id"] for one in vault_shell.ask("token", "list"))
    assert "requires one" not in vault_shell.person("token", "revoke", ada).out
    for answer in (vault_shell.person("token", "revoke", bob), vault_shell.run("token", "list")):
        assert "requires one" in answer.out
        assert "commonplace token off" in answer.out
    assert "refuses everyone" in vault_shell.ask("status")["tokens"]
    assert "commonplace token off" in vault_shell.run("doctor").out
    assert "is the owner" in vault_shell.person("token", "off").out
    assert vault_shell.ask("status")["tokens"] == "not needed"
    assert "requires one" not in vault_shell.run("token", "list").out


def test_tokens_that_let_somebody_in_are_not_all_revoked_by_a_slip(vault_shell: Shell) -> None:
    vault_shell.run("token", "create", "--user", "ada")
    answer = vault_shell.at_terminal("token", "off", "--json", typed="")
    assert (answer.code, "--yes" in answer.out + answer.err) == (2, True)
    assert vault_shell.at_terminal("token", "off", typed="n").code == 130
    assert len(vault_shell.ask("token", "list")) == 1
    done = vault_shell.person("token", "off", "--yes", "--json").json
    assert done == {"revoked": 1, "single_user": True}
