"""What turns texts into vectors: the bundled model, an HTTP endpoint, or hashed words."""
