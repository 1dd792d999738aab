"""numkong, the arithmetic of the bundled model, loaded without numpy.

numkong imports numpy when it can, and never needs it here; numpy would cost a cold start several
times what embedding a question costs.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEPT_OUT = ("numpy", "numpy._core")


def load() -> Any:
    """Import numkong; whoever wants numpy afterwards still gets it."""
    absent = [name for name in _KEPT_OUT if name not in sys.modules]
    for name in absent:
        sys.modules[name] = None  # pyright: ignore[reportArgumentType] — "not to be imported"
    try:
        import numkong
    finally:
        for name in absent:
            del sys.modules[name]
    return numkong
