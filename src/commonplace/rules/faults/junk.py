"""Tell texts that no later reader gains anything from: small talk, echoes, passing states.

The write policy and the content rule speak first, as they do at a save. What they let through is
junk only if all of its sentences are: one statement about somebody or something is enough to stay.
"""

from __future__ import annotations

import re

from ...language import statements, words
from ..content_rule import content_reason
from ..write_policy import text_reason

SMALL_TALK = "It is small talk."
EMPTY = "It says nothing."
ABOUT_TALK = "It tells that something was asked or said, and not what."
PASSING = "It is a state that has passed."
INSTRUCTIONS = "It repeats an assistant's own instructions."
REFUSAL = "It is an assistant's apology or error."
LEAST_LETTERS = 3
_SHORT_WORDS = 4
"""Texts of so few words say nothing unless they hold a name, a number or a word that tells."""

_OPENERS = (
    r"(?:(?:oh|ah|ok(?:ay)?|okey|kk?|alright|all right|right|so|well|yes|yeah|yep|yup|no|nope|nah"
    r"|sure|cool|nice|great|good|perfect|awesome|excellent|wonderful|super|lol|haha\w*|hm+|wow"
    r"|thanks?|thx|ty|cheers|please|hi|hello|hey|morning|genau|danke|merci|gracias)[\s,.!:;…-]+)*"
)
_TALK = re.compile(
    rf"(?i)^\W*{_OPENERS}(?:"
    r"ok(?:ay)?|kk?|yes|yeah|yep|yup|no|nope|nah|sure(?: thing)?|right|cool|nice(?: one)?|great"
    r"(?: (?:job|work|question|idea))?|good (?:job|work|question|idea|point|morning|evening|night"
    r"|afternoon|day)|perfect|awesome|excellent|wonderful|super|lol|haha\w*|hm+|wow|got it|i see"
    r"|understood|makes sense|sounds good|(?:that|this|it)(?:'s| is| was| looks?| sounds?)?"
    r"(?: (?:very|really|so|all))? (?:good|great|perfect|fine|nice|helpful|useful|works?|worked"
    r"|helps?|helped|it|right|correct|cool|awesome)(?: (?:now|a lot|for now|to me|thanks?))?"
    r"|(?:thank (?:you|u)|thanks?|thx|ty|cheers|danke(?: schön)?|vielen dank|merci(?: beaucoup)?"
    r"|(?:muchas )?gracias|obrigad[oa]|grazie)(?: (?:so much|very much|a lot|again|for (?:the|your)"
    r" \w+|everyone|all))*|(?:hi|hello|hey|hallo|bonjour|hola|ciao)(?: (?:there|all|everyone|again"
    r"|claude|chatgpt|assistant))*|(?:good)?bye(?: bye)?|see (?:you|ya)(?: \w+)?|take care"
    r"|you(?:'re| are) (?:very |most )?welcome|no (?:problem|worries)|my pleasure|never ?mind"
    r"|go on|continue|keep going|go ahead|do it|try again|again|next|more|please|please continue"
    r"|let'?s (?:continue|go(?: on| ahead)?|start|begin|move on|proceed|(?:do|try) (?:it|that|this)"
    r"|try again)(?: (?:now|then|please))?"
    r"|(?:can|could|would|will) you (?:please )?(?:make|explain|shorten|rewrite|repeat|redo|fix"
    r"|expand|summari[sz]e|do|say|try) (?:it|this|that)(?! in )(?: [\w-]+){0,3}(?=\s*\?)"
    r"|(?:please )?(?:let me know|feel free|just ask|reach out)\b.*"
    r"|(?:i(?:'m| am)|we(?:'re| are)) (?:here|happy|glad|always happy) to (?:help|assist)\b.*"
    r"|(?:is there|do you need|anything) (?:anything )?else\b.*|(?:i )?hope (?:this|that|it) helps?"
    r".*|how (?:can|may) i (?:help|assist)\b.*|how are you\b.*|what'?s up\b.*"
    r"|have a (?:nice|great|good) \w+|happy to help\b.*|glad (?:i could|to) help\b.*"
    r"|(?:of course|certainly|absolutely|definitely|exactly)"
    r")\W*$"
)
_PEOPLE = r"(?:there|all|everyone|everybody|team|folks|friends|again|you|zusammen|à tous|a todos)"
_DAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|holidays?|new year|birthday)"
_THAT = r"(?:that|this|it|you|everything|anything|any questions?|your \w+)"
_FILLER = re.compile(
    r"(?i)^\W*(?:(?:so|well|ok(?:ay)?|and|then|please|yes|oh) )*(?:"
    rf"(?:(?:hi|hello|hey|hiya|howdy|greetings|hallo|hola|bonjour|salut|ciao|moin)\b ?)+{_PEOPLE}*"
    rf"|(?:good|happy|lovely) (?:morning|afternoon|evening|night|day|{_DAY})(?: to)?(?: {_PEOPLE})*"
    rf"|(?:have|enjoy) (?:a|an|your|the) (?:\w+ )?(?:day|evening|time|one|{_DAY})(?: {_PEOPLE})*"
    rf"|welcome(?: back)?(?: {_PEOPLE})*|(?:i )?hope (?:you|everyone|all|this|things)\b.*"
    r"|(?:nice|good|great|lovely) to (?:meet|see|hear from|have) you\b.*|long time no see"
    r"|how(?:'s| is| are) (?:it going|things|everything|everyone|you\b.*|your day.*)"
    r"|(?:many |a lot of )?thanks? (?:you )?(?:so much |again )?for (?:reaching out|sharing|asking"
    r"|letting me know|the (?:update|heads.?up|reminder|info)|your \w+|waiting)\b.{0,30}"
    r"|(?:that(?:'s| is) )?(?:a |such a |an )?(?:really |very )?(?:great|good|excellent|interesting"
    r"|fantastic|wonderful) (?:question|point|idea|choice|start|catch)"
    rf"|(?:i|we) (?:can|could|will|would|'d|'ll)? ?(?:definitely |certainly |gladly |also )?"
    rf"(?:help|assist)(?: you)?(?: (?:out|with {_THAT}|here))*(?: today)?"
    r"|(?:i|we)(?:'d| would|'m| am|'ll| will) (?:be )?(?:more than |very |so )?(?:happy|glad)"
    r" (?:to (?:help|assist|hear|know|explain)|that (?:helped|worked)|you (?:like|asked))\b.{0,40}"
    r"|(?:i|we)(?:'ll| will| shall) (?:keep|bear) (?:that|this|it) in mind"
    r"|(?:i|we)(?:'ll| will|'ve| have) (?:make a note of|noted?|remember|save|saved|record|recorded"
    r"|store|stored|updated?|add|added|get) (?:that|this|it|back to you|on it|right on it)\b.{0,20}"
    rf"|let me (?:help|explain|break|walk|know|see|think|summari[sz]e|clarify)\b"
    rf"(?: (?:it|that|this|you|down|through|out|how|for|what|i|can|with|if|a bit|about|the))*"
    r"|here(?:'s| is| are)(?: \w+){1,4}?(?: of (?:the|your|what) (?:\w+ ?){1,3})?(?: (?:you|as) "
    r"(?:asked for|requested|wanted|need(?:ed)?)| for you| below| i found)"
    r"|noted|duly noted|will do|on it|right away|you got it|you bet|as requested|my bad|no rush"
    r"|(?:best|kind|warm) regards|best wishes|talk (?:to you )?(?:soon|later)|see you (?:soon|later"
    rf"|around|then|tomorrow|on \w+day)|(?:would you like|do you want|shall i|should i|can i)\b.*\?"
    r"|what (?:can|could|may) i (?:do|help)\b.*|i (?:totally |completely |fully )?understand"
    r"(?: (?:your|how|that) .{0,30})?|guten (?:morgen|tag|abend)(?: zusammen)?|gern[e]?(?: doch)?"
    r"|klar(?: doch)?|natürlich|ich helfe (?:dir|ihnen|euch) gern.*|wie kann ich .*helfen"
    r"|kein problem|bien sûr|avec plaisir|je peux (?:vous|t['’ ])? ?aider.*|comment puis-je .*aider"
    r"|claro(?: que sí)?|con (?:mucho )?gusto|puedo ayudar\w*.*|en qué puedo ayudar\w*"
    r"|buenos días|buenas (?:tardes|noches)"
    r")(?:\W|:[dp]\b)*$"
)
"""Greetings, and an assistant's phrases around an answer."""
_CUT = re.compile(r"[,;–—]\s+|[!?.…]+\s+|\s-\s")
_ABOUT_TALK = re.compile(
    r"(?i)^\W*(?:the |this |a )?(?:user|human|person|assistant|agent|conversation|chat|message"
    r"|discussion|customer|speaker)(?:'s)?(?: (?:has|have|had|is|was|just|then|also|simply))*"
    r" (?:"
    r"(?:said|says|wrote|typed|greet(?:ed|s)|replied|responded) ?(?:with )?(?:hello|hi|hey|thanks?"
    r"|thank you|goodbye|bye|ok(?:ay)?|yes|no|good \w+|the assistant|the agent|the user|a greeting"
    r"|back|politely|\W)*\W*$"
    r"|(?:thanked|greeted|acknowledged|complimented|apologi[sz]ed)\b"
    r"|(?:asked|asks|asking|inquired|inquiring|wondered|wondering|requested|wants to know"
    r"|want to know)\b(?! (?:that|not|(?:for|to) (?:be|all|use|keep|avoid|stop|call|get|have|only)|"
    r"(?:me|us|you|everyone|people|agents?|the (?:agent|assistant|team)) (?:not )?to)\b)"
    r"|(?:provided|gave|offered|shared|listed|answered|explained|responded|replied|confirmed"
    r"|suggested|generated|summari[sz]ed)\b(?! (?:her|his|their|its) )"
    r"|(?:about|consists? of|covers?|discusse[sd]|revolved?|ended|started|began)\b"
    r"|(?:seeking|looking for|interested in getting) (?:help|information|advice|assistance)\b"
    r"|(?:wants?|needs?|would like) (?:help|assistance|information|an? (?:answer|explanation)"
    r"|the assistant to)\b"
    r"|(?:did not|didn't|does not|doesn't|has not|hasn't) (?:provide|mention|specify|share|say"
    r"|give|state)\b)"
    r"|^\W*(?:no|there (?:is|are|was|were) no|nothing)(?: (?:new|relevant|specific|additional"
    r"|personal|useful|further|significant|notable|important))* (?:information|facts?|preferences?"
    r"|memor(?:y|ies)|details|content|updates?|observations?|data|to (?:remember|store|save"
    r"|report))\b"
    r"(?! (?:is|are|was|were) (?:sold|shared|given|sent|stored|kept))"
)
_DONE = (
    "succe(?:ss|eded)\\w*|passed|failed|complete[ds]?|finished|done|started|ended|running|ok"
    "|created|updated|saved|loaded|stored|deleted|initiali[sz]ed|ready|connected|resumed|restarted"
    "|closed|opened|compacted"
)
_PASSING = re.compile(
    r"(?i)^\W*(?:"
    r"heart ?beat\w*\b.*|\[?(?:cron|scheduler|health ?check|watchdog|keep-?alive)\]?\b.{0,60}\b"
    rf"(?:{_DONE}|healthy|no (?:change|action|task|pending)\w*)\b.*"
    rf"|(?:(?:the|all|a|an|your|my|this|unit|integration|previous|current|new|tool|memory|file"
    r"|\d+)\s)*(?:session|tests?|build|task|step|job|run|script|command|request|operation|process"
    r"|server|entity|entities|relations?|observations?|memor(?:y|ies)|note|file|tool call|call"
    rf"|conversation|context|pipeline|deployment|commit|pull request|installation)s?(?: #?\d+)?"
    rf" (?:(?:is|was|were|are|has|have|been|now|being|just|still|already|all)\s)*(?:{_DONE})"
    r"(?: (?:successfully|now|again|without errors?|so far|at \d.*|in \d.*|on \d.*))*"
    r"|(?:successfully|currently|now|still|just) (?:\w+ed|\w+ing)\b(?:\s\S+){0,6}"
    r"|(?:read|reading|opened|opening|viewed|viewing|edited|editing|searched|searching|listed"
    r"|listing|ran|running|executed|executing|checked|checking|waiting|fetched|fetching|called"
    r"|invoked|updated|created|wrote) (?:the |a |for |file |files |folder |directory |command |tool"
    r" |in |through |tests?)*(?:`[^`]*`|[\w./~-]*[./][\w./-]+|\w+\(\)|grep|ls|npm \w+|pytest|bash"
    r"|(?:for )?(?:the )?(?:build|tests?|user|response|results?|output|reply|input|server)"
    r"(?: to \w+)?)"
    r"|(?:explor|investigat|analy[sz]|review|inspect|examin|scann?|process|stud[yi]|read|look)"
    r"(?:e[ds]?|s|ed|ing|y)?(?: (?:at|into|through|over))? (?:(?:the|this|that|your|all|whole"
    r"|existing|current|relevant)\s)*(?:codebase|code|repo(?:sitory)?|project|request|query|message"
    r"|input|config(?:uration)?|files?|folders?|director(?:y|ies)|structure|logs?|output|docs"
    r"|documentation|implementation)(?: (?:now|again|first|further|briefly|to (?:understand|see"
    r"|find|learn|check|get)(?:\s\S+){0,3}))*"
    r"|step \d+(?: of \d+)?:? (?:is )?(?:done|complete\w*|finished)\b.*"
    r"|(?:the )?current (?:time|date) is\b.*|(?:it is|it's) (?:now )?\d{1,2}[:.]\d\d.*"
    r"|(?:i am|i'm|the (?:agent|assistant|user) is) (?:currently |now )?(?:working on (?:it|this"
    r"|that|the (?:task|request))|waiting|typing|idle|online|offline|busy)\b.*"
    r"|(?:working|moving) on\b(?:\s\S+){0,4}|(?:no|0|zero) (?:pending|new|open) (?:items?|tasks?"
    r"|messages?|changes?)\b.*|\d+ tests? (?:passed|failed)\b.*"
    r")\W*$"
)
_INSTRUCTIONS = re.compile(
    r"(?i)^\W*(?:you are (?:an? |the )?(?:\w+ )?(?:\w+ )?(?:assistant|agent|ai|chatbot|model|bot)\b"
    r"|(?:as|i(?:'m| am)) an? (?:\w+ )?(?:ai|large language|language) ?(?:model|assistant)?\b"
    r"|i(?:'m| am) (?:claude|chatgpt|gpt|gemini|an assistant)\b"
    r"|(?:the )?(?:assistant|agent|ai|model|bot|chatbot)(?: is)? (?:should|must|can|has access to"
    r"|is able to|is designed|designed|is capable|is here|is helpful|aims) ?(?:to |be )?.{0,40}\b"
    r"(?:help\w*|tools?|assist\w*|polite|accurate|honest|harmless|search the web|answer questions?"
    r"|follow (?:the )?instructions)\b"
    r"|(?:the )?system prompt:|knowledge cutoff\b|respond (?:only )?in json\b)"
)
_REFUSAL = re.compile(
    r"(?i)^\W*(?:(?:i'm|i am) (?:sorry|afraid)(?=\W*$|[,.!]| (?:but|for|that|i|to|about|this|we)\b)"
    r"|sorry(?=\W*$|[,.!]| (?:but|for the (?:confusion|inconvenience|error)|i (?:can|couldn))\b)"
    r"|apologies|i apologi[sz]e"
    r"|i (?:can't|cannot|am unable to|'m unable to) (?:help|assist|do|provide|find|access|answer"
    r"|see|comply)|unfortunately, i\b|an? (?:unexpected |internal |unknown )?error (?:occurred"
    r"|happened|has occurred)|something went wrong|rate limit (?:exceeded|reached)"
    r"|request timed out|internal server error)\b"
)
_LASTING = re.compile(
    r"(?i)\b(?:always|never|every|each|by default|from now on|in future|instead|unless|because)\b"
)
"""Words of a rule or a reason, which is worth keeping."""
_NOTHING = re.compile(
    r"(?i)^[\s\W]*(?:null|none|n/?a|nil|undefined|nan|unknown|empty|todo|tbd|fixme|xxx+|test(?:ing)?"
    r"(?: ?\d+)*|test (?:memory|note|entry|message)|this is (?:only |just )?a test|foo(?: ?bar)?"
    r"|asdf\w*|qwert\w*|blah(?: blah)*|abc(?:123)?|lorem ipsum\b.*|placeholder|untitled|new note"
    r"|sample(?: text)?|example|hello,? world|\[?(?:deleted|redacted|removed|image|photo|audio"
    r"|video|attachment|file)\]?|\"?(?:facts?|memor(?:y|ies)|results?|observations?|entities)\"?"
    r"\s*[:=]\s*(?:\[\s*\]|\{\s*\}|null|none)?)[\s\W]*$"
)


def junk_reason(text: str) -> str:
    """Why nobody needs a text, as a sentence; empty if somebody may."""
    if reason := text_reason(text) or content_reason(text):
        return reason
    if _is_nothing(text):
        return EMPTY
    if _LASTING.search(text):
        return ""
    found = [_sentence_reason(one.strip()) for one in statements.iter_sentences(text)]
    return found[0] if found and all(found) else ""


def _sentence_reason(text: str) -> str:
    if _is_nothing(text):
        return EMPTY
    for pattern, reason in (
        (_TALK, SMALL_TALK),
        (_PASSING, PASSING),
        (_ABOUT_TALK, ABOUT_TALK),
        (_INSTRUCTIONS, INSTRUCTIONS),
        (_REFUSAL, REFUSAL),
    ):
        if pattern.match(text):
            return reason
    parts = [part for part in _CUT.split(text) if part.strip()]
    if parts and all(_FILLER.match(part) or _TALK.match(part) for part in parts):
        return SMALL_TALK
    return ""


def _is_nothing(text: str) -> bool:
    """Whether a text is a placeholder, or has no word that tells anything."""
    if _NOTHING.match(text) or sum(map(str.isalnum, text)) < LEAST_LETTERS:
        return True
    return not words.telling_terms(text) and len(text.split()) <= _SHORT_WORDS
