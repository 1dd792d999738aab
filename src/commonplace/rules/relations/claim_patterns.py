"""Patterns of sentences that claim something, in English and five other languages."""

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
"""Attributes with a single value per subject."""
COUNTED_VERBS = frozenset({"has", "takes", "requires", "allows"})
"""Attributes with several values, but one number for each."""
ATTRIBUTE_WORDS: Mapping[str, str] = {
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
_NO_NOUN = rf"(?! (?:{_BE}|of|per)\b| (?:for|in|on|at|by|with|to|from)\b.* {_BE}\b)"
"""Behind a verb that may be a noun, too: `tickets cost 8`, but `ticket cost per head is 8`."""
_NO_ADJECTIVE = (
    r"(?<!\bthe)(?<!\bour)(?<!\bmy)(?<!\byour)(?<!\bhis)(?<!\bher)(?<!\bits)(?<!\btheir)(?<!'s)"
)
"""No subject ends in these words: `last` is no verb in `the last train is at 9`."""
_VERBS = (
    (rf"(?:likes?|loves?|enjoys?|adores?|{_BE} (?:an? (?:big |huge )?fan of|fond of|into))",
     LIKES, False),
    (r"(?:dislikes?|hates?|detests?|despises?|can not stand)", LIKES, True),
    (r"(?:prefers?|favou?rs?)", PREFERS, False),
    (rf"(?:uses?{_NO_NOUN}|relies on|rely on)|(?:am|is|are) using", USES, False),
    (r"(?:stopped using|quit using|abandoned|gave up|dropped)", USES, True),
    (rf"(?:lives?|resides?|{_BE} (?:living|based|located)) in"
     r"|(?:(?:has|have) )?(?:moved|relocated) to(?= (?-i:[^\W\d_a-zß-öø-ÿ]))", LIVES, False),
    (rf"works (?:at|for)|work (?:at|for)|{_BE} (?:employed|working) (?:at|by|for)", WORKS, False),
    (rf"works? as|{_BE} working as", "works as", False),
    (rf"{_BE} (?:called|named)", NAME, False),
    (r"(?:listens?|runs?|serves?) on port", "port", False),
    (rf"{_BE} (?:written|implemented) in", "written in", False),
    (rf"{_BE} hosted (?:on|at|by)", "hosted on", False),
    (rf"(?:deploys?|{_BE} deployed) to", "deploys to", False),
    (rf"{_BE} due(?: on)?", "due", False),
    (r"was born (?:on|in)", "born", False),
    (rf"costs?{_NO_NOUN}", "costs", False),
    (r"weighs?", "weighs", False),
    (r"takes?|lasts?", "takes", False),
    (rf"requires?|needs?{_NO_NOUN}", "requires", False),
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
BE_GROUP = f"v{len(_VERBS) - 1}"
"""The group of a plain `is` or `was`."""
_VERB = "|".join(f"(?P<v{number}>{verb[0]})" for number, verb in enumerate(_VERBS))
ENGLISH = re.compile(
    rf"(?i)^(?P<subject>[^,;:()]{{1,80}}?){_NO_ADJECTIVE} (?:{_ADVERB} )*"
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
_OVER = "(?:over|rather than|instead of|and not|not)"
_REJECTED = (
    r"(?P<old>[^\s,;:()]+(?: [^\s,;:()]+){0,3}?)"
    r"(?=$|[,;:(]| (?:as|for|in|on|at|when|while|with|during|due|thanks|given|so|to|by|and|until"
    r"|before|after)\b)[,;:]?(?: (?P<occasion>(?:for|in|on|at|when|while|during|as (?:the|our|an?))"
    r" [^,;:()]+))?"
)
_NAMED = r"(?P<value>[^\s,;:()]+(?: [^\s,;:()]+){0,3}?)"
CHOSEN = (
    re.compile(
        r"(?i)^(?:(?:decision|decided|choice)[:：] +)?(?:(?P<subject>[^,;:()]{1,60}?) )??"
        r"(?:(?:has|have|had) )?(?:chose|choose|chosen|pick(?:ed)?|select(?:ed)?|opted for"
        r"|settled on|(?:went|go|going|gone) with|adopt(?:ed)?|uses?|using"
        rf"|decided (?:on|for|to (?:use|go with|adopt|choose))) {_NAMED},? {_OVER} {_REJECTED}"
    ),
    re.compile(
        rf"(?i)^{_NAMED} (?:is|was|were|are|(?:has|have) been) (?P<subject>)"
        rf"(?:chosen|picked|selected|preferred|used) {_OVER} {_REJECTED}"
    ),
    re.compile(
        rf"(?i)^(?:decision|decided|choice)[:：] +(?P<subject>){_NAMED},? {_OVER} {_REJECTED}"
    ),
)
"""Which of two things was chosen, and where that holds: we chose X over Y for orders."""
DIRECTED = re.compile(
    r"(?i)^(?:please |always |from now on,? )*(?P<no>(?:never|do not|avoid|stop) )?us(?:e|ing) "
    r"(?P<value>.+)$"
)
MISSING_SUBJECT = re.compile(
    r"^(?:(?:Really|Strongly|Still|Now|Usually|Generally) )?(?:[Ll]ikes|[Ll]oves|[Ee]njoys"
    r"|[Dd]islikes|[Hh]ates|[Pp]refers|[Ll]ives in [A-Z])"
)
"""A note that leaves out its subject, which is the user."""
KEYED = re.compile(
    r"^(?P<subject>[^\s:：,][^:：,\n]{0,40}?)[ \t]*[:：](?!//)[ \t]*"
    r"(?P<value>[^\s:：,;](?:[^:：,;\n]|:(?=\S)){0,60})$"
)
"""`key: value`; with commas or more colons it is rather a title."""


def matched_attribute(found: re.Match[str]) -> tuple[str, bool]:
    """The attribute of an English match, and whether its verb is negative."""
    for name, attribute, negated in _NAMES:
        if found[name] is not None:
            return attribute, negated
    raise AssertionError("a match has a verb")


_WER = r"^(?P<s>ich|wir|[A-ZÄÖÜ]\w+|der (?:be)?nutzer) "
_NICHT = r"(?:jetzt )?(?P<n>nicht (?:mehr )?)?"
_NICHT_MEHR = r"(?P<x> nicht(?: mehr)?)?$"
_GERMAN = (
    (rf"{_WER}(?:mag|mögen|liebe|liebt|lieben) (?:(?:sehr )?gern )?(?P<n>kein\w* )?(?P<v>.+?)"
     rf"{_NICHT_MEHR}", LIKES, False),
    (rf"{_WER}(?:hasse|hasst|hassen|verabscheue\w*) (?P<v>.+)$", LIKES, True),
    (rf"{_WER}bevorzug(?:e|t|en) (?P<v>.+)$", PREFERS, False),
    (rf"{_WER}(?:wohn|leb)(?:e|t|en) {_NICHT}in (?P<v>.+)$", LIVES, False),
    (rf"{_WER}arbeite(?:t|n)? {_NICHT}(?:bei|für) (?P<v>.+)$", WORKS, False),
    (rf"{_WER}hei(?:ß|ss)(?:e|t) (?P<v>.+)$", NAME, False),
    (rf"{_WER}(?:nutz|verwend|benutz)(?:e|t|en|et) (?P<n>kein\w* )?(?P<v>.+?){_NICHT_MEHR}",
     USES, False),
    (r"^(?P<s>(?:meine?|unsere?|der|die|das) \w[\w -]{1,40}?) (?:ist|sind|lautet) "
     rf"{_NICHT}(?P<v>.+)$", IS, False),
)  # fmt: skip

_JE = r"^(?P<s>j'|je |nous )(?P<n>n'|ne )?"
_PAS = r"(?P<x> pas| plus)? "
_FRENCH = (
    (rf"{_JE}(?:aime|adore){_PAS}(?P<v>.+)$", LIKES, False),
    (rf"{_JE}déteste (?P<v>.+)$", LIKES, True),
    (rf"{_JE}préfère (?P<v>.+)$", PREFERS, False),
    (rf"{_JE}(?:habite|vis){_PAS}(?:à|en|au) (?P<v>.+)$", LIVES, False),
    (rf"{_JE}travaille{_PAS}(?:chez|pour) (?P<v>.+)$", WORKS, False),
    (rf"{_JE}m'appelle (?P<v>.+)$", NAME, False),
    (rf"{_JE}utilis(?:e|ons){_PAS}(?P<v>.+)$", USES, False),
    (r"^(?P<s>(?:mon|ma|notre|le|la) \w[\w -]{1,40}?) (?P<n>n')?est"
     rf"{_PAS}(?P<v>.+)$", IS, False),
)  # fmt: skip

_YO = r"^(?P<s>)(?:yo |a mí )?(?P<n>(?:ya )?no )?"
_SPANISH = (
    (rf"{_YO}me (?:gustan?|encantan?) (?P<v>.+)$", LIKES, False),
    (rf"{_YO}(?:odio|detesto) (?P<v>.+)$", LIKES, True),
    (rf"{_YO}prefiero (?P<v>.+)$", PREFERS, False),
    (rf"{_YO}vivo en (?P<v>.+)$", LIVES, False),
    (rf"{_YO}trabajo (?:en|para) (?P<v>.+)$", WORKS, False),
    (rf"{_YO}me llamo (?P<v>.+)$", NAME, False),
    (rf"{_YO}(?:uso|usamos|utilizo|utilizamos) (?P<v>.+)$", USES, False),
    (r"^(?P<s>(?:mi|nuestro|nuestra|el|la) \w[\w -]{1,40}?) (?P<n>(?:ya )?no )?es (?P<v>.+)$",
     IS, False),
)  # fmt: skip

_WO = r"^(?P<s>我们?|用户|\w{1,4}?)(?:现在|很|最|非常|特别|真)*"
_BU = r"(?P<n>不再?|已经不)?"
_ZHE = "这|那|他|她|它|你|谁|有|不|今天|明天|昨天|现在|目前"
"""Subjects that another text cannot mean."""
_YE = "但可也都还就而于总只要正算老"
"""Characters before the verb that join a sentence to another one."""
_CHINESE = (
    (rf"{_WO}{_BU}(?:喜欢|喜爱|爱)(?P<v>.+)$", LIKES, False),
    (rf"{_WO}讨厌(?P<v>.+)$", LIKES, True),
    (r"^(?P<s>我们?|用户)(?:现在)?(?:更喜欢|偏好|偏爱)(?P<v>.+)$", PREFERS, False),
    (rf"{_WO}{_BU}住在(?P<v>.+)$", LIVES, False),
    (rf"{_WO}{_BU}在(?P<v>.+?)(?:工作|上班)$", WORKS, False),
    (r"^(?P<s>我|用户)(?:的名字)?叫(?P<v>.+)$", NAME, False),
    (rf"^(?P<s>我们?|用户)(?:现在)?{_BU}(?:使用|用)(?P<v>.+)$", USES, False),
    (r"^(?P<s>我们?的\w{1,12}?)(?P<n>不)?是(?P<v>.+)$", IS, False),
    (rf"^(?!{_ZHE})(?P<s>\w{{2,12}}?)(?:现在|目前)?(?P<n>不)?(?<![{_YE}])是(?P<v>.+)$", IS, False),
)  # fmt: skip

_WATASHI = r"^(?:(?P<s>私|僕|俺|ユーザー|私たち)は)?(?:今は)?"
_KORE = "私|僕|俺|彼|これ|それ|あれ|ここ|そこ|今日|明日|昨日|今"
_DENAI = r"(?P<x>では(?:ない|ありません)|じゃ(?:ない|ありません))?"
_JAPANESE = (
    (rf"{_WATASHI}(?P<v>[^は]+?)[がは](?:大)?好き{_DENAI}(?:です|だ)?$", LIKES, False),
    (rf"{_WATASHI}(?P<v>[^は]+?)[がは](?:大)?嫌い(?:です|だ)?$", LIKES, True),
    (rf"{_WATASHI}(?P<v>[^は]+?)に住んで(?:います|いる|い(?P<x>ません|ない))$", LIVES, False),
    (rf"{_WATASHI}(?P<v>[^は]+?)で働いて(?:います|いる|い(?P<x>ません|ない))$", WORKS, False),
    (r"^(?P<s>私|僕|俺)の名前は(?P<v>.+?)(?:です|だ)?$", NAME, False),
    (rf"{_WATASHI}(?P<v>[^は]+?)を使(?:います|う|って(?:います|いる))$", USES, False),
    (rf"^(?!{_KORE})(?P<s>[^はが、]{{1,16}})は(?P<v>[^はが、]+?)"
     r"(?:(?P<x>(?:では?|じゃ)(?:ない|ありません)(?:です)?)|です|だ)$", IS, False),
)  # fmt: skip

PATTERNS = tuple(
    (re.compile(f"(?i:{pattern})"), attribute, negated)
    for pattern, attribute, negated in (*_GERMAN, *_FRENCH, *_SPANISH, *_CHINESE, *_JAPANESE)
)
"""Patterns with their attribute, and whether the verb is negative."""
