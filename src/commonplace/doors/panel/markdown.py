"""Markdown of memories as HTML that cannot do anything: no tags of its own, no pictures."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from .legible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.renderer import RendererProtocol
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

LONGEST = 200_000
"""A longer text is shown as it is: nobody reads it formatted, and a browser would take its time."""


def rendered(text: str) -> str | None:
    """The text as safe HTML; None when it is better shown as it is."""
    return _reader().render(visible(text)) if len(text) <= LONGEST else None


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "linkify": False})
    reader.enable(["table", "strikethrough"])
    # A picture would be fetched from wherever a text says; it stays words.
    reader.disable("image")
    reader.validateLink = _may_be_followed  # pyright: ignore[reportAttributeAccessIssue]
    reader.add_render_rule("link_open", _link_open)
    return reader


def _may_be_followed(url: str) -> bool:
    return url.lower().startswith(("https://", "http://", "mailto:", "#"))


def _link_open(
    self: RendererProtocol, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    tokens[at].attrSet("target", "_blank")
    return self.renderToken(tokens, at, options, env)  # type: ignore[attr-defined]
