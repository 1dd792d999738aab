"""Rules that read a conversation: its lessons, corrections, and wishes not to keep a thing."""
