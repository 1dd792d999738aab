"""The gates that every write passes, in the order of their cost."""
