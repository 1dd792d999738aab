"""A fix that the user said has helped is kept with its trouble; mere praise is not."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from commonplace.ports.reasoner import Turn
from commonplace.rules.talk.fixes import confirmed_fixes

TROUBLE = "why does the label printer print twice"
CAUSE = "Both the webhook and the cron job queue the print. I removed the cron job."


def lines(trouble: str, told: str, said: str) -> list[str]:
    turns = [Turn("user", trouble), Turn("assistant", told), Turn("user", said)]
    return [one.content for one in confirmed_fixes(turns)]


@pytest.mark.parametrize(
    "said",
    [
        "great, that fixed it",
        "works now, thanks!",
        "yes that was it",
        "perfect, that solved it. the docs are done too",
        "ok fixed",
        "jetzt geht es",
    ],
)
def test_a_fix_that_helped_is_kept_with_its_trouble(said: str) -> None:
    (line,) = lines(TROUBLE, CAUSE, said)
    assert line == f"To “{TROUBLE}” the fix was “{CAUSE.rstrip('.')}”."


@pytest.mark.parametrize(
    ("trouble", "told", "said"),
    [
        (TROUBLE, CAUSE, "thanks"),
        (TROUBLE, CAUSE, "It worked after I cleaned the roller."),
        (TROUBLE, CAUSE, "that fixed it?"),
        (TROUBLE, CAUSE, "works now but the second page is empty"),
        (TROUBLE, CAUSE, "that did not fix it"),
        (TROUBLE, "Fixed it.", "works now"),
        ("go on", CAUSE, "works now"),
        (TROUBLE, "Shall I remove the cron job?", "yes that was it"),
        (
            TROUBLE,
            CAUSE,
            "it works now and while you are at it rename the queue to labels and add a test",
        ),
    ],
)
def test_what_did_not_help_or_says_too_little_is_no_fix(trouble: str, told: str, said: str) -> None:
    assert lines(trouble, told, said) == []


def test_a_fix_is_found_where_the_trouble_returns(book: Commonplace) -> None:
    book.session("monday").end(
        [Turn("user", TROUBLE), Turn("assistant", CAUSE), Turn("user", "works now, thanks!")]
    )
    (fix,) = book.list(kinds=["fix"])
    assert book.recall("the label printer prints everything twice again")[0].memory.id == fix.id
