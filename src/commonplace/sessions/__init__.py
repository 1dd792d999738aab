"""Where one conversation is remembered while it lasts."""
