"""The parts that verbs share: the Engine, drafts, gates, change sets, commits and search."""
