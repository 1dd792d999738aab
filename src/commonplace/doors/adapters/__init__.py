"""Adapters for agent frameworks, each for one package that is installed separately."""
