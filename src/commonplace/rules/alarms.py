"""When somebody should look at the book: each figure's limit, why it matters, and what to do.

The one place of these numbers. The panel shows them to a person, and `monitoring/alerts.yml` is
made of them for Prometheus.
"""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ENOUGH = 20
"""A share of fewer questions or writes than this says nothing yet."""


class Alarm(Value):
    """One figure, and from where on it is not as it should be."""

    name: str
    """The name of the alert in Prometheus."""
    figure: str
    limit: float
    healthy: str
    """The usual range, in words."""
    says: str
    """The message, with the figure as `{value}`."""
    do: str
    """The first thing to look at."""
    below: bool = False
    """Whether it rings under its limit instead of above."""
    severity: str = "warning"

    def rings(self, value: float) -> bool:
        """Whether this value is past the limit."""
        return value < self.limit if self.below else value > self.limit

    def said(self, value: float) -> str:
        """The message for this value."""
        return self.says.format(value=value)


ALARMS = (
    Alarm(
        "MemoryWriteStorm",
        "writes_a_minute",
        50,
        "1 to 20 a minute",
        "{value:.0f} memories were written in a minute.",
        "Look on the Timeline which door they came through, and stop the agent that saves in a"
        " loop.",
    ),
    Alarm(
        "MemoryFewAnswers",
        "hit_ratio",
        0.1,
        "above 30 %",
        "Only {value:.0%} of questions found anything.",
        "Try one of them in the Recall lab. Either the book does not hold what is asked, or the"
        " questions come from a scope that sees too little of it.",
        below=True,
    ),
    Alarm(
        "MemoryManyRepeats",
        "repeated",
        0.7,
        "10 to 50 %",
        "{value:.0%} of writes said what was known already.",
        "See in the audit which door repeats itself. An agent that saves what it was just handed"
        " should be told to save only what is new.",
    ),
    Alarm(
        "MemoryContradictions",
        "contradictions_a_day",
        50,
        "fewer than 10 a day",
        "{value:.0f} contradictions were found within a day.",
        "Decide some of them in the Inbox: two sources that disagree about one thing usually show"
        " at once. Take the worse one away.",
    ),
    Alarm(
        "MemoryStale",
        "stale_median",
        0.5,
        "median below 0.3, 95th of 100 below 0.7",
        "Half of all memories are staler than {value:.2f}.",
        "See that the book is tidied: `commonplace maintain`, or `tidy_hours` above 0 on the"
        " server. Then archive what nobody has asked for.",
    ),
    Alarm(
        "MemoryManyScopes",
        "scopes_of_one_user",
        50,
        "1 to 10",
        "One user has {value:.0f} scopes.",
        "Finish tasks that are over (`commonplace task done`), so that what they taught moves up"
        " and their scopes fall silent.",
    ),
    Alarm(
        "MemoryBlockedWrites",
        "blocked_a_day",
        20,
        "0 to 5 a day",
        "{value:.0f} writes that held a secret or personal data were refused within a day.",
        "Somebody pastes credentials into conversations. See in the audit (`refused`) through which"
        " door, and put it right there; a secret that was shown should be changed.",
    ),
    Alarm(
        "MemoryBackupOld",
        "backup_age_s",
        3_600,
        "under an hour",
        "The last backup was {value:.0f} s ago, or never made.",
        "See the server's log for why the backup failed, then run `commonplace backup`.",
        severity="critical",
    ),
    Alarm(
        "MemoryRecallSlow",
        "recall_p95_s",
        0.3,
        "well under the 0.3 s that a hook waits",
        "One question in twenty takes longer than {value:.2f} s.",
        "See whether the machine is busy, or the embedder out of reach (`commonplace status`). A"
        " hook that waits longer hands nothing over.",
    ),
    Alarm(
        "MemoryIndexBehind",
        "index_behind",
        0,
        "0",
        "{value:.0f} changes are not in the index yet.",
        "Run `commonplace sync`. If it fails, `commonplace sync --rebuild` makes the index anew;"
        " no memory is lost by it.",
    ),
    Alarm(
        "MemoryBookUnreadable",
        "book_readable",
        1,
        "1",
        "The server runs, but it cannot read its book.",
        "See the server's log: the folder may not be mounted, or the database not be reachable.",
        below=True,
        severity="critical",
    ),
    Alarm(
        "MemoryServerDown",
        "up",
        1,
        "1",
        "No server of this book answers.",
        "Start it again, and see the end of its log for why it stopped. Hooks and commands go on"
        " without it, only slower.",
        below=True,
        severity="critical",
    ),
    Alarm(
        "MemoryInboxFull",
        "overdue",
        20,
        "up to 20",
        "{value:.0f} things have waited in the inbox for more than a day.",
        "Decide them in the Inbox; what nobody decides is never learned.",
        severity="info",
    ),
)
BLOCKING = ("credential", "personal")
"""The reasons of refusals that say that somebody gives secrets away."""


def ringing_alarms(figures: Mapping[str, float | None]) -> list[tuple[Alarm, float]]:
    """The alarms that these figures set off; one that is not known sets off none."""
    return [
        (alarm, value)
        for alarm in ALARMS
        if (value := figures.get(alarm.figure)) is not None and alarm.rings(value)
    ]


def alarm_named(name: str) -> Alarm:
    """The alarm of that name."""
    return next(one for one in ALARMS if one.name == name)
