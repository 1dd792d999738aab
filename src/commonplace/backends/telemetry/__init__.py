"""Reports to monitoring systems."""
