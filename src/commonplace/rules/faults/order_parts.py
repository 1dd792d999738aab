"""The parts of which sentences that order an agent about are made: where, to whom, quoted."""

from __future__ import annotations

import re

MODELS = (
    r"(?:an? |the |any |all |every |each |your )?(?:ai|a\.i\.|llms?|(?:large )?language models?"
    r"|(?:ai |coding )?agents?|(?:ai )?assistants?|chat ?bots?|bots?|copilots?|models?|claude"
    r"|chatgpt|codex|gemini|ai (?:models?|systems?|tools?))"
)
START = (
    r"(?:(?:^|[.!?;:,—–\n>*\])]\s*|-\s+|\b(?:and|then|so|please|just|also|und|bitte)\s+)"
    r"(?:please |always |just |now |then |first |also |silently |quietly |secretly |immediately"
    r"|automatically |you (?:must|should|may|can|will|shall|are to|have to|need to) |be sure to"
    r"|make sure (?:to |you )|from now on,? |going forward,? |henceforth,? |remember to )*"
    rf"|\b(?:you|{MODELS})\b[^.\n]{{0,40}}?\b(?:must|should|shall|may|can|will|have to|has to"
    r"|needs? to|are to|is to|always)\s+(?:\w+ly |always |also )*)"
)
"""The place of a verb that orders: at a sentence's start, or after the reader and a duty."""

_FORBIDDEN = re.compile(
    r"(?i)\b(?:never|do not|don't|must not|should not|shouldn't|mustn't|may not|cannot|can't|nobody"
    r"|no one)\s+(?:\w+ly |ever |just )?$"
)
"""A ban before a verb: `Never send passwords by mail` orders nobody to send them."""
_QUOTED = re.compile(
    r"(?<=\w)\s+[\"“„«'‘](?!(?:yes|ok|okay|allow|accept|approve|confirm|continue)\W)"
    r"([\w ,.’'-]{3,80})[\"”“»'’](?=,? \w)"
)
"""Words that a sentence speaks about, which goes on behind them."""
_SPOKEN_ABOUT = re.compile(
    r"(?i)(?:^|[.;!?\n])(?P<lead>[^.;!?\n\"“„«]{0,120}\b(?:phrases?|strings?|texts?|payloads?"
    r"|samples?"
    r"|examples?|attacks?|injections?|filters?|tests?|test cases?|tickets?|claims?|talks?|slides?"
    r"|posters?|chapters?|papers?|reports?|comments?|reviews?|e-?mails?|fields?|files?|pages?"
    r"|issues?|invoices?|letters?|contain(?:s|ed)|held|holds|read|reads|shows?|showed|quotes?"
    r"|quoted"
    r"|titled|called|entitled|named|flags?|flagged|detects?|blocks?|blocked|match(?:es)?"
    r"|catch(?:es)?"
    r"|caught|found|saw|says|said|wrote|includes?|included|began|begins)\b[^.;!?\n\"“„«]{0,40}?"
    r"(?:(?<=\w)|[:,])\s+)[\"“„«](?P<words>[^\"”“»\n]{3,240})[\"”“»]"
)
"""Words that a filter, a ticket, a talk or somebody's report is about."""
_MADE_A_RULE = re.compile(
    rf"(?i){START}(?:follow|obey|treat|apply|do|execute|act|carry|consider|take|use|heed"
    rf"|honou?r|run"
    rf"|remember|accept|perform|implement|comply)\b|\b(?:you|your|{MODELS}) (?:must|should"
    rf"|shall|have"
    r" to|has to|need to|are to|is to)\b"
)


def without_quotations(text: str) -> str:
    """A text without the words that it only speaks about."""

    def spoken_about(found: re.Match[str]) -> str:
        ordered = _MADE_A_RULE.search(found["lead"])
        return found[0] if ordered else found[0].replace(found["words"], "it")

    return _SPOKEN_ABOUT.sub(spoken_about, _QUOTED.sub(" it", text))


def is_ordered(text: str, found: re.Match[str]) -> bool:
    """Whether no word right before what was found forbids it."""
    return not _FORBIDDEN.search(text[max(0, found.start() - 40) : found.start()])


def orders(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a text has a pattern at a place where nothing forbids it."""
    return any(is_ordered(text, one) for one in pattern.finditer(text))
