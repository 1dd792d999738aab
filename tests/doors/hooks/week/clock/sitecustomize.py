"""Give a process the time that WEEK_NOW says, in seconds; Python imports this at its start."""

import datetime as module
import os
import time
from datetime import datetime, timedelta, tzinfo

AHEAD_S = time.time() - float(os.environ["WEEK_NOW"])
_real_time = time.time


class _AnyDatetime(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, datetime)


class StoryDatetime(datetime, metaclass=_AnyDatetime):
    """A datetime whose now is that of the story."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        return datetime.now(tz) - timedelta(seconds=AHEAD_S)


# Time in nanoseconds stays as it is, because it is compared with the times of files.
time.time = lambda: _real_time() - AHEAD_S
module.datetime = StoryDatetime
