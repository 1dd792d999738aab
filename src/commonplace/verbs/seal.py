"""Sealed memories: reveal one, and rotate the key."""

from __future__ import annotations

from ..engine.change_set import ChangeSet
from ..engine.commit import commit, event
from ..model.codec import to_millisecond
from ..model.errors import BadInput, Refused
from ..model.results import Revealed, Rotated
from ..model.scope import EVERYTHING
from ..notes import display
from ..ports.record_store import Put
from ..rules import access, authority
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
    """The text of a sealed memory; the audit log records the access, not the text."""
    authority.require_person(engine.source, "reveal a sealed memory")
    memory = get(engine, ref)
    sealed = display.sealed_text(memory)
    if sealed is None:
        raise BadInput(f"{memory.id} is not sealed.", hint="Show it with `get`.")
    text = engine.cipher.decrypt(sealed)
    engine.ledger.append([event(engine, "revealed", memory)])
    return Revealed(memory, text)


def rotate_key(engine: Engine, *, progress: Callable[[int], object] = lambda _: None) -> Rotated:
    """Seal everything with a new key, and drop the old keys once they are unused.

    An interrupted rotation is continued with the key that it began to use.
    """
    access.require_owner(engine.context)
    cipher = engine.cipher
    before = cipher.keys()
    if not before.ids:
        raise BadInput("There is no key yet.", hint="Make one with `commonplace key new`.")
    begun = any(sealing_key(memory) in before.ids[1:] for memory in _sealed(engine))
    if not begun:
        if not before.keeps:
            raise Refused(
                "Everything is sealed with the first key already.",
                hint="Put a new key from `commonplace key new --print` before it.",
            )
        cipher.new_key()
    return _reseal(engine, cipher, progress)


def _reseal(engine: Engine, cipher: Cipher, progress: Callable[[int], object]) -> Rotated:
    current, *old = cipher.keys().ids
    # Memories sealed with a missing key stay as they are.
    waiting = [memory.id for memory in _sealed(engine) if sealing_key(memory) in old]
    done = 0
    for start in range(0, len(waiting), BATCH):
        with engine.store.lease() as lease:
            now = engine.store.read(waiting[start : start + BATCH], visible=EVERYTHING)
            changes = ChangeSet()
            for memory in now.values():
                if sealing_key(memory) in old:
                    resealed = _resealed(engine, cipher, memory)
                    changes.put(Put(resealed, expect=memory))
                    changes.record("resealed", resealed)
            commit(engine, lease, changes, same_meaning=True)
        done += len(changes.puts)
        progress(done)
    if cipher.keys().keeps and old and _are_unused(engine, old):
        cipher.drop_keys(old)
        old = []
    return Rotated(current, done, still_kept=tuple(old))


def _are_unused(engine: Engine, keys: Collection[str]) -> bool:
    """Whether no memory needs the keys; an unreadable note may need them."""
    if any(problem.severity == "error" for problem in engine.store.problems()):
        return False
    return not any(sealing_key(memory) in keys for memory in _sealed(engine))


def _resealed(engine: Engine, cipher: Cipher, memory: Memory) -> Memory:
    """The memory sealed with the newest key, as the same version: no old ciphertext may stay."""
    old = display.sealed_text(memory) or ""
    new = cipher.encrypt(cipher.decrypt(old))
    return memory.but(
        content=memory.content.replace(old, new),
        value=memory.value and memory.value.replace(old, new),
        updated=to_millisecond(engine.now()),
    )


def _sealed(engine: Engine) -> Iterator[Memory]:
    """Every sealed memory of the store, whatever its status."""
    for batch in all_memories(engine):
        yield from filter(display.is_sealed, batch)


def sealing_key(memory: Memory) -> str | None:
    """The id of the key that a memory is sealed with."""
    parts = display.sealed_parts(display.sealed_text(memory) or "")
    return parts[0] if parts else None
