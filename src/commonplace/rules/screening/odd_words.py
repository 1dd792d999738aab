"""Find words that are spelled as only passwords are, beside something that a password opens."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...language.vocabulary.access import (
    ACCESS_SIGNS,
    ACCESS_STEMS,
    ACCESS_WORDS,
    EXAMPLE_WORDS,
)
from .findings import CREDENTIAL, Finding
from .lazy_pattern import lazy
from .secret_values import is_strong
from .values_in_sentences import TECHNICAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NEAR = 80
"""How many characters before or after a password its door may stand."""

_CHUNK = lazy(
    r"(?<![^\s,;:()\"“”„«»|'‘…→–—>\u3040-\u30ff\u3400-\u9fff])[^\W_][^\s,;:()\[\]{}<>\"“”„«»|`/@=\\\u3040-\u30ff\u3400-\u9fff]{4,30}(?![\w+/@=\\`({\[])"
)
_LIKE_PASSWORD = lazy(
    r"(?=.{5,24}$)(?:[^\W\d_]{3,}\d{1,6}!?|[^\W\d_](?:-[^\W_]){3,}|(?=.*\d)(?=.*[^\W\d_]{2})[\w!#$&*%?^+~.'’-]+|[^\W\d_]{2,}[#&$!*][^\W\d_]{2,}[\w!]*)"
)
_OTHER_NAME = lazy(
    r"(?i:[0-9a-f-]+|0x.*|1password.*|(?:ssh|rsa|ecdsa|ed|aes|sha|utf|base|oauth|http|tls|ssl|ipv|wpa|log4|timedelta)[-_\d].*|[a-z]{1,8}-?\d{1,2}[a-z]?|[a-z]{1,3}\d{1,3})|.*['’]s|.*\.[A-Za-z]{2,4}|.*\.\d.*|\d+(?:-[^\W\d_]+)+|[A-Z\d_#-]+|(?:[A-Z\d]+-)+\w*|.*[_*]|.*[+!]{2,}|\d-in-\d.*|\d+(?:st|nd|rd|th)-.*|[^\W\d_]+[-–]\d+(?:[-–.]\d+)*|[A-Za-z]+#\d+|\w*\d\w*_[a-z]\w*|[a-z]\w*[\d_]\w*\.\w+|[a-z]+\.\w+_\w+|[UTCGM]{1,3}\+\w+|\d+µ?[A-Za-zµ]{1,3}|cp\d+"
    r"|(?i:.*\d(?:st|nd|rd|th|[skmx]|[gmt]b|ms|k[gm]|[cm]m|g?hz|px?|[ap]m|bit|min|h)|.*-(?:prod|dev|test|staging|stage|eu|us|qa)-?\w*)"
)
"""Counts, hexadecimal numbers, hosts, files, tickets, models and editions."""
_NAMED = lazy(
    r"(?i)(?<!\w)(?:user(?:name)?s?|logins?|account|handle|nick(?:name)?|snap|insta|benutzer(?:name)?|nutzer(?:name)?|identifiant|utilisateur|usuario|usuário|utilizador|utente|gebruiker(?:snaam)?|użytkownik|login|mine|ssid|network|name|called|named|heißt|heet|s['’]appelle|model|version|server|host|release|build|commit|hostname|id|ticket|order|number|nummer|flight|steam|forum|as|add|file|repo|branch|container|image|table|column|field|variable|function|class|package|library|serial|for|of|under|to the|connect to|like|by|at|from|via|visiting|channel)"
    r"(?:[\s:]+(?:is|ist|est|es|è|é|to|name|called|heißt|the|a))?[:\s\"'“„«`@#(]*$"
)
"""Words after which a user, a network, a machine or a file is named."""
_PART_OF_NAME = lazy(r"[^\W\d_][ \n*]+[A-Z][\w&.'’-]*,? (?:or |and )?$|\*\*[A-Z][\w ]*$")
"""A name of several words goes on: `Galaxy Watch Active2`."""
_PROGRAM = lazy(
    r"[{}\\`]|\(\)|=>|::|==|</|/>|\w\(|;[ \t]*(?:\n|$)|(?:^|\n)[ \t]*(?:import|from|def|class|return|const|let|var|\$|#|//)\s"
)
_WORD = lazy(r"[\w'’-]+")


def find_odd_words(text: str) -> Iterator[Finding]:
    """Words such as `muckboots19` or `Spring#Cleaning` in a sentence about an account or a door."""
    for chunk in _CHUNK.finditer(text):
        word = chunk.group().rstrip(".,;?…'’*-")
        if word[-1:] == "!" and not any(map(str.isdigit, word)):
            word = word.rstrip("!")
        if word.isalpha() or word.isdigit() or not _LIKE_PASSWORD.fullmatch(word):
            continue
        at = chunk.start()
        if (
            is_strong(word)
            and not _OTHER_NAME.fullmatch(word)
            and not TECHNICAL.fullmatch(word)
            and not _NAMED.search(text, max(0, at - 30), at)
            and not (word[0].isupper() and _PART_OF_NAME.search(text, max(0, at - 30), at))
            and _is_told(text, at, at + len(word))
        ):
            yield Finding(CREDENTIAL, "password", at, at + len(word))


def _is_told(text: str, start: int, end: int) -> bool:
    """Whether a sentence around a word speaks of access, and is no program and no example."""
    first = max(text.rfind("\n", 0, start) + 1, start - 200)
    last = text.find("\n", end, end + 200)
    if _PROGRAM.search(text, first, last if last > 0 else min(len(text), end + 200)):
        return False
    beside = text[max(0, start - NEAR) : start] + " " + text[end : end + NEAR]
    words = [word.strip("'’-").replace("’", "'") for word in _WORD.findall(beside.lower())]
    return EXAMPLE_WORDS.isdisjoint(words) and any(map(_is_access, words))


def _is_access(word: str) -> bool:
    if word in ACCESS_WORDS or word.startswith(ACCESS_STEMS):
        return True
    head, apostrophe, tail = word.partition("'")
    if apostrophe and _is_access(head if tail == "s" else tail):
        return True
    return not word.isascii() and any(map(word.__contains__, ACCESS_SIGNS))
