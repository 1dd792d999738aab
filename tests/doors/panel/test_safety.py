"""Texts that would like to be more than text, people without a token, and a server that stops."""

from __future__ import annotations

import socket
from datetime import UTC, datetime

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from commonplace import Context
from commonplace.doors.server.callers import Tokens

from .conftest import Opened
from .serving import Panel

ATTACKS = (
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "<img src='http://evil.test/pixel.png'>",
    "![pixel](http://evil.test/pixel.png)",
    "[press me](javascript:window.hacked=1)",
    "<javascript:window.hacked=1>",
    "[a](data:text/html;base64,PHNjcmlwdD5oYWNrZWQ9MTwvc2NyaXB0Pg==)",
    "</script><script>window.hacked=1</script>",
    "`${window.hacked=1}` ${window.hacked=1}",
    "{{constructor.constructor('window.hacked=1')()}}",
    "<svg/onload=window.hacked=1><iframe srcdoc='<script>parent.hacked=1</script>'>",
    '" autofocus onfocus=window.hacked=1 x="',
    "<link rel=stylesheet href=http://evil.test/x.css><base href=http://evil.test/>",
    "*broken [markdown](( ```` <details open ontoggle=window.hacked=1>",
)
PLACES = (
    "/", "/?q=attack", "/?status=all", "/inbox", "/lab?q=attack", "/timeline", "/graph", "/vitals",
    "/profile", "/export",
)  # fmt: skip


def watched(page: Page, panel: Panel) -> list[str]:
    """Everything that a page asks of anywhere else, and every box it opens."""
    left: list[str] = []

    def note(url: str) -> None:
        if not url.startswith((panel.url, panel.url.replace("http", "ws"), "data:", "blob:")):
            left.append(url)

    page.on("request", lambda request: note(request.url))
    page.on("websocket", lambda socket: note(socket.url))
    page.on("dialog", lambda dialog: left.append(dialog.message))
    return left


def save_attacks(panel: Panel) -> list[str]:
    """The corpus in every field that a caller can fill."""
    ids: list[str] = []
    for number, attack in enumerate(ATTACKS):
        line = " ".join(attack.split())
        saved = panel.book.save(
            f"attack {number}: {attack}",
            title=line,
            tags=[line],
            topic=line,
            aliases=[line],
            key=f"attack.{number}",
            kind="insight",
            episode=line,
            speaker=line,
        )
        mine = panel.book.as_context(panel.book.context, source="cli")
        mine.fact_store(f"wall.{number}", "plain")
        panel.book.fact_store(f"wall.{number}", attack)
        edited = panel.book.edit(saved.id, content=f"attack again {number}: {attack}")
        ids.append(edited.id)
        panel.book.recall(f"attack {attack}")
    return ids


def test_no_text_runs_and_no_request_leaves(opened: Opened, panel: Panel) -> None:
    ids = save_attacks(panel)
    panel.book.profile_set("## Role\n" + "\n".join(ATTACKS[:8]))
    page = opened("/")
    left = watched(page, panel)
    for path in (*PLACES, *(f"/memory/{id}" for id in ids)):
        page.goto(path)
        expect(page.locator("h1").first).to_be_visible()
        for link in page.locator(".cp-main a[href]").all():
            address = link.get_attribute("href") or ""
            assert address.startswith(("/", "#", "http://", "https://", "mailto:")), address
        assert page.evaluate("window.hacked") is None, path
    assert left == []
    assert page.locator(".cp-main script, .cp-main iframe, .cp-main img").count() == 0


def test_every_field_of_a_form_is_text_too(opened: Opened, panel: Panel) -> None:
    saved = panel.book.save("<b onclick=window.hacked=1>bold as brass</b>", tags=["<i>tag</i>"])
    page = opened(f"/memory/{saved.id}")
    left = watched(page, panel)
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Text")).to_have_value("<b onclick=window.hacked=1>bold as brass</b>")
    page.get_by_label("Topic").fill("<script>window.hacked=1</script>")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".cp-chip", has_text="<script>")).to_be_visible()
    assert page.evaluate("window.hacked") is None
    assert left == []


def test_long_hidden_and_backward_text_is_shown_as_it_is(opened: Opened, panel: Panel) -> None:
    long = panel.book.save("an " + "endless" * 15_000)
    hidden = panel.book.save("pay\u200b to \u202ereverof")
    hebrew = panel.book.save("שלום עולם, the greeting")
    page = opened(f"/memory/{long.id}", viewport={"width": 1000, "height": 700})
    expect(page.locator(".cp-prose")).to_contain_text("endlessendless")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.goto(f"/memory/{hidden.id}")
    expect(page.locator("h1")).to_have_text("pay⟨U+200B⟩ to ⟨U+202E⟩reverof")
    page.goto(f"/memory/{hebrew.id}")
    expect(page.locator("h1")).to_have_text("שלום עולם, the greeting")


def test_the_policy_lets_nothing_in_from_elsewhere(panel: Panel) -> None:
    answer = httpx.get(f"{panel.url}/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self' 'nonce-" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert httpx.get(f"{panel.url}/", headers={"host": "evil.test"}).status_code == 421


def test_a_stopped_server_is_said_plainly_and_comes_back(opened: Opened, panel: Panel) -> None:
    panel.book.save("The signal box is locked at night")
    page = opened("/?q=signal box")
    expect(page.locator(".cp-name")).to_have_count(1)
    panel.stop()
    expect(page.locator("#popup")).to_contain_text("Connection lost")
    expect(page.locator("#popup")).to_be_visible()
    panel.start()
    expect(page.locator("#popup")).to_be_hidden(timeout=30_000)
    expect(page.locator(".cp-name", has_text="signal box")).to_be_visible(timeout=30_000)


def test_with_tokens_only_their_bearers_see_their_own(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Panel(tmp_path_factory.mktemp("tokens")) as panel:
        panel.book.save("Grace keeps bees", scope="/user/grace")
        panel.book.save("Ada keeps an engine", scope="/user/ada")
        tokens = Tokens(panel.book.server_state)
        grace = Context.of({"user": "grace", "role": "member"})
        token = tokens.create(grace, now=datetime.now(UTC))
        page = browser.new_page(base_url=panel.url)
        page.goto("/")
        expect(page).to_have_url(f"{panel.url}/login")
        page.get_by_label("Token").fill("cpt_000000000000_wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("This token is unknown or expired.")).to_be_visible()
        page.get_by_label("Token").fill(token.secret)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".cp-name")).to_have_text(["Grace keeps bees"])
        cookie = page.context.cookies()[0]
        assert cookie.get("httpOnly") is True
        assert cookie.get("sameSite") == "Strict"
        expect(page.get_by_role("link", name="Sign out")).to_be_visible()
        # The cookie opens the panel and nothing else.
        assert page.request.get("/v1/list").status == 401
        # A revoked token ends the visit that is going on.
        tokens.revoke(token.token.id)
        expect(page).to_have_url(f"{panel.url}/login")
        page.close()


def test_odd_requests_are_refused_as_anywhere_and_nothing_fails(panel: Panel) -> None:
    answer = httpx.post(f"{panel.url}/health", json={})
    assert (answer.status_code, answer.json()["code"]) == (405, "wrong_method")
    assert httpx.get(f"{panel.url}/health").json()["status"] == "ok"
    for request in ("OPTIONS *", "GET *", "OPTIONS /", "PUT /", "DELETE /memory/x", "GET //"):
        with socket.create_connection(("127.0.0.1", panel.port), timeout=20) as line:
            host = f"127.0.0.1:{panel.port}"
            said = f"{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            line.sendall(said.encode())
            status = int(line.makefile("rb").readline().split()[1])
        assert 200 <= status < 500, request
