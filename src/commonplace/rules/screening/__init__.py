"""Find credentials and personal data in a text before it is stored or logged."""
