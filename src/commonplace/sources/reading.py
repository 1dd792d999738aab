"""Documents as passages of text: markdown and plain text, and PDFs page by page."""

from __future__ import annotations

import os

from ..errors import BackendMissing, Unavailable
from ..rules.text import passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = (".md", ".markdown", ".txt", ".rst")
PDF = ".pdf"
MAX_BYTES = 20_000_000
MAX_PAGES = 2_000
MAX_PASSAGES = 2_000
"""Of one document."""


def is_readable(name: str) -> bool:
    """Whether a file's name promises text."""
    return not name.startswith(".") and name.lower().endswith((*TEXT, PDF))


def read(path: str, name: str) -> Iterator[tuple[str, str]]:
    """Where each passage of a document is, and what it says. Raises Unavailable."""
    if os.path.getsize(path) > MAX_BYTES:
        raise Unavailable(f"{name} is larger than {MAX_BYTES:,} bytes.", hint="Split it.")
    if name.lower().endswith(PDF):
        yield from _pdf(path, name)
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        for passage in passages.cut(file.read(), most=MAX_PASSAGES):
            yield name, passage


def _pdf(path: str, name: str) -> Iterator[tuple[str, str]]:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise BackendMissing(
            "PDFs cannot be read without pypdf.", hint="Run: pip install 'commonplace[documents]'"
        ) from error
    try:
        for number, page in enumerate(PdfReader(path).pages[:MAX_PAGES], start=1):
            for passage in passages.cut(page.extract_text(), most=MAX_PASSAGES):
                yield f"{name}#page={number}", passage
    # Broken files make the reader fail in every way there is, down to endless recursion.
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise Unavailable(f"{name} is not a readable PDF.", hint="Save it anew.") from error
    except (RecursionError, AssertionError, NotImplementedError, OSError) as error:
        raise Unavailable(f"{name} is not a readable PDF.", hint="Save it anew.") from error
