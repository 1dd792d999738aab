"""Pages of other sites and of other local ports, in a real Chromium, against every route.

Each page tries everything that a browser lets a page do to another origin. Afterwards nothing has
changed, nothing was counted or logged, and no socket was opened. A page of another port, which is
of the same site, tries every way on every route; the others try every way and every route, in turn.
The guard's answers to every header on every route are in `server/test_browser_guard.py`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from nicegui import __version__ as nicegui_version
from playwright.sync_api import Browser, Page, expect, sync_playwright

from commonplace.books.open import open_book
from commonplace.doors.panel.access import LOGIN_PATHS
from commonplace.doors.panel.mount import mount
from commonplace.doors.server.app import build_routes
from commonplace.settings import Settings

from .serving import Panel, chromium

PLANTED = "planted by another page"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SITES = {
    "another port": ("127.0.0.1", "127.0.0.1", 1),
    "another name of this machine": ("localhost", "127.0.0.1", 6),
    "another site": ("evil.test", "127.0.0.1", 6),
}
"""The host of the page, the host that it attacks, and which of the tries are made: every nth.

A route has 49 tries, so that every sixth is another way on the next route."""
ARGUMENTS: dict[str, Any] = {
    "query": "heron", "text": PLANTED, "content": PLANTED, "contents": [PLANTED], "key": "planted",
    "value": PLANTED, "name": "planted", "title": PLANTED, "memories": [{"content": PLANTED}],
    "ids": [], "event": "x", "to": "/", "id": "planted", "summary": PLANTED,
}  # fmt: skip


class Site:
    """A web server of somebody else on this machine; every name of it has the same page."""

    def __init__(self) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = b"<!doctype html><meta charset=utf-8><title>elsewhere</title><p>Hello"
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser that finds every name of `.test` on this machine."""
    mapped = "--host-resolver-rules=MAP *.test 127.0.0.1"
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", mapped]
        launched = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    one = Site()
    yield one
    one.close()


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Panel]:
    with Panel(tmp_path_factory.mktemp("attacked")) as running:
        running.book.save("The heron sleeps behind the safe", title="heron")
        running.book.session("planted").add("The heron spoke", role="user")
        httpx.get(f"{running.url}/v1/recall", params={"query": "heron"}, timeout=30)
        yield running


@pytest.fixture(scope="module")
def routes(panel: Panel, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Every route of the app: its path, with a query that works, and a body that works."""
    room = tmp_path_factory.mktemp("routes")
    settings = Settings(state=str(room / "state"), embedder="none")
    heron = next(iter(panel.book.list())).id
    with open_book(f"vault:{room / 'book'}", settings=settings, background=False) as book:
        app = build_routes(book)
        schema = app.openapi()
        mount(app)
        found = [_rest_route(schema, path, heron) for path in schema["paths"]]
        found += [{"path": path, "body": {}} for path in _mounted(app.routes, heron)]
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    plain = ("/v1/openapi.json", "/favicon.ico", "/nothing", *LOGIN_PATHS)
    found += [{"path": path, "body": {}} for path in plain]
    found += [{"path": path, "body": initialize} for path in ("/mcp", "/mcp/")]
    sockets = ("transport=polling", "transport=websocket")
    found += [
        {"path": f"/_nicegui_ws/socket.io/?EIO=4&{one}", "body": {}, "socket": True}
        for one in sockets
    ]
    assert len(found) > 70
    return found


def _rest_route(schema: dict[str, Any], path: str, heron: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    body = schema["paths"][path].get("post", {}).get("requestBody", {}).get("content", {})
    reference = json.dumps(body.get("application/json", {}))
    for name, model in schema["components"]["schemas"].items():
        if f'schemas/{name}"' in reference:
            given = {one: ARGUMENTS.get(one, heron) for one in model.get("required", ())}
    query = httpx.QueryParams({name: str(value) for name, value in given.items()})
    return {"path": f"{path}?{query}" if given else path, "body": given}


def _mounted(routes: Any, heron: str, prefix: str = "") -> Iterator[str]:
    """The paths of the panel's pages and files; parts in braces are filled in."""
    for route in routes:
        path = getattr(route, "path", None)
        inner = getattr(getattr(route, "app", None), "routes", None)
        if path is None or path.startswith("/mcp"):
            continue
        if inner:
            yield from _mounted(inner, heron, prefix + path)
        elif "{" not in path:
            yield prefix + path
        else:
            first = path.partition("{")[0]
            yield prefix + first + (heron if first == "/memory/" else "x/y")
    if prefix:
        yield f"/_nicegui/{nicegui_version}/static/nicegui.css"


class Traces:
    """All that a request could leave behind."""

    def __init__(self, panel: Panel) -> None:
        self.files = {
            str(path.relative_to(panel.vault)): path.read_bytes()
            for path in sorted(panel.vault.rglob("*"))
            if path.is_file()
        }
        book = panel.book
        self.memories = [one.id for one in book.list(limit=1_000)]
        self.logged = [str(one) for one in book.retrievals()]
        self.audited = [str(one) for one in book.audit(limit=1_000)]
        self.used = [str(book.uses(id)) for id in self.memories]
        self.sessions = [(name, len(book.session(name).entries())) for name in book.sessions()]
        self.waiting = len(book.inbox())
        told = httpx.get(f"{panel.url}/metrics", timeout=30).text.splitlines()
        requests = ("commonplace_http_requests_total", "commonplace_rest_calls_total")
        # Asking for these figures is a request, too.
        self.counted = [
            line for line in told if line.startswith(requests) and "watching" not in line
        ]

    def changed_since(self, before: Traces) -> dict[str, object]:
        """What differs, by its name."""
        return {name: value for name, value in vars(self).items() if value != vars(before)[name]}


ATTACK = """
async ({target, routes, methods, every}) => {
  const readable = [], opened = [];
  const settled = (work, limit = 1000) =>
    Promise.race([work, new Promise(done => setTimeout(done, limit))]);
  // What has loaded is taken away: hundreds of frames that stay make each next one slower.
  const loads = (element) => settled(new Promise(done => {
    element.onload = element.onerror = element.onloadeddata = () => { element.remove(); done(); };
    document.body.append(element);
  }));
  const made = (name, fields) => Object.assign(document.createElement(name), fields);

  const tries = [];
  for (const route of routes) {
    const address = target + route.path, text = JSON.stringify(route.body);
    const form = new FormData();
    form.append('content', text);
    const bodies = [undefined, text, new URLSearchParams(route.body), form];
    for (const method of methods) for (const mode of ['cors', 'no-cors']) {
      const types = mode === 'cors' ? [{}, {'content-type': 'application/json'}] : [{}];
      for (const body of method === 'POST' ? bodies : [undefined]) for (const headers of types) {
        tries.push(async () => {
          try {
            const answer = await fetch(address,
              {method, mode, body, headers, credentials: 'include', cache: 'no-store'});
            if (answer.type !== 'opaque') readable.push([method, mode, route.path]);
          } catch (error) { /* Refused by the browser, or not readable. */ }
        });
      }
    }
    const kinds = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
    for (const method of ['get', 'post'])
      for (const enctype of kinds)
        tries.push(() => {
          const frame = made('iframe', {name: 'frame' + Math.random()});
          document.body.append(frame);
          const sent = made('form', {method, enctype, action: address, target: frame.name});
          for (const [name, value] of Object.entries(route.body)) {
            const plain = typeof value === 'string' ? value : JSON.stringify(value);
            sent.append(made('input', {name, value: plain}));
          }
          document.body.append(sent);
          const loaded = settled(new Promise(done => {
            frame.onload = () => { frame.remove(); sent.remove(); done(); };
          }));
          sent.submit();
          return loaded;
        });
    for (const [name, fields] of [
      ['img', {src: address}], ['img', {src: address, crossOrigin: 'use-credentials'}],
      ['script', {src: address}], ['script', {src: address, type: 'module'}],
      ['iframe', {src: address}], ['object', {data: address}], ['embed', {src: address}],
      ['video', {src: address}], ['link', {rel: 'stylesheet', href: address}],
      ['link', {rel: 'prefetch', href: address}],
      ['link', {rel: 'preload', as: 'image', href: address}],
    ]) tries.push(() => loads(made(name, fields)));
    tries.push(async () => {
      const json = new Blob([text], {type: 'application/json'});
      for (const body of [undefined, ...bodies.slice(1), json]) navigator.sendBeacon(address, body);
    });
    tries.push(() => settled(new Promise(done => {
      const source = new EventSource(address, {withCredentials: true});
      source.onopen = () => { opened.push(['events', route.path]); done(); };
      source.onerror = () => { source.close(); done(); };
    })));
    // Chromium waits seconds after each refused socket, so only the routes that have sockets.
    if (route.socket) tries.push(Object.assign(() => settled(new Promise(done => {
      const socket = new WebSocket(address.replace('http', 'ws'));
      socket.onopen = () => { opened.push(['websocket', route.path]); socket.close(); };
      socket.onclose = done;
    }), 20000), {always: true}));
  }
  const chosen = tries.filter((one, number) => one.always || number % every === 0);
  const worker = async () => { while (chosen.length) await chosen.shift()(); };
  await Promise.all(Array.from({length: 60}, worker));
  return {readable, opened};
}
"""
HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest.mark.parametrize("where", SITES)
def test_a_page_of_another_origin_leaves_no_trace(
    browser: Browser, site: Site, panel: Panel, routes: list[dict[str, Any]], where: str
) -> None:
    host, attacked, every = SITES[where]
    target = f"http://{attacked}:{panel.port}"
    before = Traces(panel)
    assert before.logged, "the warm-up was logged"
    page = browser.new_page()
    page.set_default_timeout(300_000)
    page.goto(f"http://{host}:{site.port}/")
    given = {"target": target, "routes": routes, "methods": list(METHODS), "every": every}
    told = page.evaluate(ATTACK, given)
    assert told == {"readable": [], "opened": []}
    for route in routes:
        foreign = {**HANDSHAKE, "Origin": f"http://{host}:{site.port}", "Host": target[7:]}
        handshake = httpx.get(panel.url + route["path"], headers=foreign, timeout=30)
        assert handshake.status_code == 403, route
    addresses = [target + route["path"] for route in routes]
    for start in range(0, len(addresses), 10):
        _open_windows(page, addresses[start : start + 10])
    page.close()
    assert Traces(panel).changed_since(before) == {}


def _open_windows(page: Page, addresses: list[str]) -> None:
    """Open addresses as whole pages, each by a link and by a script."""
    page.evaluate(
        """addresses => {
          for (const address of addresses) {
            const link = Object.assign(document.createElement('a'),
              {href: address, target: '_blank', rel: 'opener'});
            document.body.append(link);
            link.click();
            window.open(address);
          }
        }""",
        addresses,
    )
    while len(page.context.pages) < 1 + 2 * len(addresses):
        page.wait_for_timeout(20)
    for window in page.context.pages[1:]:
        window.wait_for_load_state(timeout=300_000)
        window.close()


def test_a_name_that_leads_to_this_machine_opens_nothing(browser: Browser, panel: Panel) -> None:
    before = Traces(panel)
    page = browser.new_page()
    for name in ("rebound.test", "127.0.0.1.test"):
        answer = page.goto(f"http://{name}:{panel.port}/lab?q=heron")
        assert answer is not None
        assert answer.status == 421
        told = page.evaluate("fetch('/v1/recall?query=heron').then(answer => answer.status)")
        assert told == 421
    page.close()
    assert Traces(panel).changed_since(before) == {}


def test_a_person_who_follows_a_link_is_asked_and_goes_on(
    browser: Browser, site: Site, panel: Panel
) -> None:
    heron = next(one for one in panel.book.list(limit=1_000) if one.title == "heron")
    page = browser.new_page()
    page.goto(f"http://evil.test:{site.port}/")
    page.evaluate("address => { location.href = address }", f"{panel.url}/memory/{heron.id}?q=1")
    expect(page.get_by_text("Another site opened this page")).to_be_visible()
    page.get_by_role("link", name="Open it from here").click()
    expect(page.locator("h1")).to_have_text("heron")
    # The panel lives, so its own websocket is open.
    page.goto(f"{panel.url}/")
    expect(page.locator(".cp-name").first).to_be_visible()
    assert page.evaluate("fetch('/v1/status').then(answer => answer.status)") == 200
    page.close()


def test_a_typed_address_runs_no_verb(browser: Browser, panel: Panel) -> None:
    before = Traces(panel)
    page = browser.new_page()
    answer = page.goto(f"{panel.url}/v1/recall?query=heron")
    assert answer is not None
    assert answer.status == 403
    assert Traces(panel).changed_since(before) == {}
    answer = page.goto(f"{panel.url}/v1/openapi.json")
    assert answer is not None
    assert answer.status == 200
    page.close()


def test_the_same_requests_by_a_program_do_work(panel: Panel, routes: list[dict[str, Any]]) -> None:
    """The attack would be worth nothing if its requests were refused from everybody."""
    worked: dict[str, bool] = {}
    for route in routes:
        path = route["path"].partition("?")[0]
        if path.startswith("/v1/") and path != "/v1/openapi.json":
            answer = httpx.post(panel.url + path, json=route["body"], timeout=30)
            worked[path] = answer.status_code == 200
    assert sum(worked.values()) >= len(worked) * 0.7, worked
