"""The pages of the panel; importing this declares them all."""

from . import browse, graph, health, inbox, lab, memory, moving, profile, timeline

__all__ = ["browse", "graph", "health", "inbox", "lab", "memory", "moving", "profile", "timeline"]
