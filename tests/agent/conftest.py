"""What tests of the agent's side share."""

from __future__ import annotations

import pytest


@pytest.fixture
def secret() -> str:
    """Looks like a key of a cloud; put together here, so that no scanner takes it for a leak."""
    return "AKIA" + "2E0A8F3B" + "244C9986"
