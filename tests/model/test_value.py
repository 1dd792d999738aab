"""Values are frozen, compare by content and say what they are."""

from __future__ import annotations

import pytest

from commonplace.model.value import Value


class Point(Value):
    x: int
    y: int = 0


class Named(Point):
    name: str = "origin"


def test_fields_by_position_and_by_name() -> None:
    assert Point(1, 2) == Point(x=1, y=2) == Point(1, y=2)
    assert Named(1, name="a").__dict__ == {"x": 1, "y": 0, "name": "a"}


def test_a_missing_or_unknown_field_is_refused() -> None:
    with pytest.raises(TypeError):
        Point()  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError):
        Point(1, z=3)  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError):
        Point(1, 2, 3)  # pyright: ignore[reportCallIssue]


def test_values_are_frozen() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError):
        del point.x  # pyright: ignore[reportAttributeAccessIssue]
    assert point.but(x=2) == Point(2)


def test_values_of_different_kinds_differ() -> None:
    assert Point(1, 0) != Named(1, 0)
    assert len({Point(1), Point(1), Point(2)}) == 2


def test_a_value_shows_what_is_not_default() -> None:
    assert repr(Point(1)) == "Point(x=1)"
    assert repr(Named(1, 2)) == "Named(x=1, y=2)"
