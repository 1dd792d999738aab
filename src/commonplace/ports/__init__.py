"""The interfaces between the engine and its backends, one file each."""
