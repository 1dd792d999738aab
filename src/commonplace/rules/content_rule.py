"""Tell what was learned by doing from what a model knows and from what the repository says.

A note should say why something mattered here. Text that only defines well-known things, or that
only describes files and code, waits until a person wants it. The patterns are narrow: a text with
one sentence of its own, or one word about people, reasons, times or trouble, is let through.
"""

from __future__ import annotations

import re

from ..language import statements
from .write_policy import policy_applies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.memory import Memory

KNOWN_ANYWAY = "It reads like general knowledge, which a model has anyway."
IN_THE_REPOSITORY = "It reads like a description of files or code, which the repository shows."

_ENGAGED = re.compile(
    r"(?i)\b(?:we|our|ours|us|i|my|me|mine|users? (?:prefer|ask|want|like)\w*|the user|customers?"
    r"|clients?(?:'s)? (?:name|wants?|asked)|team\w*|colleagues?|here|this (?:project|repo\w*|team"
    r"|machine|customer)|prefer\w*|chose\w*|decid\w*|decision|agreed|because|since|so that|unless"
    r"|instead|until|must(?: not)?|never|always|don't|do not|should|careful|beware|avoid\w*"
    r"|forbidden|fail(?:s|ed|ing|ure)?|break(?:s|ing)?|broken?|bugs?|fix(?:ed|es)|wrong|slow|hang"
    r"|hangs|crash(?:es|ed)?|workaround|lacks?|ignores?|silently|by hand|turned off|switched off"
    r"|skipp?\w*"
    r"|forever|restart|no longer|any ?more|found (?:out|after)|learned|monday|tuesday|wednesday"
    r"|thursday|friday|january|february|march|april|june|july|august|september|october|november"
    r"|december|staging|production|20\d\d-\d\d)\b"
)
"""Words about people, reasons, times and trouble: somebody was there."""
_THINGS = (
    "(?:programming |query |command |markup |data serialization )?language|database(?: management)?"
    "(?: system)?|system|library|framework|platform|protocol|format|shell|tool|engine|store"
    "|theorem|law|algorithm|primitive|(?:data )?structure|collection|process|technique|field"
    "|branch|method|methodology|ability|practice|principle|pattern|paradigm|concept|style|function"
    "|variable|column|server|software|standard|specification|runtime|series|editor|utility"
)
_KNOWN = (
    "python|java|javascript|typescript|rust|go|golang|ruby|perl|php|swift|kotlin|scala|haskell|c"
    r"|c\+\+|c#|bash|zsh|html|css|json|yaml|toml|xml|sql|nosql|http|https|rest|grpc|graphql|oauth"
    r"(?: 2\.0)?|jwt|tcp|udp|tls|ssl|ssh|dns|websockets?|mqtt|git|github|gitlab|docker|kubernetes"
    "|podman|terraform|ansible|jenkins|linux|unix|posix|macos|windows|postgresql|postgres|mysql"
    "|mariadb|sqlite|redis|valkey|mongodb|cassandra|kafka|rabbitmq|elasticsearch|milvus|react|vue"
    "|angular|svelte|node(?:\\.js)?|deno|django|flask|fastapi|rails|spring|express|numpy|pandas"
    "|pytorch|tensorflow|pytest|jest|webpack|vite|npm|pnpm|yarn|pip|cargo|maven|gradle|make|cmake"
    "|nginx|apache|vim|emacs|markdown|latex|regex|unicode|utf-8|machine learning|deep learning"
    "|unit testing|sql injection|polymorphism|inheritance|recursion|photosynthesis|encryption"
)
_SAID = r"(?:[\w'-]+,? ){0,8}?"
_DEFINITION = re.compile(
    rf"(?i)^\W*(?:(?:an?|the) [\w -]{{2,40}}|(?:the )?(?:{_KNOWN})) (?:is|are)"
    rf" (?:an?|the|one of the) {_SAID}(?:{_THINGS})s?\b(?!'s)"
    rf"|^\W*[\w .]{{2,30}} stands? for\b"
    rf"|^\W*in (?:{_KNOWN}), [`\w]"
    r"|^\W*the `[\w.-]+` (?:command|keyword|operator|method|flag|statement) "
    r"|^\W*(?:the )?http (?:status code |(?:get|post|put|patch|delete|head) method)"
    r"|\b(?:theorem|law|principle) (?:states|says) that\b"
    r"|^\W*git [a-z-]+ [a-z]+s (?:\w+ ){1,4}(?:on|in|from|to|into|of)\b"
    r"|\bruns? in o\([^)]+\)"
)
_FILE = (
    r"(?:[\w-]+/)*[\w.-]*\.(?:py|pyi|js|jsx|ts|tsx|go|rs|rb|java|kt|c|h|cpp|cs|php|sh|sql|md|txt"
    r"|json|ya?ml|toml|lock|cfg|ini|html|css)\b|\.[\w/-]+\.ya?ml|[\w-]+/(?:[\w.-]+/)*"
    r"|README|Makefile|Dockerfile|CHANGELOG"
)
_NAME = r"(?:`[^`]+`|[A-Z][\w.]*|\w+_\w+|\w+\([\w, ]*\)|[a-z]+(?:/[a-z]+)+)"
"""A name as code has them."""
_PARTS = (
    "file|module|script|workflow|component|test|package|directory|folder|function|class|method"
    "|struct|interface|enum|constructor of|constant|model|trait|type"
)
_SHOWS = (
    "defines?|contains?|exports?|imports?|lists?|declares?|implements?|has|describes?|creates?"
    "|sets?|enables?|pins?|uses?|runs?|accepts?|covers?|compiles?|says that|takes?|returns?"
    r"|inherits?|opens?|calls?|is defined|is (?=\d)"
)
_DESCRIPTION = re.compile(
    rf"^[\s`*-]*(?:[Tt]he )?(?:(?:{_PARTS}) )?(?:{_FILE})`? (?:{_SHOWS})\b"
    rf"|^[\s*-]*[Tt]he (?:{_PARTS}) {_NAME}(?: (?:in|of)(?: class)? `?(?:{_FILE}|{_NAME})`?)?"
    rf" (?:{_SHOWS})\b"
    rf"|^[\s*-]*`[\w.()]+` (?:in|of) `?(?:{_FILE})`? (?:{_SHOWS})\b"
    rf"|^[\s*-]*[Tt]he (?:table \w+ has the columns|repository contains the (?:folders|files)"
    rf"|branch has \w+ commits|route [A-Z]+ /\S* is)\b"
    rf"|^[\s*-]*[Ll]ine \d+ of |^[\s*-]*[Tt]he last commit is "
)


def waiting_reason(memory: Memory) -> str:
    """Why an agent's text waits for a person, as a sentence; empty when it does not."""
    if memory.trust != "agent" or not policy_applies(memory):
        return ""
    return content_reason(memory.content)


def content_reason(text: str) -> str:
    """Why a text is not worth a note of its own, as a sentence; empty when it is."""
    if _ENGAGED.search(text):
        return ""
    reasons: set[str] = set()
    for sentence in statements.iter_sentences(text):
        if _DESCRIPTION.search(sentence):
            reasons.add(IN_THE_REPOSITORY)
        elif _DEFINITION.search(sentence):
            reasons.add(KNOWN_ANYWAY)
        else:
            return ""
    return KNOWN_ANYWAY if KNOWN_ANYWAY in reasons else next(iter(reasons), "")
