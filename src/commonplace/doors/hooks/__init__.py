"""What the hosts of coding agents run at every turn: quick, and silent whatever goes wrong."""
