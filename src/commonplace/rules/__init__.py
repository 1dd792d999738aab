"""Pure rules: no I/O, no clock, no settings look-ups. Everything they need is passed in."""
