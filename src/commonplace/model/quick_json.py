"""Parse and write JSON without importing `json`, which imports regular expressions.

That import takes a cold process longer than a running server takes to answer. Where the scanner or
the encoder of the standard library fails, `json` tries again, so that results and errors are its
own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
        plain = (text if isinstance(text, str) else text.decode("utf-8")).lstrip(BLANK)
        value, end = _scanner()(plain, 0)
        if not plain[end:].strip(BLANK):
            return value
    except _ODD:
        pass
    import json

    return json.loads(text)


_SCANNERS: list[Any] = []
"""The scanner, once it is made: an answer reads a hundred documents."""


def _scanner() -> Any:
    if not _SCANNERS:
        # Only in this implementation of Python, and not promised even there.
        from _json import make_scanner

        _SCANNERS.append(make_scanner(_Strict))  # pyright: ignore[reportArgumentType]
    return _SCANNERS[0]


def quote_json(text: str) -> str:
    """A text as `json.dumps` writes it, in plain ASCII."""
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json import dumps

        return dumps(text)
    return encode_basestring_ascii(text)


def write_json(value: Any) -> str:
    """Like `json.dumps`, with the same errors."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        # The defaults of `json`; without a function for other types, these end in a TypeError.
        options: Any = ({}, None, encode_basestring_ascii, None, ": ", ", ", False, False, True)
        return "".join(make_encoder(*options)(value, 0))
    except _ODD:
        from json import dumps

        return dumps(value)
