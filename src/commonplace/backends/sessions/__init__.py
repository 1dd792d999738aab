"""Session stores: a SQLite file on this device, or a Redis server with that file as fallback."""
