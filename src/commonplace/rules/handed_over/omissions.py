"""Say in a sentence why a memory was not handed over, and what to do about it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

HANDED = "handed"
NOT_SEARCHED = ("switched_off", "search_off", "nothing_asked")

_SENTENCES: Mapping[str, tuple[str, str]] = {
    HANDED: ("It is handed over, as line {line} of {lines}.", ""),
    "was_handed": ("It was handed over, as line {line} of {lines}.", ""),
    "switched_off": (
        "Digests are switched off for this agent, so nothing is handed over.",
        "Set `digest.enabled` to true.",
    ),
    "search_off": (
        "Prompts search nothing here: the search by words and by meaning, or the section for"
        " answers, is switched off in the settings of the digest.",
        "See `digest.keyword`, `digest.semantic` and the budget of the section `relevant`.",
    ),
    "nothing_asked": (
        "The question names nothing to look for, so no memory was searched.",
        "Ask with the words of the thing you want to know.",
    ),
    "scope": (
        "It belongs to {scope}, which is not read from {here}.",
        "Ask from its own scope, or `promote` it to a wider one.",
    ),
    "superseded": (
        "A newer version replaced it: {successor}.",
        "Ask why that one was not handed over.",
    ),
    "archived": ("It is in the archive, which prompts do not search.", "`restore` brings it back."),
    "deleted": ("It was forgotten.", "`restore` brings it back."),
    "staged": (
        "It waits in the inbox until a person accepts it.",
        "Decide with `commonplace inbox`.",
    ),
    "sensitivity": (
        "It is marked {sensitivity}, and digests here hand over only {allowed} memories.",
        "Change its sensitivity with `edit`, or the setting `digest.allow_sensitivities`.",
    ),
    "expired": (
        "It does not hold at present: it expired, or its validity has ended or not begun.",
        "Change its dates with `edit`.",
    ),
    "condition": ("It does not meet the condition {condition} of this search.", ""),
    "later_version": (
        "The branch {branch} has a later version of it, which holds here.",
        "See it with `history`.",
    ),
    "unmerged": (
        "It was learned on branch {branch}, which is not merged into HEAD.",
        "`recall --branch {branch}` finds it; `promote` lets it hold on every branch.",
    ),
    "unmerged_commit": (
        "It was learned at commit {commit}, which is not merged into HEAD.",
        "`promote` lets it hold on every branch.",
    ),
    "purged": ("It was purged, or says what was purged.", ""),
    "ignored": ("It is the note of the task that asks, which is no answer.", ""),
    "archived_summary": (
        "It records earlier work, and such memories are handed over only if the question asks what"
        " happened before, or shares most of its words with them.",
        "Ask what was done, decided or said.",
    ),
    "only_asks": ("It only repeats the question and holds no answer to it.", ""),
    "record": (
        "It is of the kind {kind}, which records work and is not handed over with prompts.",
        "Ask what was done before, or use `recall`.",
    ),
    "echo": ("It says the same as the question itself.", ""),
    "same_text": ("Another memory with the same text stands above it.", ""),
    "repeats": (
        "Memory {other} says nearly all of it and is handed over instead.",
        "Add what is new to one of the two, and forget the other.",
    ),
    "below_best": (
        "It was found, at place {place} with a score of {score}, but less than {limit} is too far"
        " below the best answer.",
        "Use the question's words in it, or lower `digest.threshold`.",
    ),
    "below_fit": (
        "It was found, at place {place}, but fits the question too little: {fit}, where {limit} is"
        " enough.",
        "Use the question's words in it, or lower `ranking.fit_least`.",
    ),
    "at_start": (
        "It is handed over when a session starts, and not repeated in that session.{reason}",
        "See `commonplace start`.",
    ),
    "not_for_start": (
        "A session starts with role, profile, preferences, facts, always-loaded memories and the"
        " open task; it is none of these, or another scope's.",
        "`edit --always-load` loads it in every session.",
    ),
    "already": ("It was handed over earlier in this session, so it is not repeated.", ""),
    "budget": (
        "The digest had no room for it: it {why}. {tokens} tokens are used.",
        "Raise the budget, or make memories shorter.",
    ),
    "rank": (
        "It was found, but {place} of {found} candidates, and only the first {limit} are looked"
        " at.",
        "Use the question's words in it, or ask more exactly.",
    ),
    "beyond_pool": (
        "It was not among the candidates: more than {pool} memories are nearer to the question.",
        "Ask more exactly.",
    ),
    "not_found": (
        "It was not found: {words}, and {meaning}.",
        "Ask with its words, or add the question's words to it.",
    ),
    "unknown": ("It was found and left out by a step that does not say why.", ""),
}
STEPS = tuple(_SENTENCES)


def omission_text(step: str, figures: Mapping[str, Any]) -> tuple[str, str]:
    """The sentence and the hint for a step, with its figures."""
    sentence, hint = _SENTENCES.get(step, _SENTENCES["unknown"])
    shown = {
        name: f"{value:.3f}" if isinstance(value, float) else value
        for name, value in figures.items()
    }
    return sentence.format_map(shown), hint.format_map(shown)


def words_in_common(terms: tuple[str, ...]) -> str:
    """How many words of the question a memory has."""
    if not terms:
        return "it shares no word with the question"
    return f"it shares only {', '.join(terms[:5])} with the question"


def meaning_in_common(cosine: float | None, unrelated: float, *, has_model: bool) -> str:
    """How near a memory is to the question in meaning."""
    if not has_model:
        return "this book searches by words alone"
    if cosine is None:
        return "its meaning is not computed yet"
    return f"its meaning is {cosine:.3f} near, where {unrelated:.3f} is unrelated"
