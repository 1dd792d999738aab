"""Rules about markdown: where a note lies, and how a memory reads there."""
