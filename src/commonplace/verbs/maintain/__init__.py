"""Tidying: everything that keeps a book clean while nobody looks, in one call."""

from .run import maintain

__all__ = ["maintain"]
