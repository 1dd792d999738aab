"""Torture: real writers on a book of their own, real faults, and the law that must hold after."""
