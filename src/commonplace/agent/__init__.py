"""What an agent uses beside the book: tasks, sessions, its profile and outside sources."""
