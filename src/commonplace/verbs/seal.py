"""Sealed memories: show one again, and change the key that all of them are sealed with."""

from __future__ import annotations

from ..engine.commit import commit, event
from ..model.codec import to_millisecond
from ..model.errors import BadInput, Refused
from ..model.results import Revealed, Rotated
from ..model.scope import EVERYTHING
from ..notes import display
from ..ports.record_store import Put
from ..rules import access
from .backup import all_memories
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.cipher import Cipher

BATCH = 100


def reveal(engine: Engine, ref: str) -> Revealed:
    """The text of a sealed memory. That it was shown is in the audit log, the text is not."""
    memory = get(engine, ref)
    sealed = display.sealed_text(memory)
    if sealed is None:
        raise BadInput(f"{memory.id} is not sealed.", hint="`get` shows it.")
    text = engine.cipher.decrypt(sealed)
    engine.ledger.append([event(engine, "revealed", memory)])
    return Revealed(memory, text)


def rotate(engine: Engine, *, progress: Callable[[int], object] = lambda _: None) -> Rotated:
    """Seal everything with a new key, and forget the old ones once nothing needs them.

    A rotation that was interrupted is finished first, with the key that it had begun to use.
    """
    access.require_owner(engine.context)
    cipher = engine.cipher
    before = cipher.keys()
    if not before.ids:
        raise BadInput("There is no key yet.", hint="Make one with `commonplace key new`.")
    begun = any(_key(memory) in before.ids[1:] for memory in _sealed(engine))
    if not begun:
        if not before.keeps:
            raise Refused(
                "Everything is sealed with the first key already.",
                hint="Put a new one, from `commonplace key new --print`, before it.",
            )
        cipher.new_key()
    return _reseal(engine, cipher, progress)


def _reseal(engine: Engine, cipher: Cipher, progress: Callable[[int], object]) -> Rotated:
    current, *old = cipher.keys().ids
    # Those of a key that is not at hand stay as they are; their time may come.
    waiting = [memory.id for memory in _sealed(engine) if _key(memory) in old]
    done = 0
    for start in range(0, len(waiting), BATCH):
        with engine.store.lease() as lease:
            now = engine.store.read(waiting[start : start + BATCH], visible=EVERYTHING)
            puts = [
                Put(_resealed(engine, cipher, memory), expect=memory)
                for memory in now.values()
                if _key(memory) in old
            ]
            commit(engine, lease, puts, [event(engine, "resealed", put.memory) for put in puts])
        done += len(puts)
        progress(done)
    if cipher.keys().keeps and old and _nothing_needs(engine, old):
        cipher.drop_keys(old)
        old = []
    return Rotated(current, done, still_kept=tuple(old))


def _nothing_needs(engine: Engine, keys: Collection[str]) -> bool:
    """Whether keys can go: a note that cannot be read may be one that still needs them."""
    if any(problem.severity == "error" for problem in engine.store.problems()):
        return False
    return not any(_key(memory) in keys for memory in _sealed(engine))


def _resealed(engine: Engine, cipher: Cipher, memory: Memory) -> Memory:
    """The same text under the newest key; in place, because the old ciphertext must go."""
    old = display.sealed_text(memory) or ""
    new = cipher.encrypt(cipher.decrypt(old))
    return memory.but(
        content=memory.content.replace(old, new),
        value=memory.value and memory.value.replace(old, new),
        updated=to_millisecond(engine.now()),
    )


def _sealed(engine: Engine) -> Iterator[Memory]:
    """Every sealed memory of the book, from the store itself, whatever its state."""
    for batch in all_memories(engine):
        yield from filter(display.is_sealed, batch)


def _key(memory: Memory) -> str | None:
    parts = display.parts(display.sealed_text(memory) or "")
    return parts[0] if parts else None
