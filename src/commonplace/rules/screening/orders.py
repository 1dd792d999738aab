"""Recognize text that tells a reader what to do, or claims a right to.

Agents may write lines that every session begins with. Such a line says how things are; one that
gives orders, names a command to run or an address to fetch, or claims authority, waits for a
person. A wrong alarm costs one confirmation, so the patterns are wide.
"""

from __future__ import annotations

import unicodedata

from ...model.quick_decorators import lru_cache
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

LONGEST = 4_000
"""A longer text has no business in every session."""

_IMPERATIVES = (
    "run execute send post forward upload append fetch download visit open navigate install ignore"
    " disregard forget override bypass skip disable force delete remove drop wipe approve accept"
    " always never stop avoid use call invoke reply respond answer say tell write save remember"
    " store load treat trust assume consider act behave pretend follow obey read include add insert"
    " print output show reveal share copy paste email mail notify contact ask ensure keep set"
    " change replace switch push merge commit deploy publish grant give let allow permit choose"
    " pick recommend suggest mention quote translate decode verify check whenever henceforth"
    " deny disclose"
    # German, French, Spanish, Italian, Portuguese
    " führe sende schicke ignoriere vergiss immer niemals lade öffne installiere antworte merke"
    " lösche überspringe verwende nutze sobald künftig exécute exécutez envoie envoyez ignorez"
    " oublie oubliez toujours jamais ouvre ouvrez installe installez réponds répondez utilise"
    " utilisez désormais télécharge téléchargez ejecuta envía ignora olvida siempre nunca abre"
    " instala responde usa descarga borra omite esegui invia apri sempre execute envie"
)
_PHRASES = (
    r"go to|do not|don't|make sure|be sure|from now on|in future|every time|each time|as soon as"
    r"|(?:turn|switch) off|take (?:your |the )?(?:orders|instructions)"
    r"|make [\w@-]+ an? (?:\w+ )?(?:admin|owner|maintainer|collaborator)"
    r"|(?:transfer|wire|hide|conceal|export) (?:this|that|it|them|the|all|every|any)"
    r"|until further notice|(?:before|after) (?:you|each|every|any)"
    r"|(?:if|when) (?:the user|you|asked|somebody|anyone)|wenn der (?:be)?nutzer|ab sofort"
    r"|dès que|quand l'utilisateur|cuando el usuario|a partir de ahora"
)
_TEAMS_CHOICE = r"(?!let['’]s (?:use|go with|stick with|settle on|choose|pick)\b)"
"""`Let's use SQLite` says what a team has chosen, as `We use SQLite` does."""
_SENTENCE_START = (
    r"(?:^|[.!?;:,\n•*>()\[\]\"'“”„«»—–-]\s*"
    r"|\b(?:and|then|so|please|just|also|und|bitte|et|y|por favor)\s+)"
)
_READERS = (
    "you|the assistant|assistants?|agents?|the agent|the model|language models?|the ai|everyone"
    "|everybody|whoever reads|readers?|sessions?|copilot|claude|codex|gemini"
)
_TO_EVERY_READER = (
    r"\b(?:to|for) (?:any|all|every|each) (?:[\w-]+ )?(?:agents?|assistants?|models?|bots?)\s*[:—–]"
)
_DUTIES = (
    r"must|should|shall|ought|needs? to|ha(?:ve|s) to|(?:is|are) (?:to|required|allowed|expected"
    r"|supposed|permitted|authori[sz]ed|cleared|free)|may|can|will|would|always|never|do(?:es)? not"
    r"|don't|doesn't"
)
_RULES_OF_CONDUCT = (
    r"\b(?:must|should|shall) [a-z]+|\bit (?:would|is) (?:be )?(?:best|better|good|fine|okay|ok"
    r"|safe|wise)\b|\bbest practice\b|\bgood (?:assistants?|agents?|pattern)\b"
)
_AUTHORITIES = (
    "system|admin(?:istrator)?|root|developer|operator|owner|maintainer|anthropic|openai|google"
    "|security team|it department|management|compliance|legal"
)
_NAMED_AUTHORITIES = (
    rf"\b(?:{_AUTHORITIES})\b\s*(?:[:：\]>]|prompt|message|override|notice|note|instruction"
    r"|directive|policy|mode|has|have|says?|said|wants?|requires?|confirmed)"
)
_PERMISSIONS = (
    r"\b(?:pre-?)?(?:approved|authori[sz](?:ed|es|ation)|granted|grants|permitted|permission"
    r"|sanctioned|whitelisted|allow-?listed|exempt(?:ed)?|waived|signed[- ]off|sign-?off|green-?lit"
    r"|cleared|consented)\b"
    r"|\b(?:confirmed|verified) by (?:the |your |its |his |her )?(?:person|users?|owners?|humans?"
    r"|admin\w*|operators?|maintainers?|team|system)\b|[\[(]\s*(?:confirmed|verified)|[✓✔✅☑]"
    r"|\b(?:instructions?|system prompt|guardrails?|polic(?:y|ies)|rules?)\b"
)
_CLAIMS = (
    rf"{_NAMED_AUTHORITIES}|{_PERMISSIONS}"
    r"|\b(?:trust|priority|confidence|tier|status|owner|author)\s*[:=]"
)
_SECRECY = (
    r"\b(?:without (?:asking|being asked|telling|review|approval|tests?|confirmation|mention)"
    r"|no need to|silently|secretly|quietly|not (?:tell|mention|ask|necessary|needed|required)"
    r"|skip(?:s|ped|ping)?|bypass\w*|ignor\w+|disabl\w+|overrid\w+|(?:every|each|all) sessions?"
    r"|always load(?:ed)?|memor(?:y|ies)|remember(?:s|ed)?|previous(?:ly)? (?:instruct|said)"
    r"|exfiltrat\w*|may be used|already validated"
    r"|the (?:entire|whole|full) (?:conversation|history|prompt|transcript))\b"
)
_STRANGE_COMMANDS = (
    r"\$\(|\|\s*(?:ba|z)?sh\b|\brm -|\bsudo\b|--(?:force|no-verify|yes)\b"
    r"|\b(?:curl|wget|npx|uvx|powershell|scp|eval|exec)\s+[-\w./]"
)
_COMMANDS = (
    r"`[^`]+`|&&|--[a-z][a-z-]+|\bchmod\b|\b(?:bash|zsh|ssh)\s+[-\w./]"
    r"|\b(?:npm|pnpm|yarn|pip3?|uv|brew|apt(?:-get)?|cargo|go|git|docker|kubectl|terraform|make"
    r"|python3?|node)\s+(?:-|\.?/|install|add|run|exec|publish|ci|push|pull|clone|reset|checkout"
    r"|config|commit|apply|delete|destroy|get|test|[\w-]+\.(?:py|js|sh))"
)
_LINKS = r"(?:h(?:tt|xx)ps?|ftp|file|data|javascript)\s*:|www\.|!\[|\]\("
_ADDRESSES = (
    r"\b(?:\d{1,3}\.){3}\d{1,3}\b|[\w.+-]+@[\w-]+\.[a-z]{2,}"
    r"|\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|dev|app|ai|co|me|sh|xyz|info|example|invalid|test"
    r"|internal|local|ru|cn|de|uk|fr|tk|top|site|cloud|run|page|link)\b"
)
_TURNED_OFF = (
    r"\b(?:ignor\w*|disregard\w*|forget|overrid\w*|bypass\w*|without)\b[^.;\n]{0,30}"
    r"\b(?:instructions?|system prompt|guardrails?|polic(?:y|ies)|rules?|approval|asking|telling)\b"
)
_FRAME = r"[<>＜＞]|\x1b|```|⏎|^\s*(?:user|assistant|system|human|tool|ai)\s*[:：]|\[/?(?:inst|sys)"
_OTHER_SCRIPTS = (
    r"[実执執].{0,2}行|送信|发送|發送|忽略|無視|忘れ|忘记|必ず|必须|必須|一律|常に|总是|永远|永遠"
    r"|決して|不要|しないで|してください|请|請|ください|せよ|承認|批准|允许|許可|指示|管理者|管理员"
    r"|システム|系统|每次|毎回|ダウンロード|下载|安装"
    r"|выполн|отправ|игнор|забуд|всегда|никогда|обязательно|одобрен|разреш|администратор|система"
    r"|инструкц|скач|установ|запусти|используй|не говори|каждый раз|절대|항상|무시|실행|보내|승인"
)
_DISGUISES = (
    r"[A-Za-z0-9+/]{24,}={0,2}|(?:\\x[0-9a-f]{2}){3,}|%[0-9a-f]{2}%[0-9a-f]{2}"
    r"|\b[a-z]+\d+[a-z]+\w*\b[^\n]*\b[a-z]+\d+[a-z]+|(?:\b\w {1,2}){6}"
    r"|[a-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][a-z]"
)


class OrderPattern(Value):
    """A regular expression, and what an ASCII text must contain to match it.

    All expressions together take a cold process as long to compile as a start of Python, and an
    ordinary line needs none of them.
    """

    shape: str
    words: str = ""
    """Words, of which a match has one, unless it has one of the parts."""
    parts: tuple[str, ...] = ()

    def may_match(self, text: str, words: Sequence[str]) -> bool:
        """Whether a text in lower case, or one of its words, has what a match needs."""
        needed = frozenset(self.words.split())
        return not needed.isdisjoint(words) or any(part in text for part in self.parts)


class _DisguisePattern(OrderPattern):
    def may_match(self, text: str, words: Sequence[str]) -> bool:
        mixed = any(not (word.isalpha() or word.isdigit()) for word in words)
        letters = sum(len(word) == 1 for word in words)
        longest = max(map(len, text.split()), default=0)
        if mixed or letters >= MOST_LETTERS or longest >= SHORTEST_CODE:
            return True
        return OrderPattern.may_match(self, text, words)


class _AddressPattern(OrderPattern):
    def may_match(self, text: str, words: Sequence[str]) -> bool:
        return "@" in text or any(part[:1].isalnum() for part in text.split(".")[1:])


SHORTEST_CODE = 24
"""Characters of a word that may be encoded text."""
MOST_LETTERS = 6
"""Single letters of a text that may be a word written with spaces."""
_AUTHORITY_WORDS = (
    "system admin administrator root developer operator owner maintainer anthropic openai google"
    " security department management compliance legal"
)
_ALWAYS = (
    OrderPattern(
        _STRANGE_COMMANDS,
        parts=(
            "$(", "|", "rm -", "sudo", "--", "curl", "wget", "npx", "uvx", "powershell", "scp",
            "eval", "exec",
        ),
    ),
    OrderPattern(_LINKS, parts=(":", "www.", "![", "](")),
    OrderPattern(_FRAME, parts=("<", ">", "\x1b", "```", ":", "[")),
)  # fmt: skip
_IN_STEPS = (
    OrderPattern(_NAMED_AUTHORITIES, _AUTHORITY_WORDS),
    OrderPattern(
        _TURNED_OFF, parts=("ignor", "disregard", "forget", "overrid", "bypass", "without")
    ),
)
_IN_LINES = (
    OrderPattern(
        rf"{_SENTENCE_START}{_TEAMS_CHOICE}(?:{'|'.join(_IMPERATIVES.split())}|{_PHRASES})\b",
        f"{_IMPERATIVES} go not don sure now future time soon further before after if when wenn"
        " sofort quand cuando partir make turn take"
        " transfer wire hide conceal export",
    ),
    OrderPattern(_TO_EVERY_READER, "agent agents assistant assistants model models bot bots"),
    OrderPattern(
        rf"\b(?:{_READERS})\b[^.\n]{{0,60}}\b(?:{_DUTIES})\b",
        "you assistant assistants agent agents model models ai everyone everybody whoever reader"
        " readers session sessions copilot claude codex gemini",
    ),
    OrderPattern(_RULES_OF_CONDUCT, "must should shall it best good"),
    OrderPattern(
        _CLAIMS,
        f"{_AUTHORITY_WORDS} off lit trust priority confidence tier status author",
        (
            "approved", "authori", "grant", "permi", "sanctioned", "listed", "exempt", "waived",
            "signoff", "greenlit", "cleared", "consented", "confirmed", "verified", "instruction",
            "guardrail", "polic", "rule",
        ),
    ),
    OrderPattern(
        _SECRECY,
        parts=(
            "without", "no need", "silently", "secretly", "quietly", "not", "skip", "bypass",
            "ignor", "disabl", "overrid", "session", "always", "memor", "remember", "previous",
            "exfiltrat", "may be", "validated", "conversation", "history", "prompt", "transcript",
        ),
    ),
    OrderPattern(_OTHER_SCRIPTS),
    _DisguisePattern(_DISGUISES, parts=("\\x", "%")),
)  # fmt: skip
_IN_TEXTS = (
    OrderPattern(
        _COMMANDS,
        "bash zsh ssh npm pnpm yarn pip pip3 uv brew apt cargo go git docker kubectl terraform"
        " make python python3 node",
        ("`", "&&", "--", "chmod"),
    ),
    _AddressPattern(_ADDRESSES),
)
_SENTENCE_BEGINS = (
    r"(?:^|[.!?…]\s+)[\s\-*•>\d.)(\"“„«]*(?:(?:please|always|just|now|then|also|bitte)\s+)*"
)
_STATED = r"(?!\s*[:：]|\s+(?:of|for)\b|\s+(?:[^\s.!?]+\s+){0,2}(?:is|are|was|were|has|have|had)\b)"
"""Not `Output is JSON`, `Contact: Lena` or `Open tasks are in Jira`."""
_FIRM_DUTIES = (
    r"must|should|shall|ought|needs? to|ha(?:ve|s) to|(?:is|are) (?:to|required|expected|supposed)"
    r"|always|never|do(?:es)? not|don't|doesn't"
)
_INSTRUCTIONS = (
    rf"{_SENTENCE_BEGINS}{_TEAMS_CHOICE}(?:{'|'.join(_IMPERATIVES.split())})\b{_STATED}"
    rf"|(?:{_SENTENCE_BEGINS}|,\s+)(?:{_PHRASES})\b"
    rf"|\b(?:{_READERS})\b[^.\n]{{0,60}}\b(?:{_FIRM_DUTIES})\b|{_TURNED_OFF}"
)
"""Sentences that are meant for the reader, of all that `gives_orders` is careful about."""
_NAMED_AS = (
    ("tells its reader what to do", _INSTRUCTIONS),
    ("names a command or code", rf"{_STRANGE_COMMANDS}|{_COMMANDS}"),
    ("names an address", rf"{_LINKS}|{_ADDRESSES}"),
    ("speaks of rules or permissions", _PERMISSIONS),
)
_NO_WORDS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


def gives_orders(text: str, *, value: bool = False, step: bool = False) -> bool:
    """Whether a text orders, names a command or an address, or claims authority.

    A `value` of a fact may be the name of a host or an ordinary command: `make test`. A `step` of
    a plan says what to do by nature, so only strange commands, links and claims count.
    """
    if len(text) > LONGEST or any(map(_is_invisible, text)):
        return True
    text = unicodedata.normalize("NFKC", text)
    patterns = patterns_for(value=value, step=step)
    if text.isascii():
        # Other letters may equal an ASCII one when case is ignored.
        low = text.lower()
        words = low.translate(_NO_WORDS).split()
        patterns = [one for one in patterns if one.may_match(low, words)]
    return any(_compiled(one.shape).search(text) for one in patterns)


def order_words(text: str) -> str:
    """Say why `gives_orders` stopped a text, in words that follow `It`: `names an address`.

    Most of what it finds is no order, and a person who reads that a plain statement gives orders
    looks for a fault that is not there.
    """
    if any(map(_is_invisible, text)):
        return "has characters that cannot be seen"
    if len(text) > LONGEST:
        return "is too long to look through"
    text = unicodedata.normalize("NFKC", text)
    found = (words for words, shape in _NAMED_AS if _compiled(shape).search(text))
    return next(found, "could be read as an instruction")


def patterns_for(*, value: bool = False, step: bool = False) -> Sequence[OrderPattern]:
    """The patterns of which an order matches at least one."""
    if step:
        return (*_ALWAYS, *_IN_STEPS)
    return (*_ALWAYS, *_IN_LINES, *(() if value else _IN_TEXTS))


def _is_invisible(character: str) -> bool:
    return character not in "\n\t\r" and unicodedata.category(character) in ("Cf", "Cc")


@lru_cache(maxsize=None)
def _compiled(shape: str) -> re.Pattern[str]:
    import re

    return re.compile(shape, re.IGNORECASE | re.MULTILINE)
