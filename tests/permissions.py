"""Permissions of files that hold in a test, whoever runs it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = 0x20080522
_READS_AND_WRITES_ANYTHING = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, which the superuser of Linux has and nobody else."""


@contextmanager
def held_to_permissions() -> Iterator[None]:
    """Within this, the superuser may open no more than anybody else who owns the same files."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    thread = (ctypes.c_uint32 * 2)(_VERSION, 0)
    rights = (ctypes.c_uint32 * 6)()
    assert libc.capget(thread, rights) == 0, os.strerror(ctypes.get_errno())
    before = rights[0]
    rights[0] = before & ~_READS_AND_WRITES_ANYTHING
    assert libc.capset(thread, rights) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        rights[0] = before
        assert libc.capset(thread, rights) == 0, os.strerror(ctypes.get_errno())
