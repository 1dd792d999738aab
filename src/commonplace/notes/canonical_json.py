"""Canonical JSON (RFC 8785): equal values have equal bytes, so that their hash can be compared."""

from __future__ import annotations

import json
from decimal import Decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard


def canonical(value: object) -> str:
    """A JSON value without white space, with sorted keys and numbers as JavaScript writes them."""
    if _is_mapping(value):
        # The RFC sorts by UTF-16 units, which differs from code points outside of the first plane.
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{_text(name)}:{canonical(value[name])}' for name in names)}}}"
    if _is_list(value):
        return f"[{','.join(map(canonical, value))}]"
    return _number(value) if isinstance(value, float) else _text(value)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """The shortest digits that read back as the number, with an exponent only if it is far off."""
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return f"{Decimal(repr(value)):f}".removesuffix(".0")
    digits, _, power = repr(value).partition("e")
    return f"{digits.removesuffix('.0')}e{int(power):+d}"


def _is_mapping(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)
