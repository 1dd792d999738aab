"""What a session was about, chosen from its own sentences by rules."""
