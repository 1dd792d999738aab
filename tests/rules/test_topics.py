"""A topic is recognized when the book knows it, and never made up."""

from __future__ import annotations

import pytest

from commonplace.rules.write_policy import infer_topic

KNOWN = {"combat": 9, "combat balance": 2, "deployment": 5, "数据库": 3}


@pytest.mark.parametrize(
    ("content", "tags", "topic"),
    [
        ("Combat systems need None checks", [], "combat"),
        ("The balance of combat is off", [], "combat balance"),
        ("We are deploying on Friday", ["Deployment"], "deployment"),
        ("Deployments happen on Friday", [], "deployment"),
        ("数据库迁移在星期五", [], "数据库"),
        ("Lunch is at noon", [], None),
        ("Combat", ["deployment"], "deployment"),
    ],
)
def test_the_topic_a_text_speaks_of(content: str, tags: list[str], topic: str | None) -> None:
    assert infer_topic(content, tags, KNOWN) == topic


def test_without_topics_there_is_none() -> None:
    assert infer_topic("Combat systems need None checks", ["combat"], {}) is None
