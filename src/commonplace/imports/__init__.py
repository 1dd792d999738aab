"""Files of other memories and assistants, read as drafts: one format per module."""
