"""The pages of the panel; importing this declares them all."""

from . import browse, memory

__all__ = ["browse", "memory"]
