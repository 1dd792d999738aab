"""Rules about the words of a text, in any language."""
