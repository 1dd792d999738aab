"""Parse and write JSON without importing `json`, which imports regular expressions.

That import takes a cold process longer than a running server takes to answer. Where the scanner of
the standard library fails, `json` parses the text again, so that results and errors are its own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Json = str | int | float | bool | None | Mapping[str, "Json"] | Sequence["Json"]

BLANK = " \t\n\r"


class _Strict:
    """The options that the scanner reads, with the defaults of `json`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    """NaN and the infinities are named in JSON as Python names them."""


_ODD = (ImportError, AttributeError, TypeError, ValueError, StopIteration, SystemError)
"""The last is what the scanner raises as long as nobody has imported the errors of `json`."""


def parse_json(text: str | bytes) -> Any:
    """Like `json.loads`, with the same ValueError and RecursionError."""
    try:
        # Only in this implementation of Python, and not promised even there.
        from _json import make_scanner

        plain = (text if isinstance(text, str) else text.decode("utf-8")).lstrip(BLANK)
        value, end = make_scanner(_Strict)(plain, 0)  # pyright: ignore[reportArgumentType]
        if not plain[end:].strip(BLANK):
            return value
    except _ODD:
        pass
    import json

    return json.loads(text)


def quote_json(text: str) -> str:
    """A text as `json.dumps` writes it, in plain ASCII."""
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json import dumps

        return dumps(text)
    return encode_basestring_ascii(text)


def write_json(value: Json) -> str:
    """A value as `json.dumps` writes it; all keys are texts."""
    if isinstance(value, str):
        return quote_json(value)
    if isinstance(value, dict):
        pairs = (f"{quote_json(key)}: {write_json(value[key])}" for key in value)
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(write_json, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) or (isinstance(value, float) and abs(value) < float("inf")):
        return repr(value)
    from json import dumps

    return dumps(value)
