"""English word stems: Porter's second algorithm (Snowball English), which search engines use.

Words of other languages pass through it unharmed: both sides of a search are treated alike.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SPECIAL = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
    "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli",
    "singly": "singl", "sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas",
    "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
FINISHED = frozenset({
    "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed",
})  # fmt: skip

_VOWELS = frozenset("aeiouy")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_BEFORE_LI = frozenset("cdeghkmnrt")
_PAST = ("eedly", "ingly", "edly", "eed", "ing", "ed")
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
_STEP_4: dict[str, str] = {
    "ement": "", "ance": "", "ence": "", "able": "", "ible": "", "ment": "", "ant": "", "ent": "",
    "ism": "", "ate": "", "iti": "", "ous": "", "ive": "", "ize": "", "ion": "", "al": "",
    "er": "", "ic": "",
}  # fmt: skip


def stem(word: str) -> str:
    """The stem of a lower-case word: `deployments`, `deploying` → `deploy`."""
    if len(word) < 3 or word in SPECIAL:
        return SPECIAL.get(word, word)
    word = _mark_consonant_y(word) if "y" in word else word
    first = _first_region(word)
    second = _region(word, first)
    word = _without_plural(word)
    if word in FINISHED:
        return word
    word = _without_past(word, first)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _exchanged(word, _STEP_2, first, second)
    word = _exchanged(word, _STEP_3, first, second)
    word = _exchanged(word, _STEP_4, second, second)
    return _without_final(word, first, second).replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    """A `y` that opens a word or follows a vowel is a consonant, written `Y` meanwhile."""
    letters = list(word)
    for at, letter in enumerate(letters):
        if letter == "y" and (at == 0 or letters[at - 1] in _VOWELS):
            letters[at] = "Y"
    return "".join(letters)


def _first_region(word: str) -> int:
    for prefix in ("gener", "commun", "arsen"):
        if word.startswith(prefix):
            return len(prefix)
    return _region(word, 0)


def _region(word: str, start: int) -> int:
    """Where the part after the next vowel and consonant begins."""
    for at in range(start + 1, len(word)):
        if word[at] not in _VOWELS and word[at - 1] in _VOWELS:
            return at + 1
    return len(word)


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")) or not word.endswith("s"):
        return word
    return word[:-1] if _has_vowel(word[:-2]) else word


def _without_past(word: str, first: int) -> str:
    if not word.endswith(_PAST):
        return word
    ending = next(ending for ending in _PAST if word.endswith(ending))
    shorter = word[: len(word) - len(ending)]
    if ending in ("eed", "eedly"):
        return shorter + "ee" if len(shorter) >= first else word
    if not _has_vowel(shorter):
        return word
    if shorter.endswith(("at", "bl", "iz")) or (first >= len(shorter) and _ends_short(shorter)):
        return shorter + "e"
    return shorter[:-1] if shorter.endswith(_DOUBLES) else shorter


def _exchanged(word: str, endings: Mapping[str, str], start: int, second: int) -> str:
    """The word with the longest fitting ending replaced, when that lies in the region."""
    if not word.endswith(tuple(endings)):
        return word
    for ending, instead in endings.items():
        if word.endswith(ending):
            at = len(word) - len(ending)
            before = word[at - 1 : at]
            unfit = (
                (ending == "li" and before not in _BEFORE_LI)
                or (ending == "ogi" and before != "l")
                or (ending == "ion" and before not in ("s", "t"))
                or (ending == "ative" and at < second)
            )
            return word if at < start or unfit else word[:at] + instead
    return word


def _without_final(word: str, first: int, second: int) -> str:
    end = len(word) - 1
    if word.endswith("e"):
        fits = end >= second or (end >= first and not _ends_short(word[:-1]))
        return word[:-1] if fits else word
    return word[:-1] if word.endswith("ll") and end >= second else word


def _has_vowel(word: str) -> bool:
    return not _VOWELS.isdisjoint(word)


def _ends_short(word: str) -> bool:
    """Whether the last syllable is short, as in `hop`, `trap` and `at`."""
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    return (
        len(word) > 2
        and word[-1] not in "aeiouywxY"
        and word[-2] in _VOWELS
        and word[-3] not in _VOWELS
    )
