"""Search indexes: derived from a store, and safe to throw away."""
