"""How English sentences say what somebody likes, uses or is."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LIKES, PREFERS, USES, LIVES = "likes", "prefers", "uses", "lives in"
WORKS, IS, WAS, NAME = "works at", "is", "was", "name"
BETWEEN = "prefers between"
"""Which of two things somebody prefers."""
SINGLE_VERBS = frozenset({
    LIVES, WORKS, NAME, "works as", "port", "costs", "weighs", "written in", "hosted on",
    "deploys to", "due", "born",
})  # fmt: skip
"""What one thing does in one way at a time."""
COUNTED_VERBS = frozenset({"has", "takes", "requires", "allows"})
"""What may be several things at a time, but has one number each."""
SAID_BY: Mapping[str, str] = {
    LIVES: "live moved based wohne lebe habite vivo 住",
    WORKS: "work employed arbeite travaille trabajo 工作",
    "works as": "work",
    NAME: "name called heiße appelle llamo",
    "hosted on": "hosted",
    "deploys to": "deploys",
    "written in": "written implemented",
}
"""Words by which somebody else may have said the same attribute."""

_BE = "(?:am|is|are|was|were)"
_VERBS = (
    (rf"(?:likes?|loves?|enjoys?|adores?|{_BE} (?:an? (?:big |huge )?fan of|fond of|into))",
     LIKES, False),
    (r"(?:dislikes?|hates?|detests?|despises?|can not stand)", LIKES, True),
    (r"(?:prefers?|favou?rs?)", PREFERS, False),
    (r"(?:uses?|relies on|rely on)|(?:am|is|are) using", USES, False),
    (r"(?:stopped using|quit using|abandoned|gave up|dropped)", USES, True),
    (rf"(?:lives?|resides?|{_BE} (?:living|based|located)) in"
     r"|(?:(?:has|have) )?(?:moved|relocated) to", LIVES, False),
    (rf"works (?:at|for)|work (?:at|for)|{_BE} (?:employed|working) (?:at|by|for)", WORKS, False),
    (rf"works? as|{_BE} working as", "works as", False),
    (rf"{_BE} (?:called|named)", NAME, False),
    (r"(?:listens?|runs?|serves?) on port", "port", False),
    (rf"{_BE} (?:written|implemented) in", "written in", False),
    (rf"{_BE} hosted (?:on|at|by)", "hosted on", False),
    (rf"(?:deploys?|{_BE} deployed) to", "deploys to", False),
    (rf"{_BE} due(?: on)?", "due", False),
    (r"was born (?:on|in)", "born", False),
    (r"costs?", "costs", False),
    (r"weighs?", "weighs", False),
    (r"takes?|lasts?", "takes", False),
    (r"requires?|needs?", "requires", False),
    (r"allows?", "allows", False),
    (r"has|have", "has", False),
    (_BE, IS, False),
)  # fmt: skip
_ADVERB = (
    "(?:really|still|now|currently|also|always|usually|generally|just|only|actually|mostly"
    "|personally|absolutely|finally|strongly|recently)"
)
_NO = "(?:not|never|no longer)"
_NAMES = [
    (f"v{number}", attribute, negated) for number, (_, attribute, negated) in enumerate(_VERBS)
]
BE = f"v{len(_VERBS) - 1}"
"""The group of a plain `is` or `was`."""
_VERB = "|".join(f"(?P<v{number}>{verb[0]})" for number, verb in enumerate(_VERBS))
ENGLISH = re.compile(
    rf"(?i)^(?P<subject>[^,;:()]{{1,80}}?) (?:{_ADVERB} )*"
    rf"(?:(?P<before>(?:do|does|did|has|have|am|is|are|will|can) {_NO}|{_NO}) (?:{_ADVERB} )*)?"
    rf"(?:{_VERB})(?P<after> {_NO})?(?: {_ADVERB})* (?P<value>.+)$"
)
SWITCHED = re.compile(
    r"(?i)^(?P<subject>[^,;:()]{1,60}?) (?:(?:has|have) )?(?:just |recently |finally )?"
    r"(?P<verb>switched|migrated|changed|moved|went) (?:over )?from (?P<old>.+?) to (?P<value>.+)$"
)
INSTEAD = re.compile(
    r"(?i)^(?P<subject>[^,;:()]{1,60}?) (?:now )?uses? (?P<value>.+?)"
    r" (?:instead of|rather than|and not|not) (?P<old>.+)$"
)
DIRECTED = re.compile(
    r"(?i)^(?:please |always |from now on,? )*(?P<no>(?:never|do not|avoid|stop) )?us(?:e|ing) "
    r"(?P<value>.+)$"
)
UNSAID = re.compile(
    r"^(?:(?:Really|Strongly|Still|Now|Usually|Generally) )?(?:[Ll]ikes|[Ll]oves|[Ee]njoys"
    r"|[Dd]islikes|[Hh]ates|[Pp]refers|[Ll]ives in [A-Z])"
)
"""So begins a note that leaves out whom it is about: the user."""
KEYED = re.compile(
    r"^(?P<subject>[^\s:：,][^:：,\n]{0,40}?)[ \t]*[:：](?!//)[ \t]*"
    r"(?P<value>[^\s:：,;](?:[^:：,;\n]|:(?=\S)){0,60})$"
)
"""`key: value`; with commas or more colons it is rather a title."""


def verb(found: re.Match[str]) -> tuple[str, bool]:
    """Which attribute an English match speaks of, and whether its verb says no."""
    for name, attribute, negated in _NAMES:
        if found[name] is not None:
            return attribute, negated
    raise AssertionError("a match has a verb")
