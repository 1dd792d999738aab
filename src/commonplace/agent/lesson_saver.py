"""Save the lessons of a conversation: what is new is added, what was wrong is corrected."""

from __future__ import annotations

import re

from ..engine.search import RecallRequest, search
from ..language import statements
from ..language.similarity import cosine
from ..language.words import telling_terms
from ..model import identity
from ..model.errors import BadInput, Conflict, EmbedderUnavailable, NotFound, Proposed, Refused
from ..model.memory import LIVE
from ..model.value import Value
from ..ports.reasoner import Judged
from ..rules import access, authority, drafts
from ..rules.relations import merge
from ..rules.relations.slots import leaves_out_clause
from ..rules.talk import answered, heard, lessons, short_answers, spoken
from ..rules.talk.corrections import mentions, quotes_context
from ..rules.talk.exchange import (
    exchanged_statement,
    exchanged_value,
    stands_alone,
    with_topic,
)
from ..rules.talk.standing_lines import without_preamble
from ..verbs.correct import correct_memory
from ..verbs.find_wrong import WrongMemory
from ..verbs.offers import RECORDS
from ..verbs.save import save

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..model.results import Corrected, Saved
    from ..model.scope import Scope
    from ..ports.reasoner import Lesson
    from ..rules.talk.forget_wishes import ForgetWish

LOOK_AT = 5
"""Similar memories per question that are compared with a lesson, …"""
MOST_COMPARED = 8
"""… and in all."""
SURE, CLEAR, DOUBTFUL = 0.95, 0.6, 0.3
"""Shares of the sureness that settings ask for: enough for a further memory that a turn corrects,
for the first one, and for the first one if the turn certainly is a correction."""
MOST_WRONG = 4
"""Memories that one turn corrects: the surest, and others that are as clearly wrong."""
NEAR, ALIKE = 0.8, 0.4
"""How near in meaning to what was said a memory is that a turn corrects: compared with the nearest
one, and, if they share no telling word, between unrelated (0) and the same (1). A judge takes it
that two texts speak of one thing: `£11 each` contradicts every price in a book."""
SUSPECTED = 0.15
"""The same, between unrelated (0) and the same (1), for a memory that a person is asked about."""
NAMED = 0.5
"""The share of a memory's telling words that were said if it certainly is spoken of."""
CONTEXT_CHARACTERS = 300
"""Characters of the turn before that tell what a lesson is about: its end."""

_REMOVED = re.compile(r"\[[^\[\]\n]{1,60} removed\]")
_SAID = (
    r"(?:said|told|mentioned|wrote|gesagt|erzählt|geschrieben|dit|raconté|écrit|dije|dicho|conté"
    r"|detto|raccontato|disse|dito|falei|contei|zei|gezegd|verteld)"
)
_WHAT = r"(?:what|everything|anything|all|was|alles|ce qu\w*|lo que|todo|quello|ciò|o que|wat)"
_OF_OWN_WORDS = re.compile(
    r"(?i)\b(?:forg[eo]t\w*|remember\w*|verg(?:iss|ess)\w*|oubli\w*|olvid\w*|dimentic\w*|scord\w*"
    rf"|esque[cç]\w*|verge(?:et|ten))\b.{{0,25}}\b{_WHAT}\b.{{0,60}}\b{_SAID}\b"
    r"|^(?:forget|vergiss|vergesst|oublie[zs]?|laissez? tomber|olvid[ae]|dimentica|lascia perdere"
    r"|esque(?:ce|ça)|vergeet)\b"
    rf"|^(?:that )?{_WHAT} .{{1,60}}\b{_SAID}(?: (?:you|hab|habe|hatte|about .{{1,60}}))?[.!]?$"
)
"""`Never forget what I said about Bruno` tells nothing of Bruno, and `forget the cache, we do the
parser first` nothing that lasts."""


def _is_plain_correction(lesson: Lesson) -> bool:
    return lesson.kind == "correction" and not quotes_context(lesson.content)


def is_redacted(text: str) -> bool:
    """Whether a secret was removed, so that the rest says too little to be a memory."""
    return _REMOVED.search(text) is not None


def _tells_nothing(content: str) -> bool:
    return bool(_OF_OWN_WORDS.search(content)) and not spoken.withdrawn_rule(content)


class _Compared(Value):
    memory: Memory
    judged: Judged
    meant: str = ""
    """The memory as a short answer says that it is; empty if the turn is no such answer."""
    unclear: bool = False
    """Whether the turn may speak of another thing, so that a person is asked."""


class LessonSaver:
    """Saves the lessons of one turn after the other, and collects the results."""

    def __init__(self, engine: Engine, task: str | None) -> None:
        self.engine = engine
        """At the commit of the turn whose lessons are saved next."""
        self._tasks = () if task is None else (task,)
        self.added: list[Saved] = []
        self.corrected: list[Corrected] = []
        self.kept_back: list[str] = []

    def save(self, lessons: Sequence[Lesson]) -> None:
        """Correct what a turn contradicts with its fitting lesson, and add the others."""
        telling = [one for one in lessons if not _tells_nothing(one.content)]
        clean = [lesson for lesson in telling if not is_redacted(lesson.content)]
        if len(clean) < len(telling):
            self.kept_back.append("A lesson of the user holds a secret.")
        if clean:
            self._save(self._each_once(clean))

    def _each_once(self, told: Sequence[Lesson]) -> list[Lesson]:
        """The lessons without the facts that a longer one quotes, which is kept in their scope.

        `I'm vegan, so no dairy please` is kept as it was said, and not beside `I'm vegan`.
        """
        kept = [one for one in told if one.sure >= 1.0]
        return [
            one
            for one in told
            if one.kind != "fact" or not any(self._quotes(other, one) for other in kept)
        ]

    def _quotes(self, other: Lesson, fact: Lesson) -> bool:
        longer, words = other.content.casefold(), fact.content.casefold().rstrip(".!")
        inside = words != longer.rstrip(".!") and words in longer
        return inside and self._scope(other) == self._scope(fact)

    def take_back(self, wish: ForgetWish, *, heard: bool) -> None:
        """Forget what is known of a matter; if the wish was heard before, what was saved since."""
        from ..verbs.forget_about import take_back

        saved = {one.memory.id for one in self.added} | {one.memory.id for one in self.corrected}

        def forget() -> None:
            gone = take_back(self.engine, wish, among=saved if heard else None)
            ended = {one.id for one in gone.memories}
            self.added = [one for one in self.added if one.memory.id not in ended]

        self._try(forget)

    def _save(self, lessons: Sequence[Lesson]) -> None:
        alike = self._alike(lessons)
        if rule := spoken.withdrawn_rule(lessons[0].said or lessons[0].content):
            self._try(lambda: self._withdraw(rule, alike))
            return
        meant = _answered(lessons[0], alike)
        if lessons[0].sure <= heard.HINT:
            alike = [one for one in alike if one.id in meant]
        compared = [self._compared(one, lessons, meant.get(one.id, "")) for one in alike]
        left = [one for one in lessons if not self._says_it(one, compared)]
        wrong = self._wrong(left, compared) if left else []
        fitting = {one.memory.id: self._fitting(left, one.memory) for one in wrong}
        told = [telling_terms(one.meant) for one in wrong if one.meant]
        for lesson in left:
            blamed = [one for one in wrong if fitting[one.memory.id] is lesson]
            if blamed:
                self._try(lambda blamed=blamed, lesson=lesson: self._correct(blamed, lesson))
            elif lesson.sure >= 1.0 and not any(
                telling_terms(lesson.content) <= every for every in told
            ):
                self._try(lambda lesson=lesson: self._add(lesson))

    def _withdraw(self, rule: str, alike: Sequence[Memory]) -> None:
        """Forget the one standing instruction that the user takes back by naming it."""
        from ..verbs.forget import forget

        named = telling_terms(rule)
        found = [one for one in alike if named and named <= telling_terms(one.content)]
        wishes = [one for one in found if one.kind in ("preference", "workflow")]
        if len(wishes or found) == 1:
            forget(self.engine, (wishes or found)[0].id)

    def _try(self, step: Callable[[], object]) -> None:
        try:
            step()
        except (Refused, BadInput, Conflict, NotFound, Proposed) as error:
            self.kept_back.append(error.sentence)

    def _alike(self, lessons: Sequence[Lesson]) -> list[Memory]:
        """Memories that a turn may repeat or contradict."""
        found: dict[str, Memory] = {}
        before, said = _context(lessons[0]), lessons[0].said
        told = [text for one in lessons for text in (one.content, one.wrong)]
        for query in dict.fromkeys(filter(None, (f"{before} {said}".strip(), *told))):
            hits = search(self.engine, RecallRequest(query, limit=LOOK_AT))
            found.update((hit.memory.id, hit.memory) for hit in hits)
        # Saved turns and records of work tell what was said or done then, and stay as they are.
        memories = (one for one in found.values() if one.episode is None and self._is_near(one))
        return [one for one in memories if one.kind not in RECORDS][:MOST_COMPARED]

    def _is_near(self, memory: Memory) -> bool:
        """Whether a memory is of the project that was talked about, or of no project."""
        here = self.engine.home.value("project")
        return here is None or memory.scope.value("project") in (None, here)

    def _compared(self, memory: Memory, lessons: Sequence[Lesson], meant: str) -> _Compared:
        """How a turn relates to a memory: as it was said, with what it answers."""
        judge, text = self.engine.reasoner.judge, memory.content
        if meant:
            # Asked who keeps the log, a user names one person: that two could is no matter.
            same = judge(meant, text).relation == "same"
            return _Compared(memory, Judged("same" if same else "contradicts"), meant)
        said, before = lessons[0].said or lessons[0].content, _context(lessons[0])
        if (gone := spoken.replaced_name(said)) and mentions(text, gone):
            return _Compared(memory, Judged("contradicts"))
        now = spoken.switched_in(said, text) or spoken.refigured(said, text)
        if memory.key is None and now:
            return _Compared(memory, Judged("contradicts"), now)
        if whole := spoken.completed(said, before, text):
            return _Compared(memory, judge(whole, text))
        judged = self._judged(lessons, said, before, text)
        if judged.relation == "contradicts" and spoken.says_it_holds(said, before, text):
            judged = Judged("refines")
        ends = judged.relation == "contradicts" and memory.key is None
        # The other items of a list go on.
        return _Compared(memory, judged, spoken.without_ended(said, text) if ends else "")

    def _judged(self, lessons: Sequence[Lesson], said: str, before: str, text: str) -> Judged:
        """How a turn, and what is kept of it, relate to a memory's text."""
        judge, said = self.engine.reasoner.judge, without_preamble(said)
        judged = judge(said, text, context=before)
        if judged.relation != "contradicts":
            # The kept sentence of a correction may say it more plainly than the turn did.
            plain = next((one.content for one in lessons if _is_plain_correction(one)), "")
            again = judge(plain, text) if plain else judged
            return again if again.relation == "contradicts" else judged
        if lessons[0].said and not any(one.kind == "correction" for one in lessons):
            # Another lesson than a correction has to contradict it in the kept words as well.
            kept = [one.content for one in lessons if not quotes_context(one.content)]
            alone = judge(" ".join(kept), text) if kept else judged
            return judged if alone.relation == "contradicts" else alone
        return judged

    def _says_it(self, lesson: Lesson, compared: Sequence[_Compared]) -> bool:
        """Whether a memory says what a lesson says."""
        for one in compared:
            if one.meant:
                continue
            text = one.memory.content
            if identity.content_hash(text) == identity.content_hash(lesson.content):
                return True
            if not quotes_context(lesson.content) and spoken.repeats(lesson.content, text):
                return True
            if leaves_out_clause(lesson.content, text):
                return True
            near = one.judged.relation in ("same", "refines")
            if near and self.engine.reasoner.judge(lesson.content, text).relation == "same":
                return True
        return False

    def _wrong(self, lessons: Sequence[Lesson], compared: Sequence[_Compared]) -> list[_Compared]:
        """The writable memories that a turn contradicts, the surest first."""
        said = lessons[0].said
        compared = [one for one in compared if not spoken.ends_nothing(said, one.memory.content)]
        context, sure = self.engine.context, self.engine.settings.gates.sure
        named = {identity.content_hash(one.wrong) for one in lessons if one.wrong}
        corrections = [one for one in lessons if one.kind == "correction"]
        certain = any(one.sure >= heard.UNCLEAR for one in corrections)
        found: list[_Compared] = []
        for one in compared:
            judged = one.judged
            if identity.content_hash(one.memory.content) in named:
                judged = Judged("contradicts")
            least = sure * (DOUBTFUL if certain else CLEAR)
            writable = access.may_write(context, one.memory.scope)
            if spoken.orders_something(lessons[0].said, one.memory.content):
                continue
            if one.memory.kind == "fix" and not corrections:
                continue  # The trouble that a fix ends was told again.
            if judged.relation == "contradicts" and judged.sure >= least and writable:
                found.append(one.but(judged=judged))
        if not found and (certain or quotes_context(lessons[0].content)):
            return self._with_corrected_figure((*corrections, *lessons)[0], compared)
        near = self._nearness(lessons[0], compared) if found else {}
        contradicted = found
        found = [
            one
            for one in found
            if (one.judged.sure >= 1.0 or near.get(one.memory.id, 1.0))
            and not self._names_another(lessons[0], one)
        ]
        if contradicted and not found:
            return self._suspected(lessons[0], contradicted)
        found.sort(key=lambda one: -one.judged.sure - near.get(one.memory.id, 1.0))
        clear = [one for one in found[1:MOST_WRONG] if one.judged.sure >= sure * SURE]
        return found[:1] + clear

    def _names_another(self, lesson: Lesson, one: _Compared) -> bool:
        return spoken.names_another(lesson.said, _context(lesson), one.memory.content)

    def _suspected(self, lesson: Lesson, contradicted: Sequence[_Compared]) -> list[_Compared]:
        """The one memory that a turn may contradict in other words, near in meaning to it."""
        embedder, before = self.engine.embedder, _context(lesson)
        if embedder is None or lesson.kind != "correction" or lesson.sure < 1.0:
            return []
        found = [
            one for one in contradicted if spoken.may_mean(lesson.said, before, one.memory.content)
        ]
        if len(found) != 1:
            return []
        try:
            said, told = embedder.embed([lesson.said, found[0].memory.content])
        except EmbedderUnavailable:
            return []
        least = embedder.unrelated + SUSPECTED * (1 - embedder.unrelated)
        return [found[0].but(unclear=True)] if cosine(said, told) >= least else []

    def _nearness(self, lesson: Lesson, compared: Sequence[_Compared]) -> dict[str, float]:
        """How near memories are to what was said, by id; 0 if it was not about them."""
        embedder = self.engine.embedder
        if embedder is None:
            return {}
        said, before = lesson.said or lesson.content, _context(lesson)
        answers = before if spoken.leans_on_what_it_answers(said, before) else ""
        texts = [said, f"{answers} {said}", *(one.memory.content for one in compared)]
        try:
            vectors = embedder.embed(texts)
        except EmbedderUnavailable:
            return {}
        cosines = [max(cosine(one, told) for told in vectors[:2]) for one in vectors[2:]]
        nearest, unrelated = max(*cosines, 0.01), embedder.unrelated
        found: dict[str, float] = {}
        for one, near in zip(compared, cosines, strict=True):
            named = spoken.share_named(said, answers, one.memory.content)
            alike = named > 0 or near >= unrelated + ALIKE * (1 - unrelated)
            about = named >= NAMED or (alike and near >= NEAR * nearest)
            # After `312 trees`, `there are 309` is about the memory that has the 312.
            text = one.memory.content
            about = about or spoken.gives_other_figure(said, before, text)
            found[one.memory.id] = near / nearest if about else 0.0
        return found

    def _with_corrected_figure(
        self, lesson: Lesson, compared: Sequence[_Compared]
    ) -> list[_Compared]:
        """The memory of which the assistant took the figure that a turn corrects, if one is it."""
        said, before = lesson.said or lesson.content, _context(lesson)
        best, most = list[_Compared](), 0.0
        for one in compared:
            text = one.memory.content
            if one.judged.relation == "same" or not spoken.corrects_figure(said, before, text):
                continue
            if self._names_another(lesson, one):
                continue
            shared = spoken.shared_words(said, before, text)
            if access.may_write(self.engine.context, one.memory.scope) and shared >= most:
                best, most = [*(best if shared == most else []), one], shared
        return best if len(best) == 1 else []

    def _fitting(self, lessons: Sequence[Lesson], wrong: Memory) -> Lesson:
        """The lesson of a turn that tells what holds in the place of a memory."""
        if len(lessons) == 1:
            return lessons[0]

        def contradicts(lesson: Lesson) -> float:
            judged = self.engine.reasoner.judge(lesson.content, wrong.content)
            return judged.sure if judged.relation == "contradicts" else 0.0

        return max(lessons, key=contradicts)

    def _correct(self, wrong: Sequence[_Compared], lesson: Lesson) -> None:
        """Correct only the wrong parts; for a person's notes, ask in the inbox instead."""
        corrected: dict[tuple[str, str], list[WrongMemory]] = {}
        for one in wrong:
            memory = one.memory
            told = lesson.but(content=one.meant) if one.meant else lesson
            at_once = authority.verdict(self.engine.source, memory) == authority.AT_ONCE
            clear = memory.owner == "agent" and at_once and not one.unclear
            blamed = self._blamed(one, told) if clear else None
            right = self._right(blamed, told, one.meant) if blamed else ""
            if blamed and right:
                # Whole memories become one; a statement or a value is exchanged where it stands.
                whole = not (blamed.statements or blamed.rest) and memory.value is None
                corrected.setdefault((right, "" if whole else memory.id), []).append(blamed)
            else:
                self._ask(memory, self._whole(one, told))
        for (right, _), (first, *others) in corrected.items():
            also = [one.memory for one in others]
            try:
                done = correct_memory(self.engine, first, right, also=also)
            except Refused:
                # `The staging password: “it is rotated weekly”` looks like a credential.
                if not short_answers.topic_of(right):
                    raise
                quoted = short_answers.together(without_preamble(lesson.said), first.memory.content)
                done = correct_memory(self.engine, first, quoted, also=also)
            self.corrected.append(done)

    def _whole(self, one: _Compared, told: Lesson) -> Lesson:
        """A piece of a sentence as the note that it corrects says it: `It's alpaca` of the wool."""
        note = one.memory
        single = note.value is None and len(statements.sentences(note.content)) == 1
        if one.meant or one.unclear or not single or stands_alone(told.content):
            return told
        return told.but(content=self._right(WrongMemory(note), told, ""))

    def _ask(self, wrong: Memory, lesson: Lesson) -> None:
        """Keep the lesson, and ask a person which one holds."""
        new = self._add(lesson, corrects=True).memory
        if new.status in LIVE and new.id != wrong.id:
            from ..verbs.inbox import ask_which_holds

            ask_which_holds(self.engine, new, wrong)

    def _blamed(self, one: _Compared, lesson: Lesson) -> WrongMemory | None:
        """The memory with those of its statements that are wrong; None if that is not clear."""
        wrong = one.memory
        # A line that quotes an answer says one thing: a part of the quotation says nothing.
        if wrong.key is not None or one.meant or quotes_context(wrong.content):
            return WrongMemory(wrong)

        def judge(newer: str, older: str) -> Judged:
            return self.engine.reasoner.judge(newer, older, context=_context(lesson))

        said = lesson.said or lesson.content
        if spoken.names_instead(said, wrong.content) or spoken.replaced_name(said):
            return WrongMemory(wrong)
        said = spoken.completed(said, _context(lesson), wrong.content) or said
        found = merge.contradicted_parts(said, wrong.content, judge)
        if not found.gone or not found.whole:
            return None
        if found.rest:
            return WrongMemory(wrong, rest=found.rest)
        return WrongMemory(wrong, found.gone if found.left else ())

    def _right(self, blamed: WrongMemory, lesson: Lesson, meant: str) -> str:
        """The corrected memory's text: a whole sentence, or a fact's value; empty if unclear."""
        said = lesson.said or lesson.content
        if blamed.memory.value is not None:
            key = blamed.memory.key or ""
            return exchanged_value(blamed.memory.value, said, key=key, before=_context(lesson))
        if meant:
            return meant
        old = blamed.statements[0].text if blamed.statements else blamed.memory.content
        right = exchanged_statement(old, said, lesson.content)
        # The topic of the note says more shortly what a quotation says, of one sentence.
        shorter = quotes_context(right) and len(statements.sentences(said)) == 1
        if spoken.stands_for(right, old) and not shorter:
            return right
        # Who is named in a memory and leaves is told of there, whatever the assistant spoke of.
        return with_topic(old, said, "" if spoken.replaced_name(said) else _context(lesson))

    def _add(self, lesson: Lesson, *, corrects: bool = False) -> Saved:
        wish = lesson.kind == "preference"
        draft = drafts.make_draft(
            lesson.content,
            kind="preference" if wish else "fix" if lesson.kind == "fix" else "insight",
            tags=("correction",) if corrects or lesson.kind == "correction" else (),
            scope=self._scope(lesson),
            source_tasks=self._tasks,
            # The user said so, in a conversation that an agent only passes on.
            basis="stated",
        )
        saved = save(self.engine, draft)
        if saved.action != "deduplicated":
            self.added.append(saved)
        return saved

    def _scope(self, lesson: Lesson) -> Scope:
        """The person's scope for what is about the person, the project's for the rest."""
        if lesson.kind == "fact":
            return lessons.scope_of_fact(lesson.content, self.engine.context)
        if lesson.kind == "preference":
            return lessons.scope_of_wish(lesson.content, self.engine.context)
        return self.engine.home


def _answered(lesson: Lesson, memories: Sequence[Memory]) -> dict[str, str]:
    """The memory that a short answer changes, by its id, as it is afterwards; at most one.

    Nothing changes where a memory that fits as well has the value already: the assistant was wrong.
    """
    said, before = lesson.said, _context(lesson)
    if not said or not answered.is_short_answer(said, before):
        return {}

    def fits(one: Memory) -> float:
        return spoken.shared_words(said, before, one.content)

    made = {one.id: answered.put_into(said, before, one.content) for one in memories}
    found = [one for one in memories if made[one.id]]
    most = max(map(fits, found), default=0.0)
    known = any(
        answered.says_already(said, before, one.content) and fits(one) >= most for one in memories
    )
    best = [one for one in found if fits(one) == most]
    return {best[0].id: made[best[0].id]} if len(best) == 1 and not known else {}


def _context(lesson: Lesson) -> str:
    return lesson.before[-CONTEXT_CHARACTERS:]
