"""What is done about a finding, as a person sets it."""

from __future__ import annotations

from ...errors import BadInput
from ...value import Value

CREDENTIALS = ("block", "redact")
PERSONAL = ("flag", "redact", "block", "allow")
TAG = "personal-data"
"""Marks a memory that holds data about a person."""


class Policy(Value):
    """What happens to a text that holds credentials, or data about a person."""

    credentials: str = "block"
    personal: str = "flag"

    def __check__(self) -> None:
        for name, allowed in (("credentials", CREDENTIALS), ("personal", PERSONAL)):
            if getattr(self, name) not in allowed:
                raise BadInput(
                    f"{getattr(self, name)!r} does not fit the setting screening.{name}.",
                    hint=f"Use {', '.join(allowed)}.",
                )
