"""Answers drawn for a person at a terminal."""
