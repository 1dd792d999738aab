"""Every word list of the project, once.

This file holds the lists that every recall needs: stop words, the calendar and the cues of
questions. `statements` holds those that only saves need: opposites, negations, numbers, subjects
and values. Phrases with grammar are regular expressions and stay with their rule.
"""

from __future__ import annotations

# Stop words

_ENGLISH = """
a about after again all also am an and any are aren't as at be because been before being both but
by can can't cannot could couldn't did didn't do does doesn't doing don't down during each else
ever few for from further get gets got had hadn't has hasn't have haven't having he he's her here
hers herself him himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself
just let let's like me might more most must my myself no nor not now of off on once one only or
other our ours ourselves out over own please same shall she she's should shouldn't so some such
tell than that that's the their theirs them themselves then there there's these they they're this
those through to too under until up upon us very was wasn't we we're were weren't what what's when
where which while who who's whom whose why will with won't would wouldn't yes you you'd you'll
you're you've your yours yourself yourselves
"""
_GERMAN = """
aber als am an auch auf aus bei bin bis bist da damit dann das dass dein dem den der des dich
diese diesem diesen dieser dieses dir doch du durch ein eine einem einen einer eines er es
euch haben habe hatte ich ihm ihn ihr ihre im in ins ist ja kann kein keine konnen mein
meine mich mir mit muss nach nicht noch nur ob oder ohne schon sein seine sich sie sind so soll
uber um und uns unser unter vom von vor wann waren warum was weil welche welchem welchen
welcher welches wenn wer werden wie wieder wir wird wo wurde zu zum zur
"""
_FRENCH = """
au aux avec ce ces cette dans de des du elle elles en est et eux il ils je la le les leur leurs lui
ma mais me mes moi mon ne nos notre nous ou par pas qu que quel quelle quels quelles qui sa
ses sont sur ta te tes toi ton tu un une vos votre vous etait etre
"""
_SPANISH = """
al como con cual cuando de del donde el ella ellas ellos en era es esta
este esto la le les lo mi mis muy mas nos o para pero por porque que quien se ser
si sobre su sus tambien te tu un una unos y ya yo
"""

_FURTHER = """
al alla anche che cosa cui da dal dalla degli dei del della delle di dopo ed gli hai il le loro lui
mie mio nel nella noi non perche piu qual quale quali quando quante quanti quanto sono sua sul sulla
suo tra tu un una uno voi
ao aos as da das do dos ele em foi isso mas meu minha no nos nao onde ou para pela pelo por qual
quais quando quanto quantos que quem seu sua um uma
aan dat de deze dit een er haar heb heeft het hij hoe ik is je kan maar mijn naar niet om ook op te
uit voor waar wanneer wat we welke wie wij zij zijn
aby bardzo bez byc byl byla bylo czy dla do gdy gdzie ich ile jak jaka jaki jakie jest jestem kiedy
kto ktora ktore ktory mnie moj nad nie od po przez przy sie tak tego tu we wiec za ze
acaba ama bana bir bu da daha de diye gibi hangi icin ile kac nasil ne neden nerede nereye siz ve
veya ya yok
"""
"""Italian, Portuguese, Dutch, Polish and Turkish."""

STOPWORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH} {_FURTHER}".split())

_GERMAN_SIGNS = """
auch auf aus dass dem den der des ein eine einem einen einer fur ich ist mit nicht oder sich sind
und uns unser von werden wie wir wird wurde zu zum zur uber
"""
GERMAN_SIGNS = frozenset(_GERMAN_SIGNS.split())
"""A text with two of these is taken for German."""
STOPWORDS_BEYOND_LATIN = """
а без бы был была были было быть в во вот все где да для до его ее если есть еще же за и из
или им их к как какая какие какой какое когда который которые кто куда ли мне можно мои мой
мы на над наш не нет ни но о об он она они от по под почему при с сколько со так такой там
то только ты у уже чего чей чем что чтобы эта эти это этот я і й та що як де коли чи
αν από αυτή αυτό γιατί για δεν είναι εγώ έχει η θα και κάθε με μια μας μου να ο οι όταν πόσα
πόσο ποια ποιο ποιος πού πώς σας σε στη στην στο στον στα στις τα τη την της τι τις το τον του
των που ως
إلى أن أين أي إن التي الذي بعد بين حتى ثم ذلك على عن عند في قبل كان كانت كل كم كيف لا لم لماذا
لن له لها ما متى مع من منذ نحن هذا هذه هل هم هو هي و يكون
אבל או איך איפה אל אם אני את אתה בין בשביל גם היא הוא הם זה זאת יש כי כל כמה לא למה מה מי
מתי נמצא עם על עד של
और एक कब कहाँ का कि कितना कितनी कितने किया की के को कौन क्या क्यों जा जो तक तो था थी थे नहीं ने
पर भी में मैं यह या ये वह वे से है हैं हुआ हुई हम हमने हो होता
"""
"""Russian, Ukrainian, Greek, Arabic, Hebrew and Hindi; `scripts` folds them like any text."""


# The calendar

ENGLISH_MONTHS = """
january february march april may june july august september october november december
"""
GERMAN_MONTHS = """
januar februar märz april mai juni juli august september oktober november dezember
"""
_SHORT_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"

MONTHS = {
    **{name: number for number, name in enumerate(_SHORT_MONTHS.split(), 1)},
    **{name: number for number, name in enumerate(GERMAN_MONTHS.split(), 1)},
    **{name: number for number, name in enumerate(ENGLISH_MONTHS.split(), 1)},
    "sept": 9, "jänner": 1, "maerz": 3,
}  # fmt: skip
MONTH_NAMES = frozenset(f"{ENGLISH_MONTHS} {GERMAN_MONTHS} jänner maerz".split())
"""Only full names are read as months without a day or a year beside them."""

ENGLISH_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
GERMAN_WEEKDAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag"
WEEKDAYS = {
    name: number
    for names in (ENGLISH_WEEKDAYS, GERMAN_WEEKDAYS)
    for number, name in enumerate(names.split())
}
SPRING, SUMMER, AUTUMN, WINTER = 3, 6, 9, 12
"""The month each season begins with."""
SEASONS = {
    "spring": SPRING, "summer": SUMMER, "autumn": AUTUMN, "fall": AUTUMN, "winter": WINTER,
    "frühling": SPRING, "frühjahr": SPRING, "sommer": SUMMER, "herbst": AUTUMN,
}  # fmt: skip

ENGLISH_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
GERMAN_NUMBERS = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
COUNTS = {
    **{word: number for number, word in enumerate(GERMAN_NUMBERS.split())},
    **{word: number for number, word in enumerate(ENGLISH_NUMBERS.split())},
    "a": 1, "an": 1, "couple": 2, "few": 3, "several": 4,
    "ein": 1, "eine": 1, "einem": 1, "einer": 1, "paar": 3, "einigen": 4,
}  # fmt: skip

UNITS = {
    "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month",
    "months": "month", "year": "year", "years": "year", "weekend": "weekend",
    "quarter": "quarter", "tag": "day", "tage": "day", "tagen": "day", "woche": "week",
    "wochen": "week", "monat": "month", "monate": "month", "monaten": "month", "jahr": "year",
    "jahre": "year", "jahren": "year", "jahres": "year", "wochenende": "weekend",
    "quartal": "quarter",
}  # fmt: skip
"""Words for units of time, with the unit."""
DAYS_IN = {
    "day": 1.0, "week": 7.0, "weekend": 7.0, "month": 30.5, "quarter": 91.3, "year": 365.25,
}  # fmt: skip

_LAST = """
last past previous letzte letzten letzter letztes letztem vergangene vergangenen vorige vorigen
voriges
"""
LAST = frozenset(_LAST.split())
_THIS = "this diese diesen dieser dieses diesem"
THIS = frozenset(_THIS.split())
DAYS_AGO = {
    "today": 0, "tonight": 0, "yesterday": 1, "heute": 0, "gestern": 1, "vorgestern": 2,
}  # fmt: skip

_LEADS = """
in during since until till by this last late early mid through throughout before after between
from to im seit bis ab ende anfang mitte während vor nach von zwischen
"""
LEADS = frozenset(_LEADS.split())
"""A month or a year after one of these words is a time."""
_MONTH_LEADS = "of for and und"
MONTH_LEADS = LEADS | frozenset(_MONTH_LEADS.split())
_DAY_LEADS = "on since until till before after by am seit bis ab vor nach"
DAY_LEADS = frozenset(_DAY_LEADS.split())
"""A weekday after one of these words is a time."""
_FILLERS = "the in on of im am dem den der vom beginning start end ende anfang"
FILLERS = frozenset(_FILLERS.split())

BOUNDS = {
    "before": "before", "after": "after", "since": "since", "until": "until", "till": "until",
    "vor": "before", "nach": "after", "seit": "since", "ab": "since", "bis": "until",
}  # fmt: skip
_RANGE_OPENERS = "from between von zwischen"
RANGE_OPENERS = frozenset(_RANGE_OPENERS.split())
_RANGE_JOINERS = "to and until till through - – bis und"
RANGE_JOINERS = frozenset(_RANGE_JOINERS.split())

TIME_WORDS = frozenset((
    f"{ENGLISH_MONTHS} {GERMAN_MONTHS} {ENGLISH_WEEKDAYS} {GERMAN_WEEKDAYS} yesterday today last"
    " ago tomorrow next week month recently just gestern heute morgen vorgestern woche monat jahr"
    " neulich kürzlich"
).split()) - {"may"}  # fmt: skip
"""A text with one of these speaks of a time."""
NUMBER_WORDS = frozenset((
    *ENGLISH_NUMBERS.split()[1:11], *GERMAN_NUMBERS.split()[2:11], "once", "twice", "einmal",
    "zweimal",
))  # fmt: skip
"""A text with one of these has a number in it."""


# The cues of questions

ROLES = {
    "user": "user", "human": "user",
    "assistant": "assistant", "ai": "assistant", "agent": "assistant", "bot": "assistant",
    "model": "assistant", "system": "system", "tool": "tool",
}  # fmt: skip
"""Speakers that are a role in a conversation, with the role."""

_NAMES_THAT_ARE_WORDS = """
amber art bill brook chase cliff dawn dean drew faith frank gene grace grant guy hope iris ivy
jack jade joy lily mark max miles olive page pat penny ray rich rob rose ruby sue summer violet
wade
"""
NAMES_THAT_ARE_WORDS = frozenset(_NAMES_THAT_ARE_WORDS.split())
"""First names that are common words: only with a capital are they names."""

_FIRST_PERSON = """
i me my mine myself ich mich mir mein meine meinen meinem meiner meines je moi mon mes yo mis mío
mía
"""
FIRST_PERSON_CUES = (
    tuple(_FIRST_PERSON.split()),
    ("我", "私", "僕", "俺", "나는", "내가", "제가", "나의", "저의"),
)
"""Words that ask about the asker: whole words, then phrases of scripts without spaces."""
SECOND_PERSON = ("you", "du")
TOLD_VERBS = (
    "said", "told", "recommended", "suggested", "mentioned", "gave", "given", "wrote", "written",
    "created", "provided", "explained", "described", "listed", "advised", "shared",
    "gesagt", "empfohlen", "vorgeschlagen", "erwähnt", "erklärt", "geschrieben", "genannt",
    "geraten", "beschrieben",
)  # fmt: skip
"""After `you`, verbs that ask for what the assistant said; `can you recommend` asks for more."""
TELL_VERBS = (
    "say", "tell", "recommend", "suggest", "mention", "give", "write", "create", "provide",
    "explain", "describe", "list", "advise", "share",
)  # fmt: skip
"""After `did you`, verbs that ask the same."""
ASSISTANT_CUES = (
    (
        "said by you", "recommended by you", "suggested by you", "mentioned by you",
        "created by you", "provided by you", "your suggestion", "your suggestions",
        "your recommendation", "your recommendations", "your advice",
        *(
            f"our {when} {what}"
            for when in ("previous", "last", "earlier", "past")
            for what in ("conversation", "conversations", "chat", "chats", "discussion", "session")
        ),
        "remind me", "previous conversation", "previous chat", "unser letztes gespräch",
        "unserem letzten gespräch", "erinnere mich",
    ),
    (
        "你说", "你說", "你推荐", "你推薦", "你建议", "你建議", "你提到", "你告诉", "你告訴",
        "你给我", "提醒我", "あなたが", "教えてくれた", "勧めてくれた", "言ってくれた",
        "思い出させて",
    ),
)  # fmt: skip
"""Phrases that ask for what the assistant said."""
NOW_CUES = (
    (
        "current", "currently", "now", "nowadays", "latest", "newest", "most recent", "recent",
        "recently", "these days", "so far", "still", "usually", "any more", "anymore", "already",
        "at the moment", "up to date", "how many", "how much", "how often", "how long", "how old",
        "how far", "what time", "what day", "what is", "what are", "do i", "am i", "have i",
        "is my", "are my", "aktuell", "aktuelle", "aktuellen", "derzeit", "momentan", "jetzt",
        "zurzeit", "immer noch", "neueste", "neuesten", "inzwischen", "bisher", "wie viele",
        "wie viel", "wieviel", "wie oft", "wie alt", "wie lange", "was ist", "was sind",
        "ist mein", "ist meine",
    ),
    (
        "现在", "現在", "目前", "当前", "當前", "最新", "最近", "还在", "今の", "いまの", "지금",
        "현재",
    ),
)  # fmt: skip
"""Phrases that ask for the present state of something that changes."""
HOW_TO_CUES = (("how do i", "how do we", "how can i", "how can we", "wie kann ich"), ())
"""Phrases that ask how something is done, which the newest memory knows no better."""
PAST_CUES = (
    (
        "first", "initial", "initially", "original", "originally", "used to", "ago", "between",
        "in the past", "order of", "earliest", "before", "passed", "last week", "last month",
        "last year", "last summer", "last winter", "last spring", "last fall", "last night",
        "last weekend", "zuerst", "ursprünglich", "früher", "anfangs", "damals", "letzte woche",
        "letzten monat", "letztes jahr",
    ),
    (
        "最初", "原来", "原來", "以前", "之前", "当初", "當初", "去年", "처음", "예전",
    ),
)  # fmt: skip
"""Phrases that ask for an earlier state."""
TIME_CUES = (
    (
        "when", "how long", "how many days", "how many weeks", "how many months", "how many years",
        "what date", "what day", "what time", "wann", "wie lange", "welchem tag", "welches datum",
        "wie viele tage", "wie viele wochen", "wie viele monate", "wie viele jahre", "quand",
        "cuándo",
    ),
    (
        "什么时候", "什麼時候", "何时", "几点", "哪天", "多久", "いつ", "何時", "何日", "언제",
    ),
)  # fmt: skip
"""Phrases that ask for a time."""
NUMBER_CUES = (
    (
        "how many", "how much", "how often", "how old", "how far", "what time", "percentage",
        "number of", "price", "cost", "wie viele", "wie viel", "wieviel", "wie oft", "wie alt",
        "wie weit", "prozent", "preis", "kosten", "combien", "cuántos", "cuántas", "cuánto",
    ),
    (
        "多少", "几个", "几次", "几岁", "いくつ", "いくら", "何人", "何回", "何歳", "몇",
    ),
)  # fmt: skip
"""Phrases that ask for a number."""
HISTORY_CUES = (
    (
        "how did we", "how did i", "how did you", "why did we", "why did i", "what did we",
        "did we decide", "we decided", "when did", "what happened", "remind me", "remember when",
        "last time", "previously", "in the past", "back then", "history", "timeline", "used to",
        "earlier conversation", "previous conversation", "last conversation", "last session",
        "previous session", "we discussed", "we talked", "we fixed", "have we ever", "did we ever",
        "did we stop", "we left off", "left off", "where were we", "where are we with",
        "what s left", "whats left", "still to do", "still open", "still missing", "pick up where",
        "the same for", "do the same", "now the same", "same thing", "same treatment", "same again",
        "wie haben wir", "warum haben wir", "was haben wir", "was ist passiert", "was geschah",
        "letztes mal", "beim letzten mal", "früher", "damals", "erinnere mich", "verlauf",
        "wo waren wir", "stehen geblieben", "stehengeblieben", "was fehlt noch", "das gleiche",
        "dasselbe", "was ist noch offen", "où en étions", "qu est ce qui reste", "la même chose",
        "dónde lo dejamos", "qué falta", "lo mismo", "onde paramos", "que falta", "o mesmo",
    ),
    (
        "上次", "以前", "之前", "历史", "歷史", "发生了什么", "發生了什麼", "怎么解决",
        "怎麼解決", "前回", "履歴", "どうやって直", "何があった", "지난번", "예전에",
    ),
)  # fmt: skip
"""Phrases that ask for past events, which are mostly in the archive."""

_BEFORE = (
    r"(?:last (?:time|session|conversation|chat)|(?:the )?(?:previous|earlier) (?:session|chat"
    r"|conversation)|yesterday|before the break|so far)"
)
_TO_DO = (
    "left", "open", "missing", "remaining", "outstanding", "unfinished", "pending", "undone",
    "to do", "to be done",
)  # fmt: skip
_WHAT_IS_LEFT = (
    rf"\bwhat(?:'s| is| are| was| were|s)? (?:still |there )?(?:{'|'.join(_TO_DO)})"
    rf"(?: to do| to be done| over| here| now| for us| for me| open| from {_BEFORE})*\W*$"
)
_OPEN_ENDS = (
    r"\b(?:loose ends?|open (?:ends?|points?|questions?|items?))"
    r"(?: (?:left|open|here|now|do we have|are there|of the last session))*\W*$"
)
LAST_SESSION = (
    ("where did", r"where did (?:we|i|you) (?:stop|leave|get|end|finish)\b"),
    ("where ", r"\bwhere (?:were|was) (?:we|i)\b(?! (?:born|going))"),
    ("where ", r"\bwhere (?:had|have) (?:we|i) (?:stopped|left|got)\b"),
    ("where ", r"\bwhere do (?:we|things) stand\b"),
    ("where we ", r"\bwhere we (?:left|stopped|were (?:at|doing)|got to|ended)\b"),
    ("what we ", r"\bwhat we (?:left|stopped|were (?:at|doing)|got to|ended)\b"),
    ("where i ", r"\bwhere i (?:left|stopped|was|got to)\b"),
    (
        "left ",
        r"\b(?:we|i|you|where it)(?:'d|'ve| had| have)? (?:last )?left (?:it |things )?off\b",
    ),
    (" last ", rf"\b(?:what|which|how|why)\b.{{0,60}}\b(?:we|i|you)\b.{{0,60}}\b{_BEFORE}\W*$"),
    ("what did ", rf"\bwhat did (?:we|i|you)\b.{{0,60}}\b{_BEFORE}\W*$"),
    ("what have ", rf"\bwhat have (?:we|i|you)\b.{{0,60}}\b{_BEFORE}\W*$"),
    ("last session", r"\b(?:the|our) last session(?: (?:leave|left|decided?)(?: open)?)?\W*$"),
    ("what w", r"\bwhat (?:were|was) (?:we|i|you) (?:doing|working on|up to|in the middle of)\b"),
    *((word, _WHAT_IS_LEFT) for word in _TO_DO),
    ("what remains", r"\bwhat remains(?: to (?:do|be done))?\W*$"),
    ("what do", r"\bwhat do (?:we|i) (?:still )?(?:have|need) (?:left )?to do\W*$"),
    ("catch me up", ""), ("up to speed", r"\b(?:me|us) up to speed\b"),
    *((word, _OPEN_ENDS) for word in ("se end", "open end", "open point", "open q", "open item")),
    (
        "s next",
        r"\bwhat(?:'s|s| is) next(?: (?:here|now|for us|up|(?:on|for|with|in) (?:the |our |this )?"
        r"[\w -]{2,40}))?\W*$",
    ),
    ("wo ", r"\bwo (?:waren|sind|standen|haben) wir\b.{0,40}(?:stehen ?geblieben|aufgehört|\?|$)"),
    ("was ha", r"\bwas (?:haben|hatten) wir\b.{0,40}\b(?:letzte[sn] mal|zuletzt|gestern)\b"),
    ("was ", r"\bwas (?:ist|bleibt|fehlt) (?:noch|offen|übrig)(?: (?:offen|zu tun|übrig))?\W*$"),
    ("wo wir", r"\bweiter(?:machen)?,? wo wir\b|\bwo wir aufgehört\b"),
    ("où ", r"\boù (?:en )?(?:étions|étais|en est|on s'est|est-ce qu'on s'est)\b"),
    ("là où ", r"\blà où (?:on|nous)\b"),
    ("reste", r"\bqu'est-ce qu(?:'il|i) reste\b|\bque reste-t-il\b"),
    ("dernière", r"\bdernière (?:fois|session)\W*$"),
    ("nde ", r"\bd[oó]nde (?:lo )?(?:dejamos|estábamos|quedamos)\b"),
    ("onde ", r"\bonde (?:é que )?(?:paramos|ficámos|ficamos)\b"),
    ("qué ", r"\bqué (?:falta|queda)(?: por hacer)?\W*$|\ben qué quedamos\b"),
    ("última", r"\bla última (?:vez|sesión)\W*$"),
    ("o que ", r"\bo que (?:é que )?falta(?: fazer)?\W*$"),
    ("rimasti", r"\b(?:eravamo|siamo) rimasti\b"),
    ("cosa ", r"\bcosa (?:resta|manca)(?: da fare)?\W*$"),
    ("上次", r"上次.{0,12}(?:哪|什么|决定|做到)|(?:接着|继续)上次"),
    ("哪", r"做到哪|还(?:剩|差)哪些"), ("什么", r"还(?:剩|差)(?:下)?什么"),
    ("前回", r"前回.{0,12}(?:どこ|何|決め|続き)"), ("続きから", ""),
    ("どこまで", r"どこまで(?:やり|進|でした)"),
)  # fmt: skip
"""Questions for the last session: where it stopped, what it decided and what it left open.

Each is a piece of text, and the pattern to look for where that piece is found: most prompts have
none of the pieces, and a cold start should compile no pattern for them.
"""

_ASKING_WORDS = """
many much often long kind type name any some like go going per total different between since ago
within among toward towards onto whether although though may s t ve m re d ll us wie viel viele
lange oft alt
"""
ASKING_WORDS = frozenset(_ASKING_WORDS.split())
"""Words of questions, beside the stop words, that answers do not repeat."""

_CHATTER = """
hi hello hey thanks thank please sorry ok okay yes yeah yep nope sure good great nice perfect fine
cool looks look continue proceed resume start begin stop back again next now done ready right wait
keep short brief quick help try let lets make take get give show tell see check need want run
think know find say said add use put set come step thing things stuff work works working left day
bitte danke hallo ja nein gut super weiter mach mache los nochmal fertig hilf zeig schau
gracias hola vale bien sigue merci bonjour oui continue ciao grazie obrigado
"""
CHATTER = frozenset(_CHATTER.split())
"""Words of a talk with an assistant that name no topic."""
