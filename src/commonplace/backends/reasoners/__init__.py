"""Reasoners: rules alone, or a language model with checks and a budget."""
