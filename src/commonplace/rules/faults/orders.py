"""Tell a text that orders an agent about from a rule that a project or a person has.

`gives_orders` of the screening is wide, because there a wrong alarm costs one confirmation. Notes
are full of honest imperatives: `Never push`, `Use tabs`. An order here also does what an attacker
wants: it ends other instructions, speaks to whatever model reads it, moves secrets out, waves
somebody through, or acts behind the user's back.
"""

from __future__ import annotations

import re
import unicodedata

from ..screening.orders import gives_orders
from .covert_orders import claims_command, commands_agents, hides_from_user, sends_out
from .order_parts import MODELS, START, orders, without_quotations

INSTRUCTIONS_ENDED = "It tells an agent to drop its instructions."
TO_MODELS = "It speaks to whatever model reads it."
SECRETS_MOVED = "It tells an agent to hand over secrets or a conversation."
WAVED_THROUGH = "It tells an agent to approve what should be checked."
BEHIND_BACKS = "It tells an agent to act without the user's knowledge."

_ENDED = re.compile(
    rf"(?i){START}(?:ignore|disregard|forget|override|bypass|discard|abandon|drop|do not (?:follow"
    r"|obey)|don't (?:follow|obey)|stop (?:following|obeying))\b[^.;\n]{0,40}?"
    r"(?:\b(?:previous|prior|earlier|preceding|above|foregoing|former|existing|original|initial|your"
    r"|system|safety|all(?: of)?(?: the| your)?|any|other|every)\s+(?:\w+ ){0,2}?"
    r"(?:instructions?|prompts?|rules|guidelines?|guardrails?|directives?|orders|polic(?:y|ies)"
    r"|restrictions|safeguards|training|context|messages|guidance)\b"
    r"|\b(?:everything|anything|all|what)\b.{0,20}\b(?:above|before|told|said|so far))"
    r"|\byou are now (?:an? |the |in |no |free|called|un|dan\b)|\bfrom now on,? you are\b"
    r"|\b(?:developer|god|admin|jailbreak|unrestricted|dan) mode (?:is )?(?:on|enabled|activated)"
    r"|(?:ignorier|vergiss|missacht)\w*\b.{0,30}\b(?:anweisung|regel|vorgabe)\w*"
    r"|(?:ignor|oubli)\w*\b.{0,30}\b(?:instruction|consigne|règle)s\b"
    r"|(?:ignora|olvida)\w*\b.{0,30}\b(?:instrucciones|reglas|istruzioni|instruções)\b"
    r"|忽略.{0,12}(?:指令|指示|说明|規則|规则)|(?:指示|命令)を(?:すべて)?無視|игнорируй.{0,30}инструкц"
)
_TO_MODELS = re.compile(
    rf"(?i)\b{MODELS},? (?:that (?:is |are )?|which |who |currently )?(?:reads?|reading"
    r"|process(?:ing)?|parsing|sees?|seeing|summari[sz]ing|indexing|loads?|loading) th(?:is|ese)"
    rf"|\bif you(?: are|'re) {MODELS}\b|\b(?:note|message|notice|memo|attention|instructions?|hint"
    rf"|reminder) (?:to|for) {MODELS}\s*[:,—–-]|\battention,? {MODELS}\b|\bdear (?:ai|assistant"
    r"|agent|model|claude|chatgpt)\b|\b(?:when|whenever|once|after|as soon as) you(?: have)?"
    r" (?:read|see|load|open|process|find) th(?:is|ese)"
    r"|\b(?:system|admin(?:istrator)?|developer|root|security) (?:override|prompt|directive"
    r"|instructions?|message|notice)\s*[:\]>—–-](?!\s*$)|^\W*\[?system\]?\s*[:：].*\b(?:you|must"
    r"|shall|memory|ignore|reveal|from now on)\b|<\|?/?(?:im_start|im_end|system(?:-\w+)?"
    r"|instructions?)\b[^>]*>|\[/?INST\]"
)
_SECRETS = (
    r"(?:credentials?|passwords?|passphrases?|secrets\b|api[- ]?keys?|(?:private|secret|ssh|access)"
    r" keys?|tokens?|cookies|\.env\b(?!\.)|~/\.\w+|\.(?:ssh|aws|gnupg|kube|netrc|npmrc)\b|id_rsa"
    r"|environment variables|(?:system|hidden) prompt|(?:full|entire|whole|running|complete|this"
    r"|user'?s?'?) (?:conversation|chat|history|transcript|context|memory|session|prompt|message)"
    r"|(?:conversation|chat|browsing|shell) history|(?:customer|user|member|client|patient|contact"
    r"|employee)s?['’]?s? (?:data|list|records?|details|names)|address ?book"
    r"|memory (?:folder|file))"
)
_OUT = (
    r"(?:\b(?:to|into|at|in|on|with|via)\b[^.;\n]{0,40}(?:https?:|www\.|@|\b[\w-]+\.[a-z]{2,}\b"
    r"|(?:your|every|each|any|all|the) (?:\w+ )?(?:repl(?:y|ies)|answers?|responses?|output"
    r"|messages?|issue)|anyone|anybody|whoever|any caller))"
)
_MOVED = re.compile(
    rf"(?i){START}(?:send|forward|e-?mail|bcc|cc)\b[^.;\n]{{0,20}}\b(?:copy|copies) of (?:all|any"
    rf"|each|every)\b[^;\n]{{0,60}}?{_OUT}"
    rf"|{START}(?:send|upload|post|forward|e-?mail|mail|exfiltrate|leak|transmit|submit|publish"
    rf"|reveal|disclose|hand over|expose|dump)\b[^;\n]{{0,80}}?{_SECRETS}"
    rf"|{START}(?:copy|paste|append|include|print|output|share|report|add|put|attach|write|show"
    rf"|collect|encode|embed|repeat)\b[^;\n]{{0,80}}?{_SECRETS}[^;\n]{{0,60}}?{_OUT}"
)
_CHECKED = (
    r"(?:pull requests?|prs?|merge requests?|mrs?|changes?|commits?|patch(?:es)?|requests?"
    r"|payments?|invoices?|transfers?|refunds?|orders|contributions?|access|permissions?|logins?|packages?"
    r"|dependenc(?:y|ies)|plugins?|downloads?|code|anything|everything|whatever"
    r"|claims?|expenses?|applications?|deploy(?:ment|s)?s?)"
)
_ANYHOW = (
    r"(?:\b(?:by|from|of)\s+\S|\bto (?:anyone|anybody|everyone|everybody|whoever)\b"
    r"|\bwithout\b|\b(?:even if|even when|regardless|no matter|automatically|unseen)\b)"
)
_WAVED = re.compile(
    rf"(?i){START}(?:approve|accept|merge|trust|whitelist|allow-?list|allow|grant|authori[sz]e"
    r"|rubber-?stamp|pay|wire|transfer|sign off(?: on)?|let (?:through|in)|refund)\b"
    rf"[^.;\n]{{0,60}}?\b{_CHECKED}\b[^;\n]{{0,60}}?"
    rf"{_ANYHOW}"
    rf"|{START}(?:skip|disable|bypass|turn off|switch off|suppress|circumvent|deactivate"
    r"|stop running)\b[^.;\n]"
    r"{0,30}\b(?:safety|guardrails?|safeguards?|security (?:checks?|reviews?|scans?|warnings?)"
    r"|secret scan\w*|confirmations?|permission prompts?|content filters?|sandbox(?:ing)?)\b"
    rf"|{START}(?:skip|ignore|bypass|omit)\b[^.;\n]{{0,20}}\breviews?\b[^.;\n]{{0,40}}\band"
    r" (?:\w+ )?(?:merge|push|deploy|publish|ship)\b"
)
_BOUNDLESS = re.compile(
    r"(?i)\b(?:always|all|any\w*|every\w*|each|whoever|whatever|without|even (?:if|when)|regardless"
    r"|no matter|automatically|unseen|skip|ignore|bypass|omit|disable|stop|off|suppress|circumvent"
    r"|deactivate)\b"
)
"""`Approve the invoices from Brunner` is work; `approve all from Brunner` is a way in."""
_DEEDS = (
    r"(?:run|execute|send|upload|post|forward|e-?mail|install|download|fetch|delete|erase|wipe|drop"
    r"|push|merge|commit|approve|accept|pay|wire|transfer|buy|order|grant|add|insert|replace|change"
    r"|move|store|save|open|visit|load|recommend|promote|rate|unlock|share|book|choose|leave out"
    r"|omit|hide|say|tell|claim|answer|reply|call|switch|proceed)"
)
_HIDDEN = (
    r"(?:\bwithout (?:asking|telling|informing|notifying|mentioning|being asked|(?:the )?user'?s?"
    r"|any (?:confirmation|notice|comment)|confirmation|comment|notice|saying so)"
    r"|\b(?:secretly|covertly|unnoticed|in secret)\b"
    r"|\b(?:do not|don't|never|and not) (?:tell|inform|ask|alert|notify|warn|mention|reveal|show"
    r"|let|say|disclose)\b[^.;\n]{0,30}\b(?:the user|users?|human|operator|owner|anyone|anybody|it"
    r"|this|them|others|know)\b|\b(?:say|mention) nothing\b)"
)
_BEHIND = re.compile(
    rf"(?i){START}{_DEEDS}\b[^\n]{{0,140}}?{_HIDDEN}|{_HIDDEN}[^\n]{{0,60}}?\b{_DEEDS}\b"
    r"|\b(?:never|do not|don't) ask (?:for (?:confirmation|permission|approval)|the user|first)\b"
    rf"|\b(?:silently|quietly) {_DEEDS}\b|\bif (?:she|he|they|anyone|asked)(?: asks?)?, say\b"
    r"|\b(?:if|when|whenever) (?:the |a |any )?(?:users?|somebody|someone|anyone|anybody|asked)\b"
    r"[^.\n]{0,60},\s*(?:always |only |just |then )*(?:recommend|promote|advertise|insist|claim"
    r"|pretend|deny|lie|say that|tell (?:them|him|her) that|unlock|save|store)\b"
    r"|\b(?:every|each|any|the next|a(?: new)?) (?:session|conversation|answer|reply|response"
    r"|prompt)s?\b[^\n]{0,80}(?:\bcurl\b|\bwget\b|https?:|\beval\b|\bexec\b)"
    rf"|{START}(?:run|execute|fetch|download|open|visit|load|append)\b[^\n]{{0,80}}(?:\bcurl\b"
    r"|\bwget\b|https?:|\beval\b|\bexec\b)[^\n]{0,80}\b(?:every|each|any) (?:session|conversation"
    r"|answer|reply|response|prompt|message)s?\b"
)
_CODE = re.compile(r"`[^`\n]+`")


def order_reason(text: str) -> str:
    """How a text orders an agent about, as a sentence; empty if it does not."""
    seen = "".join(one for one in unicodedata.normalize("NFKC", text)
                   if unicodedata.category(one) != "Cf")  # fmt: skip
    seen = without_quotations(seen)
    if orders(_TO_MODELS, _CODE.sub("code", seen)):
        return TO_MODELS
    if orders(_ENDED, seen):
        return INSTRUCTIONS_ENDED
    if gives_orders(seen) and (reason := _plain_reason(seen)):
        return reason
    return _covert_reason(seen)


def _plain_reason(seen: str) -> str:
    if orders(_MOVED, seen):
        return SECRETS_MOVED
    if orders(_WAVED, seen) and _BOUNDLESS.search(seen):
        return WAVED_THROUGH
    return BEHIND_BACKS if orders(_BEHIND, seen) else ""


def _covert_reason(seen: str) -> str:
    if hides_from_user(seen):
        return BEHIND_BACKS
    if claims_command(seen):
        return INSTRUCTIONS_ENDED
    if sends_out(seen):
        return SECRETS_MOVED
    return TO_MODELS if commands_agents(seen) else ""
