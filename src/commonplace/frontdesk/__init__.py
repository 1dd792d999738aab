"""What the servers of one book agree on: who is let in, how often, and whose turn a job is."""
