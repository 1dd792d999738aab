"""The vault: a folder of markdown notes that opens in Obsidian and is the truth."""

from .identity import identify
from .store import VaultStore

__all__ = ["VaultStore", "identify"]
