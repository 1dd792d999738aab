"""The pages of the panel; importing this declares them all."""

from . import browse, graph, health, inbox, lab, memory, profile, timeline, transfer

__all__ = ["browse", "graph", "health", "inbox", "lab", "memory", "profile", "timeline", "transfer"]
