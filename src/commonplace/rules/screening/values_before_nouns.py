"""Find the value that stands before its noun: `use … as the password`, `… is the door code`."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

import re

from ...language.vocabulary import secrets as words
from ...model.lazy_pattern import lazy
from .secret_values import is_filled_in
from .values_in_sentences import is_description, is_fiction, read_code, read_value

Place = tuple[int, int]

NEXT_WORD = lazy(r"\s+([^\W\d_]+)")
_NO_VALUE_LIST = """
    policy policies reset resets manager managers field fields file files hash hashes
    hashing rotation protection protected length strength expiry expiration generator
    checker prompt prompts hint hints hygiene sharing storage requirements requirement rules rule
    history reuse recovery attempt attempts guessing cracking leak leaks breach login
    authentication must should may can will would forgotten vergessen muss soll darf kann
    wird oublié doit peut debe puede deve può moet kan musi control stamp pad pads
    przewodnie letter discussion debate topic thread story question questions feature flow
    logic option change changes issue bug form modal section step module service tests spec
    audit review column parameter argument variable setting settings incident problem
    warning notice
"""
NO_VALUE = frozenset(_NO_VALUE_LIST.split())
"""After a noun these words say that the sentence is about passwords, and tells none."""


def is_code(kind: str) -> bool:
    """Whether the value of such a noun is a number."""
    return kind in ("pin", "code", "eastern_code")


def told_before(text: str, noun: re.Match[str], kind: str) -> Place | None:
    """`Use … as the password`, `… is your verification code`."""
    after = NEXT_WORD.match(text, noun.end())
    if (kind == "secret" and noun.group() != "clave") or (after and after[1].lower() in NO_VALUE):
        return None
    if used := _USED_AS.search(text, max(0, noun.start() - 90), noun.start()):
        said = used["value"].strip("\"'“”„«»")
        known = said.lower() in words.LOGIN_MEANS or is_description(said.split()[0])
        # A number of words may be a phrase: `enter seventeen geese as the passphrase`.
        known = known and not (" " in said and said.split()[0].lower() in words.NUMERALS)
        if is_filled_in(said) and not known and not is_code(kind):
            return used.span("value")
    start = max(0, noun.start() - 90)
    match = _BEFORE_NOUN.search(text, start, noun.start())
    if not match:
        return None
    at = match.start("value")
    as_ = match["link"].lower() in _AS
    if is_code(kind):
        value = read_code(text, at, match.end("value"), letters=True)
    else:
        value = read_value(text, at, match.end("value") + 1, plain=False)
        used = as_ and _USED.search(text, max(0, at - 25), at)
        opening = not as_ and re.search(r"(?:^|[.!?\n:–—]\s*)$", text[max(0, at - 4) : at])
        if value is None and _is_word(match["value"]) and (used or opening):
            value = at, match.end("value")
    after_noun = text[noun.end() : noun.end() + 40]
    if value is None or is_fiction(text, noun.start()) or is_fiction(after_noun, len(after_noun)):
        return None
    return value


_USED_AS = lazy(
    r"(?i)\b(?:has|had|types?|enters?|puts?|tippe|gibt?|tape[rz]?|escrib\w{1,3}|pon|scriv\w{1,2}|digit\w{1,2}|wpisz|typ|use[sd]?|using|nehme|nimm|nahm|verwende|benutze|utilise|mets|mis|uso|usa|usamos|utilizo|pongo|metto|gebruik|neem|używam|użyj|picked|chose|choose|took|take|set)\s+(?:(?:always|siempre|immer|toujours|sempre|altijd)\s+)?"
    r"(?P<value>[^.,;:\n]{3,40}?)\s+(?:as|als|comme|como|come|jako)\s+(?:\S+\s+){0,3}$"
)
_AS = ("as", "als", "comme", "como", "come", "jako", "for", "für", "pour", "para", "per")
_BEFORE_NOUN = lazy(
    r"(?i)(?<![\w@/.-])(?P<value>(?!(?:what|which|quel\w*|qual\w*|cuál|was|wat|que|there|here|that|this|it|welche\w*|jak\w*|vil\w*|hvil\w*|как\w*)\b)[\"“„«'][^\"”“»'\n]{2,50}[\"”“»']|\d{1,4}[ -]\d{2,4}|(?!(?:what|which|quel\w*|qual\w*|cuál|was|wat|que|there|here|that|this|it|welche\w*|jak\w*|vil\w*|hvil\w*|как\w*)\b)[^\s,;:()\"“„«¿¡]{3,60}),?\s+(?P<link>that['’]s|that is|das ist|c['’]est|as|als|comme|como|come|jako|is|ist|est|es|è|é|jest|to|är|er|was|war|for)\s+"
    r"(?:(?:the|a|my|our|his|her|their|its|your|new|old|only|das|dein|mein|unser|ihr|ein|le|mon|notre|votre|la|mi|su|tu|el|il|mia|sua|tua|una|un|o|minha|meu|het|mijn|een|moje|de|current|admin|neues|neue|google|bank|unique|one-time)\s+){0,4}$"
)
_USED = lazy(
    r"(?i)\b(?:use[sd]?|with|nimm|nehme|verwende|mit|utilise|mets|avec|usa|pon|con|usamos|metti|com|gebruik|met|użyj|wpisz|set|pick(?:ed)?|chose|take|try|put|enter)\s+[\"“„«']?$"
)


def _is_word(value: str) -> bool:
    return len(value) >= 4 and value.replace("-", "").isalpha() and not is_description(value)
