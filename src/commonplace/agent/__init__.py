"""Tasks, sessions, the profile and outside sources: all that an agent uses beside the book."""
