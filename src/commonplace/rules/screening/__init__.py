"""What in a text may not be kept as it is: credentials, and data about a person.

The detectors are loaded when a text first gives a reason to; most never do.
"""

from .finding import CREDENTIAL, PERSONAL, Finding, without
from .reading import credentials_removed, loggable, screen

__all__ = [
    "CREDENTIAL",
    "PERSONAL",
    "Finding",
    "credentials_removed",
    "loggable",
    "screen",
    "without",
]
