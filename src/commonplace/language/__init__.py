"""Texts: words, stems, dates, sentences, passages, token counts, and every word list."""
