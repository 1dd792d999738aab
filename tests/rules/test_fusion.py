"""Ranking: the right memory first, whatever the arms have to go on, and a reason for each place."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.errors import BadInput
from commonplace.ports.search_index import Candidate, Gathered
from commonplace.rules.parameters import RankingWeights
from commonplace.rules.ranking import features, fusion, questions
from commonplace.rules.ranking.fusion import Ranked

NOW = datetime(2025, 10, 15, 12, 30, tzinfo=UTC)
DAY_S = 86_400.0
STRATEGIES = ("learned", "measured", "composite", "rrf", "semantic")


def memory(id: str, **given: object) -> Candidate:
    """A candidate of whom only what matters to a test is said."""
    plain: dict[str, object] = {
        "key": sum(map(ord, id)), "id": id, "scope": "/project/tea", "kind": "fact",
        "status": "active", "trust": "agent", "source": "library", "confidence": 1.0,
        "topic": None, "created": NOW.timestamp() - 10 * DAY_S, "episode": None, "position": None,
        "speaker": None, "words": 10, "asks": False, "has_time": False, "has_number": False,
    }  # fmt: skip
    plain.update(given)
    plain.setdefault("updated", plain["created"])
    return Candidate(**plain)  # pyright: ignore[reportArgumentType]


def rank(text: str, *candidates: Candidate, **options: object) -> list[Ranked]:
    speakers = sorted({c.speaker for c in candidates if c.speaker})
    question = questions.read_question(text, now=NOW, speakers=speakers)
    settings = options.pop("settings", RankingWeights())
    return fusion.rank(
        Gathered(candidates, mass=10.0),
        question,
        settings=settings,  # pyright: ignore[reportArgumentType]
        now=NOW,
        **options,  # pyright: ignore[reportArgumentType]
    )


def ids(ranked: list[Ranked]) -> list[str]:
    return [one.candidate.id for one in ranked]


def parts(ranked: Ranked) -> dict[str, float]:
    return {why.part: why.share for why in ranked.parts}


def test_both_arms_count_and_either_is_enough() -> None:
    both = memory("both", keyword=5.0, meaning=0.5)
    words = memory("words", keyword=5.0)
    meaning = memory("meaning", meaning=0.5)
    assert ids(rank("sencha", meaning, words, both)) == ["both", "meaning", "words"]
    assert ids(rank("sencha", memory("a", keyword=1.0), words)) == ["words", "a"]
    assert ids(rank("sencha", memory("b", meaning=0.2), meaning)) == ["meaning", "b"]
    assert rank("sencha") == []


def test_an_answer_is_found_by_the_question_before_it() -> None:
    asked = memory("asked", episode="e", position=4, keyword=6.0, asks=True, words=8)
    answer = memory("answer", episode="e", position=5)
    remark = memory("remark", episode="e", position=3)
    elsewhere = memory("elsewhere", episode="other", position=5)
    other_scope = memory("other scope", episode="e", position=5, scope="/project/coffee")
    found = rank("sencha", elsewhere, remark, answer, asked, other_scope)
    assert set(ids(found)[:2]) == {"asked", "answer"}
    assert ids(found)[2] == "remark"
    by_id = {one.candidate.id: one for one in found}
    assert parts(by_id["answer"])["conversation"] > parts(by_id["remark"])["conversation"] > 0
    assert by_id["elsewhere"].score == by_id["other scope"].score == 0


def test_long_turns_give_little_to_their_neighbours() -> None:
    short = memory("short", episode="a", position=1, keyword=5.0, words=5)
    long = memory("long", episode="b", position=1, keyword=5.0, words=300)
    after = [memory(f"after {e}", episode=e, position=2) for e in ("a", "b")]
    assert ids(rank("sencha", short, long, *after))[2:] == ["after a", "after b"]


def test_the_asker_is_answered_from_their_own_words() -> None:
    mine = memory("mine", speaker="user", keyword=4.0)
    theirs = memory("theirs", speaker="assistant", keyword=6.0)
    note = memory("note", keyword=6.0)
    assert ids(rank("what is my favourite tea", theirs, mine, note)) == ["note", "mine", "theirs"]
    assert ids(rank("which tea did you recommend", mine, theirs))[0] == "theirs"
    assert ids(rank("which tea is green", mine, theirs))[0] == "theirs"


def test_whoever_is_named_and_whenever_is_meant_comes_first() -> None:
    may = datetime(2023, 5, 8, tzinfo=UTC).timestamp()
    caroline = memory("caroline", speaker="Caroline", keyword=4.0)
    melanie = memory("melanie", speaker="Melanie", keyword=4.0)
    then = memory("then", created=may, keyword=4.0)
    now = memory("now", keyword=4.0)
    assert ids(rank("what tea does Caroline drink", melanie, caroline))[0] == "caroline"
    first = rank("what tea did we buy in May 2023", now, then)[0]
    assert first.candidate.id == "then"
    assert "2023-05-08" in next(why.words for why in first.parts if why.part == "time")


def test_an_answer_has_the_shape_that_is_asked_for() -> None:
    dated = memory("dated", has_time=True, keyword=4.0)
    counted = memory("counted", has_number=True, keyword=4.0)
    assert ids(rank("when was the tea bought", counted, dated))[0] == "dated"
    assert ids(rank("what was the price of tea", dated, counted))[0] == "counted"


def test_of_a_changing_fact_the_newest_comes_first() -> None:
    old = memory("old", keyword=5.0, created=NOW.timestamp() - 300 * DAY_S)
    new = memory("new", keyword=4.2)
    weak = memory("weak", keyword=0.5, created=NOW.timestamp())
    assert ids(rank("which tea is currently served", old, new, weak)) == ["new", "old", "weak"]
    assert ids(rank("which tea was served first", old, new, weak))[0] == "old"


def test_what_was_said_later_than_the_question_comes_last() -> None:
    later = memory("later", keyword=6.0, created=NOW.timestamp() + 3 * DAY_S)
    assert ids(rank("sencha", later, memory("before", keyword=5.0))) == ["before", "later"]


@pytest.mark.parametrize(
    ("part", "favoured", "other"),
    [
        ("scope", {"scope": "/project/tea/agent/coding"}, {"scope": "/"}),
        ("trust", {"trust": "user"}, {"trust": "external"}),
        ("confidence", {}, {"confidence": 0.4}),
        ("age", {"created": NOW.timestamp()}, {"created": NOW.timestamp() - 900 * DAY_S}),
        ("stale", {}, {"status": "stale"}),
        ("topic", {"topic": "tea"}, {"topic": "coffee"}),
    ],
)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_weight_tips_a_tie(
    part: str, favoured: dict[str, object], other: dict[str, object], strategy: str
) -> None:
    better = memory("b", keyword=5.0, meaning=0.4, **favoured)
    worse = memory("a", keyword=5.0, meaning=0.4, **other)
    settings = RankingWeights(strategy=strategy)
    found = rank("sencha", worse, better, settings=settings, topic="tea")
    assert ids(found) == ["b", "a"]
    assert part in parts(found[1]) or part in parts(found[0])


def test_ties_go_to_the_newest_and_then_by_id() -> None:
    settings = RankingWeights(decay_floor=1.0)
    old = memory("a", keyword=5.0, created=NOW.timestamp() - 30 * DAY_S)
    twins = [memory(id, keyword=5.0) for id in ("c", "b")]
    assert ids(rank("sencha", old, *twins, settings=settings)) == ["b", "c", "a"]


def test_one_outside_source_does_not_fill_the_first_places() -> None:
    feed = [memory(f"feed {n:02}", source="web", trust="external", keyword=9.0) for n in range(12)]
    own = [memory(f"own {n:02}", keyword=1.0) for n in range(12)]
    first = ids(rank("sencha", *feed, *own))[:10]
    assert first[:3] == ["feed 00", "feed 01", "feed 02"]
    assert all(id.startswith("own") for id in first[3:])
    uncapped = RankingWeights(external_cap=0)
    assert ids(rank("sencha", *feed, *own, settings=uncapped))[9] == "feed 09"
    assert len(rank("sencha", *feed)) == 12


def test_strategies_can_be_chosen_and_a_wrong_one_is_named() -> None:
    words = memory("words", keyword=9.0, meaning=0.2)
    meaning = memory("meaning", keyword=1.0, meaning=0.6)
    around = memory("around", episode="e", position=2)
    order = {
        name: ids(rank("sencha", words, meaning, around, settings=RankingWeights(strategy=name)))
        for name in STRATEGIES
    }
    assert order["learned"] == order["measured"] == ["meaning", "words", "around"]
    assert order["semantic"] == order["composite"] == ["meaning", "words"]
    assert len(order["rrf"]) == 2
    with pytest.raises(BadInput, match="clever"):
        rank("sencha", words, settings=RankingWeights(strategy="clever"))


def test_why_names_the_words_and_the_scope() -> None:
    [found] = rank("green sencha", memory("a", keyword=4.0, terms=("sencha",)))
    words = {why.part: why.words for why in found.parts}
    assert words["words"] == "contains sencha"
    assert words["scope"] == "belongs to /project/tea"


def sure(**given: object) -> str:
    return fusion.sureness(
        rank("sencha", memory("a", keyword=1.0, **given)), settings=RankingWeights()
    )


def test_how_sure_an_answer_is() -> None:
    assert sure(meaning=0.6, covered=0.9) == "strong"
    assert sure(meaning=0.3, covered=0.3) == "weak"
    assert sure(meaning=0.2, covered=0.1) == "none"
    assert sure(covered=0.9) == "strong"
    assert sure(covered=0.4) == "weak"
    assert sure(covered=0.1) == "none"
    assert fusion.sureness([], settings=RankingWeights()) == "none"


_CANDIDATES = st.lists(
    st.builds(
        memory,
        st.uuids().map(str),
        keyword=st.floats(0, 30),
        covered=st.floats(0, 1),
        meaning=st.none() | st.floats(-1, 1),
        episode=st.none() | st.sampled_from(["e", "f"]),
        position=st.none() | st.integers(0, 6),
        speaker=st.sampled_from([None, "user", "assistant", "Caroline"]),
        words=st.integers(0, 500),
        asks=st.booleans(),
        has_time=st.booleans(),
        trust=st.sampled_from(["user", "agent", "system", "external"]),
        status=st.sampled_from(["active", "stale"]),
        confidence=st.floats(0, 1),
        created=st.floats(0, NOW.timestamp() + 9 * DAY_S),
    ),
    max_size=25,
)
_TEXTS = st.sampled_from(
    ["sencha", "how many teas do I have now", "what did Caroline say in May", "you said?", ""]
)


@given(_CANDIDATES, _TEXTS, st.sampled_from(STRATEGIES), st.randoms())
def test_the_order_does_not_depend_on_how_candidates_arrive(
    candidates: list[Candidate], text: str, strategy: str, shuffled: object
) -> None:
    settings = RankingWeights(strategy=strategy)
    found = rank(text, *candidates, settings=settings)
    again = list(candidates)
    shuffled.shuffle(again)  # pyright: ignore[reportAttributeAccessIssue]
    other = rank(text, *again, settings=settings)
    assert len(found) <= len(candidates)
    assert all(math.isfinite(one.score) and one.score >= 0 for one in found)
    assert [one.score for one in other] == pytest.approx([one.score for one in found])


@given(_CANDIDATES, _TEXTS)
def test_a_score_is_its_parts_times_its_weights(candidates: list[Candidate], text: str) -> None:
    weights = {"scope", "trust", "confidence", "age", "stale", "future", "role", "topic"}
    for one in rank(text, *candidates):
        shares = parts(one)
        added = sum(share for part, share in shares.items() if part not in weights | {"newest"})
        product = math.prod(share for part, share in shares.items() if part in weights)
        assert one.score == pytest.approx(added * product + shares.get("newest", 0.0), abs=0.01)


def test_what_has_no_vector_yet_is_judged_by_its_words() -> None:
    unread = memory("by hand", keyword=8.0, covered=1.0)
    others = [memory(id, keyword=0.5, covered=0.05, meaning=0.12) for id in ("a", "b")]
    found = rank("what tea do I drink", unread, *others)
    assert ids(found)[0] == "by hand"
    assert fusion.sureness(found, settings=RankingWeights()) == "strong"
    assert fusion.sureness(rank("tea", *others), settings=RankingWeights()) == "none"


def test_a_date_that_is_asked_about_need_not_be_said() -> None:
    said = {"keyword": 2.0, "covered": 0.2}
    then = memory("then", created=datetime(2025, 5, 1, 9, tzinfo=UTC).timestamp(), **said)
    later = memory("later", created=datetime(2025, 9, 1, 9, tzinfo=UTC).timestamp(), **said)
    text = "Which film did we watch on 1 May 2025?"
    assert fusion.sureness(rank(text, then), settings=RankingWeights()) == "weak"
    assert fusion.sureness(rank(text, later), settings=RankingWeights()) == "none"


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("The layout is wrong. Which branch do we deploy from?", ("branch", "deploy"), "weak"),
        ("Go on with it on staging: take a backup", ("staging",), "weak"),
        ("The first page is all wrong. Which branch do we deploy from?", ("page",), "none"),
        ("Upgrade it to v3", ("v3",), "none"),
        ("Thanks. Please keep it short: which branch do we deploy?", ("thanks", "short"), "none"),
        ("Which branch do we deploy from on Fridays?", ("deploy",), "none"),
        ("Which branch do we deploy from on Fridays?", ("branch", "deploy"), "weak"),
    ],
)
def test_one_sentence_of_several_may_be_the_question(
    text: str, terms: tuple[str, ...], expected: str
) -> None:
    found = rank(text, memory("a", keyword=1.0, covered=0.1, terms=terms))
    asked = questions.read_question(text, now=NOW)
    assert fusion.sureness(found, settings=RankingWeights(), question=asked) == expected


def test_why_calls_close_only_what_is() -> None:
    near, far = rank("sencha", memory("near", meaning=0.6), memory("far", meaning=0.103))
    told = {one.candidate.id: [why.words for why in one.parts] for one in (near, far)}
    assert "means something close to the question" in told["near"]
    assert "means something close to the question" not in told["far"]
    assert "has little to do with the question" in told["far"]


class Scripted:
    """A ranker that was told which factor each candidate gets, by its words."""

    model = "scripted"

    def __init__(self, **factors: float) -> None:
        self.told = factors
        self.seen: list[list[float]] = []

    def factors(self, rows: Sequence[Sequence[float]]) -> list[float]:
        self.seen = [list(row) for row in rows]
        at = features.NAMES.index("length")
        return [self.told.get(f"w{round(math.expm1(row[at]))}", 1.0) for row in rows]


def turn(id: str, **given: object) -> Candidate:
    """A turn of a conversation of its own."""
    return memory(id, **{"episode": id, "position": 1, **given})


def test_a_ranker_multiplies_the_scores_of_turns_and_says_so() -> None:
    first = turn("first", keyword=9.0, meaning=0.6, words=5)
    second = turn("second", keyword=8.0, meaning=0.55, words=6)
    assert ids(rank("sencha", first, second)) == ["first", "second"]
    plain = {one.candidate.id: one.score for one in rank("sencha", first, second)}
    ranker = Scripted(w5=0.5, w6=2.0)
    found = rank("sencha", first, second, ranker=ranker)
    assert ids(found) == ["second", "first"]
    assert found[0].score == pytest.approx(2 * plain["second"])
    assert parts(found[0])["learned"] == pytest.approx(2.0)
    assert len(ranker.seen) == 2
    assert {len(row) for row in ranker.seen} == {len(features.NAMES)}


def test_a_note_keeps_its_place_among_turns_that_a_ranker_lifts_alike() -> None:
    several = [
        turn("said", keyword=9.0, meaning=0.6, words=6),
        memory("noted", keyword=8.0, meaning=0.55),
        turn("said later", keyword=7.0, meaning=0.5, words=6),
    ]
    plain = {one.candidate.id: one.score for one in rank("sencha", *several)}
    found = rank("sencha", *several, ranker=Scripted(w6=3.0))
    assert {one.candidate.id: one.score for one in found} == pytest.approx(plain)
    assert "learned" not in parts(found[1])


def test_a_ranker_is_asked_only_where_it_knows_something() -> None:
    ranker = Scripted(w6=2.0)
    words = [turn("first", keyword=9.0, words=5), turn("second", keyword=8.0, words=6)]
    assert ids(rank("sencha", *words, ranker=ranker)) == ["first", "second"]
    measured = RankingWeights(strategy="measured")
    near = [one for one in words if setattr(one, "meaning", 0.5) is None]
    assert ids(rank("sencha", *near, ranker=ranker, settings=measured)) == ["first", "second"]
    notes = [memory("note", keyword=9.0, meaning=0.5), memory("other", keyword=8.0, meaning=0.5)]
    assert ids(rank("sencha", *notes, ranker=ranker)) == ["note", "other"]
    assert ranker.seen == []


def test_turns_that_a_ranker_does_not_look_at_stay_below() -> None:
    many = [turn(f"m{n:03}", keyword=100.0 - n, meaning=0.6, words=7) for n in range(90)]
    found = rank("sencha", *many, ranker=Scripted(w7=0.2), limit=90)
    assert ids(found) == ids(rank("sencha", *many, limit=90))


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    turn = draw(st.none() | st.integers(0, 5))
    return memory(
        f"id{draw(st.integers(0, 10_000))}",
        keyword=draw(st.floats(0, 10)),
        meaning=draw(st.none() | st.floats(-1, 1)),
        words=draw(st.integers(0, 5_000)),
        episode=None if turn is None else "e",
        position=turn,
    )


@given(st.lists(candidates(), min_size=1, max_size=12, unique_by=lambda c: c.id))
def test_features_are_numbers_whatever_a_candidate_lacks(many: list[Candidate]) -> None:
    ranker = Scripted()
    rank("when did Ada buy two cups?", *many, ranker=ranker)
    assert all(math.isfinite(value) for row in ranker.seen for value in row)
    assert {len(row) for row in ranker.seen} <= {len(features.NAMES)}


@given(
    st.lists(
        candidates(), min_size=1, max_size=12, unique_by=(lambda c: c.id, lambda c: c.position)
    ),
    st.randoms(),
)
def test_features_do_not_depend_on_the_order_in_which_an_engine_found_them(
    many: list[Candidate], chance: random.Random
) -> None:
    # What neighbours give is summed in that order, and may differ in the last digit.
    alone = RankingWeights(neighbours=dict.fromkeys(RankingWeights().neighbours, 0.0))
    one, other = Scripted(), Scripted()
    rank("when did Ada buy two cups?", *many, ranker=one, settings=alone)
    chance.shuffle(many)
    rank("when did Ada buy two cups?", *many, ranker=other, settings=alone)
    assert one.seen == other.seen


def column(name: str, *candidates: Candidate, text: str = "sencha from the kettle") -> list[float]:
    """One of the numbers that a ranker is given of each candidate, best first."""
    ranker = Scripted()
    rank(text, *candidates, ranker=ranker)
    at = features.NAMES.index(name)
    return [row[at] for row in ranker.seen]


def test_a_ranker_sees_what_the_turns_around_say_of_the_question() -> None:
    asked = memory(
        "a", keyword=5.0, meaning=0.6, episode="e", position=1, terms=("sencha",), words=6
    )
    told = memory(
        "b", keyword=3.0, meaning=0.5, episode="e", position=2, terms=("kettle",), words=6
    )
    assert column("share of terms", asked, told) == pytest.approx([1 / 2, 1 / 2])
    assert column("covered around", asked, told) == pytest.approx([1.0, 1.0])
    assert column("covered only around", asked, told) == pytest.approx([0.5, 0.5])
    assert column("base before", asked, told)[1] == pytest.approx(1.0)


def test_a_ranker_sees_which_words_no_better_turn_has() -> None:
    many = [
        turn(id, keyword=value, meaning=0.5, terms=terms, words=6)
        for id, value, terms in (
            ("best", 9.0, ("sencha",)),
            ("same", 8.0, ("sencha",)),
            ("other", 7.0, ("kettle",)),
        )
    ]
    best, same, other = column("covered anew", *many)
    assert best == same == 0.0
    assert other > 0.5


def test_a_ranker_sees_who_the_best_turns_are_from_and_where_they_stand() -> None:
    many = [
        memory(
            f"t{n}",
            keyword=9.0 - n,
            meaning=0.5,
            episode="e" if n < 3 else "f",
            position=10 * n,
            speaker="Ada" if n != 1 else "Kim",
            words=6,
        )
        for n in range(4)
    ]
    assert column("speaks like the best", *many) == [1.0, 0.0, 1.0, 1.0]
    assert column("speaker's share", *many) == pytest.approx([0.3, 0.1, 0.3, 0.3])
    assert column("with the best", *many) == [1.0, 1.0, 1.0, 0.0]
    assert column("away from best", *many) == [10.0, 10.0, 10.0, features.FAR]
