"""The shapes that a model's answers must have; whatever does not fit is no answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """An answer with these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Summarized(Answer):
    """A shorter text."""

    summary: str = Field(min_length=1)


class MergedAnswer(Answer):
    """Two notes as one."""

    text: str = Field(min_length=1)
    changes: list[str] = Field(
        default_factory=list, description="one line for each older statement that was replaced"
    )


class JudgedAnswer(Answer):
    """How two notes stand to each other."""

    relation: Literal["same", "contradicts", "refines", "unrelated"]
    sure: float = Field(ge=0, le=1)
    words: str = Field(default="", max_length=400, description="why, in one sentence")


class Sensitive(Answer):
    """The personal data that a note holds."""

    kinds: list[
        Literal[
            "name", "address", "e-mail address", "phone number", "birthday", "health", "finances",
            "identity number", "credential", "religion", "politics", "sexuality", "ethnicity",
            "location", "biometrics",
        ]
    ] = Field(default_factory=list)  # fmt: skip


class LessonAnswer(Answer):
    """One correction or preference."""

    kind: Literal["correction", "preference"]
    content: str = Field(min_length=3, max_length=600)
    wrong: str = Field(default="", max_length=600)
    turn: int = Field(ge=0)


class Lessons(Answer):
    """What the person taught."""

    lessons: list[LessonAnswer] = Field(default_factory=list, max_length=50)


class PatternAnswer(Answer):
    """One thing that several notes show together."""

    content: str = Field(min_length=3, max_length=600)
    kind: Literal["insight", "workflow", "preference", "fix"]
    of: list[int] = Field(min_length=2)
    reason: str = Field(default="", max_length=300)


class Patterns(Answer):
    """What the notes show together."""

    patterns: list[PatternAnswer] = Field(default_factory=list, max_length=20)
