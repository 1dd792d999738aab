"""`contextmanager`, `suppress`, `lru_cache` and `wraps`, without `contextlib` and `functools`.

Importing these two takes a cold start a sixth of a bare one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import contextmanager, suppress
    from functools import lru_cache, wraps

    __all__ = ("contextmanager", "lru_cache", "suppress", "wraps")
else:
    from _functools import _lru_cache_wrapper

    def wraps(wrapped):
        """Name a function like the one that it stands for."""

        def named(wrapper):
            for name in ("__module__", "__name__", "__qualname__", "__doc__"):
                setattr(wrapper, name, getattr(wrapped, name))
            wrapper.__wrapped__ = wrapped
            return wrapper

        return named

    def lru_cache(*, maxsize):
        """A function whose answers are remembered, those that were asked for last."""
        return lambda function: wraps(function)(_lru_cache_wrapper(function, maxsize, False, tuple))

    def contextmanager(function):
        """A function that returns a context manager, from one that yields once."""

        @wraps(function)
        def manager(*args, **named):
            return _GeneratorContext(function(*args, **named))

        return manager

    class _GeneratorContext:
        """Runs a generator until it yields before a block, and to its end after the block."""

        def __init__(self, steps):
            self._steps = steps

        def __enter__(self):
            return next(self._steps)

        def __exit__(self, kind, error, trace):
            try:
                if error is None:
                    next(self._steps)
                else:
                    self._steps.throw(error)
            except StopIteration as stop:
                # An error that the generator did not raise again is dealt with.
                return error is not None and stop is not error
            except BaseException as raised:
                # Python makes a RuntimeError of a StopIteration that leaves a generator.
                stopped = isinstance(error, StopIteration) and raised.__cause__ is error
                if raised is not error and not stopped:
                    raise
                error.__traceback__ = trace
                return False
            raise RuntimeError("A context manager yields once.")

    class suppress:  # noqa: N801 - named as in contextlib
        """Leave a block quietly when one of these errors is raised in it."""

        def __init__(self, *kinds):
            self._kinds = kinds

        def __enter__(self):
            return None

        def __exit__(self, kind, error, trace):
            return kind is not None and issubclass(kind, self._kinds)
