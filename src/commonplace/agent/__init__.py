"""What an agent needs within and around one piece of work."""
