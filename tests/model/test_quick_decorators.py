"""The quick decorators behave as those of contextlib and functools."""

from __future__ import annotations

import contextlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

QUICK: Any = import_module("commonplace.model.quick_decorators")
BOTH = pytest.mark.parametrize("made_by", [QUICK, contextlib], ids=["quick", "contextlib"])


@BOTH
def test_a_context_manager_runs_both_ends_and_passes_errors_on(made_by: Any) -> None:
    said: list[str] = []

    @made_by.contextmanager
    def opened(name: str) -> Generator[str]:
        """Says when it is left."""
        try:
            yield name
        finally:
            said.append(f"left {name}")

    with opened("a") as name:
        said.append(name)
    with pytest.raises(KeyError, match="lost"), opened("b"):
        raise KeyError("lost")
    with pytest.raises(StopIteration), opened("c"):
        raise StopIteration
    assert said == ["a", "left a", "left b", "left c"]
    assert (opened.__name__, opened.__doc__) == ("opened", "Says when it is left.")


@BOTH
def test_a_context_manager_may_end_an_error_or_raise_another(made_by: Any) -> None:
    @made_by.contextmanager
    def forgiving() -> Generator[None]:
        with contextlib.suppress(KeyError):
            yield

    @made_by.contextmanager
    def renaming() -> Generator[None]:
        try:
            yield
        except KeyError as error:
            raise ValueError("renamed") from error

    with forgiving():
        raise KeyError
    with pytest.raises(ValueError, match="renamed"), renaming():
        raise KeyError


@BOTH
def test_a_context_manager_that_yields_twice_is_a_fault(made_by: Any) -> None:
    @made_by.contextmanager
    def twice() -> Generator[None]:
        yield
        yield

    with pytest.raises(RuntimeError), twice():
        pass


@BOTH
def test_suppress_ends_the_named_errors_alone(made_by: Any) -> None:
    with made_by.suppress(KeyError, OSError):
        raise FileNotFoundError
    with pytest.raises(ValueError, match="kept"), made_by.suppress(KeyError):
        raise ValueError("kept")


def test_answers_are_remembered_within_the_size() -> None:
    asked: list[int] = []

    @QUICK.lru_cache(maxsize=2)
    def doubled(number: int) -> int:
        """Twice the number."""
        asked.append(number)
        return 2 * number

    assert [doubled(number) for number in (1, 1, 2, 3, 1)] == [2, 2, 4, 6, 2]
    assert asked == [1, 2, 3, 1]
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Twice the number.")
