"""The faults of a memory store, one file for each way of finding them."""
