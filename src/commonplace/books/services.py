"""Open the services of a book by their settings: embedder, sessions, reasoner, sources, …

Embedders:
    auto                the bundled model where this machine can compute with it, otherwise none
    bundled             commonplace-1 on this machine
    hash                hashed words: spelling, not meaning
    http:<url>#<model>  an OpenAI-compatible endpoint
    none                no vectors; full-text search alone
    one,another         the first of them that can be used
"""

from __future__ import annotations

import os

from .. import __version__, registry
from ..model.errors import BackendMissing, BadInput
from ..model.memory import Problem
from ..projects import home_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from opentelemetry.sdk.trace import TracerProvider

    from ..agent.sources import Sources
    from ..backends.reasoners.model_client import ModelClient
    from ..backends.reasoners.rules import RulesReasoner
    from ..backends.reasoners.safeguards import SpendingCap
    from ..model.checkout import GitHead
    from ..ports.backups import Backups
    from ..ports.checkout import Checkout
    from ..ports.cipher import Cipher
    from ..ports.embedder import Embedder
    from ..ports.ledger import Ledger
    from ..ports.observer import Observer
    from ..ports.ranker import Ranker
    from ..ports.reasoner import Reasoner
    from ..ports.server_state import ServerState
    from ..ports.session_store import SessionStore
    from ..ports.source import Source
    from ..rules.session_limits import SessionLimits
    from ..settings import Settings
    from .parts import BookParts


def embedder(settings: Settings) -> Embedder | None:
    """The embedder that the settings name; None where full text is all there is."""
    if settings.embedder == "none":
        return None
    return open_embedder(settings.embedder, environ=os.environ)


def former_embedder(settings: Settings) -> Callable[[str], Embedder | None] | None:
    """A finder of the embedder that made older vectors, for books whose embedder changed."""
    if settings.embedder == "none":
        return None
    opened: dict[str, Embedder | None] = {}

    def find(model: str) -> Embedder | None:
        if model not in opened:
            opened[model] = find_embedder(
                model, settings.embedder, state=settings.state, environ=os.environ
            )
        return opened[model]

    return find


def ranker_finder() -> Callable[[str], Ranker | None]:
    """A finder of the ranker for an embedder; there is one for the bundled embedder."""
    opened: dict[str, Ranker | None] = {}

    def find(model: str) -> Ranker | None:
        if model not in opened:
            from ..backends.neural.ranker import MODEL, bundled_ranker
            from ..rules.ranking.features import NAMES

            opened[model] = bundled_ranker(len(NAMES)) if model == MODEL else None
        return opened[model]

    return find


def sessions(settings: Settings, parts: BookParts) -> SessionStore:
    """The session store that the settings name."""
    from ..rules.session_limits import SessionLimits

    return open_sessions(
        settings.sessions,
        state=parts.state,
        book=parts.store.store_id,
        limits=SessionLimits(
            settings.session_ttl_s, settings.session_items, settings.session_eviction
        ),
    )


def reasoner(settings: Settings, parts: BookParts, now: Callable[[], datetime]) -> Reasoner:
    """The reasoner that the settings name, within its spending cap."""
    from ..backends.reasoners.safeguards import SpendingCap

    cap = SpendingCap(
        settings.reasoner_budget,
        settings.reasoner_tokens,
        settings.reasoner_price_in,
        settings.reasoner_price_out,
    )
    return open_reasoner(
        settings.reasoner,
        cap=cap,
        timeout_s=settings.reasoner_timeout_s,
        ledger=parts.ledger,
        now=now,
        environ=os.environ,
    )


def server_state(parts: BookParts) -> ServerState:
    """The state that the servers of one book share."""
    if parts.open_server_state:
        return parts.open_server_state()
    from ..backends.common.server_state import LocalServerState

    return LocalServerState(parts.state, lease=parts.store.lease)


LOST = {
    "ledger.db": "how often each memory was used, the log of recalls, and what models cost",
    "sessions.db": "the working memory of sessions, and turns that were not saved yet",
}
"""The loss that `doctor` names for each file that cannot be made again."""
DERIVED = ("index.db", "vault.db", "sources")


def examine_state(parts: BookParts) -> list[Problem]:
    """Check this device's own files of a book, and replace damaged ones."""
    from ..backends.common.repair import examine

    return [*examine(parts.state, derived=DERIVED, lost=LOST), *_full_disks(parts)]


LEAST_ROOM_BYTES = 100 << 20
"""Below this `doctor` warns: a backup, or an index that is built anew, may not fit."""


def _full_disks(parts: BookParts) -> Iterator[Problem]:
    """One problem for each disk of this machine that has hardly any room left for the book."""
    from shutil import disk_usage

    scheme, _, path = parts.store.url.partition(":")
    seen: set[int] = set()
    for folder in (path if scheme in ("vault", "sqlite") else parts.state, parts.state):
        try:
            free, disk = disk_usage(folder).free, os.stat(folder).st_dev
        except OSError:
            continue  # Other checks say what is wrong with the folder.
        if free < LEAST_ROOM_BYTES and disk not in seen:
            what = f"The disk of this folder has only {free >> 20:,} MB left."
            hint = "Make room: changes are refused once it is full; reading goes on."
            yield Problem(folder, what, hint, "warning")
        seen.add(disk)


def observer(settings: Settings, *, ends_soon: bool) -> Observer | None:
    """The observer that makes spans, if the settings ask for them."""
    if not settings.otel:
        return None
    from ..backends.telemetry.provider import require_telemetry
    from ..backends.telemetry.spans import SpanObserver

    require_telemetry()
    return SpanObserver(__version__, content=settings.otel_content, ends_soon=ends_soon)


def trace_provider(environ: Mapping[str, str]) -> TracerProvider:
    """A provider of traces, for a server's requests."""
    from ..backends.telemetry.provider import own_provider

    return own_provider(__version__, environ)


def cipher(parts: BookParts) -> Cipher:
    """The cipher that seals memories, with the keys of this book."""
    from ..backends.ciphers.fernet import FernetCipher, key_store_for

    return FernetCipher(key_store_for(parts.store.store_id, os.environ))


def open_checkout(folder: str, state: str, head: GitHead | None = None) -> Checkout | None:
    """The checkout around a folder; None outside of any repository."""
    from ..git_files import find_folders

    if (folders := find_folders(folder, home_of(os.environ))) is None:
        return None
    from ..backends.git.checkout import GitCheckout

    return GitCheckout(folders, state, head=head)


def open_backups(place: str) -> Backups:
    """The backups in a folder."""
    from ..backends.backups.folder import FolderBackups

    if not place.strip() or registry.split(place)[1] != place:
        # Otherwise it would be a folder called `s3:` here, and no backup where it is looked for.
        raise BadInput(
            f"{place.strip() or repr(place)} is not a folder.",
            hint="Give a path, such as ~/backups.",
        )

    return FolderBackups(place)


def make_key() -> str:
    """A new key for sealed memories, kept nowhere yet."""
    from ..backends.ciphers import fernet

    return fernet.make_key()


def sources(settings: Settings, parts: BookParts) -> Sources:
    """The outside sources that the settings name."""
    from ..agent.sources import Sources
    from ..backends.sources.function import CallableSource

    opened = [
        open_source(name, str(target), state=parts.state, environ=os.environ)
        for name, target in settings.sources.items()
    ]
    return Sources(opened, wrap=CallableSource)


EMBEDDER_NAMES = ("auto", "bundled", "hash", "http:<url>#<model>", "none")


def open_embedder(spec: str, *, environ: Mapping[str, str]) -> Embedder | None:
    """The embedder that a setting names."""
    names = [name.strip() for name in spec.split(",") if name.strip()]
    members = [
        member for name in names or ["none"] if (member := _member(name, environ)) is not None
    ]
    if len(members) <= 1:
        return members[0] if members else None
    from ..backends.neural.fallback import EmbedderChain

    return EmbedderChain(members)  # pyright: ignore[reportReturnType] — it computes its fields


def find_embedder(
    model: str, spec: str, *, state: str, environ: Mapping[str, str]
) -> Embedder | None:
    """The embedder that makes a model's vectors, if it can be used here and now.

    Looked for among those that the setting names and those that need nothing but this machine.
    `state` is the root of the state folder.
    """
    from ..backends.neural.bundled import former_bundled

    names = (*spec.split(","), "bundled", "hash")
    members = (_member(name.strip(), environ) for name in names if name.strip())
    for member in (*members, former_bundled(state)):
        if member is not None and member.model == model and member.ready():
            return member
    return None


def _member(name: str, environ: Mapping[str, str]) -> Embedder | None:
    kind, _, address = name.partition(":")
    if kind in {"auto", "bundled"} and not address:
        from ..backends.neural.bundled import BundledEmbedder

        bundled = BundledEmbedder()
        return bundled if kind == "bundled" or bundled.ready() else None
    if kind == "hash" and not address:
        from ..backends.neural.fallback import HashingEmbedder

        return HashingEmbedder()
    if kind == "http" and address:
        from ..backends.neural.http import HttpEmbedder

        return HttpEmbedder.at(address, environ=environ)  # pyright: ignore[reportReturnType] — the same
    if name == "none":
        return None
    raise BadInput(
        f"No embedder is called {name!r}.", hint=f"Use one of {', '.join(EMBEDDER_NAMES)}."
    )


SCHEMES = ("redis", "rediss", "valkey", "valkeys", "unix")


def open_sessions(setting: str, *, state: str, book: str, limits: SessionLimits) -> SessionStore:
    """`local`, or the address of a Redis or Valkey server, with its local store beside it."""
    from ..backends.sessions.local import LocalSessions

    path = os.path.join(state, "sessions.db")
    if setting == "local":
        return LocalSessions(path, limits)
    scheme, colon, rest = setting.partition(":")
    if not colon or scheme not in SCHEMES:
        raise BadInput(
            f"{scheme!r} is not a store for sessions.",
            hint="Set sessions to local, or to an address such as redis://localhost:6379/0.",
        )
    try:
        from ..backends.sessions.redis import RedisSessions
    except ImportError as error:
        from ..distribution import install_command

        raise BackendMissing(
            "The client for Redis is not installed.", hint=f"Run: {install_command('redis')}"
        ) from error
    url = f"{scheme.replace('valkey', 'redis')}:{rest}"
    return RedisSessions(url, LocalSessions(path, limits), book=book, limits=limits)


REASONER_NAMES = ("rules", "openai:<model>", "anthropic:<model>", "http:<url>#<model>")
REASONER_KEY = "COMMONPLACE_REASONER_KEY"
"""The variable the key is in; it is never read from a file."""
OWN_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""The providers' usual variables, which are used when ours is not set."""


def rules_reasoner() -> RulesReasoner:
    """The reasoner of rules, with the reader of the package where this machine can use it."""
    from ..backends.neural.reader import BundledReader
    from ..backends.reasoners.rules import RulesReasoner

    reader = BundledReader()
    return RulesReasoner(reader if reader.ready() else None)


def open_reasoner(
    spec: str,
    *,
    cap: SpendingCap,
    timeout_s: float,
    ledger: Ledger,
    now: Callable[[], datetime],
    environ: Mapping[str, str],
) -> Reasoner:
    """The reasoner that a setting names."""
    if spec == "rules":
        return rules_reasoner()
    kind, _, address = spec.partition(":")
    if kind not in ("openai", "anthropic", "http") or not address:
        raise BadInput(
            f"No reasoner is called {spec!r}.", hint=f"Use one of {', '.join(REASONER_NAMES)}."
        )
    model = _model(kind, address, environ)
    from ..backends.reasoners.llm import LlmReasoner
    from ..backends.reasoners.safeguards import MonthlyBudget

    return LlmReasoner(
        model,
        MonthlyBudget(cap, ledger, now, model.label),
        timeout_s=timeout_s,
        now=now,
        rules=rules_reasoner(),
    )


def _model(kind: str, address: str, environ: Mapping[str, str]) -> ModelClient:
    try:
        from ..backends.reasoners.model_client import ModelClient
    except ImportError as error:
        from ..distribution import install_command

        raise BackendMissing(
            "A model as reasoner needs pydantic-ai, which is not installed.",
            hint=f"Run: {install_command('llm')}",
        ) from error
    from ..rules.server_address import address_fault

    key = environ.get(REASONER_KEY, "") or environ.get(OWN_KEYS.get(kind, ""), "")
    if not (key.isascii() and key.isprintable()):
        raise BadInput("The reasoner's key is not one line of plain characters.")
    if kind != "http":
        return ModelClient(kind, address, key.strip())
    url, _, name = address.partition("#")
    example = "Write it like http:http://127.0.0.1:11434/v1#qwen3."
    if not url or not name:
        raise BadInput("A reasoner behind an address needs the address and a model.", hint=example)
    if fault := address_fault(url, ("http", "https")):
        raise BadInput(f"The address of the reasoner {fault}.", hint=example)
    return ModelClient(kind, name, key.strip(), url)


SOURCE_KEY = "COMMONPLACE_SOURCE_KEY_"
"""The variable with the key of a source is this and its name."""


def require_source_address(name: str, url: str) -> None:
    """Raise BadInput unless an HTTP source could be asked at this address."""
    from ..backends.sources.http import HttpSource

    HttpSource(name, url)


def open_source(name: str, target: str, *, state: str, environ: Mapping[str, str]) -> Source:
    """A folder by its path, or an endpoint by its address."""
    scheme, _, rest = target.partition(":")
    if scheme in ("http", "https"):
        key = environ.get(SOURCE_KEY + name.upper().replace("-", "_"), "").strip()
        from ..backends.sources.http import HttpSource

        return HttpSource(name, target, key=key)
    root = rest if scheme == "folder" else target
    if not root.strip():
        raise BadInput(f"The source {name} names no folder.", hint="Give a path or an address.")
    index = os.path.join(state, "sources", f"{_file_name(name)}.db")
    from ..backends.sources.folder import FolderSource

    return FolderSource(name, root, index=index)


def _file_name(name: str) -> str:
    """No two sources share an index, even where their names differ by a space only."""
    from ..model.identity import derived_id, name_slug

    slug = name_slug(name)
    return slug if slug == name else derived_id(f"{slug or 'source'}-", name)
