"""The default reasoner: rules, and the reader of the package where there is one."""

from __future__ import annotations

from ...language import statements
from ...model.errors import ReaderUnavailable
from ...rules import patterns
from ...rules.relations import contradiction, merge
from ...rules.talk import lessons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model.memory import Memory, Problem
    from ...ports.reader import Heard, Reader
    from ...ports.reasoner import Judged, Lesson, Merged, Pattern, Recap, Turn


class RulesReasoner:
    """A reasoner that works by rules, and asks a reader what texts mean if it has one."""

    name = "rules"
    last_failure = ""
    """Always empty: rules do not fail."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader = reader

    @property
    def reads_meaning(self) -> bool:
        """Whether there is a reader."""
        return self._reader is not None

    def summarize(self, text: str, *, budget_tokens: int) -> str:
        """The most important sentences of the text."""
        return statements.summarize(text, budget_tokens=budget_tokens)

    def merge(self, newer: str, older: str) -> Merged:
        """Every distinct statement once, the newer first."""
        return merge.merge_texts(newer, older)

    def judge(self, newer: str, older: str, *, context: str = "") -> Judged:
        """Compare the claims of both texts, and what they mean."""
        judged = contradiction.judge(newer, older)
        if self._reader is None:
            return judged
        # Imported here because only a comparison needs it.
        from ...rules.relations.verdict import (
            parts_to_read,
            settle,
            settle_by_words,
            without_shared_sentences,
        )

        if settled := settle_by_words(judged, newer, older):
            return settled
        try:
            changed, was = without_shared_sentences(newer, older)
            read = self._reader.relate(changed, was, context=context)
            for part in parts_to_read(was, read):
                # Beside others, what a note says of this weighs less than it does alone.
                alone = self._reader.relate(changed, part, context=context)
                read = max(read, alone, key=lambda one: one.replaces)
        except ReaderUnavailable:
            return judged  # `problems` tells why.
        return settle(judged, read, newer, older, said=bool(context))

    def answers(self, question: str, texts: Sequence[str]) -> float | None:
        """Let the reader read each text with the question; None without a reader."""
        if self._reader is None or not texts:
            return None
        # Imported here because most commands ask nothing.
        from ...rules.ranking.answers import likelihood

        try:
            return likelihood(max(self._reader.answers(question, text) for text in texts))
        except ReaderUnavailable:
            return None  # `problems` tells why.

    def sensitive(self, text: str) -> tuple[str, ...]:
        """Nothing: the screening rules have already checked the text."""
        return ()

    def lessons(self, turns: Sequence[Turn]) -> tuple[Lesson, ...]:
        """Recognize typical phrases of corrections and preferences, and listen to the rest.

        Last come the fixes that helped.
        """
        # Imported here because only the end of a session needs its patterns.
        from ...rules.recaps.retracted import lasting
        from ...rules.talk.fixes import confirmed_fixes
        from ...rules.talk.repairs import repaired

        meant = repaired(turns, lessons.own_sentences)
        found = meant.placed(self._lessons(meant.turns))
        return (*lasting(turns, found), *confirmed_fixes(turns))

    def _lessons(self, turns: Sequence[Turn]) -> tuple[Lesson, ...]:
        found = lessons.extract_lessons(turns)
        if self._reader is None:
            return lessons.with_questions(turns, found)
        from ...rules.talk.heard import heard_lessons

        reader = self._reader

        def hear(sentences: Sequence[str], before: str) -> Heard:
            return reader.hear(sentences, before=before)

        try:
            return lessons.with_questions(turns, heard_lessons(turns, found, hear))
        except ReaderUnavailable as error:
            self._reader, self.last_failure = None, error.sentence
            return lessons.with_questions(turns, found)

    def recap(self, turns: Sequence[Turn]) -> Recap:
        """Choose sentences of the conversation."""
        # Imported here because only the end of a session needs its patterns.
        from ...rules.recaps.recap import make_recap

        return make_recap(turns)

    def patterns(self, memories: Sequence[Memory]) -> tuple[Pattern, ...]:
        """Count repetitions."""
        return patterns.find_patterns(memories)

    def problems(self) -> tuple[Problem, ...]:
        """Damaged and missing files of the reader."""
        return self._reader.problems() if self._reader else ()

    def close(self) -> None:
        """Nothing to close."""
