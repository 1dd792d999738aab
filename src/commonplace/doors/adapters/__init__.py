"""The book inside agent frameworks: each adapter speaks its framework's own interface."""
