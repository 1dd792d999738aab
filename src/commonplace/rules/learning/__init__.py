"""Rules about what is worth remembering, and what many memories show together."""
