"""A vault to test with: opened as often as a test likes, its files in reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commonplace.backends.vault.store import VaultStore
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Put, Stored
from tests.conformance import samples

NOON = samples.NOON


def memory(content: str = "Ada likes tea", scope: str = "/project/mech", **fields: Any) -> Memory:
    return samples.memory(content, scope, **fields)


def fact(key: str, value: str, scope: str = "/project/mech", **fields: Any) -> Memory:
    values: dict[str, Any] = {
        "kind": "fact", "tier": "critical", "owner": "curated", "trust": "user", "source": "cli",
        "key": key, "value": value, "slug": key,
    }  # fmt: skip
    return memory(f"{key}: {value}", scope, **(values | fields))


class Vault:
    """One vault folder and the stores opened on it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.root = place / "vault"
        self._opened: list[VaultStore] = []

    def open(self, *, state: str = "state", **options: Any) -> VaultStore:
        store = VaultStore(str(self.root), state=str(self.place / state), **options)
        self._opened.append(store)
        return store

    def close(self) -> None:
        for store in self._opened:
            store.close()

    def file(self, path: str, text: str | bytes) -> Path:
        """Write a file as a person would."""
        made = self.root / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(text if isinstance(text, bytes) else text.encode())
        return made

    def files(self) -> list[str]:
        """Every file of the vault, but for its own card."""
        found = (str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file())
        return sorted(name for name in found if name != "_meta/vault.json")


def put(store: VaultStore, *puts: Put | Memory) -> list[Stored]:
    with store.lease() as lease:
        return store.write([p if isinstance(p, Put) else Put(p) for p in puts], lease=lease)


def save(store: VaultStore, *memories: Memory) -> list[Memory]:
    return [stored.memory for stored in put(store, *memories)]


def change(store: VaultStore, old: Memory, **fields: Any) -> Memory:
    return put(store, Put(old.but(**fields), expect=old))[0].memory


def erase(store: VaultStore, *ids: str) -> list[str]:
    with store.lease() as lease:
        return store.erase(ids, lease=lease)


def everything(store: VaultStore, *, look: bool = True) -> dict[str, Memory]:
    """What an index that starts from nothing would hold."""
    index: dict[str, dict[str, Memory]] = {}
    for changes in store.changes(0, visible=EVERYTHING, look=look):
        for document in changes.documents:
            index[document.locator] = {m.id: m for m in document.memories}
    return {id: m for held in index.values() for id, m in held.items()}


def contents(store: VaultStore) -> list[str]:
    return sorted(m.content for m in everything(store).values())
