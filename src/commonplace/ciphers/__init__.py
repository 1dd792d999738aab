"""Ciphers: what keeps authorized secrets unreadable without a key."""
