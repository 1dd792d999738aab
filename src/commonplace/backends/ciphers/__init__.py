"""Encryption of sensitive memories, and where their keys are stored."""
