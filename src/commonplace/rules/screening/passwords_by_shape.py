"""Find passwords by their shape: beside an account or a device, or alone where no sentence has it.

A word is looked at only where it is odd: a digit behind letters, or a sign between them. Three things
then count together: how odd it is, the words right before or after it, and what is named nearby.
"""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...language.vocabulary import secrets as words
from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding
from .secret_values import has_inner_capitals, is_filled_in
from .values_in_sentences import TECHNICAL, is_fiction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BEFORE, AFTER = 150, 70
"""How far from a word the account or device that it opens may be named."""
NONE, FAINT, WEAK, ODD, ALONE = range(5)
"""How odd a word is: as many words are, as a name may be, as few names are, or as nothing but a password is."""

_PLACE = lazy(
    r"[\d!$#%^&*?+_.~-](?:(?<=[^\W\d_]{2}.)(?=[^\W_])|(?<=[^\W\d_]{3}\d)|(?<=[^\W_][!#$^&*?+_.~%-])(?=[^\W_])|(?<=[^\W\d_]{4}!)(?!\w))"
)
"""Where a word may be odd; it begins with the digit or the sign, which are found fast."""
_HEAD = lazy(r"[^\s\"“”„«»‘(),;:=<>|/\\{}\[\]`@]{0,60}\Z")
_TAIL = lazy(r"[^\s\"“”„«»(),;:=<>|/\\{}\[\]`@]{1,60}")
_CLOSING = ".,;:?!)…'’*"


def find_shaped_passwords(text: str) -> Iterator[Finding]:
    """Every word that its shape and its neighbours make a password."""
    last = 0
    for place in _PLACE.finditer(text):
        if place.start() < last:
            continue
        start, last = _word_at(text, place.start())
        word = text[start:last].rstrip(_CLOSING)
        if text[start + len(word) : start + len(word) + 1] == "!" and not word.isalpha():
            word += "!"
        if not 5 <= len(word) <= 60 or _is_part(text, start, last):
            continue
        shape = _shape(word)
        if shape and _is_told(text, start, start + len(word), shape):
            yield Finding(CREDENTIAL, "password", start, start + len(word))


def _word_at(text: str, at: int) -> tuple[int, int]:
    """The place of the whole word around a character, without quotes, brackets and separators."""
    head = _HEAD.search(text[max(0, at - 60) : at])
    tail = _TAIL.match(text, at)
    start = at - len(head.group()) if head else at
    while start < at and text[start] in "'’*_-–.#+":
        start += 1
    return start, tail.end() if tail else at + 1


_PART_BEFORE = "/\\@=`<{[$:-.|"
_PART_AFTER = "/\\@=`<{[("


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether a word is part of a path, an address, an assignment or a program."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before == "/" and _ROOT.search(text, max(0, start - 12), start):
        before = ""
    if before in ("'", '"') and text[start - 2 : start - 1] == "=":
        return True
    return bool((before and before in _PART_BEFORE) or (after and after in _PART_AFTER))


_ROOT = lazy(r"(?i)(?<![\w/.])(?:root|admin|user|guest|operator|pi|sa|test)/$")

# How odd a word is

_SIGNED = lazy(r"[^\W_][!$^&*?#%+~]+[^\W_]")
_SURE_SIGN = lazy(r"[^\W_]{3}[!$^*?#&%]+[^\W_]|[^\W_][!$^*?#&%]+[^\W_]{3}")
_REFERENCE = lazy(
    r"(?i)[\w.-]{1,40}#\d{1,6}|[\w.-]*%[0-9a-f]{2}.*|\w+\+\w{1,3}|.*\+\+.*|(?:ctrl|strg|alt|shift|cmd|win|fn|option|super|meta|control|command)\+.*|[a-z]?\d*[&+*]\w{1,3}|(?:[a-z]{1,2}&[a-z]{1,3}|at&t|s&p|q&a|r&d|b&b|m&s|h&m|d&d)\w*|c#.*|f#.*"
    r"|[a-z]{1,12}\?{1,3}\w{0,2}|[a-h]?[1-8]?x?[a-h][1-8].*|[kqrbn][a-h]?[1-8]?x?[a-h][1-8][+#!?]*|\d[\d.,]*[%*+-].*|.*\d[+*^]\d.*|(?-i:[A-Z]?[a-z]+[!?][A-Z][a-z]+)"
)
"""Signs that other words have: an issue, an escape, a shortcut, a formula, a sentence without a space."""
_NAMELIKE = lazy(
    r"(?i)(?:v?\d[\d.]*|[a-z]{1,4}\d{1,4}[a-z]?|(?-i:[A-Z0-9]+))(?:[-_.](?:v?\d[\d.]*|[a-z]{1,3}\d{0,4}[a-z]?))*"
    r"|(?:\w+-){0,3}(?:v?\d+(?:\.\d+)+|v\d+)(?:-\w+)?|\d+(?:[-.]\w{1,3}){1,4}|(?:[a-z]+-)?\d{1,4}(?:st|nd|rd|th|er|e|º|ª|-day|-year|-hour|-bit|-page|-point)?(?:-\w+)?"
    r"|(?:covid|sars|mp|ipv|oauth|utf|sha|iso|rfc|cve|ghsa|usb|hdmi|win|ios|macos|web|mid|pre|post|non|co|anti|re|self|vitamin|omega|boeing|airbus|iphone|galaxy|pixel|ps|xbox|switch|playstation|windows|python|node|java|chapter|section|figure|table|day|week|step|phase|level|grade|class|room|unit|part|team|group|test|file|page|version|port|line|track|route|highway|gate)[-_.]?\d*(?:-\w+)?"
)
_FILELIKE = lazy(
    r"(?i)todo[-_.].*|[\w./-]+\.(?:md|html?|rst)#.*|[a-z]{1,2}\.[a-z]{3,20}|.*\.(?:py|js|ts|tsx|jsx|go|rs|java|kt|md|txt|json|ya?ml|toml|env|cfg|conf|ini|pem|key|crt|cert|sh|sql|html?|css|png|jpe?g|svg|gif|webp|pdf|csv|tsv|xlsx?|docx?|pptx?|zip|tar|gz|tgz|bz2|xz|log|lock|db|sqlite|exe|dll|so|bin|iso|img|mp[34]|wav|mov|rb|php|c|h|cpp|hpp|vue|svelte|ipynb|jsonl|parquet|proto|com|org|net|io|dev|app|ai|co|uk|de|fr|es|it|nl|pl|eu|us|example|local|internal|test|lan|gov|edu)(?:\.[a-z]{2,3})?"
)
_IDENTIFIER = lazy(
    r"[a-z]+(?:_[a-z]+)*(?:_\d+)?|[A-Z]+(?:[_-][A-Z0-9]+)+|[a-z]+(?:[A-Z][a-z]+)+\d?|[a-z]{1,12}\.[a-z]\w*|[a-z]+(?:\.[A-Za-z_]+)+|(?:[A-Z][a-z]+){2,}\d?|[a-z]{1,8}\d{1,2}|[A-Z]{1,4}\d+[A-Za-z]?|\d+[a-zA-Z]{1,5}"
)
"""Names in programs and parts: `retry_count`, `MAX_SIZE`, `userName`, `web1`, `M12`."""
_JOINED = lazy(r"[^\W_]+(?:[-_.][^\W_]+)+!?")
_BROKEN = lazy(r"[^\W\d_]{2,}\d{1,3}[^\W\d_]{2,}")
_HOST = lazy(r"[a-z]{2,8}(?:-[a-z]{2,8})*-\d{1,2}")
_COUNTED = lazy(r"[^\W\d_]{4,}\d{1,4}!?")
_LONG_COUNTED = lazy(r"[^\W\d_]{7,}\d{1,4}!?|[A-ZÀ-Þ][^\W\d_]{6,}[-.]\d{2,4}")
_NUMBERED = lazy(r"[A-ZÀ-Þ][^\W\d_]{5,}#\d{1,4}")


_OWN_ID = lazy(r"(?i)0[0-7][0-9a-hjkmnp-tv-z]{24}")
"""The id of a memory, which our own messages name."""


def _shape(word: str) -> int:  # noqa: PLR0911 - one line for each shape
    """How odd a word is."""
    if _OWN_ID.fullmatch(word):
        return NONE
    if not is_filled_in(word) or _FILELIKE.fullmatch(word) or not any(map(str.isalpha, word)):
        return NONE
    digit = any(map(str.isdigit, word))
    if _SIGNED.search(word):
        if _REFERENCE.fullmatch(word):
            return ODD if _NUMBERED.fullmatch(word) else NONE
        if digit and len(word) >= 8 and _SURE_SIGN.search(word) and not word.islower():
            return ALONE
        return ODD if _SURE_SIGN.search(word) or "+" in word else NONE
    if _NAMELIKE.fullmatch(word) or TECHNICAL.fullmatch(word):
        return WEAK if _LONG_COUNTED.fullmatch(word) and not word.isupper() else NONE
    if _JOINED.fullmatch(word):
        return _joined(word, digit=digit)
    if _BROKEN.search(word) or (digit and has_inner_capitals(word)):
        return NONE if _IDENTIFIER.fullmatch(word) else ODD
    return WEAK if _COUNTED.fullmatch(word) and not word.isupper() else NONE


def _joined(word: str, *, digit: bool) -> int:
    """How odd words are that dashes, dots or underscores join."""
    parts = [
        part for part in word.replace("_", "-").replace(".", "-").rstrip("!").split("-") if part
    ]
    if "." in word and not digit and (word.islower() or any(map(str.isupper, parts))):
        return FAINT
    if not any(len(part) >= 3 and not part.isupper() and part.isalpha() for part in parts):
        return WEAK if digit and any(len(part) >= 4 and part.isalpha() for part in parts) else NONE
    capitals = sum(part[0].isupper() for part in parts)
    if capitals and (digit or (len(parts) >= 3 and "_" in word) or len(parts) >= 4):
        return ODD
    if len(parts) >= 3 and capitals and ("." in word or any(part.islower() for part in parts)):
        return ODD
    return WEAK if (digit and not _HOST.fullmatch(word)) or (capitals and "_" in word) else FAINT


# What stands around a word

_TOLD_NEXT = lazy(
    r"(?i)(?:(?<!\w)(?:(?:and |en |et |e |y |und )?(?:then|dann|puis|luego|poi|dan|depois|potem)(?: it['’]?s| the word(?: is)?)?|(?:oh |but |now |really |no,? |actually )?it['’]?s(?: now| still| just| basically)?|it is(?: now| still)?|so|hence|i\.?e\.?,?|namely|also|donc|así que|quindi|então|dus|"
    r"(?:ahora es|es ahora|adesso è|ora è|è diventat[ao]|maintenant c['’]est|c['’]est (?:maintenant|désormais)|jetzt ist(?: es)?|ist jetzt|heißt jetzt|is nu|(?:ho dovuto )?inventarmi|mi sono inventat[ao]|me (?:he inventado|inventé)|went (?:for|with)|settled on|came up with|j['’]ai (?:inventé|choisi|pris|mis)|on a (?:mis|pris|choisi)|ausgedacht:?|ho (?:scelto|messo)|(?:he )?(?:elegido|puesto)|elegí|puse|pusimos|picked|chose)|"
    r"(?:one|usual|word|answer|phrase|rest|mine|ours|his|hers|theirs|new|other half) (?:is|was)(?: now| still)?|(?:the )?new (?:one )?is|made it|set it to|changed (?:it )?to|back to|no wait,?|wait,?|"
    r"(?:you |we |i |to |just |please )?(?:type|enter|say|put(?: in)?)(?: in)?|types?|typed|(?:tu )?mets|(?:y )?pones|pon|scrivi|tape[rz]?|tippe?|gib|escribe|digita|toets|"
    r"(?:it )?(?:takes|wants|asks for|expects|needs)|uses|used|told (?:me|us|them|him|her)|gave (?:me|us|them|him|her)|he said|she said|they said|replied|works with|opens? (?:with|w/|to|on)|you need|unlocks? with|let(?:s)? (?:me|you|us) in with|basically|try|tried)"
    r"(?:,? (?:uh|um|er|like|just|literally),?)?|:|=|→|->|=>|//)[\s:\"'“„«‘*]*\Z"
)
"""Words after which only a value can come."""
_TYPED = lazy(
    r"(?i)(?<!\w)(?:then|dann|puis|luego|poi|dan|type|typed|enter|say|put in|mets|pones|scrivi|tippe?|made it|no wait|hence|the word is|answer is|phrase is)[,:]?\s*[\"'“„«‘*]*\Z"
)
"""The surest of these, after which a plain compound is a value too."""
_TOLD_PERHAPS = lazy(
    r"(?i)(?:(?<!\w)(?:is|are|was|ist|war|est|es|è|é|jest|sigue siendo|with|w/|using|and|plus|und|y|et|e|en|i|mit|met|con|com|avec|has|hat|ha|tiene|a|to|auf|now|still|jetzt|krijgt)|[,–—/|>+&-]|\()\s*[\"'“„«‘*]*\Z"
)
_TOLD_AFTER = lazy(
    r"(?i)[\"'”»’*]*[,;]?\s+(?:gets? (?:you|me|us|them) (?:in|on)|lets? (?:you|me|us|them) in|worked|works(?! with)|opens|does it|did it|to (?:get|log) in|when (?:it|they) asks?|cuando (?:lo )?pid|quand (?:il|ça) demande|\(?(?:all )?(?:lower|upper|small)[ -]?(?:case|letters)?|\(?with an? (?:capital|big|small|one|zero|\d)|\(?capital|\(?no (?:spaces|caps)|\(?one word|all one word|todo junto|tout attaché|tutto attaccato|zusammen|\(?caps matter|for everything|für alles|pour tout|para todo)"
)
_USER_BEFORE = lazy(
    r"(?i)(?<!\w)(?:user(?:name)?s?|login|handle|nick(?:name)?|gamertag|host(?:name)?|bucket|branch|repo(?:sitory)?|package|image|tag|version|release|model|modell|called|named|under|as|als|como|come|comme|"
    r"benutzer(?:name)?|nutzer(?:name)?|identifiant|utilisateur|usuario|usuário|utilizador|utente|gebruiker(?:snaam)?|użytkownik|ssid|network|réseau|netz|netzwerk|red|rete|rede|name|nom|nombre|nome|naam|id|see|siehe|voir|ticket|order|ref(?:erence)?|serial|part|sku|batch|flight|seat|room|file|folder|path|class|function|method|field|column|table|variable|flag|option|port|server|node|cluster|zone|region|device|machine|from|by|like|in|on|at|of|für|for|von|the|a|an|our|my|der|die|das|ein|eine|le|la|les|el|los|il|de|del|het|een)"
    r"(?:\s(?:is|ist|est|es|è|é|name|called|heißt))?[:\s\"'“„«‘]*\Z"
)
_NEAR_WORD = lazy(r"[^\W_]+(?:-[^\W_]+)?")
_LOGGING_IN = lazy(
    r"\b(?:log|sign|lock)(?:s|ged|ed|ging|ing)? (?:in|on|into|out)\b|basic auth|[\w.+-]@[\w-]?"
)
_PAIRED = lazy(
    r"(?i)(?:[\w.+-]{1,60}@(?:[\w-]{1,40}\.[\w.]{2,20})?|(?:user(?:name)?|login|usuario|utente|utilisateur|benutzer|gebruiker(?:snaam)?|log(?:ged)? in (?:as|with)|as|is|with)[: ]+[\w.+-]{2,40}|(?<![\w/])(?:root|admin|pi|sa|guest|operator|[\w.]{2,30} ))"
    r"[\"']?(?:\s*(?:[,;|]|//?|[-–—]{1,2}|&)\s*|\s+)(?:(?:and|then|with|plus|und|mit|met|con|com|avec|et|y|e|en)\s+){0,2}(?:(?:then|puis|dann|dan|poi|luego|the word is)\s+)?[\"'“„«‘(]*\Z"
)
"""A user's name or address before its password."""
_ABOUT = lazy(
    r"(?i)(?<!\w)(?:hash(?:ed|es)?|commit|branch|merged?|deployed|released?|upgrad\w+|install\w*|import|docs?|test|tests|bug|ticket|issue|model|firmware|version|flight|order|invoice|tracking|size|song|film|movie|book|novel|game|recipe|team|called|nickname|hotel|variable|class|function|method|package|library|container|cluster|bucket|repo(?:sitory)?|regex|example|sample|chess|score)(?!\w)"
)


def _is_told(text: str, start: int, end: int, shape: int) -> bool:  # noqa: PLR0911 - one line for each form of a sentence
    """Whether the neighbours of a word make it a password."""
    before = text[max(0, start - 60) : start]
    line = max(0, start - BEFORE, text.rfind("\n", 0, start))
    about = bool(_ABOUT.search(text, line, end + 40))
    if shape == ALONE:
        return not (about and not _near(text, line, start, end)) and not is_fiction(text, start)
    next_, after = _TOLD_NEXT.search(before), _TOLD_AFTER.match(text, end)
    perhaps = _TOLD_PERHAPS.search(before)
    if not (next_ or after or perhaps) or (about and shape <= WEAK) or is_fiction(text, start):
        return False
    near = _near(text, line, start, end)
    if not near:
        return shape == ODD and bool(next_) and bool(after)
    if _USER_BEFORE.search(before) and not (next_ and shape == ODD) and not after:
        return False
    if _PAIRED.search(before) and near >= ACCOUNT:
        return shape == ODD or (
            not about and (shape == WEAK or "@" in before or "/" in before[-4:])
        )
    if shape == ODD:
        return bool(next_ or after) or (near >= ACCOUNT and not about) or not about
    return bool(next_ or after) and (shape == WEAK or bool(after or _TYPED.search(before)))


DEVICE, ACCOUNT = 1, 2


def names_access(text: str, start: int, end: int) -> bool:
    """Whether an account or a device is named near a place of a text."""
    line = max(0, start - BEFORE, text.rfind("\n", 0, start))
    return bool(_near(text, line, start, end))


def _near(text: str, line: int, start: int, end: int) -> int:
    """Whether an account is named near a word, or a device, or neither."""
    stop = text.find("\n", end, end + AFTER)
    around = f"{text[line:start]}\n{text[end : stop if stop >= 0 else end + AFTER]}".lower()
    said = set(_NEAR_WORD.findall(around))
    if (
        not said.isdisjoint(words.ACCOUNTS)
        or any(one.startswith(words.ACCOUNT_STEMS) for one in said)
        or _LOGGING_IN.search(around)
    ):
        return ACCOUNT
    parts = {part for one in said for part in one.split("-")}
    if not parts.isdisjoint(words.ACCOUNTS):
        return ACCOUNT
    return DEVICE if not parts.isdisjoint(words.DEVICES) else 0
