"""The summary of a session, chosen by rules from its own sentences."""
