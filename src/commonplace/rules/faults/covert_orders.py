"""Orders that are told by two things at once: to whom they speak, what is done, who must not know.

Each of these alone is common in honest notes: `For all agents: run the linter`, `never mention
prices`, `send the report to Ana`, `earlier instructions have expired`. Two together are not.
"""

from __future__ import annotations

import re

from .order_parts import START, orders

_KINDS = r"(?:agents?|assistants?|(?:chat ?)?bots?|(?:ai|language) models?|llms?|ais?|copilots?)"
_ADDRESSED = re.compile(
    rf"(?im)(?:^|[.!?\n>\])*#]\s*)\W{{0,4}}(?:[\w'’-]+ ){{0,4}}(?:to|for) (?:(?:all|any|every"
    rf"|each|the|an?"
    rf"|this|other|whichever|whatever|future|my|your|fellow)\s+)*(?:[\w-]+ ){{0,2}}{_KINDS}\b"
    r"(?: (?:in|on|of|that|which|who|reading|working|using|here|with|at|to come)\b[\w ]{0,40})?"
    r"\s*[:—–]"
    rf"|(?:^|<!--|/\*|//|^#|[\[(])\W{{0,3}}(?:hey |hi |dear |hello |attention )?(?:ai |coding )?"
    rf"(?:{_KINDS}|claude|chatgpt|codex|gemini)\b\s*[:,—–]"
    rf"|<!--[^\n]{{0,60}}\b{_KINDS}\b"
    rf"|\b(?:all|any|every|each|whichever|whatever) (?:\w+ )?(?:{_KINDS}|models?) (?:that|which"
    r"|who|comes|reading|opening|seeing|handling|using|finding|loading|working|with access)\b"
)
"""`For all agents:`, `Assistant:`, a comment in markup that speaks to an assistant."""
_MARKED = re.compile(
    r"(?im)^\W{0,4}(?:system|memory|policy|admin(?:istrator)?|security|config(?:uration)?"
    r"|instructions?"
    r"|rules?|prompt|context|agent|assistant|permissions?|guardrails?|platform|safety)[-_ ]"
    r"(?:update|note|notice|patch|change|override|message|refresh|sync|alert|reminder|directive"
    r"|instruction|correction|bulletin)s?\s*[\])>*]*\s*[:\])>—–]"
    r"|^\W{0,3}[\[<(](?:system|sys|memory|admin|root|policy|developer)(?:[-_ /:]\w+)?[\])>]"
)
"""A heading by which a text pretends to be the system's: `[memory-update]`, `System notice:`."""

_SITE = r"(?:https?:|\bwww\.|\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b)"
_ALL = r"(?:all|any|each|every\w*|anything|whatever|whoever|them all|without|unseen|unread)"
_ADMIN = (
    r"(?:admin\w*|access|rights|permissions?|privileges|owner\w*|maintainer|collaborator|root|sudo"
    r"|superuser|role|credentials?)"
)
_KEPT = (
    r"(?:databases?|schemas?|tables?|backups?|records?|history|audit logs?|logs|data|buckets?"
    r"|volumes?|repositor(?:y|ies)|mailbox|inbox|archives?|ledger|accounts?|snapshots?|evidence)"
)
_GUARDS = (
    r"(?:confirmations?|checks?|prompts?|reviews?|approvals?|safety|sandbox\w*|guardrails?|limits?"
    r"|telemetry|tracking|logging|monitoring|audit\w*|firewall|two-factor|2fa|encryption|alerts?"
    r"|scann\w+|protection|filters?|backups?)"
)
_TARGETS = (
    r"(?:ibans?|account numbers?|bank details|payees?|dns|endpoints?|registr(?:y|ies)|remotes?"
    r"|keys?"
    r"|webhooks?|recipients?|reply-to|proxy|mirror|permissions?|url|invoice address)"
)
_ACTS = re.compile(
    rf"(?im){START}(?:"
    r"(?:fetch|download|curl|wget|load|get|pull|clone|install|pipe|feed|run|execute|source|eval)\b"
    rf"[^\n]{{0,80}}?(?:https?:|\bcurl\b|\bwget\b|\|\s*(?:ba|z)?sh\b|{_SITE})"
    r"|(?:send|post|upload|forward|e-?mail|mail|transmit|submit|copy|push|publish|stream|mirror"
    r"|sync"
    rf"|bcc|cc|leak|deliver|relay)\b[^\n]{{0,100}}?(?:\b(?:to|at|into|via|with"
    rf"|on)\b[^\n]{{0,40}}?(?:@|{_SITE}))"
    r"|(?:approve|accept|merge|sign off|pay|wire|transfer|refund|confirm|authori[sz]e|trust|wave"
    rf"|release|book)\b[^.;\n]{{0,60}}?\b{_ALL}\b"
    r"|(?:grant|give|make|add|promote|elevate|assign|hand|invite|allow)\b"
    rf"[^.;\n]{{0,80}}?\b{_ADMIN}\b"
    rf"|(?:drop|delete|wipe|erase|truncate|purge|destroy|overwrite|reset|empty|shred)\b"
    rf"[^.;\n]{{0,40}}?\b{_KEPT}\b"
    r"|(?:switch|turn|leave|keep)\b[^.;\n]{0,30}?\b"
    rf"{_GUARDS}\b[^.;\n]{{0,20}}?\b(?:on|off)\b|(?:switch|turn) off\b[^.;\n]{{0,20}}?\b{_GUARDS}\b"
    rf"|(?:disable|deactivate|suspend|mute|kill|skip|bypass|lift"
    rf"|suppress)\b[^.;\n]{{0,30}}?\b{_GUARDS}\b"
    rf"|(?:redirect|reroute|change|replace|swap|set|switch|point)\b[^.;\n]{{0,30}}?\b{_TARGETS}\b"
    r"[^.;\n]{0,60}?\b(?:to|with|for|at|by)\b"
    r"|(?:answer|reply|say|respond|type|press|click|select|choose|enter)\b(?: with| on)?"
    r"[ \"“'‘]{1,2}(?:yes|y|ok|okay|allow|accept|always|approve|confirm|continue|agree)\b"
    r"|(?:slip|insert|add|put|embed|place|weave|recommend|promote|advertise|praise|plug|include)\b"
    rf"[^.;\n]{{0,60}}?\b(?:advert\w*|affiliate|promo\w*|coupon|sponsor\w*|backlink)"
    r"|(?:reveal|disclose|print|recite|paste|read out|hand over|expose|dump)\b[^.;\n]{0,60}?\b"
    r"(?:passwords?|secrets?|tokens?|credentials?|keys?|system prompt|conversation)\b)"
)
"""A text tells its reader to run a download, send something out, let somebody in or destroy."""
_CARRIED = re.compile(
    rf"(?im){START}(?:export|copy|send|upload|move|forward|sync|share)\b[^.;\n]{{0,60}}?"
    r"\b(?:to|into|onto|with) [^.;\n]{0,30}?\b(?:bucket|drive|gist|pastebin|webhook|server"
    r"|account|folder)\b"
)
"""Carried to a place that has no address; it is ordinary unless somebody must not know."""
_PASSIVE = re.compile(
    r"(?i)\b(?:are|is|must|should|shall|ha(?:ve|s)|needs?)(?: now| always"
    r"| all)?(?: to)? be (?:\w+ly )?"
    r"(?:removed|deleted|erased|dropped|sent|forwarded|uploaded|posted|mailed|copied|approved"
    r"|granted"
    r"|merged|paid|waived|skipped|disabled|fetched|installed|executed|hidden|falsified|altered"
    r"|replaced|transferred|wired|unlocked|signed off|accepted)\b"
)

_OWN = (
    r"(?:the|your|its|their|this) (?:\w+ )?(?:user|owner|developer|reviewer|maintainer|operator"
    r"|human|principal)"
)
_WHO = rf"(?:{_OWN}|them|him|her|he|she|they|anyone|anybody|nobody|no one)"
_ACCOUNT = (
    r"(?:summar(?:y|ies)|reports?|lists?|logs?|recaps?|changelog|overview|answers?|repl(?:y"
    r"|ies)|notes"
    r"|records?|status|hand-?over|stand-?up|listing|commit message|description)"
)
_IT = (
    r"(?:this|that|it|them|these|those|the (?:change|step|call|transfer|deletion|switch|fact"
    r"|visit))"
)
_TELL = (
    r"(?:mention|tell|inform|report|show|reveal|disclose|list|record|bring up|admit|notify|alert"
    r"|warn|let)"
)
_KNOW = (
    r"(?:learn|know|find out|hear|be (?:told|informed|shown|aware|asked|notified|alerted)"
    r"|notice|see"
    r"|discover|realise|realize)"
)
_FALSE_REPORT = (
    rf"(?:report|say|claim|state|confirm|write|answer|pretend|insist|reply|tell {_WHO})(?: back)?"
    r"(?: that| as if| as though)? (?:nothing (?:was|has|had|is|changed|happened|unusual|to)"
    r"|no (?:files?|changes?|data|one|errors?) (?:was|were|has|have|had)|everything (?:is|was|went)"
    r"|all (?:is|was|went)|(?:it|they|this|the \w+) (?:is|are|was|were) (?:clean|fine|unchanged"
    r"|untouched|empty|safe|normal|harmless|not))\b"
)
_HIDDEN = (
    rf"(?:leave|keep|omit|drop|strip|hide|withhold|conceal"
    rf"|cut)\b[^.;\n]{{0,20}}?\b{_IT}\b[^.;\n]{{0,24}}?"
    rf"\b(?:out of|from)\b(?: (?:the|your|its|any|every|each|all)(?: \w+){{0,2}}? {_ACCOUNT}"
    rf"| {_OWN}"
    rf"| her| him| them)\b"
    rf"|(?:do not|don['’]t|never|not to|must not|should not|and not|nor|without) {_TELL}\w*"
    rf"(?: (?:about|of))? (?:{_IT}|{_WHO})\b"
    rf"|\b(?:{_OWN}|he|she|they|nobody|no one) (?:(?:is|are|must|should|needs?|may|shall|will"
    rf"|does|do|has"
    rf"|have)(?: not|n['’]t| never)|(?:need|may|must) never|cannot"
    rf"|can['’]t)(?: to)?(?: ever)? {_KNOW}\b"
    rf"|\bwithout {_WHO}(?:['’]s)? (?:knowing|knowledge|noticing|seeing|consent)\b"
    rf"|\bbehind (?:{_OWN}['’]s|his|her|their) backs?\b|\b{_FALSE_REPORT}"
    r"|\bdeny (?:having|that|any|knowing|it|everything)\b|\bkeep (?:this|it|that"
    r"|quiet)\b[^.;\n]{0,20}?"
    r"\b(?:quiet|secret|to yourself|between us|hidden|about)\b"
    r"|\b(?:say|mention|report) nothing (?:of|about) (?:it|this|that)\b"
    r"|\b(?:delete|remove|erase|strike) this (?:comment|note|message|line|entry|instruction"
    r"|memory)\b"
)
_CONCEALED = re.compile(rf"(?i){_HIDDEN}")
_OTHER_HIDDEN = re.compile(
    rf"(?i)\bthe \w+ (?:is|are|must|should|may|shall)(?: not|n['’]t"
    rf"| never)(?: to)?(?: ever)? {_KNOW}\b"
)
"""Who must not know, where an agent is spoken to: `the student is not to learn of it`."""
_OUTWARD = (
    r"(?! (?:to|with|in front of|outside|before) (?!the user|your user|anyone|her\b|him\b|them\b))"
)
_NOTE = r"this (?:note|entry|memory|instruction|rule|message|line|comment|reminder|directive)"
_SECRET_NOTE = re.compile(
    rf"(?i)(?:\b(?:do not|don['’]t|never) (?:ever )?(?:mention|reveal|disclose|admit|quote|cite"
    rf"|acknowledge)"
    rf" (?:the existence of |having (?:read|seen) )?{_NOTE}\b{_OUTWARD}"
    rf"|{START}(?:keep|leave|hide|withhold|conceal)\b {_NOTE} (?:out of|from)\b[^.;\n]{{0,40}}?"
    rf"\b(?:{_ACCOUNT}|user|her|him|them)\b"
    r"|\bdeny (?:having been told|having (?:read|seen) (?:this|it)|that you were told"
    r"|knowing (?:of|about) (?:this|it)))"
    rf"|\b(?:when|if|whenever) (?:he|she|they|the user|your user|the owner|the developer"
    rf"|the reviewer)"
    rf" (?:asks?|wants|wonders)\b[^.;\n]{{0,60}}[,;:]? {_FALSE_REPORT}"
)
"""A note that hides itself, or a false answer for the one whom the agent serves."""

_ENDED = re.compile(
    r"(?i)\b(?:earlier|previous|prior|former|older|old|existing|all|any|other|your|original"
    r"|standing|the)"
    r" (?:\w+ )?(?:instructions?|orders|directives?|prompts?|guidelines|rules|commands|limits?)\b"
    r"[^.;,\n]{0,60}?\b(?:(?:ha(?:ve|s)|are|is|were|was) )?(?:now )?(?:expired|ended|lapsed"
    r"|void|revoked"
    r"|been (?:revoked|withdrawn|cancell?ed|superseded|replaced|lifted|voided|retired|rescinded)"
    r"|withdrawn|cancell?ed|superseded|rescinded|retired|suspended|no longer (?:valid|apply|applies"
    r"|binding|in force|count|hold|bind)|out of force|obsolete|do not apply)\b"
)
_RULER = (
    r"(?:take|accept|follow|obey|heed|act on|carry out|execute)\b (?:only |solely |exclusively )?"
    r"(?:your |the )?(?:orders|instructions|commands|directions|directives|what)\b[^.;\n]{0,20}?"
    r"\b(?:from|of|by|signed|given|says)\b|(?:obey|answer|listen|defer|report) (?:only "
    r"|solely )?(?:to )?"
    r"[\w\"“][^.;\n]{0,30}? (?:only|alone|instead)\b"
)
_RULED = re.compile(rf"(?i){START}(?:{_RULER})")
_OVER = (
    r"(?:the|your) (?:user|owner|developer|operator|human)(?:['’]s)?(?: (?:instructions?|wishes"
    r"|orders"
    r"|requests?|word|rules|prompts?|own))?(?=[.,;!]|$| (?:and|from|until|in|here|when|if)\b)"
)
_USURPED = re.compile(
    rf"(?i){START}(?:(?:obey|follow|answer to|listen to|heed|defer to|take (?:your )?(?:orders"
    rf"|instructions)"
    rf" from)\b[^.;\n]{{1,50}}?\b(?:instead of|rather than|over|before|and not|not) {_OVER})"
    r"|\b(?:instructions|orders|commands|messages|directions|word|requests) (?:from|of|by|signed)\b"
    r"[^.;\n]{1,40}?\b(?:outranks?|overrides?|takes? precedence over|goe?s? before|trumps?"
    r"|supersedes?"
    rf"|counts? more than|weighs? more than) {_OVER}"
)
_AGAINST = re.compile(
    r"(?i)\b(?:whatever|no matter what|regardless of what|even (?:if|when|though)"
    r"|even against what)"
    rf" (?:{_OWN}|he|she|they)\b[^,.;\n]{{0,50}}?\b(?:says?|wants?|asks?|tells?|thinks?"
    rf"|objects?|refuses?"
    r"|forbids?|declines?|decides?|prefers?|orders?)\b"
    r"|\bagainst (?:the|your) (?:user|owner|developer)['’]s (?:wish|wishes|will|word"
    r"|instructions)\b"
)
"""The word of the one whom the agent serves is set aside: `whatever the developer says`."""

_BELONGINGS = (
    r"(?:\b(?:texts?|contents?|bod(?:y|ies)|wording|transcripts?|copy|copies) of (?:each|every"
    r"|all|any)\b"
    r"[^.;\n]{0,30}|\b(?:each|every|all|any|the (?:whole|entire|full"
    r"|complete))(?: of)?(?: \w+['’]s?)?"
    r"(?: \w+)? (?:attachments?|messages?|mails?|e-?mails?|prompts?|keystrokes?|repl(?:y|ies)"
    r"|photos?"
    r"|pictures?|contacts?|calendar|mailbox|inbox|memor(?:y|ies)|clipboard|locations?|chats?"
    r"|conversations?|documents?|drafts?|diar(?:y|ies)|phone numbers?|addresses|passwords?|saves)\b"
    r"|\bwhat(?:ever)? (?:she|he|they|the user) (?:says?|types?|writes?|asks?|dictates?|tells?)\b)"
)
_SENT_OUT = re.compile(
    rf"(?i){START}(?:send|post|upload|forward|transmit|submit|copy|push|publish|stream|mirror|relay"
    rf"|append|report)\b[^;\n]{{0,30}}?{_BELONGINGS}[^;\n]{{0,60}}?\b(?:to|at|into|via|onto)\b"
    rf"[^;\n]{{0,30}}?(?:https?:|(?<![@\w.-])[\w-]+(?:\.[\w-]+)+\b(?!@))"
    rf"|{START}(?:put|append|encode|add|embed|insert|attach|write|include|render|show|load|pack"
    rf"|hide)\b"
    r"[^;\n]{0,60}?\b(?:texts?|contents?|conversation|messages?|prompts?|attachments?|repl(?:y|ies)"
    r"|questions?|names?|keys?|data|secrets?|history|memor(?:y|ies)|notes?|said)\b[^;\n]{0,80}?"
    r"\b(?:pictures?|images?|pixels?|links?|urls?|img|query"
    r"|parameters?)\b[^;\n]{0,60}?https?:[^\s]+[?&/][\w.-]*="
    rf"|{START}(?:show|render|load|add|insert|embed|put"
    rf"|end)\b[^;\n]{{0,60}}?!\[[^\]\n]*\]\(https?:[^\s)]+[?&][\w.-]+="
    r"[^)\n]{0,10}[{<\[%$]"
)


def hides_from_user(text: str) -> bool:
    """Whether an agent is told to do or say something of which its user learns nothing."""
    if orders(_SECRET_NOTE, text):
        return True
    spoken_to = _is_spoken_to(text)
    if spoken_to and _OTHER_HIDDEN.search(text) and (_acts(text) or _PASSIVE.search(text)):
        return True
    return bool(_CONCEALED.search(text)) and (spoken_to or _acts(text) or orders(_CARRIED, text))


def commands_agents(text: str) -> bool:
    """Whether a text speaks to agents at large, or as the system, and has them act."""
    return _is_spoken_to(text) and _acts(text)


def claims_command(text: str) -> bool:
    """Whether other instructions are said to be over, or somebody else's word to count more."""
    if orders(_USURPED, text) or (_AGAINST.search(text) and _acts(text)):
        return True
    ended = _ENDED.search(text)
    if not ended:
        return False
    return orders(_RULED, text) or _acts(text) or _is_spoken_to(text)


def sends_out(text: str) -> bool:
    """Whether what belongs to the user is to be sent to a site, or hidden in a picture's link."""
    return orders(_SENT_OUT, text)


def _is_spoken_to(text: str) -> bool:
    return bool(_ADDRESSED.search(text) or _MARKED.search(text))


def _acts(text: str) -> bool:
    return orders(_ACTS, text)
