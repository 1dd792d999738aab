"""The vault: a folder of markdown notes that opens in Obsidian and is the truth."""
