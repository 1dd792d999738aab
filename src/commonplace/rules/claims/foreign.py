"""How other languages say what somebody likes, uses or is: whole sentences, in the plainest forms.

In each pattern `s` is the subject, `v` the value, and `n` or `x` the word that denies it.
"""

from __future__ import annotations

import re

from .patterns import IS, LIKES, LIVES, NAME, PREFERS, USES, WORKS

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
"""So begins what another text cannot name, or means another time by."""
_YE = "但可也都还就而于总只要正算老"
"""But it is, it still is, it always is: these words join a sentence to another."""
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
"""Each with the attribute it speaks of, and whether its verb says no."""
