"""The turns of phrase by which people correct an assistant and say what they want from now on.

`lead` is dropped from what is remembered; the rest is kept in the person's own words.
"""

from __future__ import annotations

import re

_HABIT = (
    "(?:use|write|want|prefer|run|do|deploy|name|put|commit|test|format|keep|drink|eat|take|start"
    "|work|like|need|add|avoid|review|sign|pay|book|order|travel|fly|sit|read|speak|answer|reply)"
)
_ENGLISH = (
    r"i (?:really |strongly |generally |usually |much )?prefer\b",
    rf"i (?:always|never) {_HABIT}\b",
    r"i(?:'d| would) (?:prefer|rather)\b(?! not to say)",
    # `I like the idea`, `I love those tips` praise an answer, and wish for nothing.
    r"i (?:really |absolutely )?(?:like|love|enjoy)\b"
    r"(?! (?:it|this|that|the|these|those|all|both|your|how|what|where)\b)",
    r"i (?:really |absolutely )?(?:hate|dislike|detest)\b(?! (?:it|this|that|to|your|how|when)\b)",
    r"i (?:do not|don't|no longer) (?:like|want|enjoy|use|eat|drink)\b"
    r"(?! (?:it|this|that|to know)\b)",
    r"i (?:can't|cannot) stand\b",
    r"my (?:favou?rite|preferred|default)\b.+\b(?:is|are)\b",
    r"(?P<lead>please )?(?:always|never)\b(?! ?mind)(?! heard)",
    r"(?P<lead>please )use (?!this|that|it\b|the (?:attached|following|above|below)|these|those)",
    r"(?P<lead>please )?(?:do not|don't) (?:ever )?(?!worry|know|mind|bother|think|understand|see"
    r"|get|have|forget|panic|need|it\b|do that\b|do it\b|i\b|we\b|you\b)",
    r"(?P<lead>please )?stop (?!it\b|that\b|here\b|the\b)\w+ing\b",
    r"(?P<lead>(?:from (?:now|here|today) on|going forward|in (?:the )?future"
    r"|for future reference)[,:]? (?:please )?)",
    r"(?P<lead>(?:please )?(?:remember|keep in mind|note|don't forget|do not forget)"
    r"(?: that|:|,) )(?!i asked\b)",
    r"(?P<lead>please )?(?:call|address) me\b",
    r"i(?:'m| am) allergic to\b",
    r"(?:whenever|every time|each time) (?:you|i|we)\b.+,",
)
_GERMAN = (
    r"ich (?:bevorzuge|mag|liebe|hasse|(?:möchte|will|nutze) (?:immer|nie))\b",
    r"(?P<lead>bitte )?(?:immer|nie|niemals)\b",
    r"(?P<lead>bitte )(?:verwende|nutze|benutze|schreib\w*)\b",
    r"(?P<lead>(?:ab (?:jetzt|sofort)|künftig|in zukunft|von nun an),? (?:bitte )?)",
    r"(?P<lead>(?:bitte )?(?:merk dir|denk dran|denke daran|vergiss nicht)(?:,? dass|:|,) )",
    r"(?:verwende|nutze|benutze|mach|schreib)\w* (?:bitte )?(?:immer|nie|niemals|kein\w*)\b",
)
_FRENCH = (
    r"(?:je préfère|j'aime|j'adore|je déteste|je n'aime pas)\b(?! (?:bien )?(?:ça|ta|ton|cela))",
    r"(?P<lead>(?:désormais|dorénavant|à partir de maintenant),? )",
    r"(?P<lead>(?:souviens-toi|rappelle-toi|retiens|n'oublie pas) qu(?:e |'))",
    r"(?:utilise|écris|fais|réponds) toujours\b|n'\w+ jamais\b|ne \w+ jamais\b",
)
_SPANISH = (
    r"(?:prefiero|me gustan?|no me gustan?|me encantan?|odio)\b(?! (?:eso|esto|tu)\b)",
    r"(?P<lead>(?:de ahora en adelante|a partir de ahora|en el futuro),? )",
    r"(?P<lead>(?:recuerda|ten en cuenta|no olvides) que )",
    r"(?P<lead>por favor,? )?(?:siempre|nunca)\b",
)
_CHINESE = (
    r"我(?:更|最|很|非常)?(?:喜欢|偏好|偏爱|讨厌|不喜欢)(?!你|这个)",
    r"(?P<lead>(?:请)?记住[，,：:]?)",
    r"(?P<lead>(?:以后|从现在开始|从今以后|今后)[，,]?)",
    r"(?P<lead>请)?(?:总是|永远不要|不要再|千万不要|一定要)",
)
_JAPANESE = (
    r".{1,40}(?:が|は)(?:大)?(?:好き|嫌い)(?:です|だ|ではない|じゃない)?$",
    r".{1,40}(?:の?方|のほう)が(?:いい|好き)",
    r"(?P<lead>(?:これから|今後)は?[、,]?)",
    r"(?:必ず|絶対に|常に).+",
    r".{1,60}(?:ないで)(?:ください|くれ)?$",
    r"(?P<lead>覚えておいて(?:ください)?[、。：:])",
)
PREFERENCES = tuple(
    re.compile(f"(?i:{pattern})")
    for language in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _CHINESE, _JAPANESE)
    for pattern in language
)

_WRONG = r"(?:that|this|it)(?:'s| is) (?:not (?:right|correct|true)|wrong|incorrect)"
CORRECTED = re.compile(
    r"(?i)(?:no+|nope|wrong|incorrect|not quite|not exactly|nein|falsch|non|faux"
    r"|不对|不是的|错了|いいえ|いや|違います|違う)(?:[,.!:;—–-]|\s[—–-]|[，。、！])\s*"
    rf"(?:{_WRONG}[,.!:;—–-]*\s*)?"
    rf"|(?:{_WRONG}|(?:that|this|it)(?:'s| is) not what i (?:said|meant|asked for))[,.!:;—–-]+\s*"
    r"|(?:das|es) (?:stimmt nicht|ist falsch)[,.!:;]\s*|c'est faux[,.!:;]\s*"
    r"|(?:eso )?(?:no es correcto|está mal|es incorrecto)[,.!:;]\s*"
)
"""What opens a correction beyond doubt."""
RECALLED = re.compile(
    r"(?i)(?:as )?i (?:already |just )?(?:said|told you|meant|asked you)(?: that| to)?[,:]? "
    r"(?!so\b|it\b|that\b)|(?:ich (?:habe (?:doch )?gesagt|meinte|sagte)),? (?:dass )?"
    r"|j'ai dit (?:que |qu')?|je voulais dire\s|(?:dije|quise decir) (?:que )?"
    r"|我说的是|我的意思是|私が言ったのは"
)
SOFT = re.compile(
    r"(?i)(?:actually|in fact|to be (?:precise|exact)|correction|eigentlich|tatsächlich|en fait"
    r"|en réalité|en realidad|de hecho|其实|实际上|実は|実際は)[,:，、]?+\s*+"
)
"""May open a correction, when a claim follows."""
NOT_BUT = re.compile(
    r"(?i)\b(?:not|nicht|pas|no es|no) (?P<wrong>[^,.;]{1,60}?),? (?:but|sondern|mais|sino)"
    r" (?P<right>[^,.;]{1,80})"
    r"|(?:不是|并非)(?P<wrong_zh>[^，。；]{1,30}?)[，,]?(?:而是|是)(?P<right_zh>[^，。；]{1,40})"
    r"|(?P<wrong_ja>[^、。]{1,30}?)(?:ではなく(?:て)?|じゃなくて)[、]?(?P<right_ja>[^、。]{1,40})"
)
RIGHT_NOT = re.compile(
    r"(?i)^(?P<right>.{2,120}?),? (?:and )?(?:not|nicht|pas|no) (?P<wrong>[^,.;]{1,60})$"
)
CHATTER = re.compile(
    r"(?i)(?:can|could|would|let's|please|wait|thanks|thank you)\b"
    r"|i (?:was|have|had|need|want|think|wonder|just|got)\b|i'(?:m|ve|d|ll)\b|i am\b(?! not\b)"
)
"""After a mere `actually` this leads on to something else, and corrects nothing."""
DECLINED = re.compile(
    r"(?i)(?:thanks|thank you|please|(?:i(?:'m| am)|we(?:'re| are)) (?:good|fine|ok|okay|done"
    r"|all set|sure|not sure|just|still|only|trying|looking|asking|wondering|curious|interested))\b"
)
"""After a `no` this declines an offer."""
FOR_NOW = re.compile(
    r"(?i)(?:let(?:'s| us| me)\b|(?:i|we|you|he|she|they|it)(?:'ll\b|'d\b|'re going\b|'m going\b"
    r"| (?:will|can|could|might|may|am|are going)\b))"
)
"""What is about to happen, and not how things are."""
UNCLEAR = frozenset(
    {"it", "that", "this", "them", "there", "those", "these", "one", "ones", "so", "he", "she"}
)
"""With one of these in its place, nobody knows later what was meant."""
PEOPLE = {"i": "we", "you": "we", "your": "our", "my": "our", "yours": "ours", "mine": "ours"}
POINTING = re.compile(
    r"(?i)^(?:it|that|this|he|she|they|es|das|c'est|ce|eso|ello|那|这|它|それ|これ)"
    r"(?:'s| is| was| are| ist| war| est| es|是|は)?\b ?(?P<value>.+)$"
)
"""Says something of what was spoken of before, without naming it."""
EMPTY = re.compile(
    r"(?i)^(?:(?:do|use|try|make|keep|mach|fais|haz)\s+)?"
    r"(?:it|that|this|them|those|so|das|es|ça|eso|这个|那个|それ)?"
    r"(?:\s+(?:again|that way|this way|like that|like this|instead|please|now|too|so))*[.!]?$"
)
"""Nothing is left that could be understood on its own."""
