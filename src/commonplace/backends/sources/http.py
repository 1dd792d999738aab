"""An HTTP endpoint that answers a question with passages in JSON as a source."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import quote, urlsplit

from ...model.errors import BadInput, Unavailable
from ...ports.source import Passage
from ...rules.server_address import address_fault
from ..common.http_answers import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MAX_ANSWER_BYTES = 2_000_000
MAX_QUERY_CHARACTERS = 1_000
LISTS = ("results", "passages", "documents", "items", "data", "hits")
TEXTS = ("text", "content", "passage", "snippet", "body", "summary")
ORIGINS = ("origin", "url", "link", "source", "id")


class HttpSource:
    """Requests `GET <url>` with `{query}` and `{limit}` filled in, or added as `q` and `limit`."""

    def __init__(self, name: str, url: str, *, key: str = "") -> None:
        if fault := address_fault(url, ("http", "https")):
            raise BadInput(
                f"The source {name} needs an address; this one {fault}.",
                hint="Write it like https://search.example/api?q={query}.",
            )
        if "{query}" not in url:
            url += f"{'&' if '?' in url else '?'}q={{query}}&limit={{limit}}"
        self._name, self._url, self._key = name, url, key

    @property
    def name(self) -> str:
        """The name of the source."""
        return self._name

    def search(self, query: str, *, limit: int, timeout_s: float) -> list[Passage]:
        """The passages that the endpoint answers with."""
        encoded = quote(query[:MAX_QUERY_CHARACTERS], safe="", errors="replace")
        url = urlsplit(self._url.replace("{query}", encoded).replace("{limit}", str(limit)))
        target = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
        headers = {"Accept": "application/json", "User-Agent": "commonplace"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        deadline = time.monotonic() + timeout_s
        kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
        connection = kind(url.hostname or "", url.port, timeout=timeout_s)
        try:
            connection.request("GET", target, headers=headers)
            with connection.getresponse() as response:
                body = whole(response, deadline=deadline, most_bytes=MAX_ANSWER_BYTES)
        except (OSError, HTTPException) as error:
            raise self._unavailable("does not answer in time") from error
        finally:
            connection.close()
        if response.status != 200:
            raise self._unavailable(f"answers {response.status}")
        return self._passages(body, response.getheader("Content-Type", ""))[:limit]

    def _passages(self, body: bytes, kind: str) -> list[Passage]:
        if "html" in kind.lower() or body.lstrip()[:1] == b"<":
            raise self._unavailable("answers with a web page instead of JSON")
        answer = self._json(body)
        fields: dict[str, Any] = {**answer} if isinstance(answer, dict) else {"results": answer}
        listed: list[Any] | None = next(
            (fields[name] for name in LISTS if isinstance(fields.get(name), list)), None
        )
        if listed is None:
            raise self._unavailable("answers without a list of results")
        found = (passage_from(one, self._name) for one in listed)
        return [one for one in found if one is not None]

    def _json(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except ValueError as error:
            raise self._unavailable("answers with text that is not JSON") from error

    def close(self) -> None:
        """Nothing to close: each question has its own connection."""

    def _unavailable(self, what: str) -> Unavailable:
        return Unavailable(
            f"The source {self._name} {what}.", hint="Check its address in the settings."
        )


def passage_from(result: Any, name: str) -> Passage | None:
    """A passage from a text, mapping or passage; None if it has no text."""
    if isinstance(result, Passage):
        return result if result.origin else result.but(origin=name)
    if isinstance(result, str):
        return Passage(result, name) if result.strip() else None
    if not isinstance(result, dict):
        return None
    fields: dict[str, Any] = {**result}
    text = _first(fields, TEXTS)
    if not text:
        return None
    score = fields.get("score", 0.0)
    return Passage(
        text=text,
        origin=_first(fields, ORIGINS) or name,
        score=float(score) if isinstance(score, int | float) else 0.0,
        title=_first(fields, ("title", "name")),
    )


def _first(fields: dict[str, Any], names: Iterable[str]) -> str:
    values = (fields.get(name) for name in names)
    return next((text for text in values if isinstance(text, str) and text.strip()), "")
