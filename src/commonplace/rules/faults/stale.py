"""Find what a text says that time has made untrue: dates gone by, and paths that are gone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from ...language.dates import intervals
from ...language.vocabulary import MONTHS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

A_DAY_S = 86_400.0
HISTORY_S = 30 * 365 * A_DAY_S
"""Nobody's notes tell of something to come that is so long gone; they tell a story."""
_MONTH = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\.?"
DATE = re.compile(
    rf"(?i)\b(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{4}}-\d{{2}}(?![\d-])"
    rf"|{_DAY} (?:of )?(?:{_MONTH})\.?,? \d{{4}}|(?:{_MONTH})\.? {_DAY},? \d{{4}}"
    rf"|(?:{_MONTH})\.?,? (?:of )?\d{{4}}|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}|\d{{1,2}}/\d{{1,2}}/\d{{4}}"
    r"|q[1-4][ /]\d{4}|(?:spring|summer|autumn|fall|winter) (?:of )?\d{4})\b"
)
_YEAR = re.compile(
    r"(?i)\b(?:until|till|by(?: the)?(?: (?:end|middle|start) of)?|end of|planned for|due in"
    r"|scheduled for|expires? in|ends? in|runs? out in) ((?:19|20)\d\d)\b(?![-./]\d)"
)
"""A year alone tells a time to come only after one of these."""
_AHEAD = re.compile(
    r"(?i)\b(?:will|shall|won't|'ll|going to|due|deadline|until|till|expir(?:es?|ing|y|ation)"
    r"|ends?|ending|runs? out|lasts?|closes?|closing|opens?|opening|starts?|starting|begins?"
    r"|beginning|takes? place|happens?|launch(?:es)?|launching|ships?|goes? live|scheduled|booked"
    r"|plann?(?:ed|s|ing)|upcoming|renews?|renewal|valid|arrives?|arriving|leav(?:es?|ing)|flies"
    r"|fly|flying|travels?|returns?|back (?:on|in|by)|has to|have to|had better|must|needs? to"
    r"|to be \w+ed|expected|target(?:ed|s)?|aim(?:s|ing)?|on (?:holiday|vacation|leave)|away"
    r"|out of office|freezes?|moves? (?:to|in|out)|meets?|(?:appointment|meeting|exam|interview"
    r"|wedding|concert|conference|fair|demo|review|call|flight|trip|party) (?:is )?(?:on|in|at)"
    r"|fällig|läuft ab|endet|beginnt|geplant|expire|vence)\b"
)
"""Words about something that is still to come, or goes on."""
OVER = re.compile(
    r"(?i)\b(?:was|were|had|did|since|expired|ended|started|began|opened|closed|launched|shipped"
    r"|moved|left|joined|signed|bought|founded|released|introduced|born|died|met|made|chose|decided"
    r"|agreed|changed|switched|migrated|happened|took place|went|gave|came|got|became|retired"
    r"|finished|completed|fixed|added|removed|renamed|upgraded|updated|written|created|measured"
    r"|learned|learnt|published|copyright|dated|as of|ago|seit|war|wurde|hat)\b"
)
"""Words that tell of the past, which a past date fits."""
_WILL = re.compile(r"(?i)\b(?:will|shall|won't|'ll|(?:is|are) (?:going )?to|has to|have to|must)\b")
_BY = re.compile(
    r"(?i)\b(?:by|no later than|until|till|(?:is|are) on|bis|jusqu'au|hasta)(?: the)? $"
    r"|\b(?:has to|have to|must|should|needs? to|please)\b.*\bbefore(?: the)? $"
)
"""Words right before a date that is yet to come; `before` alone may tell of anything."""
_FROM = re.compile(
    r"(?i)\b(?:after|since|from|as of|starting|before|ab|seit|depuis|desde)(?: the)? $"
)
"""Words right before a date from which on, or up to which, something goes on holding."""
_DAYS = {"day": 2, "week": 14, "month": 45, "quarter": 120, "year": 400, "now": 365}
"""Days after which something said for such a time has passed."""
_UNNAMED = rf"(?! of\b| (?:in|before|after) (?:the\b|{_MONTH}))"
"""`The last week of July` is one every year."""
_RELATIVE = (
    (re.compile(
        r"(?i)\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening)|last night"
        r"|heute|morgen (?:früh|um|abend)|demain|aujourd'hui|mañana|hoy"
        r"|in (?:an?|\d+|two|three|a few) (?:minutes?|hours?|days))\b"), "day"),
    (re.compile(
        rf"(?i)\b(?:(?:this|next|last|coming) (?:(?:week(?:end)?|(?:mon|tues|wednes|thurs|fri"
        rf"|satur|sun)day)\b{_UNNAMED}|sprint)|in (?:a|two|three|\d+) weeks?|nächste woche"
        r"|la semaine prochaine|la próxima semana)\b"), "week"),
    (re.compile(
        rf"(?i)\b(?:(?:this|next|last|coming) month\b{_UNNAMED}|in (?:two|three|\d+) months)\b"),
        "month"),
    (re.compile(rf"(?i)\b(?:this|next|last) quarter\b{_UNNAMED}"), "quarter"),
    (re.compile(r"(?i)\b(?:this|next|last) (?:year|spring|summer|autumn|winter)\b"), "year"),
    (re.compile(r"(?i)\b(?:right now|at the moment|for now|currently|momentan|zurzeit)\b"), "now"),
)  # fmt: skip
_HABIT = re.compile(
    r"(?i)\b(?:every|each|always|never|usually|whenever|if|when|unless|before|than|until"
    r"|(?:from|as of|of) today|(?:today|tomorrow|yesterday)'s|late (?:last|this)"
    r"|the (?:next|last|same) day|next (?:day|to)|shows?|means?|words?|says?|such as|like)\b"
)
"""Words that make a sentence hold on any day, not only on the day it was said."""


def date_reason(text: str, *, at: datetime | None, now: datetime) -> str:
    """Which date of a text has passed, as a sentence; empty if none has, or it tells of the past.

    `at` is the time at which the text was written.
    """
    # A dot after a number may be that of a German date.
    for sentence in re.split(r"(?<=[!?;])\s+|(?<=\D\.)\s+", text):
        if found := _passed(sentence, now):
            return f"{found} has passed."
    return _out_of_date(text, at, now)


def _passed(sentence: str, now: datetime) -> str:
    dates = [(one[0], one.start()) for one in DATE.finditer(sentence)]
    strong = [(one[1], one.start(1)) for one in _YEAR.finditer(sentence)] if not dates else []
    over = OVER.search(sentence) and not _WILL.search(sentence)
    for date, start in (*dates, *strong):
        before = sentence[:start]
        later = _AHEAD.search(sentence) and not over and not _FROM.search(before)
        ahead = _BY.search(before) or strong or later
        end = end_of(date, now) if ahead else None
        if end is not None and 0 < now.timestamp() - end - A_DAY_S < HISTORY_S:
            return date
    return ""


def end_of(date: str, now: datetime) -> float | None:
    """When the day, month or year that a date names is over, in seconds since 1970."""
    if date.isdigit():
        return datetime(int(date) + 1, 1, 1, tzinfo=UTC).timestamp()
    ends = [end for _, end in intervals(date, now) if end < float("inf")]
    return max(ends, default=None)


def _out_of_date(text: str, at: datetime | None, now: datetime) -> str:
    """Whether a text names a day by its distance from one that is long gone, or unknown."""
    if _HABIT.search(text):
        return ""
    for pattern, unit in _RELATIVE:
        if not (found := pattern.search(text)):
            continue
        if at is not None and OVER.search(text) and not _WILL.search(text):
            return ""  # What happened that day has happened, and the day is known.
        said = f"“{found[0]}”"
        if at is None:
            return f"Nobody knows which day {said} was said on." if unit in ("day", "week") else ""
        if now - at > timedelta(days=_DAYS[unit]):
            return f"{said} was said on {at:%Y-%m-%d}."
        return ""
    return ""


# Paths

_ROOTS = "home|Users|opt|srv|mnt|media|tmp|root|data|Volumes|work|workspace|workspaces|private"
"""Folders of people and projects; what a system has in /etc or /var may be that of a server."""
_NAME = r"[^\s/\\:*?\"'`<>|,;()\[\]{}$]+"
_POSIX = rf"(?:~|/(?:{_ROOTS}))(?:/{_NAME}(?: (?={_NAME}/))?)+/?"
_WINDOWS = rf"[A-Za-z]:\\(?:{_NAME}(?: {_NAME})*\\)*{_NAME}"
_PATH = re.compile(rf"(?<![\w./:@~$}}>-])(?:{_POSIX}|{_WINDOWS})")
_ELSEWHERE = re.compile(
    r"(?i)\b(?:on|in|inside|of|to|at|from) (?:the |a |an |our |each |every )?(?:[\w-]+ ){0,2}"
    r"(?:server|servers|host|container|image|pod|cluster|node|nodes|vm|box|machine|phone|nas|router"
    r"|device|docker|kubernetes|production|prod|staging|ci|runner|raspberry pi|volume)\b"
    r"|\b(?:ssh|scp|rsync|remote|mount(?:ed|s)? (?:at|to|on))\b|\w@\w"
)
"""The path is one of another machine."""
_INVENTED = re.compile(r"(?i)/path/to/|/(?:home|users)/(?:user|username|you|me|name|<)|\.\.\.|…")


def path_reason(text: str, exists: Callable[[str], bool]) -> str:
    """Which path of a text is not on this machine, as a sentence; empty if all are."""
    if _ELSEWHERE.search(text):
        return ""
    for path in _paths(text):
        if not exists(path):
            return f"{path} is not on this machine."
    return ""


def _paths(text: str) -> Iterator[str]:
    """The paths of a text that name a file or folder of one machine."""
    for found in _PATH.finditer(text):
        path = found[0].rstrip(".!?…")
        if path.count("/") + path.count("\\") >= 2 - path.startswith("~") and not _INVENTED.search(
            path
        ):
            yield path
