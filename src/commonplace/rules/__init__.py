"""Pure decisions: no clock, no files, no environment; time and settings are passed in."""
