"""Places outside the book that can be asked while the work goes on."""
