"""What a word beyond ASCII shares with its inflections, and the function words it is not.

Light stems only: the endings that grammar adds most often, taken off where enough of a word is
left. Both sides of a search are treated alike, so a stem need not be a word. Everything is
compared folded, as `scripts.folded` leaves a text: without accents, й as и, ة as ه.
"""

from __future__ import annotations

from ...value import Value
from .scripts import folded

LEAST = 3
"""How many letters of a word its endings must leave."""
PREFIX = 5
"""So many letters of a word tell enough in languages that add endings to endings."""


class Grammar(Value):
    """What a writing system's languages put before and after a word, the longest first."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def _longest_first(written: str) -> tuple[str, ...]:
    return tuple(sorted(set(folded(written).casefold().split()), key=len, reverse=True))


_CYRILLIC = Grammar(after=_longest_first("""
    иями ями ами ого его ому ему ыми ими ией иям иях ием ешь ишь ете ите ают яют али яли или ала
    яла ила ать ять ить еть ует уют ает яет ов ев ей ой ый ий ом ем ам ям ах ях их ых им ым ая яя
    ое ее ые ие ую юю ью ия ья ию ть ет ют ут ит ат ят ла ло ли а е и о у ы ь ю я
"""))  # fmt: skip
_GREEK = Grammar(
    after=_longest_first("""
    ματων ματος ματα ουμε ουνε ετε ουν εις ους ων ες ας ης ος ου οι ην αν ον ει α η ο ε ι υ ω
""")
)
_DEVANAGARI = Grammar(
    after=_longest_first("""
    ाओं ाएं ाएँ ियों ियाँ ियां ाना ाने ानी ाता ाते ाती ेगा ेगी ेंगे ों ें ाँ ां ीं ना ने नी ता ते ती या ये यी
    ा ि ी ु ू े ो
""")
)
_ARABIC = Grammar(
    before=_longest_first("وال بال كال فال ال لل"),
    after=_longest_first("ها ان ات ون ين يه ه ي"),
)
_HEBREW = Grammar(before=_longest_first("הה ה וה בה"), after=_longest_first("ים ות ה ת"))
_REFLEXIVE = ("ся", "сь")
_SCRIPTS = (
    ("\u0370", "\u03ff", _GREEK),
    ("\u0400", "\u052f", _CYRILLIC),
    ("\u05d0", "\u05ea", _HEBREW),
    ("\u0620", "\u06ff", _ARABIC),
    ("\u0900", "\u097f", _DEVANAGARI),
)

_INFLECTING = frozenset("ąćęłńśźżěščřžýůďťňğışőűășțđ")
"""Letters of Latin alphabets whose languages change their words most: Polish, Turkish, …"""

FUNCTION_WORDS = frozenset(folded("""
    а без бы был была были было быть в во вот все где да для до его ее если есть еще же за и из
    или им их к как какая какие какой какое когда который которые кто куда ли мне можно мои мой
    мы на над наш не нет ни но о об он она они от по под почему при с сколько со так такой там
    то только ты у уже чего чей чем что чтобы эта эти это этот я і й та що як де коли чи
    αν από αυτή αυτό γιατί για δεν είναι εγώ έχει η θα και κάθε με μια μας μου να ο οι όταν πόσα
    πόσο ποια ποιο ποιος πού πώς σας σε στη στην στο στον στα στις τα τη την της τι τις το τον του
    των που ως
    إلى أن أين أي إن التي الذي بعد بين حتى ثم ذلك على عن عند في قبل كان كانت كل كم كيف لا لم لماذا
    لن له لها ما متى مع من منذ نحن هذا هذه هل هم هو هي و يكون
    אבל או איך איפה אל אם אני את אתה בין בשביל גם היא הוא הם זה זאת יש כי כל כמה לא למה מה מי
    מתי נמצא עם על עד של
    और एक कब कहाँ का कि कितना कितनी कितने किया की के को कौन क्या क्यों जा जो तक तो था थी थे नहीं ने
    पर भी में मैं यह या ये वह वे से है हैं हुआ हुई हम हमने हो होता
""").casefold().split())  # fmt: skip


def stemmed(word: str) -> str:
    """What a word beyond ASCII is compared by; a word of an unknown script as it is."""
    first = word[:1]
    for low, high, grammar in _SCRIPTS:
        if low <= first <= high:
            return _bare(word, grammar)
    return word


def inflects(text: str) -> bool:
    """Whether a text has letters of a Latin alphabet whose languages change their words much."""
    return not _INFLECTING.isdisjoint(text.lower())


def beginning(word: str) -> str | None:
    """The start of a long word, marked so that it is no word itself."""
    word = word.casefold()
    return f"{word[:PREFIX]}~" if len(word) > PREFIX and word.isascii() and word.isalpha() else None


def _bare(word: str, grammar: Grammar) -> str:
    if word.endswith(_REFLEXIVE) and len(word) >= LEAST + 2:
        word = word[:-2]
    for before in grammar.before:
        if word.startswith(before) and len(word) - len(before) >= LEAST:
            word = word[len(before) :]
            break
    for after in grammar.after:
        if word.endswith(after) and len(word) - len(after) >= LEAST:
            return word[: -len(after)]
    return word
