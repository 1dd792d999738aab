"""What the wording of a question gives away: phrases, as words between single spaces.

Phrases in scripts without spaces are in lists of their own, since they are found anywhere.
"""

from __future__ import annotations

ROLES = {
    "user": "user", "human": "user",
    "assistant": "assistant", "ai": "assistant", "agent": "assistant", "bot": "assistant",
    "model": "assistant", "system": "system", "tool": "tool",
}  # fmt: skip
"""Speakers that are a part in a conversation rather than a person's name."""

_NAMES_THAT_ARE_WORDS = """
amber art bill brook chase cliff dawn dean drew faith frank gene grace grant guy hope iris ivy
jack jade joy lily mark max miles olive page pat penny ray rich rob rose ruby sue summer violet
wade
"""
NAMES_THAT_ARE_WORDS = frozenset(_NAMES_THAT_ARE_WORDS.split())
"""Names that count only with their capital."""

_ASKER = """
i me my mine myself ich mich mir mein meine meinen meinem meiner meines je moi mon mes yo mis mío
mía
"""
ASKER = tuple(_ASKER.split())
"""The question is about the one who asks."""
ASKER_ANYWHERE = ("我", "私", "僕", "俺", "나는", "내가", "제가", "나의", "저의")

ADDRESSED = ("you", "du")
TOLD = (
    "said", "told", "recommended", "suggested", "mentioned", "gave", "given", "wrote", "written",
    "created", "provided", "explained", "described", "listed", "advised", "shared",
    "gesagt", "empfohlen", "vorgeschlagen", "erwähnt", "erklärt", "geschrieben", "genannt",
    "geraten", "beschrieben",
)  # fmt: skip
"""After `you` these ask for what the assistant said; `can you recommend` asks for something new."""
TELL = (
    "say", "tell", "recommend", "suggest", "mention", "give", "write", "create", "provide",
    "explain", "describe", "list", "advise", "share",
)  # fmt: skip
"""So do these after `did you`."""
TOLD_REACH = 40
"""How many characters may lie between `you` and the verb."""
ASSISTANT = (
    "said by you", "recommended by you", "suggested by you", "mentioned by you", "created by you",
    "provided by you", "your suggestion", "your suggestions", "your recommendation",
    "your recommendations", "your advice",
    *(
        f"our {when} {what}"
        for when in ("previous", "last", "earlier", "past")
        for what in ("conversation", "conversations", "chat", "chats", "discussion", "session")
    ),
    "remind me", "previous conversation", "previous chat", "unser letztes gespräch",
    "unserem letzten gespräch", "erinnere mich",
)  # fmt: skip
ASSISTANT_ANYWHERE = (
    "你说", "你說", "你推荐", "你推薦", "你建议", "你建議", "你提到", "你告诉", "你告訴", "你给我",
    "提醒我", "あなたが", "教えてくれた", "勧めてくれた", "言ってくれた", "思い出させて",
)  # fmt: skip

CHANGES = (
    "current", "currently", "now", "nowadays", "latest", "newest", "most recent", "recent",
    "recently", "these days", "so far", "still", "usually", "any more", "anymore", "already",
    "at the moment", "up to date", "how many", "how much", "how often", "how long", "how old",
    "how far", "what time", "what day", "what is", "what are", "do i", "am i", "have i", "is my",
    "are my", "aktuell", "aktuelle", "aktuellen", "derzeit", "momentan", "jetzt", "zurzeit",
    "immer noch", "neueste", "neuesten", "inzwischen", "bisher", "wie viele", "wie viel",
    "wieviel", "wie oft", "wie alt", "wie lange", "was ist", "was sind", "ist mein", "ist meine",
)  # fmt: skip
"""The question is about something that changes, so the newest answer is the right one."""
CHANGES_ANYWHERE = (
    "现在", "現在", "目前", "当前", "當前", "最新", "最近", "还在", "今の", "いまの", "지금",
    "현재",
)  # fmt: skip
PAST = (
    "first", "initial", "initially", "original", "originally", "used to", "ago", "between",
    "in the past", "order of", "earliest", "before", "passed", "last week", "last month",
    "last year", "last summer", "last winter", "last spring", "last fall", "last night",
    "last weekend", "zuerst", "ursprünglich", "früher", "anfangs", "damals", "letzte woche",
    "letzten monat", "letztes jahr",
)  # fmt: skip
"""Unless it asks for how something was."""
PAST_ANYWHERE = ("最初", "原来", "原來", "以前", "之前", "当初", "當初", "去年", "처음", "예전")

TIME = (
    "when", "how long", "how many days", "how many weeks", "how many months", "how many years",
    "what date", "what day", "what time", "wann", "wie lange", "welchem tag", "welches datum",
    "wie viele tage", "wie viele wochen", "wie viele monate", "wie viele jahre", "quand",
    "cuándo",
)  # fmt: skip
"""The answer is a time."""
TIME_ANYWHERE = (
    "什么时候",
    "什麼時候",
    "何时",
    "几点",
    "哪天",
    "多久",
    "いつ",
    "何時",
    "何日",
    "언제",
)
NUMBER = (
    "how many", "how much", "how often", "how old", "how far", "what time", "percentage",
    "number of", "price", "cost", "wie viele", "wie viel", "wieviel", "wie oft", "wie alt",
    "wie weit", "prozent", "preis", "kosten", "combien", "cuántos", "cuántas", "cuánto",
)  # fmt: skip
"""The answer is a number."""
NUMBER_ANYWHERE = ("多少", "几个", "几次", "几岁", "いくつ", "いくら", "何人", "何回", "何歳", "몇")

HISTORY = (
    "how did we", "how did i", "how did you", "why did we", "why did i", "what did we",
    "did we decide", "we decided", "when did", "what happened", "remind me", "remember when",
    "last time", "previously", "in the past", "back then", "history", "timeline", "used to",
    "earlier conversation", "previous conversation", "last conversation", "last session",
    "previous session", "we discussed", "we talked", "we fixed", "have we ever", "did we ever",
    "wie haben wir", "warum haben wir", "was haben wir", "was ist passiert", "was geschah",
    "letztes mal", "beim letzten mal", "früher", "damals", "erinnere mich", "verlauf",
)  # fmt: skip
"""The question asks for what happened, so the archive is worth a look."""
HISTORY_ANYWHERE = (
    "上次", "以前", "之前", "历史", "歷史", "发生了什么", "發生了什麼", "怎么解决", "怎麼解決",
    "前回", "履歴", "どうやって直", "何があった", "지난번", "예전에",
)  # fmt: skip

_ASKING_WORDS = """
many much often long kind type name any some like go going per total different between since ago
may s t ve m re d ll us wie viel viele lange oft alt
"""
ASKING_WORDS = frozenset(_ASKING_WORDS.split())
"""Words that ask, beyond the function words: they are in the question, not in the answer."""

_CHATTER = """
hi hello hey thanks thank please sorry ok okay yes yeah yep nope sure good great nice perfect fine
cool looks look continue proceed resume start begin stop back again next now done ready right wait
keep short brief quick help try let lets make take get give show tell see check need want run
think know find say said add use put set come step thing things stuff work works working
bitte danke hallo ja nein gut super weiter mach mache los nochmal fertig hilf zeig schau
gracias hola vale bien sigue merci bonjour oui continue ciao grazie obrigado
"""
CHATTER = frozenset(_CHATTER.split())
"""Words of a talk with an assistant that say nothing about what it is about."""
