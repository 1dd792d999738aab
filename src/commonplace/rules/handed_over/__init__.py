"""Rules for the lines that a session or a prompt is given: which, how many, and their frame."""
