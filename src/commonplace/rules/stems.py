"""English word stems: Porter's second algorithm (Snowball English), which search engines use.

Words of other languages pass through it unharmed: both sides of a search are treated alike.
"""

from __future__ import annotations

import re

SPECIAL = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
    "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli",
    "singly": "singl", "sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas",
    "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
FINISHED = frozenset({
    "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed",
})  # fmt: skip

_VOWEL = re.compile("[aeiouy]")
_REGION = re.compile("[aeiouy][^aeiouy](.*)")
_LONG_PREFIX = re.compile("gener|commun|arsen")
_SHORT_END = re.compile("(?:.*[^aeiouy])?[aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$")
_DOUBLE = re.compile("(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$")
_PLURAL = re.compile("(sses|ied|ies|us|ss|s)$")
_PAST = re.compile("(eedly|ingly|edly|eed|ing|ed)$")

_STEP_2 = {
    "ization": "ize", "ational": "ate", "fulness": "ful", "ousness": "ous", "iveness": "ive",
    "tional": "tion", "biliti": "ble", "lessli": "less", "entli": "ent", "ation": "ate",
    "alism": "al", "aliti": "al", "ousli": "ous", "iviti": "ive", "fulli": "ful",
    "enci": "ence", "anci": "ance", "abli": "able", "izer": "ize", "ator": "ate",
    "alli": "al", "bli": "ble", "ogi": "og", "li": "",
}  # fmt: skip
_STEP_3 = {
    "ational": "ate", "tional": "tion", "alize": "al", "icate": "ic", "iciti": "ic",
    "ative": "", "ical": "ic", "ness": "", "ful": "",
}  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic",
)  # fmt: skip


def stem(word: str) -> str:
    """What a lower-case word shares with its inflections: `deployments`, `deploying` → `deploy`."""
    if len(word) < 3:
        return word
    if word in SPECIAL:
        return SPECIAL[word]
    word = _mark_consonant_y(word)
    first = _first_region(word)
    second = _region(word, first)
    word = _without_plural(word)
    if word in FINISHED:
        return word
    word = _without_past(word, first)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in "aeiouy":
        word = word[:-1] + "i"
    word = _step_2(word, first)
    word = _step_3(word, first, second)
    word = _step_4(word, second)
    return _step_5(word, first, second).replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    """A `y` that opens a word or follows a vowel is a consonant, written `Y` meanwhile."""
    if "y" not in word:
        return word
    return re.sub("(^|[aeiou])y", r"\1Y", word)


def _first_region(word: str) -> int:
    prefix = _LONG_PREFIX.match(word)
    return prefix.end() if prefix else _region(word, 0)


def _region(word: str, start: int) -> int:
    """Where the part after the next vowel and consonant begins."""
    found = _REGION.search(word, start)
    return found.start(1) if found else len(word)


def _without_plural(word: str) -> str:
    found = _PLURAL.search(word)
    ending = found[1] if found else ""
    if ending == "sses":
        return word[:-2]
    if ending in ("ied", "ies"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if ending == "s" and _VOWEL.search(word[:-2]):
        return word[:-1]
    return word


def _without_past(word: str, first: int) -> str:
    found = _PAST.search(word)
    if not found:
        return word
    start, ending = found.start(), found[1]
    if ending in ("eed", "eedly"):
        return word[:start] + "ee" if start >= first else word
    shorter = word[:start]
    if not _VOWEL.search(shorter):
        return word
    if shorter.endswith(("at", "bl", "iz")):
        return shorter + "e"
    if _DOUBLE.search(shorter):
        return shorter[:-1]
    if first >= len(shorter) and _SHORT_END.match(shorter):
        return shorter + "e"
    return shorter


def _step_2(word: str, first: int) -> str:
    for ending, instead in _STEP_2.items():
        if word.endswith(ending):
            start = len(word) - len(ending)
            before = word[start - 1 : start]
            unfit = (ending == "ogi" and before != "l") or (
                ending == "li" and before not in "cdeghkmnrt"
            )
            return word if start < first or unfit or not before else word[:start] + instead
    return word


def _step_3(word: str, first: int, second: int) -> str:
    for ending, instead in _STEP_3.items():
        if word.endswith(ending):
            start = len(word) - len(ending)
            fits = start >= (second if ending == "ative" else first)
            return word[:start] + instead if fits else word
    return word


def _step_4(word: str, second: int) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            start = len(word) - len(ending)
            fits = start >= second and (ending != "ion" or word[start - 1 : start] in ("s", "t"))
            return word[:start] if fits else word
    return word


def _step_5(word: str, first: int, second: int) -> str:
    end = len(word) - 1
    if word.endswith("e"):
        short = _SHORT_END.match(word[:-1])
        return word[:-1] if end >= second or (end >= first and not short) else word
    if word.endswith("ll") and end >= second:
        return word[:-1]
    return word
