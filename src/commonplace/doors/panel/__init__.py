"""The memory panel: a person sees, searches, corrects and understands what agents remember."""
