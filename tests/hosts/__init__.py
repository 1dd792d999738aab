"""Hosts of coding agents: what they say, what they accept, and a machine on which they run.

`claude.jsonl` was recorded from Claude Code 2.1.325; the others follow their documentation.
"""
