"""The ways into a book: command line, hooks, server, panel, adapters and the installer."""
