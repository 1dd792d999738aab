"""Descriptions of what to forget, each with the notes that it means and near misses."""
