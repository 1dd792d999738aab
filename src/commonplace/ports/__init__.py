"""The seams between the engine and its backends.

Every read takes the visible scopes as a required argument: a backend cannot be asked for more
than the caller may see. Backends raise only errors from `errors`; no driver's exception crosses.
"""
