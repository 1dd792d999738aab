"""Embeddings from any OpenAI-compatible endpoint.

No error message repeats a text or the key.
"""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from math import isfinite
from urllib.parse import urlsplit

from ...language.similarity import signed_bytes
from ...model.errors import BadInput, EmbedderUnavailable
from ...rules.server_address import address_fault
from ..common.http_answers import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from http.client import HTTPResponse
    from typing import Any

BATCH = 64
MAX_TEXT_CHARACTERS = 6_000
"""Longer texts are cut, because endpoints refuse more than their model reads."""
TIMEOUT_S, QUERY_TIMEOUT_S, CONNECT_S = 30.0, 2.0, 1.0
ATTEMPTS = 4
PAUSE_S, MAX_PAUSE_S = 0.5, 10.0
MAX_ANSWER_BYTES = 64_000_000
KEY_VARIABLE = "COMMONPLACE_EMBEDDER_KEY"
"""Environment variable with the key, unless the setting names another."""
EXAMPLE = "http:https://api.openai.com/v1#text-embedding-3-small;key=OPENAI_API_KEY"


class _TemporaryFailure(Exception):
    """A failure that a retry may solve."""

    def __init__(self, sentence: str, pause_s: float = 0.0) -> None:
        super().__init__(sentence)
        self.pause_s = pause_s


class HttpEmbedder:
    """A model at an endpoint; a question is tried once, other texts several times."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        dimensions: int | None = None,
        unrelated: float = 0.1,
        timeout_s: float = TIMEOUT_S,
        query_timeout_s: float = QUERY_TIMEOUT_S,
        pause_s: float = PAUSE_S,
    ) -> None:
        if not model:
            raise BadInput(
                "An HTTP embedder needs an address and a model.", hint=f"Write it like {EXAMPLE}."
            )
        if fault := address_fault(url, ("http", "https")):
            raise BadInput(
                f"The address of the embedder {fault}.", hint=f"Write it like {EXAMPLE}."
            )
        parts = urlsplit(url)
        if not (key.isascii() and key.isprintable()):
            raise BadInput("The embedder's key is not one line of plain characters.")
        self.model = model if dimensions is None else f"{model}/{dimensions}"
        self.unrelated = unrelated
        self._name, self._dimensions, self._requested_dimensions = model, dimensions, dimensions
        self._secure, self._host = parts.scheme == "https", parts.hostname or ""
        self._port = parts.port
        self._path = f"{parts.path.rstrip('/').removesuffix('/embeddings')}/embeddings"
        self._key = key
        self._timeout_s, self._query_timeout_s, self._pause_s = timeout_s, query_timeout_s, pause_s

    @classmethod
    def at(cls, address: str, *, environ: Mapping[str, str]) -> HttpEmbedder:
        """From `<url>#<model>;key=<variable>;dimensions=<number>;unrelated=<cosine>`."""
        url, _, rest = address.partition("#")
        model, *options = rest.split(";")
        named = dict(option.split("=", 1) for option in options if "=" in option)
        if len(named) != len(options) or named.keys() - {"key", "dimensions", "unrelated"}:
            raise BadInput(
                "An HTTP embedder takes the options key, dimensions and unrelated.",
                hint=f"Write it like {EXAMPLE}.",
            )
        try:
            dimensions = int(named["dimensions"]) if "dimensions" in named else None
            unrelated = float(named.get("unrelated", 0.1))
        except ValueError as error:
            raise BadInput("The embedder's dimensions and unrelated are numbers.") from error
        key = environ.get(named.get("key", KEY_VARIABLE), "").strip()
        return cls(url, model, key=key, dimensions=dimensions, unrelated=unrelated)

    @property
    def dimensions(self) -> int:
        """The length of the vectors; without a setting, the endpoint is asked once."""
        if self._dimensions is None:
            self.embed(["dimensions"])
        return self._dimensions or 0

    def ready(self) -> bool:
        """Whether a server listens at the address."""
        connection = self._connection(CONNECT_S)
        try:
            connection.connect()
        except OSError:
            return False
        finally:
            connection.close()
        return True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """One vector per text; zeros for a blank text, which endpoints refuse."""
        filled = {number: text for number, text in enumerate(texts) if text.strip()}
        numbers = list(filled)
        found: dict[int, bytes] = {}
        for start in range(0, len(numbers), BATCH):
            batch = numbers[start : start + BATCH]
            vectors = self._embed_batch(
                [filled[number][:MAX_TEXT_CHARACTERS] for number in batch], query
            )
            found.update(zip(batch, vectors, strict=True))
        return [found.get(number) or bytes(self.dimensions) for number in range(len(texts))]

    def is_damaged(self) -> bool:
        """False: the model is elsewhere."""
        return False

    def close(self) -> None:
        """Nothing to close: each request has its own connection."""

    def _embed_batch(self, texts: list[str], query: bool) -> list[bytes]:
        attempts = 1 if query else ATTEMPTS
        for attempt in range(attempts):
            try:
                return self._ask(texts, self._query_timeout_s if query else self._timeout_s)
            except _TemporaryFailure as failure:
                if attempt + 1 == attempts:
                    raise self._unavailable(str(failure)) from failure
                pause_s = max(failure.pause_s, self._pause_s * 2**attempt)
                time.sleep(min(pause_s, MAX_PAUSE_S))
        raise AssertionError("the last attempt returns or raises")

    def _ask(self, texts: list[str], timeout_s: float) -> list[bytes]:
        """One request for one batch."""
        deadline = time.monotonic() + timeout_s
        request: dict[str, Any] = {"model": self._name, "input": texts, "encoding_format": "float"}
        if self._requested_dimensions is not None:
            request["dimensions"] = self._requested_dimensions
        headers = {"Content-Type": "application/json", "User-Agent": "commonplace"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        connection = self._connection(timeout_s)
        try:
            connection.request("POST", self._path, json.dumps(request).encode(), headers)
            with connection.getresponse() as response:
                body = whole(response, deadline=deadline, most_bytes=MAX_ANSWER_BYTES)
        except (OSError, HTTPException) as error:
            raise _TemporaryFailure(f"did not answer ({type(error).__name__})") from error
        finally:
            connection.close()
        if response.status == 429 or response.status >= 500:
            raise _TemporaryFailure(f"answered {response.status}", _retry_after_s(response))
        if response.status != 200:
            raise self._unavailable(f"answered {response.status}")
        return self._read(body, len(texts))

    def _read(self, body: bytes, count: int) -> list[bytes]:
        try:
            rows = sorted(json.loads(body)["data"], key=lambda row: row["index"])
            vectors = [[float(value) for value in row["embedding"]] for row in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise self._unavailable("answered without embeddings") from error
        if [row["index"] for row in rows] != list(range(count)):
            raise self._unavailable(f"returned {len(vectors)} vectors for {count} texts")
        expected = self._dimensions or len(vectors[0])
        for vector in vectors:
            if len(vector) != expected or not vector:
                raise self._unavailable(f"returned {len(vector)} dimensions instead of {expected}")
            if not all(map(isfinite, vector)):
                raise self._unavailable("returned vectors with values that are not numbers")
        self._dimensions = expected
        return [signed_bytes(vector) for vector in vectors]

    def _connection(self, timeout_s: float) -> HTTPConnection:
        kind = HTTPSConnection if self._secure else HTTPConnection
        return kind(self._host, self._port, timeout=timeout_s)

    def _unavailable(self, what: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"The embedder at {self._host} {what}.",
            hint="Check its address, model and key; until then search uses words only.",
        )


def _retry_after_s(response: HTTPResponse) -> float:
    """The Retry-After header, if it is a number of seconds."""
    header = response.getheader("Retry-After", "")
    return float(header) if header.isdecimal() else 0.0
