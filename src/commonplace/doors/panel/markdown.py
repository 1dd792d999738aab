"""Markdown of memories as safe HTML: whole texts, and one-line snippets."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from markdown_it import MarkdownIt

from ...notes.display import without_sealed
from ...notes.wikilinks import find_links, normalized_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markdown_it.renderer import RendererProtocol
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

_HIDDEN = re.compile(
    "[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
"""Invisible characters, except the joiners of scripts and emoji."""
_WIKILINK = re.compile(r"!?\[\[[^\[\]\n]+\]\]")
MAX_MARKDOWN_CHARACTERS = 200_000
"""A longer text is shown unformatted, because a browser would take too long."""
MAX_SNIPPET_SOURCE = 2_000
"""Characters that a snippet is made from."""


def reveal_hidden(text: str) -> str:
    """The text with every invisible character replaced by its code point."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", without_sealed(text))


def markdown_html(text: str, links: Mapping[str, str] | None = None) -> str | None:
    """Markdown as safe HTML, without tags of its own and images; None if it is too long.

    A wikilink to a name in `links` leads to the memory with that id; others are plain words.
    """
    if len(text) > MAX_MARKDOWN_CHARACTERS:
        return None
    known = {normalized_name(name): id for name, id in (links or {}).items()}
    return _reader().render(reveal_hidden(text), {"links": known})


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "linkify": False})
    reader.enable(["table", "strikethrough"])
    # An image would be loaded from any address in a text.
    reader.disable("image")
    reader.validateLink = _may_be_followed  # pyright: ignore[reportAttributeAccessIssue]
    reader.add_render_rule("link_open", _link_open)
    reader.inline.ruler.before("link", "wikilink", _wikilink)
    return reader


def _may_be_followed(url: str) -> bool:
    return url.lower().startswith(("https://", "http://", "mailto:", "#"))


def _link_open(
    self: RendererProtocol, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    if tokens[at].info != "memory":
        tokens[at].attrSet("rel", "noopener noreferrer nofollow")
        tokens[at].attrSet("target", "_blank")
    return self.renderToken(tokens, at, options, env)  # type: ignore[attr-defined]


def _wikilink(state: StateInline, silent: bool) -> bool:
    """Read a wikilink: the words that it shows, and a link if its memory is known."""
    found = _WIKILINK.match(state.src, state.pos, state.posMax)
    written = find_links(found[0]) if found else []
    if found is None or not written:
        return False
    if not silent:
        [link] = written
        known: Mapping[str, str] = state.env.get("links", {})
        id = known.get(normalized_name(link.target))
        if id:
            opened = state.push("link_open", "a", 1)
            opened.attrs, opened.info = {"href": f"/memory/{quote(id)}"}, "memory"
        state.push("text", "", 0).content = link.alias or link.target or link.heading or ""
        if id:
            state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


# Snippets

Piece = tuple[str, str]
"""A text and the tag around it: `strong`, `em`, `code`, `s`, or none."""
_MARKS = {"strong_open": "strong", "em_open": "em", "s_open": "s"}
_ENDS = ("strong_close", "em_close", "s_close")


def snippet_html(text: str, most: int) -> str:
    """The beginning of a text in one line, with its emphasis and code; nothing else is HTML."""
    return _as_html(_joined(_blocks(text)), most)


def snippet_text(text: str, most: int) -> str:
    """The beginning of a text in one line, without the marks of Markdown."""
    whole = "".join(piece for piece, _ in _joined(_blocks(text)))
    # A text of nothing but marks is shown as it is.
    whole = whole or _one_line(reveal_hidden(text[:MAX_SNIPPET_SOURCE]))
    return whole if len(whole) <= most else whole[: most - 1].rstrip() + "…"


def head_and_rest(text: str, most_head: int, most_rest: int) -> tuple[str, str]:
    """The first block of a text and what follows it, each as a snippet in HTML.

    What does not fit into the head is left to the rest.
    """
    blocks = list(_blocks(text))
    if not blocks:
        return escape(snippet_text(text, most_head)), ""
    head, *rest = blocks
    if sum(len(piece) for piece, _ in head) > most_head:
        return _as_html(head, most_head), ""
    return _as_html(head, most_head), _as_html(_joined(rest), most_rest)


def _blocks(text: str) -> Iterator[list[Piece]]:
    """Paragraphs, headings, list items, rows of tables and code, each as its pieces."""
    row: list[Piece] | None = None
    number = ""
    for token in _reader().parse(reveal_hidden(text[:MAX_SNIPPET_SOURCE])):
        if token.type == "tr_open":
            row = []
        elif token.type == "tr_close" and row:
            yield row
            row = None
        elif token.type == "list_item_open":
            # A sentence may begin with a number and a full stop, so the number stays.
            number = f"{token.info}{token.markup} " if token.info else ""
        elif token.type in ("fence", "code_block"):
            yield [(_one_line(token.content), "code")]
        elif token.type == "inline":
            pieces = [*([(number, "")] if number else []), *_pieces(token.children or [])]
            number = ""
            if row is None:
                if any(piece.strip() for piece, _ in pieces):
                    yield pieces
            else:
                row += [*([(" | ", "")] if row else []), *pieces]


def _pieces(tokens: Sequence[Token]) -> Iterator[Piece]:
    tags: list[str] = []
    for token in tokens:
        if token.markup == "__":
            # Much more often part of a name such as __init__ than emphasis.
            yield token.markup, ""
        elif token.type in _MARKS:
            tags.append(_MARKS[token.type])
        elif token.type in _ENDS and tags:
            tags.pop()
        elif token.type == "code_inline":
            yield _one_line(token.content), "code"
        elif token.type in ("softbreak", "hardbreak"):
            yield " ", ""
        elif token.content:
            yield token.content, tags[-1] if tags else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _joined(blocks: Iterator[list[Piece]] | Sequence[list[Piece]]) -> list[Piece]:
    pieces: list[Piece] = []
    for block in blocks:
        pieces += [*([(" · ", "")] if pieces else []), *block]
    return pieces


def _as_html(pieces: Sequence[Piece], most: int) -> str:
    """The pieces up to so many characters; every character of a text is escaped."""
    html: list[str] = []
    left = most
    for text, tag in pieces:
        cut = text if len(text) <= left else text[: max(0, left - 1)].rstrip() + "…"
        html.append(f"<{tag}>{escape(cut)}</{tag}>" if tag else escape(cut))
        left -= len(text)
        if left <= 0:
            break
    return "".join(html)
