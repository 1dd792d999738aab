"""The command line: `recall` by a short path of its own, everything else through typer."""
