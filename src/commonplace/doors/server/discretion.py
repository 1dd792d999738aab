"""What a failure of the book itself tells whom: its owner all of it, others that there is one.

Why a book cannot be read names folders and addresses of the machine that serves it. Its owner needs
them to mend it; whoever came with a token can only wait.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...errors import CommonplaceError
    from ...scope import Context

OURS = 500
"""From this status on a failure is the server's and not the caller's."""
log = logging.getLogger("commonplace.server")


def fit_for(error: CommonplaceError, who: Context) -> CommonplaceError:
    """The failure as this caller may hear it: of the same kind, for programs that try again."""
    if error.http_status < OURS or who.role == "owner":
        return error
    log.error("The book failed a caller: %s", error)
    return type(error)(
        "The book cannot do this right now.",
        hint="Try again later, or ask whoever runs the server.",
    )
