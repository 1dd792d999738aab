"""The phrases by which a recap knows greetings, requests, decisions, results and open ends.

English is read best; of German, French, Spanish, Chinese and Japanese the commonest phrases are.
"""

from __future__ import annotations

import re

from ...language.vocabulary import ENGLISH_NUMBERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(f"(?i:{'|'.join(patterns)})")


def _words(spaced: Iterable[str], unspaced: str = "") -> re.Pattern[str]:
    """Any of these phrases as whole words, or one of a script without spaces."""
    either = rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)"
    return _any(either, unspaced) if unspaced else _any(either)


LEAD = _any(
    r"(?:hi|hey|hello|hallo|hola|salut|bonjour|moin|servus|good (?:morning|evening|afternoon)"
    r"|guten (?:morgen|tag|abend)|buenos días|morning|evening)(?: (?:there|again|everyone|all))?"
    r"(?:[!,.:)…—–-]+\s*|\s+(?=\w))",
    r"(?:(?:hm+|uh|oh|ah) )?(?:ok(?:ay)?|k|great|good|nice|cool|perfect|fine|right"
    r"|sure(?: thing)?|alright|thanks"
    r"|thank you|wow|ah+|oh|hm+|well|yes|yeah|yep|no|nope|nah|sorry|wait|understood|got it|done"
    r"|ja|nein|gut|klar|super|alles klar|in ordnung|oui|non|d'accord|sí|vale|perfecto|perdón"
    r"|wonderful|awesome|lovely|ugh|lgtm|scratch that|on second thou?ght)"
    r"(?:[,.!:;…—–]+\s*|\s+[—–-]\s+)",
    r"(?:ok(?:ay)?|so|and|but|well|hm+|oh|ah+|then|also|now|und|aber|also|dann|et|mais|y|pero"
    r"|wait|right|fine|cool|actually|eigentlich|en fait|en realidad)\s+(?:then\s+|now\s+)?(?=\w)",
    r"(?:actually|in fact|next|also|then|now|besides|instead|well|eigentlich|tatsächlich|en fait)"
    r"[,:]\s*",
    r"(?:你好|您好|好的|不对|不是|对|明白了?|嗯|はい|いいえ|こんにちは)[，,。！!、：:]\s*",
)
"""Opens a sentence and says nothing of its matter."""
CHITCHAT = _any(
    r"(?:hi|hey|hello|hallo|hola|¡hola|salut|bonjour|moin|servus|morning|bye|ciao|tschüss|cheers)\b"
    r"\W*(?:there|again|everyone|all|and thanks)?\W*$",
    r"¡?(?:good|guten|buen\w*) (?:morning|evening|afternoon|night|day|morgen|tag|abend|días|tardes)"
    r"\b\W*$",
    r"(?:thanks?|thank you|thx|danke|merci|gracias|¡?muchas gracias)\b.{0,40}$",
    r"(?:i hope|hope) (?:you|this|all|everything)\b",
    r"how are you|nice to|great to|good to see|have a (?:good|great|nice|wonderful|safe)",
    r"(?:you're|you are) (?:very )?welcome|no problem\W*$|my pleasure|glad (?:i|that|it|to)"
    r"|happy to help|de nada|gern geschehen|keine ursache|de rien|avec plaisir",
    r"(?:please )?(?:let me know|tell me|feel free|just ask|sag bescheid|melde dich|dime)\b",
    r"(?:how|what) can i (?:do|help)|(?:is there )?anything else|need anything else"
    r"|(?:kann|soll) ich (?:sonst )?noch|¿?(?:algo más|en qué puedo)",
    r"i(?:'m| am) (?:so )?(?:sorry|glad|happy)\b|great (?:question|choice|work|job|idea)"
    r"|good (?:question|choice|point|catch|idea)|that(?:'s| is) (?:a )?(?:great|good|lovely|nice)\b"
    r"|(?:that )?makes sense\W*$|sounds good\W*$",
    r"(?:got to|gotta|have to|need to) (?:run|go|leave)\b|see you|until tomorrow|bis morgen",
    r"(?:(?:so |very |i'm |my )*(?:sorry|apologies)|congrats|congratulations|well done|noted"
    r"|understood|got it|will do|of course|certainly|sure thing|entschuldigung|glückwunsch|perdón"
    r"|désolée?|félicitations|felicidades)(?: (?:again|to you(?: both| all)?"
    r"|(?:about|for) (?:that|this|the (?:confusion|mistake|trouble|mix-up|inconvenience))))?\W*$",
    r"你好|您好|谢谢|不客气|再见|ありがとう|こんにちは|どういたしまして",
)
"""Is not about the matter at all."""
MANNER = _any(
    r"\b(?:keep|make) (?:your |the |all )?(?:answers?|repl(?:y|ies)|responses?|explanations?"
    r"|summar(?:y|ies)) \w+",
    r"\bstop (?:using|adding|apologi[sz]ing|explaining|asking|writing|saying|repeating|putting)\b",
    r"\b(?:answer|reply|respond|write|speak|talk)(?: to)?(?: me)?(?: only)?(?: always)? in"
    r" (?:plain |simple |british |american )?(?:english|german|french|spanish|italian|portuguese"
    r"|dutch|danish|swedish|norwegian|polish|chinese|japanese|korean)\b",
    r"\bfrom now on\b|\bin (?:the )?future\b|\bab jetzt\b|\bvon jetzt an\b|\bin zukunft\b"
    r"|\bauf (?:deutsch|englisch|französisch|spanisch) (?:antworten|schreiben)\b"
    r"|\bà partir de maintenant\b|\bdésormais\b|\ba partir de ahora\b|以后请|今后|今後",
)
"""Says how the agent is to work at all times, and is no piece of work."""
CHORE = _any(
    r"\bi(?:'ve| have|'ll| will|'m| am)? ?(?:have to|need to|must|got to|gotta|should|going to"
    r"|off to|be)\b.{0,40}\b(?:kids?|children|son|daughter|wife|husband|mother|father|mom|mum|dad"
    r"|parents|dog|cat|baby|bus|train|tram|flight|plane|dinner|lunch|breakfast|supper|dentist"
    r"|doctor|gym|groceries|shopping|laundry|school|kindergarten|day ?care|bed|home|nap|break"
    r"|coffee|toilet|door(?:bell)?)\b",
    r"\bich muss\b.{0,40}\b(?:kinder|kind|hund|bus|bahn|zug|essen|einkaufen|arzt|schule|kita|bett"
    r"|hause|los|weg)\b",
    r"\bje dois\b.{0,40}\b(?:enfants|chien|bus|train|courses|école|dîner|partir)\b"
    r"|\btengo que\b.{0,40}\b(?:niños|perro|bus|tren|compra|cenar|comer|irme)\b",
)
"""Says what the user has to do in life, often as the reason to stop."""

REQUEST = _any(
    r"(?:can|could|would|will) (?:you|we|i)\b|please\b|pls\b|help me\b|i (?:need|want|would like)\b"
    r"|i'd like\b|we (?:need|want|have) to\b|we need\b|let's\b|today i\b|i'm trying\b",
    r"(?:kannst|könntest|können|würdest) (?:du|sie|wir)\b|bitte\b|ich (?:brauche|möchte|will)\b"
    r"|hilf mir\b",
    r"(?:peux-tu|pouvez-vous|pourrais-tu|aide-moi|s'il te plaît|je (?:veux|voudrais))\b"
    r"|j'ai besoin\b",
    r"¿?(?:puedes|podrías|me ayudas|ayúdame|necesito|quiero|quisiera|por favor)\b",
    r"请|帮我|帮忙|我想|需要|してください|ください|したい|お願い",
)
"""Asks for something, beside plain questions and imperatives."""
FURTHER = _any(
    r"(?:and |ok(?:ay)?,? |great[,!.]? )*(?:(?:now|also|then|after that|while you're at it)\b[,:]?"
    r"|(?:next|another thing|one more(?: thing)?|besides|secondly?|finally|lastly)[,:])\s",
    r"(?:and )?(?:can|could|would) you (?:also|please|now|then)\b",
    r"(?:jetzt|als nächstes|außerdem|danach|ensuite|maintenant|aussi|ahora|además|luego)\b[,:]?\s",
    r"(?:接下来|然后|另外|还有|次に|それから|あと)[，,、]?",
)
"""Opens a further request of the user's."""
ORDERS_WORK = _any(
    r"(?:(?:can|could|would|will) you|please|pls|help me|i(?:'d| would) like you to|i need you to"
    r"|i want you to)(?: please| also| now| then)* (?:make|write|draft|build|create|plan|prepare"
    r"|find|compare|check|fix|add|move|update|review|translate|summari[sz]e|set up|design|test"
    r"|look (?:up|into|for)|help|explain|calculate|turn|rewrite|list|organi[sz]e|book|quiz)\b",
    r"(?:kannst|könntest) du\b.{3,}|(?:peux-tu|pourrais-tu)\b.{3,}|¿?(?:puedes|podrías)\b.{3,}",
)
"""Opens an order for a piece of work."""
NEW_MATTER = _any(
    r"(?:ok(?:ay)?,? )?(?:next[.,:!]|what else\b|(?:and )?then the\b|oh,? and\b|and the\b"
    r"|one more thing\b|another thing\b|(?:on )?(?:to )?(?:a|another|something) (?:different|else)"
    r"|different (?:topic|matter)\b|by the way\b|we (?:also )?talked about\b|i still have to\b)",
    r"(?:dann|und) (?:noch|der|die|das)\b|übrigens\b|au fait\b|por cierto\b|另外|ところで",
)
"""The user goes on to something else."""
EXPLAIN = _words(
    ("explain", "tell me", "show me", "describe", "erklär\\w*", "expliqu\\w*", "explica\\w*"),
    "解释|説明",
)  # fmt: skip
ASKS_TO_KNOW = _any(
    r"(?:how|what|which|why|where|who|when|is|are|does|do|did|was|were|should|has|have)\b",
    r"(?:wie|was|welche\w*|warum|wieso|wo|wer|wann|comment|pourquoi|qui|où|quand|¿)",
)
"""A question that an answer settles, without any work."""

_NOT_YET = (
    r"(?:see|look|think|talk|discuss|wait|check|try|start|begin|find|hope|say|imagine|go through"
    r"|go on|go ahead|continue|move on|carry on|keep going|proceed|resume"
    r"|get (?:going|started|back)|take a (?:break|look)|stop (?:here|for)|wrap up"
    r"|call it a day|run|debug|finish|test)"
)
DECISION = _any(
    rf"let(?:'s| us) (?!{_NOT_YET}\b)",
    r"(?:then )?we(?:'ll| will| shall|'re going to| are going to)"
    r" (?!see|look|need|have to|talk|find)",
    r"(?:then )?we (?:only |just |now |always |never )?(?:keep|stay|stick|use|take|go"
    r"|exclude|include"
    r"|drop|skip|leave|move|switch|standardi[sz]e|support|do it|do not|don't|won't|should use)\b",
    r"(?:we|i|they)(?:'ve| have)? (?:decided|agreed|settled|chose|chosen|picked|opted)\b",
    r"(?:the )?decision(?: is)?:|decided:|agreed:|final answer:",
    r"(?:i(?:'ll| will|'d)|we'd) (?:take|go (?:with|for)|pick|choose|rather|prefer)\b",
    r"(?:go|going|went|stick|sticking|stay|staying) (?:with|for|to)\b",
    r"make (?:it|that|the|them|this)\b|keep (?:it|the|that|this|them)\b|use\b|set (?:it|the)\b"
    r"|drop the\b|skip the\b|leave the\b|call it\b|name it\b",
    r"(?:wir (?:haben )?(?:beschlossen|entschieden|nehmen|bleiben|machen|behalten|verwenden|nutzen)"
    r"|lass(?:t)? uns|ich nehme|nehmen wir|machen wir|bleiben wir)\b",
    r"(?:on (?:va|garde|prend|reste|utilise|a décidé)|nous avons décidé|prenons|gardons"
    r"|je prends)\b",
    r"(?:vamos a|vamos con|hemos decidido|decidimos|nos quedamos|usaremos|usamos|elijo|prefiero)\b",
    r"我们?决定|就用|就这样|改成|我们用|用.{1,12}吧|选|に決め|にします|にしよう|で行き",
)
"""Opens a decision."""
RULED_OUT = _any(
    r"no (?!(?:need|idea|problem|worries|rush|luck|clue|way|one|thanks|thank|matter|wonder|doubt"
    r"|hurry|longer|more|it|that|this|i|we|you|he|she|they|but|not|just|because|nothing|let)\b)"
    r"[a-z][\w-]+\b",
    r"kein(?:e|en)? \w+|pas de \w+|sin \w+",
)
"""Opens with what is not wanted: `no dessert with nuts`."""
LIMITED = _any(
    r"\b(?:at most|at least|no more than|not more than|max(?:imum)?(?: of)?|up to|exactly"
    r"|höchstens|mindestens|au plus|au moins|como máximo)"
    rf" (?:\d|(?:{'|'.join(ENGLISH_NUMBERS.split()[1:])})\b)",
)
"""Sets a limit."""
ASSIGNED = re.compile(
    r"(?!(?:I|We|You)\b)(?:[A-ZÀ-Þ]\w+(?: and [A-ZÀ-Þ]\w+)?)(?: will|'ll)?"
    r" (?:collects?|takes?|brings?|handles?|pays?|organi[sz]es?|cooks?|drives?|owns?|leads?"
    r"|looks? after|takes? over|writes?|buys?|orders?|prepares?|hosts?|keeps?|plays?)"
    r" (?:care of |the|our|all|it\b|this\b|that\b|both|over)"
)
"""Says who does what: `Ines collects the money`."""
INSTRUCTION = _any(
    r"(?:please )?(?:include|exclude|limit|cap|round|turn (?:off|on)|switch|raise|lower|increase"
    r"|reduce|sort|group|split|start with|begin with|ignore|hide|mark|pin|block|allow|widen|narrow"
    r"|extend|shorten|tighten|store|log|encrypt|disable|enable) (?!me\b)\w",
    r"(?:bitte )?nimm\b",
)
"""Tells the agent how something is to be."""
ACTION = _any(
    r"(?:please )?(?:delete|remove|roll back|revert|add|rename|move|put|merge|order|invite|cancel"
    r"|change|replace|show|fix|ask|tell|send|deploy|upgrade|downgrade|write|create|update"
    r"|install|run|test|check|build|draft|make (?:a|an|the)) (?!me\b)\w",
    r"(?:bitte )?(?:lösche|ändere|streich\w*|füge|schreib\w*)\b|(?:ajoute|retire|mets|enlève)\b"
    r"|(?:añade|quita|pon|cambia|borra)\b|请?(?:删除|添加|改为|去掉)",
)
"""Tells the agent to do one thing, which decides nothing for later."""
AFFIRMS = _any(r"(?:yes|yeah|yep|yup|ja|oui|sí|genau|exactly)[,.!:]? \w", r"对[，,]|はい[、,]")
GRADED = _any(r"(?:correct|that(?:'s| is) (?:correct|right)|richtig|wrong|not quite|no, \w+:)")
"""The agent marks an answer."""
TAKES_BACK = re.compile(
    r"(?i)(?:(?:ok(?:ay)?|oh|well|sorry|please|hm+|argh|ah+)[,.!…]* )*"
    r"(?:(?:no+|nope|nah|wait|hang on|hold on|actually|on second thoughts?|rather|better)[,.!…]* )+"
    r"(?:(?:we|let's|i'd|i) )?(?:should )?(?:keep|leave|restore|retain|bring back|undo|revert|put) "
    r"(?:it|that|them|this|those|things)\b"
    r"|(?:(?:ok(?:ay)?|oh|sorry|hm+)[,.!…]* )*(?:(?:please )?(?:undo|revert|scratch|scrap|cancel) "
    r"(?:that|it|this)\b|i(?:'ve| have)? changed my mind\b)"
)
"""Takes back what the user decided just before."""
INSTEAD = _words(
    (
        "instead", "scratch that", "on second thou?ght", "changed my mind", "rather", "after all",
        "(?:then|no|nope|nah|wait),? let's", "then we(?:'ll)?", "stattdessen", "doch lieber",
        "plutôt", "finalement", "mejor", "en vez de eso", "al final",
    ),
    "改成|还是|やっぱり",
)  # fmt: skip
"""Takes an earlier choice back."""
ACCEPTED = _any(
    r"(?:yes|yeah|yep|yup|ok(?:ay)?|sure|agreed|perfect|great|good|right|fine)?[,.! ]*"
    r"(?:please )?(?:do (?:that|it|so|this)|go ahead|go for it|let's do (?:that|it|this)"
    r"|sounds good|make it so|that works|works for me|agreed|yes please|i agree|do both"
    r"|both please)\b",
    r"(?:yes|yep|yeah|agreed|exactly|absolutely|deal)\W*$|yes please",
    r"(?:ja,? )?(?:mach das|machen wir so|einverstanden|gerne|ja bitte)\b|ja\W*$",
    r"(?:oui,? )?(?:d'accord|vas-y|fais ça|parfait)\b|(?:sí,? )?(?:hazlo|de acuerdo|adelante)\b",
    r"好的?[，,。!！]?$|可以[，,。!！]?$|就这么办|同意|はい、?お願い|それでお願い",
)
"""Accepts what was just proposed."""
PROPOSAL = _words(
    (
        "i(?:'d| would) (?:suggest|propose|recommend|use|go|take|raise|put|keep|add|look|start)",
        "i (?:suggest|propose|recommend|could|can|might)(?! not)", "we (?:could|might|should)",
        "my (?:suggestion|proposal|recommendation)", "how about", "what about", "shall i",
        "should i", "would you like", "do you want", "an? (?:option|alternative)", "either",
        "there are (?:two|three|several) (?:ways|options)", "for the \\w+ i'd",
        "ich (?:würde|könnte|schlage)", "wir könnten", "je (?:propose|suggère)", "on pourrait",
        "propongo", "sugiero", "podríamos", "podemos",
    ),
    "建议|可以考虑|提案|いかがでしょう",
)  # fmt: skip
"""Proposes, and has done nothing yet."""
GUESS = _words(
    (
        "i (?:think|guess|suspect|assume|believe|thought)", "(?:my|first|best) guess",
        "probably", "perhaps", "maybe it",
        "(?:it|that|this) (?:might|may|could|can|is|'s) (?:often|usually|mostly|sometimes|be)",
        "that is (?:often|usually)", "usual causes?", "seems to be", "looks like",
        "vermutlich", "ich glaube",
        "wahrscheinlich", "je pense", "peut-être", "creo que", "quizás", "probablemente",
    ),
    "可能是|大概|たぶん|おそらく",
)  # fmt: skip

SUCCESS = _words(
    (
        "works?(?: now| fine| again| perfectly)?", "working(?: now| again)", "pass(?:es|ed)?",
        "green", "fixed", "solved", "resolved", "merged", "deployed", "published", "released",
        "tagged", "shipped", "(?<!half )(?<!half-)done", "finished", "completed?",
        "implemented", "ready", "no errors?",
        "went (?:through|from|down|up|live)", "runs?(?: as| on| at| in| without| fine)", "is live",
        "succeeded", "successful(?:ly)?", "booked", "submitted", "identical", "matches",
        "confirmed", "valid (?:until|till|through)", "back to (?:normal|\\d)", "recovered",
        "(?:it|that|everything) (?:now )?(?:starts|runs)(?: now| again)?", "runs again",
        "here(?:'s| is| are)(?= (?:the|your|a|an|our|all|today's)\\b)",
        "this is the (?:final|finished|complete)",
        "final version", "now says", "behoben", "gelöst", "erledigt", "fertig", "funktioniert",
        "läuft", "bestanden", "geklappt", "abgeschlossen", "hier (?:ist|sind)", "terminée?s?",
        "résolue?s?", "corrigée?s?", "fonctionne", "voici", "prête?s?", "publiée?s?", "envoyée?s?",
        "funciona", "resuelto", "terminado", "listo", "lista", "publicado", "enviado", "hecho",
        "aquí (?:está|tienes)", "est[ea] es (?:el|la)", "solucionado",
    ),
    "完成|成功|搞定|修好|通过|没有错误|已经|完了|できました|動きました|直しました",
)  # fmt: skip
"""Says that something works or is done."""
WORK_DONE = _any(
    r"(?:\w+[,:]? )?(?:i(?:'ve| have)?|we(?:'ve| have)?) (?:just |also |now )?(?:\w+ed|set|wrote"
    r"|rewrote|made|put|built|ran|found|split|sent|chose|took|written)\b",
    r"ich habe\b|j'ai\b|he \w+[ai]do\b|我.{0,4}了|しました",
)
"""Opens a sentence on what the agent did."""
NAMES_THE_OLD = _words(("replac\\w+ .{1,60} (?:with|by)", "(?:from|instead of) .{1,60} to"))
"""Says what was there before as well."""
PROGRESS = _words(
    (
        "i(?:'ve| have)? (?:just )?(?:added|changed|wrote|written|moved|put|updated|created"
        "|replaced"
        "|set|removed|renamed|rewrote|made|pushed|ran|found|corrected|built|installed|configured"
        "|reverted|adjusted|saved|noted|prepared|drafted|switched|cleaned|split|extracted)",
        "is now", "are now", "now", "added", "removed", "renamed", "reverted", "changed",
        "ich habe", "jetzt", "j'ai", "maintenant", "he \\w+[ai]do", "ahora", "cambio",
    ),
    "改成|添加了|修改了|しました",
)  # fmt: skip
"""Says what the agent did."""
FAILURE = _words(
    (
        "(?:could|can|would|does|did|do|was|is|were)(?:n['’]t| not) (?:\\w+ )?(?:work|make|get|find"
        "|fix|solve|help|possible|able|reproduce|run|build|start|connect)\\w*", "cannot", "can't",
        "still (?:fails?|failing|crash(?:es|ing)?|broken|dies|red|wrong|happens|slow|not)",
        "(?:it )?(?:crashed|failed|died|broke) again", "no luck", "unable to", "gave up",
        "not possible", "out of ideas", "geht (?:immer noch |leider )?nicht", "klappt nicht",
        "funktioniert (?:immer noch |leider )?nicht", "fehlgeschlagen",
        "ne (?:marche|fonctionne) pas",
        "échoué", "no funciona", "no se puede", "no pude", "ha fallado",
    ),
    "失败|无法|不行|还是报错|失敗|できませんでした|動きません",
)  # fmt: skip
_IS_THE_CAUSE = r"(?:reason|cause|culprit|problem|bug|trouble)"
FOUND_CAUSE = _any(
    rf"\b(?:real|root|actual) {_IS_THE_CAUSE}\b"
    rf"|\bthe (?:only )?{_IS_THE_CAUSE} (?:is|was|lies|were)\b|\b(?:is|was|were) the (?:real "
    rf"|actual )?"
    rf"{_IS_THE_CAUSE}\b|\bturn(?:s|ed) out\b"
    r"|\bwhich (?:made|makes|caused|causes|broke|breaks|led to)\b|\bcaused by\b|\b(?:is"
    r"|was) to blame\b",
    r"^(?:it|that|this) was (?:just |only |actually |really |simply |all )?(?:the|our|my|your)"
    r" (?!first|last|same|only|other|right|usual|most|\w+est\b)",
    r"^there(?:'s| is| was) (?:your|our) \w",
    r"\bdie ursache\b|\bder grund (?:ist|war)\b|\b(?:lag|liegt) (?:am|an|daran)\b"
    r"|\bla cause (?:est|était)\b|\bc'était (?:le|la|les|un|une)\b|\bvenait (?:de|du)\b"
    r"|\bla causa (?:es|era|fue)\b|\bera (?:el|la|por)\b|\bel problema era\b",
    r"原因是|是因为|原因は|が原因",
)
"""Names the cause of a trouble."""
POINTS_TO_CAUSE = _any(
    r"(?:that|this|which)(?:'s| is| was|,? in turn, is)? (?:why|explains|the reason|what caused)\b",
    r"(?:deshalb|daher|darum) \w|c'est pourquoi\b|por eso\b",
)
"""Says that the sentence before is the cause."""
ASKS_WHY = _any(
    r"^(?:and |so |but )?(?:why|how come|what happened|what went wrong)\b|\broot cause\b"
    r"|\bwhat(?:'s| is| was) (?:the )?(?:cause|reason|problem|issue|wrong)\b"
    r"|\b(?:check|see|find out|figure out|explain|tell me|look into|understand)(?: \w+)? why\b"
    r"|^(?:und )?(?:warum|wieso|weshalb|woran)\b|^pourquoi\b|^¿?por qué\b|为什么|なぜ|どうして",
)
TROUBLE = _words(
    (
        "(?:does|did|do|would|will|could|can|is|was)(?:n['’]t| not)", "won't", "can't", "fail\\w*",
        "broken?", "errors?", "wrong", "hangs?", "stuck", "missing", "problem", "trouble",
        "crash\\w*", "leak\\w*", "dead", "nothing", "geht nicht", "kaputt", "fehler", "panne",
        "en panne", "marche pas", "roto", "no funciona",
    ),
    "坏|错|不行|失败|壊れ|動かない",
)  # fmt: skip
"""Tells of a trouble."""
AT_LAST = _words(
    ("now", "finally", "at last", "again", "in the end", "endlich", "jetzt", "enfin", "por fin"),
    "终于|やっと",
)  # fmt: skip
"""A trouble is over."""
CALLS_WRONG = _any(
    r"(?:that|this|it)(?: \w+)? (?:is|was) (?:wrong|false|not (?:true|right|correct)"
    r"|a (?:myth|common (?:mistake|error)))"
)
NO_LONGER = _any(
    r"(?:not (?:any ?more|since)|no longer|nicht mehr|plus maintenant|ya no|non più|não mais"
    r"|niet meer)\b"
)
"""Says that an answer holds no longer."""
CAUSE = _words(
    (
        "(?:real|root|actual) (?:cause|reason|problem|issue)", "the (?:cause|culprit|reason|problem"
        "|bug|issue) (?:is|was|lies)", "turn(?:s|ed) out", "(?:was|were|is|are) caused by",
        "because", "due to", "for another reason", "die ursache", "der grund",
        "liegt (?:am|an|daran)",
        "weil", "la cause", "parce que", "la causa", "porque", "se debe",
    ),
    "原因|因为|原因は|ため",
)  # fmt: skip
ABANDONED = _any(
    r"(?:forget|drop|scrap|leave|park|cancel|abandon) (?:it|this|that|the whole (?:thing|idea))\b"
    r"|never ?mind\b(?!.*\bafter all\b)(?!, (?:just )?(?:do|run|use|keep|go|try)\b)"
    r"|(?:let's|we(?:'ll)?|i(?:'ll)?) (?:give up|drop|leave it|stop trying|abandon"
    r"|call it off|not do)\b|(?:it(?:'s| is) )?not worth (?:it|the)\b|call it off\b|giving up\b"
    r"|vergiss es\b|lassen wir(?: es| das)\b|wir geben auf\b|laisse tomber\b|on abandonne\b"
    r"|déjalo\b|olvídalo\b|算了|放弃|やめましょう|諦め",
)
"""The user gives the matter up."""

NOT_NEEDED = _words(
    (
        "no longer (?:needed|wanted|necessary)", "not (?:needed|wanted|necessary) any ?more",
        "(?:don't|do not|doesn't|does not) (?:need|want) .{1,60} any ?more", "obsolete",
        "brauchen wir nicht mehr", "nicht mehr nötig", "plus nécessaire", "ya no (?:hace falta|es)",
    ),
    "不需要了|もう必要",
)  # fmt: skip
"""Says that something is not to be done any more."""

_LEFT_NAMES = (
    r"next(?: steps?| up)?|remaining|to[- ]?dos?|left(?: to do)?|still (?:open|to do|missing)"
    r"|follow[- ]?ups?|outstanding|pending|open (?:points?|questions?|items?|ends?)|open|blocked"
    r"|(?:noch )?offen|nächste schritte|nächster schritt|prochaines? étapes?|reste à faire"
    r"|pendientes?|próximos? pasos?|falta"
)
NEXT_STEP = _any(
    rf"\W{{0,2}}(?:{_LEFT_NAMES})\W{{0,2}}(?:\s*:|\s[—–-])\W{{0,2}}\s*(?=\w)",
    r"(?:下一步|次は)[：:，、]",
)
"""Opens what the agent says is to be done next."""
LEFT_FIRST = re.compile(
    rf"(?i)^(?:.{{0,60}}?[,;.!] )?(?:(?:what(?:'s| is) |and |only |that )?(?:{_LEFT_NAMES})"
    r"(?: (?:for|is|are)\b[^:]{0,20})?:|.{0,40}?\b(?:still|we|i) (?P<duty>have|need) to\b)"
    r"\s*(?P<rest>\S.+)$"
)
"""Words that announce open work, with the work after them: `Still missing: …`, `we have to …`."""
PUT_OFF = re.compile(
    r"(?i)let(?:'s| us) \w+ (?:with |at )?(?:that|this|it|those|the rest)\b.{0,30}"
    r"\b(?:next (?:time|week|month|session)|tomorrow|later|another (?:time|day))\b"
)
"""Puts off what another sentence names."""
LEFT_BELOW = _any(
    rf"^\W*(?:{_LEFT_NAMES})\W*$",
    r"\b(?:what(?:'s| is| remains| else)? ?(?:left|next|missing|open)|next steps|still to do"
    r"|remains?"
    r"|not (?:yet )?done|left (?:to do|open)|open points|to do)\b",
    r"\bfor (?:tomorrow|the morning|next|later|monday|the next|you to)\b",
    r"下一步|待办|剩下|次のステップ|残り",
)
"""Heads a list of what is left."""
DONE_BELOW = _any(
    r"\b(?:summary|done|changes|changed|results?|completed|finished|what i did|implemented|fixed"
    r"|erledigt|ergebnis|zusammenfassung|résumé|terminé|resumen|hecho)\b|完成|总结|まとめ",
)
"""Heads a list of what was done."""
PLAN_BELOW = _any(
    r"\b(?:plan|options?|ideas?|approach|proposal|questions?|suggestions?|steps|causes?|ways"
    r"|alternatives?|vorschläge|möglichkeiten)\b|方案|计划|案"
)
"""Heads a list of what could be done."""

_NO_STATE = r"(?! be (?!\w+(?:ed|en|wn|ne|ilt|ught|old)\b|set|run|sent|put|cut|made|read|rid)\w)"
"""Not `has to be distroless`, which says how a thing must be, and not what is left to do."""
OPEN = _words(
    (
        "todo", "to-do", "to do", "still (?:missing|open|need|needs|needed|have|has|to|must|pending"
        "|want|waiting)", "(?:is|are|was|were|has|have) (?:still )?not(?: been)? \\w+ yet",
        "not yet",
        "yet to", "missing", "remain(?:s|ing)?", "(?:is|are|one thing|things?|what(?:'s| is)) left",
        "left to do", "leftover", "later", "tomorrow", "next (?:week|month|year|quarter|time|steps?"
        "|sprint|session|monday|tuesday|wednesday|thursday|friday)", "pending",
        "waiting (?:for|on)",
        "blocked (?:by|on|until)", "until \\w+day", "follow[- ]up",
        "open (?:question|point|issue)s?",
        f"(?:(?:has|have) to(?! say)|needs? to){_NO_STATE}",
        "someone should", "we should (?:also|still)",
        "don't forget", "remind me", "not today", "undecided", "unresolved", "to be decided", "tbd",
        "maybe (?:next|later|tomorrow)", "(?:has|have) to wait", "stuck (?:until|on)",
        "\\w+n['’]t .{2,40} yet",
        "(?:unclear|unknown|not (?:clear|sure)) (?:yet )?(?:whether|if|who|when)",
        "(?:nobody|no one|don't|do not|doesn't) knows? (?:yet )?(?:whether|if|when|who|which)",
        "once .{3,60}, (?:start|we|i|you|run|try|do|then|begin)", "(?:thing|things|left) to check",
        "(?:the )?next (?:step|thing) (?:is|would be)", "i(?:'ll| will) .{3,80} next",
        "keep .{1,30} open", "offen",
        "noch (?:nicht|zu|offen|einrichten|machen)?", "fehlt", "später", "morgen", "müssen wir",
        "nächste (?:woche|mal)", "reste(?:nt)?", "il faut", "demain", "pas encore", "plus tard",
        "à faire", "todavía", "falta[n]?", "pendiente", "mañana", "tenemos que", "queda[n]?",
        "hay que",
    ),
    "还没|尚未|待办|明天|下周|以后再|再说|剩下|まだ|明日|来週|後で|残って|未定",
)  # fmt: skip
"""Says that something is left."""
NOTHING_LEFT = _words(("nothing", "no open", "nichts", "rien", "nada"), "没有剩")
ANNOUNCED = _any(
    r"i(?:'ll| will| am going to|'m going to) (?!be (?:back|fine|right)|see|let you|keep|do that)",
    r"we(?:'ll| will) (?:see|talk|continue|look|decide|check|meet)\b",
    r"ich (?:werde|mache|schicke|frage|kümmere)\b|je (?:vais|ferai)\b|voy a\b|lo haré\b"
    r"|我会|します$",
)
"""The user announces something that happens after the session."""

CORRECTS = _any(
    r"(?:(?:hm+|uh|oh|ah)[, ]+)?"
    r"(?:no+|nope|nah|nein|non|not quite|not exactly|wrong|incorrect|falsch|faux)"
    r"(?:[,.!:;—–]|\s[—–-]|\s*$)",
    r"(?:sorry|oops|wait|hm+,? wait|my (?:bad|mistake)|correction|close)\b",
    r"(?:actually|in fact|eigentlich|tatsächlich|en fait|en realidad)\b",
    r"(?:that|this|it)(?:'s| is| was) (?:not (?:right|correct|true|what)|wrong|incorrect|outdated)",
    r"(?:i|we) (?:meant|said|mixed|told|misspoke|misread)\b|it should be\b|should (?:be|read)\b"
    r"|it (?:has to|must|needs to) be\b",
    r"(?:das|es) (?:stimmt nicht|ist falsch)|ich meinte|c'est faux|je voulais dire|no, "
    r"|quise decir",
    r"不对|不是|错了|应该是|我说的是|いいえ|違い?ます?|ではなく",
)
"""Opens a correction of what was said before."""
OBJECTS = _any(
    r"(?:that|this|it) (?:can(?:'t|not)|isn't|is not|doesn't|does not|makes no|won't|wasn't)\b"
    r"|i (?:just |already )?(?:said|told)\b|you should(?:n't| not)? have\b"
    r"|das (?:kann|ist|stimmt)\b|acabo de decir\b"
)
"""Objects, and does not say what holds instead."""
CONCEDED = _any(
    r"(?:ah|oh|yes|ok)?[,. ]*(?:you(?:'re| are) (?:absolutely |quite )?right|good catch"
    r"|my (?:mistake|bad|apologies)|i stand corrected|(?:i )?apologi[sz]e|sorry\b(?! to hear"
    r"| for you)|thanks for (?:the"
    r" correction|catching|correcting|clarifying|the clarification)|right, my)",
    r"du hast recht|sie haben recht|entschuldigung|tut mir leid|mein fehler|tu as raison|désolée?"
    r"|pardon|tienes razón|perdón|lo siento|抱歉|对不起|你说得对|失礼|申し訳|すみません",
)
"""The agent admits that the user's turn before corrected it."""
FRAGMENT = _any(
    r"(?:let['’]?s|we(?:['’]ll| will)?) do (?:it|that|this|them)\b(?P<done>.*)$",
    r"(?:set|make|put|leave|keep) (?:it|that|this|them)\b(?P<made>.*)$",
    r"(?:i |we )?meant\b(?P<meant>.*)$",
)
"""Points at what was said before; without many more words it says nothing later."""
