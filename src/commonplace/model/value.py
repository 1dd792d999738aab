"""Frozen value objects with defaults, equality and a readable repr.

Type checkers see an ordinary frozen dataclass. At run time this base does the same job without
importing `dataclasses` (which pulls in `inspect`) and without generating code per class: together
that is a third of what a cold `commonplace recall` may cost.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_):  # noqa: D103
        return lambda cls: cls


_MISSING = object()


@dataclass_transform(frozen_default=True, kw_only_default=False)
class Value:
    """A frozen record: declare annotated fields, then construct by position or by name."""

    __fields__: ClassVar[tuple[str, ...]] = ()
    __defaults__: ClassVar[Mapping[str, Any]] = {}
    __names__: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        own = [
            name
            for name, hint in cls.__annotations__.items()
            if not str(hint).startswith("ClassVar")
        ]
        inherited = [name for name in cls.__fields__ if name not in own]
        cls.__fields__ = (*inherited, *own)
        cls.__defaults__ = {
            name: getattr(cls, name) for name in cls.__fields__ if hasattr(cls, name)
        }
        cls.__names__ = frozenset(cls.__fields__)

    def __init__(self, *args: Any, **named: Any) -> None:
        values = self.__dict__
        values.update(self.__defaults__)
        if args:
            values.update(zip(self.__fields__, args, strict=False))
        values.update(named)
        # Equal in number and none unknown: comparing every name would take as long as the rest.
        names = self.__names__
        if len(values) != len(names) or not names.issuperset(named) or len(args) > len(names):
            raise TypeError(self.__complaint(values))
        self.__check__()

    def __complaint(self, values: Mapping[str, Any]) -> str:
        missing = sorted(self.__names__ - values.keys())
        unknown = sorted(values.keys() - self.__names__)
        if missing:
            return f"{type(self).__name__} needs {', '.join(missing)}"
        return f"{type(self).__name__} has no field {', '.join(unknown) or 'for so many values'}"

    def __check__(self) -> None:
        """Refuse or tidy what may not be built; called once all fields are set."""

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is frozen; use .but({name}=…)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is frozen")

    def but(self, **changes: Any) -> Self:
        """The same value with some fields changed."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, **changes)
        if len(made.__dict__) != len(self.__dict__):
            raise TypeError(self.__complaint(made.__dict__))
        made.__check__()
        return made

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *map(self.__dict__.__getitem__, self.__fields__)))

    def __repr__(self) -> str:
        default = self.__defaults__
        shown = (
            f"{name}={value!r}"
            for name, value in ((name, getattr(self, name)) for name in self.__fields__)
            if default.get(name, _MISSING) != value
        )
        return f"{type(self).__name__}({', '.join(shown)})"


def tidy(value: Value, **fields: object) -> None:
    """Set normalized fields from inside `__check__`, the one moment a value may still change."""
    value.__dict__.update(fields)
