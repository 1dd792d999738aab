"""Rules about what is handed to an agent, within its limits."""
