"""Every error that a caller sees: one sentence, and a hint with the next thing to try.

CommonplaceError
├── NotFound               no such memory, fact, event or task
├── BadInput               the caller's values cannot be used
│   ├── BadScope
│   └── BadLocator
├── NotAllowed             the context may not do this
├── Proposed               a person decides; the change waits in the inbox
├── Refused                a gate said no: purged text, policy, a secret, a limit
├── Conflict               somebody else changed it first
├── Busy                   another process holds the book and did not let go in time
├── NoBook                 nothing says where the book is
├── Unavailable            a backend cannot be reached or used
│   ├── BackendMissing     unknown, or not installed
│   ├── StoreUnavailable
│   ├── IndexUnavailable
│   ├── LedgerUnavailable
│   ├── EmbedderUnavailable
│   └── ReaderUnavailable
└── Damaged                stored data does not read back as it was written
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class CommonplaceError(Exception):
    """The root of every error Commonplace raises on purpose.

    A sentence may quote the caller's text, and errors end up in logs: `cleared` removes secrets.
    The composition root sets it, because this module imports no other.
    """

    cleared: Callable[[str], str] = staticmethod(str)

    code = "error"
    exit_code = 1
    http_status = 500

    def __init__(self, sentence: str, *, hint: str = "") -> None:
        sentence = self.cleared(sentence)
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = self.cleared(hint)

    def __str__(self) -> str:
        return f"{self.sentence} {self.hint}" if self.hint else self.sentence


class NotFound(CommonplaceError):
    """Nothing has that id, slug, key or name, or the context may not see it."""

    code, exit_code, http_status = "not_found", 4, 404
    branch: str = ""
    """The branch that has it, if it is only not merged where the caller works, or the one that was
    asked for and has it not."""

    def only_on(self, branch: str) -> NotFound:
        """Return this error with the branch set that has what was not found."""
        self.branch = branch
        return self


class BadInput(CommonplaceError):
    """The values given cannot be used."""

    code, exit_code, http_status = "bad_input", 2, 422


class BadScope(BadInput):
    """A scope or context is not written as one."""

    code = "bad_scope"


class BadLocator(BadInput):
    """A name or path would leave the place it belongs to."""

    code = "bad_locator"


class NotAllowed(CommonplaceError):
    """The context may not do this."""

    code, exit_code, http_status = "not_allowed", 5, 403


class Proposed(CommonplaceError):
    """The change concerns a person's memory, and waits in the inbox until that person decides."""

    code, exit_code, http_status = "proposed", 11, 202
    proposal: str = ""
    """The id of the proposal."""

    def as_proposal(self, id: str) -> Proposed:
        """Return this answer with the id of its proposal."""
        self.proposal = id
        return self


class Refused(CommonplaceError):
    """A gate refused the write; nothing was changed."""

    code, exit_code, http_status = "refused", 6, 409
    places: tuple[int, ...] = ()
    """The positions of the refused texts in a batch, from 0."""
    reasons: tuple[str, ...] = ()
    """Why each text was refused: credential, personal, policy, purged, repeated or limit."""

    def because(self, *reasons: str) -> Refused:
        """Return this refusal with its reasons set, for the audit log and the metrics."""
        self.reasons = reasons
        return self


class Conflict(CommonplaceError):
    """The memory changed since the caller read it."""

    code, exit_code, http_status = "conflict", 7, 409


class Busy(CommonplaceError):
    """Another process holds the book and did not let go in time."""

    code, exit_code, http_status = "busy", 8, 503


class NoBook(CommonplaceError):
    """Nothing says where the book is."""

    code, exit_code, http_status = "no_book", 3, 503


class Unavailable(CommonplaceError):
    """A backend cannot be reached or used right now."""

    code, exit_code, http_status = "unavailable", 9, 503


class BackendMissing(Unavailable):
    """No installed backend answers to that name."""

    code = "backend_missing"


class StoreUnavailable(Unavailable):
    """The store of truth cannot be read or written."""

    code = "store_unavailable"


class IndexUnavailable(Unavailable):
    """The search index cannot be read or written; the store still can."""

    code = "index_unavailable"


class LedgerUnavailable(Unavailable):
    """The ledger cannot be read or written."""

    code = "ledger_unavailable"


class EmbedderUnavailable(Unavailable):
    """Texts cannot be turned into vectors; everything else still works."""

    code = "embedder_unavailable"


class ReaderUnavailable(Unavailable):
    """Texts cannot be read for their meaning; rules do that instead."""

    code = "reader_unavailable"


class Damaged(CommonplaceError):
    """Stored data does not read back as it was written."""

    code, exit_code, http_status = "damaged", 10, 500
