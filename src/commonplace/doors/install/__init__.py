"""Connect hosts to the book by changing their own settings files, and take it back exactly."""
