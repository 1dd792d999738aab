"""How people ask that something they say is not kept, each with a piece that every match has.

Pieces divided by `|` are alternatives. They are looked for first, because most prompts have none
and compiling takes time. Texts are compared in lower case, with plain apostrophes and single
spaces; a line break stands only between two sentences.
"""

from __future__ import annotations

_START = (
    r"(?:(?:^|\n)\W{0,4}|[.!?,;:(—–>]\s*|\s-\s|\b(?:but|and|so|please|pls|just|also|then|or|aber|und|bitte|mais|et"
    r"|s'il te plaît|pero|y|por favor|ma|e|per favore|mas|maar|en|alsjeblieft)[ ,]\s*)"
)
"""Where an order begins: what `we don't save this` tells is nobody's order."""
_END = (
    r"(?=[ ]*(?:$|[\n.,;:!?)…—–]|-\s|(?:but|because|since|though|please|pls|anywhere|ok|okay"
    r"|for later|in your (?:memory|notes)|to (?:your )?memory|either|any ?more|i|i'm|my|we"
    r"|aber|bitte|denn|weil|mais|car|pero|porque|ma|perché|mas|maar|want)(?![\w'])))"
)
"""Where it ends: `don't store this in a cookie` goes on, and is about the work."""

_NOT = (
    r"(?:(?:do not|don't|dont|never)(?: ever)?(?: please)?|rather not"
    r"|you (?:don't|do not|shouldn't|should not|mustn't|must not)"
    r"|(?:can|could|would) you (?:please )?not"
    r"|i(?:'d| would) (?:rather|prefer (?:it )?(?:that |if )?)(?: ?you)? ?(?:didn't|did not|not)"
    r"|i (?:don't|do not) want you to)"
)
_NO_NEED = r"(?:no need to|you (?:needn't|need not|(?:don't|do not) (?:have|need) to))"
"""Asks for nothing of what is stored: `no need to keep it, the build makes it again`."""
_THING = (
    r"(?:(?:any of )?(?:this(?: (?:information|part|bit))?|that|it)|the (?:following"
    r"|next (?:sentence|part|bit))|what i(?:'m| am)? (?:just )?(?:now )?(?:say|tell"
    r"|writ)\w*"
    r"(?: (?:to )?you)?(?: now| here| next)?)"
)
_CLAIM = (
    r"that (?:i|i'm|we|we're|he|he's|she|she's|they|my|our|his|her|their|[\w-]+ (?:is|was|has|are"
    r"|will|wants|earns))\b"
)
_SAID = r"(?:say|said|saying|tell|told|telling|wrote|write|writing|mention\w*|share[ds]?|asked)"
_TALK_PIECES = "conversation|chat|session|talk|discussion|exchange"
_TALK = f"(?:{_TALK_PIECES})"
_DONE = r"(?:saved|stored|remembered|recorded|noted|kept|logged|written down|memori[sz]ed)"
_MEMORY = r"(?:your (?:memor(?:y|ies)|notes?|records?|book|log|summary)|the (?:memory|record))"
"""Names of the agent's memory; `the log` and `the summary` alone are things of the work."""

# What this turn says

_ENGLISH_REMEMBER = (
    ("rememb",
     rf"{_START}(?:{_NOT}|{_NO_NEED}) remember(?:ing)? (?:{_THING}{_END}"
     r"|that (?!was|is)\w+ )"),
    ("memoris|memoriz", rf"{_START}{_NOT} memori[sz]e {_THING}{_END}"),
    ("to memory|to your memory", rf"{_START}{_NOT} commit {_THING} to (?:your )?memory"),
    ("note of", rf"{_START}{_NOT} (?:make|take|keep) (?:a |any )?notes? of {_THING}{_END}"),
    ("record of", rf"{_START}{_NOT} (?:make|keep) (?:a |any )?records? of {_THING}{_END}"),
    ("your |the memory|the record",
     rf"{_START}{_NOT} (?:add|put|write|save|store) {_THING} (?:to|in|into) {_MEMORY}{_END}"),
    ("out of", rf"\b(?:leave|keep) {_THING} out of {_MEMORY}{_END}"),
    ("your memory|your notes",
     r"\b(?:nothing|none|not|never|\w+n't)(?: \w+){0,4} (?:goes|belongs|stays|go|belong|ends? up)"
     r" in(?:to)? your (?:memory|notes)"
     r"|\b(?:goes|belongs) not in(?:to)? your (?:memory|notes)"),
    ("t want ", rf"\bi (?:don't|do not) want {_THING} (?:to be )?(?:{_DONE}|on (?:the )?record)"),
    (" not be | not to be ",
     rf"\b(?:this|that|it|what i (?:say|tell you))(?:'s| is| are| must| should| may| ought"
     rf"| needs?) not (?:to )?be {_DONE}(?: anywhere)?{_END}"),
    ("mustn't be |shouldn't be ",
     rf"\b(?:this|that|it) (?:must|should)n't be {_DONE}(?: anywhere)?{_END}"),
    ("not to be ", rf"^not to be {_DONE}\b"),
    ("your memory|your notes", r"\b(?:not|ignore (?:this|that)) for your (?:memory|notes)\b"),
    ("forget ",
     rf"{_START}forget (?:this|that|it) (?:again |right )?(?:afterwards?|after (?:this"
     rf"|you\b)|again)"),
)  # fmt: skip
_ENGLISH_STORED = (
    *(
        (verb, rf"{_START}{_NOT} {verb} (?:{_THING}{_END}|{_CLAIM})")
        for verb in ("save", "store", "keep", "record", "retain", "note")
    ),
    *(
        (
            f"{verb} ",
            rf"{_START}{_NOT} {verb} (?:{_THING} down{_END}|down (?:{_THING}{_END}|{_CLAIM}))",
        )
        for verb in ("note", "write", "jot")
    ),
)
_ENGLISH_SECRET = (
    ("record",
     rf"{_START}(?:this is |strictly |just )?off[- ](?:the[- ])?record\b"
     rf"|\boff the record{_END}"),
    ("for the record", r"\bnot for the record\b"),
    ("between", r"\b(?:keep|kept|stays?|remains?|just|strictly|this is|that's)(?: \w+)? between "
                r"(?:us|you and me|me and you|the two of us|ourselves)\b"),
    ("between",
     rf"{_START}between (?:us|you and me|me and you|the two of us|ourselves)\s*[,:;—–-]"),
    ("confidence",
     rf"{_START}(?:told |said )?in (?:strict(?:est)? |all )?confidence\s*[,:;—–-]"
     rf"|\byou (?:this |that |it |something )?in (?:strict(?:est)? )?confidence{_END}"),
    ("confidential",
     rf"(?:{_START}|\b(?:this is|that's|it's|stays) )(?:strictly |highly )confidential{_END}"
     rf"|\b(?:this is|that's|it's|stays) confidential{_END}|^confidential(?:ly)?\s*[,:;—–-]"),
    ("yourself", r"\bkeep (?:this|that|it) (?:to|for) yourself\b"),
    ("t tell |never tell ",
     rf"{_START}(?:don't|do not|dont|never) tell (?:anyone|anybody|a soul|nobody){_END}"),
    ("from me", r"\byou (?:didn't|did not|never) hear(?:d)? (?:this|that|it) from me\b"),
)  # fmt: skip
_GERMAN_VERBS = (
    "(?:merken|speichern|abspeichern|notieren|aufschreiben|festhalten|behalten|aufzeichnen"
    "|mitschreiben|protokollieren)"
)
_GERMAN_STORED = (
    ("nicht ",
     rf"{_START}(?:bitte )?(?:(?:das|dies|es|davon) )?(?:bitte )?nicht {_GERMAN_VERBS}{_END}"),
    ("nicht",
     r"\b(?:merke?|speicher\w*|notier\w*|behalte?|schreibe?|protokollier\w*) (?:dir )?"
     rf"(?:bitte )?(?:das|dies|es|dieses)(?: dir)?(?: bitte| hier)* nicht(?: auf| ab)?{_END}"),
)  # fmt: skip
_GERMAN = (
    ("nicht merken|nicht zu merken",
     r"(?<!kannst )\bdu (?:\w+ )?dir (?:(?:das|es|dies) )?(?:bitte )?nicht (?:zu )?merken\b"),
    ("nicht, dass", r"\b(?:merke?|notier\w*|speicher\w*) (?:dir )?(?:bitte )?nicht, dass\b"),
    ("nichts davon", rf"\bnichts davon {_GERMAN_VERBS}"),
    ("vergiss", r"\bvergiss (?:das|es|dies) (?:bitte )?(?:gleich |danach )?(?:wieder|danach)\b"),
    ("unter uns",
     rf"{_START}(?:nur |ganz )?unter uns(?: gesagt)?\s*[,:;—–-]|\b(?:bleibt|bleiben"
     rf"|bleibe) unter uns\b"),
    ("vertrau",
     rf"{_START}(?:nur |ganz |streng )?im vertrauen\b(?! auf)|\bim vertrauen(?:{_END}"
     rf"| (?:sag|erzähl|verr[aä]t)\w*)"
     rf"|\b(?:das|dies|es)(?: hier| alles)? ist (?:streng )?vertraulich{_END}"
     rf"|{_START}streng vertraulich{_END}|^vertraulich\s*[,:;—–-]"),
    ("für dich", r"\bbehalt\w* (?:das|es|dies) (?:bitte )?für dich\b"),
    ("niemandem", r"\bsag\w*(?: es| das|'s)? (?:bitte )?niemandem\b"),
)  # fmt: skip
_FRENCH_VERBS = (
    "(?:retiens|retenez|enregistrez?|sauvegardez?|notez?|mémorisez?|gardez?|conservez?|stockez?)"
)
_FRENCH_STORED = (
    (
        " pas ",
        rf"\bn(?:e |')(?:le |la |l')?{_FRENCH_VERBS} pas (?:ça|cela|ceci|ce que je (?:te "
        rf"|vous )?dis){_END}",
    ),
    ("ne l", rf"\bne (?:le |l'){_FRENCH_VERBS} pas{_END}"),
)
_FRENCH = (
    (" pas que", rf"\bn(?:e |'){_FRENCH_VERBS} pas que\b"),
    ("à ne pas", rf"\bà ne pas (?:retenir|noter|enregistrer|garder){_END}"),
    ("entre ",
     rf"{_START}entre (?:nous|toi et moi)(?: soit dit)?\s*[,:;—–-]|\b(?:rest\w+"
     rf"|gard\w+ (?:ça|cela|ceci)) entre (?:nous|toi et moi)\b"),
    ("confiden", rf"{_START}(?:c'est |strictement )?(?:confidentiel|en confidence)\s*[,:;.—–-]"),
    ("pour toi", r"\bgarde[zs]? (?:ça|cela|ceci) pour (?:toi|vous)\b"),
    ("à personne", r"\b(?:n'en parle|ne le dis|ne dis ça)[sz]? (?:pas )?à personne\b"),
)  # fmt: skip
_SPANISH_VERBS = (
    "(?:guardes?|recuerdes?|anotes?|registres?|almacenes?|memorices?|apuntes?|conserves?|grabes?)"
)
_SPANISH_STORED = (
    (
        " esto| eso| lo que ",
        rf"\bno {_SPANISH_VERBS} (?:esto|eso|lo que te digo|lo que digo){_END}",
    ),
    ("no lo ", rf"\bno lo {_SPANISH_VERBS}{_END}"),
)
_SPANISH = (
    (" que ", rf"\bno {_SPANISH_VERBS} que\b"),
    ("entre ",
     rf"{_START}entre (?:nosotros|tú y yo)\s*[,:;—–-]|\bqued[ae] entre (?:nosotros"
     rf"|tú y yo)\b"),
    ("confidencial|confianza",
     rf"{_START}(?:(?:esto )?es |estrictamente )?(?:confidencial|en confianza)\s*[,:;.—–-]"),
    ("para ti", r"\bguárdalo para ti\b|\bguarda esto para ti\b"),
    ("a nadie", r"\bno se lo (?:digas|cuentes) a nadie\b"),
)  # fmt: skip
_ITALIAN_VERBS = "(?:salvar|ricordar|memorizzar|annotar|registrar|conservar|segnar|tener)"
_ITALIAN_STORED = (
    ("non ", rf"\bnon {_ITALIAN_VERBS}e (?:questo|questa cosa|ciò|quello che (?:ti )?dico){_END}"),
    ("non ", rf"\bnon {_ITALIAN_VERBS}(?:te)?lo{_END}"),
)
_ITALIAN = (
    ("non ", rf"\bnon {_ITALIAN_VERBS}e che\b"),
    ("tra noi|tra me e te|tra di noi",
     rf"{_START}(?:detto )?tra (?:noi|me e te|di noi)\s*[,:;—–-]|\b(?:rest[ai]"
     rf"|riman\w+) tra (?:noi|me e te)\b"),
    ("confiden",
     rf"{_START}(?:(?:questo )?è |strettamente )?(?:confidenziale|in confidenza)\s*[,:;.—–-]"),
    ("per te", r"\btienilo per te\b|\btieni questo per te\b"),
    ("a nessuno", r"\bnon dirlo a nessuno\b"),
)  # fmt: skip
_PORTUGUESE_VERBS = (
    "(?:guardes?|salves?|lembres?|registres?|registes?|anotes?|memorizes?|graves?|armazenes?)"
)
_PORTUGUESE_STORED = (
    (
        "não ",
        rf"\bnão (?:se |te )?{_PORTUGUESE_VERBS} (?:isto|isso|disto|disso"
        rf"|o que (?:eu )?digo){_END}",
    ),
    ("não ", rf"\bnão o {_PORTUGUESE_VERBS}{_END}"),
)
_PORTUGUESE = (
    ("não ", rf"\bnão {_PORTUGUESE_VERBS} que\b"),
    ("entre ",
     rf"{_START}(?:cá )?entre (?:nós|você e eu|tu e eu)\s*[,:;—–-]|\bfi(?:ca"
     rf"|que) (?:só )?entre nós\b"),
    ("confidencial|confiança",
     rf"{_START}(?:(?:isto |isso )?é |estritamente )?(?:confidencial"
     rf"|em confiança)\s*[,:;.—–-]"),
    ("para ", r"\bguard[ae] (?:isto|isso) (?:só )?para (?:você|ti|si)\b"),
    ("a ninguém", r"\bnão (?:conte|contes|diga|digas) a ninguém\b"),
)  # fmt: skip
_DUTCH_STORED = (
    (
        "niet",
        rf"\b(?:onthoud|bewaar|noteer|registreer) (?:dit|dat|het)(?: alsjeblieft"
        rf"| aub)? niet{_END}",
    ),
    (" niet op", rf"\b(?:sla|schrijf) (?:dit|dat|het)(?: alsjeblieft| aub)? niet op{_END}"),
    (
        "niet ",
        rf"{_START}(?:(?:dit|dat) )?(?:alsjeblieft |graag )?niet (?:onthouden|opslaan|bewaren"
        rf"|noteren|opschrijven){_END}",
    ),
)
_DUTCH = (
    ("niet dat", r"\b(?:onthoud|bewaar|noteer) niet dat\b"),
    ("onder ons",
     rf"{_START}onder ons(?: gezegd)?\s*[,:;—–-]|\b(?:blijft|houd? dit|hou het) onder ons\b"),
    ("vertrouw", rf"{_START}(?:in vertrouwen|(?:strikt )?vertrouwelijk)\s*[,:;.—–-]"),
    ("voor je", r"\bhoud? (?:dit|dat|het) voor je(?:zelf)?\b"),
    ("niemand", r"\bvertel (?:het|dit) (?:aan )?niemand\b"),
)  # fmt: skip
_CJK_END = r"(?=[ ]*(?:$|[\n，。：:,！!；;、]|请|吧))"
_CHINESE_STORED = (
    *(
        (verb, rf"(?:别|不要|请勿){verb}(?:下来|下|住)?(?:这个|这件事|这些|这|它)?{_CJK_END}")
        for verb in ("记", "保存", "存储", "记录")
    ),
    ("这", rf"(?:这件事|这个|这)(?:请)?(?:不要|别)(?:保存|记录|记住|记){_CJK_END}"),
)
_CHINESE = (
    ("你我", r"只有你我知道|你我之间"),
    ("私下", r"^私下(?:里)?说"),
)
_JAPANESE = (
    ("ないで",
     r"(?:これ|それ|このこと|そのこと|この話|その話|今の話)(?:は|を)?"
     r"(?:覚え|記憶し|保存し|記録し|メモし)ないで"),
    ("ここだけ", r"ここだけの話"),
    ("オフレコ", r"オフレコ"),
    ("内緒", r"内緒(?:だけど|ですが|の話|にして)"),
)  # fmt: skip
THIS_TURN = (
    *_ENGLISH_REMEMBER,
    *_ENGLISH_SECRET,
    *_GERMAN,
    *_FRENCH,
    *_SPANISH,
    *_ITALIAN,
    *_PORTUGUESE,
    *_DUTCH,
    *_CHINESE,
    *_JAPANESE,
)
STORED = (
    *_ENGLISH_STORED,
    *_GERMAN_STORED,
    *_FRENCH_STORED,
    *_SPANISH_STORED,
    *_ITALIAN_STORED,
    *_PORTUGUESE_STORED,
    *_DUTCH_STORED,
    *_CHINESE_STORED,
)
"""Orders that may also be about a file: `compute the token, but don't store it`, …"""
_ORDERED = """
calculate compute convert decode derive discard encrypt hash ignore parse resolve return stream
throw try sondern nur zeig zeige gib affiche renvoie sino solo solamente muestra mostra stampa só
apenas mostre alleen toon
"""
ORDERED = frozenset(_ORDERED.split())
"""… beside one of these words or of the general verbs, …"""
CONDITION = (
    r"(?:if|when|whenever|once|unless|until|in case|wenn|falls|sobald|solange|si|quand|lorsque"
    r"|cuando|se|quando|als|wanneer)(?! (?:you|it's (?:ok|fine|possible)|possible|du|tu|vous|usted"
    r"|puedes|você|je)\b) "
    r"|如果|当|若"
)
"""… after a condition, `if it is null, don't store it`, …"""
CALLED_FOR = (
    r"\b(?:should|must|shall|may|can|will|has to|have to|needs? to)\b.* and never\b"
    r"|\w+n und nicht \w+n$"
)
"""… or as the end of what something else must do: `it must read the token and never store it`."""

# What was said before; `about` is the thing, where one is named

TAKES_BACK = (
    ("scratch what|scrap what|drop what|disregard what",
     r"\b(?:scratch|scrap|drop|disregard) what i(?:'ve| have)?(?: just| ever)* (?:said|told you)"
     r"(?: (?:just now|before|earlier))?(?: about (?P<about>[^.,;:!?]+))?"),
    ("forget",
     rf"\bforget (?:about )?(?:what|everything|all|anything)(?: that)? (?:i|i've"
     rf"|i have)(?: (?:just|ever|have))* {_SAID}"
               r"(?: (?:to )?you)?(?: (?:just now|before|earlier"
               r"|a moment ago))?(?: about (?P<about>[^.,;:!?]+))?"),
    ("forget",
     rf"\bforget (?:that )?i (?:ever |just |even )*{_SAID}(?: (?:that|this|it"
     rf"|anything))?{_END}"),
    ("forget",
     r"\bforget (?:my|the|that) (?:last|previous) (?:message|turn|sentence|remark|comment"
     r"|prompt|thing)\b"),
    ("from your |from the memory|from the record",
     rf"\b(?:delete|remove|erase|strike|scratch|wipe|drop|cut) (?:this|that|it"
     rf"|what i (?:just )?said) from {_MEMORY}{_END}"),
    ("vergiss",
     r"\bvergiss(?: bitte)?,? (?:alles, )?was ich (?:\w+ ){0,3}?"
     r"(?:(?:über|zum?|zur|von) (?P<about>[^.,;:!?]+?) )?(?:gesagt|erzählt|geschrieben"
     r"|erwähnt)(?: hab(?:e|')?)?"),
    ("vergiss", r"\bvergiss meine (?:letzte|vorige) nachricht"),
    ("oublie",
     r"\boublie[zs]? (?:tout )?ce que (?:je|j'ai) ?(?:\w+ ){0,4}?(?:dire|dit|écrit|écrire"
     r"|raconté)(?: (?:sur|au sujet d[eu]|à propos d[eu]) (?P<about>[^.,;:!?]+))?"),
    ("olvid",
     r"\bolvid[ae] (?:todo )?lo que (?:\w+ ){0,4}?(?:decir|dicho|dije|conté|contado|escribí"
     r"|escrito)(?: (?:sobre|acerca de) (?P<about>[^.,;:!?]+))?"),
    ("dimentica",
     r"\bdimentica(?:ti|te)? (?:tutto )?(?:di )?(?:quello|ciò"
     r"|quanto) (?:che )?(?:\w+ ){0,4}?(?:detto|scritto|raccontato)"
     r"(?: (?:su|sul|sulla|riguardo a) (?P<about>[^.,;:!?]+))?"),
    ("esque",
     r"\besque(?:ça|ce|cer) (?:tudo )?(?:d?o )?que (?:\w+ ){0,4}?(?:dizer|disse|dito"
     r"|escrevi|contei)(?: (?:sobre|acerca de) (?P<about>[^.,;:!?]+))?"),
    ("vergeet",
     r"\bvergeet (?:alles )?wat ik (?:\w+ ){0,3}?(?:over (?P<about>[^.,;:!?]+?) )?(?:heb )?"
     r"(?:zei|gezegd|vertelde|verteld|schreef)"),
    ("忘",
     r"忘(?:掉|记|記|了)(?:我)?(?:刚才|剛才|刚刚|剛剛|刚|剛)?(?:我)?[说說](?:过|過)?的(?:话|話)?"
     rf"{_CJK_END}"),
    ("忘",
     r"(?:我)?(?:刚才|剛才|刚刚|剛剛|刚|剛)我?[说說](?:过|過)?的(?:话|話)?[都请請]?忘(?:掉|记|記|了)"
     r"(?=[ ]*(?:吧|$|[\n，。,！!；;]))"),
    ("忘れて",
     r"(?:さっき|今|先ほど)?(?:私が)?言ったこと(?:は|を)?(?:全部)?忘れて(?:ください|下さい|くれ|ね)?"
     rf"{_CJK_END}"),
)  # fmt: skip

GOES_ON = (
    r"(?i) (?:because|since|as|but|and (?:use|take|do|we|i)|it's|it is|he's|she's|they're|that's"
    r"|weil|denn|aber|car|mais|parce que|porque|pero|perché|ma|mas|want|omdat|maar)\b"
)
"""Goes on after the thing that is taken back."""

# A matter that is named, in the phrases of `forget_wishes`

MATTER_PIECES = (
    "forg", "scrap", "scratch", "drop ", "strike", "delete", "erase", "remove", "never mind",
    "nevermind", "disregard", "ignor", "discard", "unsay", "take back", "pretend", "act as if",
    "wipe", "clear ", "scrub", "cross ", "cut ", "take ", "ditch", "bin ", "lose ", "nix ",
    "throw ",
    "get rid", "remember", "unlearn", "let go", "doesn't count", "no longer counts", "verg",
    "tiens ", "tenez ", "hagas caso", "haga caso", "consider", "tener", "keep", "streich",
    "gestrichen", "lösch", "verwirf", "nimm", "nehme", "entfern", "wirf", "lass",
    "erledigt", "hinfällig", "gilt nicht", "zählt nicht", "oubli", "efface", "supprim", "raye",
    "annule", "retire", "enlève", "enlevez", "laisse", "olvid", "olvíd", "borr",
    "descart", "elimin", "quit", "tacha", "saca", "deja", "dimentic", "scord", "cancell", "lasci",
    "togli", "rimuovi", "esque", "apag", "risc", "risq", "tira", "tire", "remov", "deixa", "larga",
    "schrap", "negeer", "wis ", "verwijder", "haal", "laat",
    "忘", "删", "刪", "掉", "算", "管", "别", "別", "不用", "不要", "不必", "不需", "不提",
    "无需", "無需", "清", "移除", "作废", "作廢", "撤", "收回", "无视", "無視", "忽略", "没", "沒",
    "消", "削除", "破棄", "捨て", "流し", "スルー", "ことに", "いい", "なし", "無し", "ナシ",
    "なくて", "気にし", "放って",
)  # fmt: skip
"""One of these every phrase has; most texts have none. Looked for before the phrases are read."""
SPEECH_PIECES = (
    "what i", "thing i", "thing that i", "all i", "all that i", "i mentioned", "i brought",
    "i told", "i said", "i spoke", "i talked", "i ever", "i even", "i just", "i never",
    "my remark", "my comment", "my words", "my statement", "my story", "was ich", "ce que",
    "lo que", "quello che", "ciò che", "quanto", "o que ", "aquilo que", "wat ik",
    "说", "說", "讲", "講", "提", "告诉", "告訴", "聊", "谈", "談", "写", "寫", "评", "評", "看法",
    "意见", "意見", "抱怨", "吐槽", "言", "話", "伝え", "書い", "教え", "喋", "しゃべ", "述べ",
    "申し", "相談", "聞",
)  # fmt: skip
"""One of these has every phrase that names what the user said."""

# The whole conversation

_ANY = r"(?:anything|any of (?:this|it)|a word)"
WHOLE_TALK = (
    ("anything|any of |a word",
     rf"{_START}{_NOT} (?:save|store|keep|record|remember|note|memori[sz]e) {_ANY} (?:from"
     rf"|of|in|about) (?:this|our) (?:whole |entire )?{_TALK}"),
    ("anything|any of |a word",
     rf"{_START}{_NOT} (?:save|store|keep|record|remember|note"
     rf"|memori[sz]e) {_ANY}(?: that)? i(?:'m| am)? {_SAID}"),
    (_TALK_PIECES,
     rf"{_START}{_NOT} (?:save|store|keep|record|remember) this (?:whole "
     rf"|entire )?{_TALK}{_END}"),
    ("nothing",
     rf"\bnothing (?:from|of|in) (?:this|our) (?:whole |entire )?{_TALK} (?:may|must|should"
     rf"|can|will|is to|shall) be {_DONE}"),
    (_TALK_PIECES,
     rf"\bthis (?:whole |entire )?{_TALK} (?:is|stays|must be"
     rf"|should be) (?:strictly )?(?:off the record|confidential|private|between us){_END}"),
    (_TALK_PIECES, rf"\bthis (?:whole |entire )?{_TALK} (?:must|should|may) not be {_DONE}{_END}"),
    ("nichts",
     r"\b(?:speicher|merk|notier|behalt)\w* (?:dir )?(?:bitte )?nichts (?:aus|von"
     r"|in) (?:diese|unsere)[mr] (?:gespräch|unterhaltung|chat|sitzung|session)"),
    ("nichts",
     r"\bnichts (?:aus|von|in) (?:diese|unsere)[mr] (?:gespräch|unterhaltung|chat|sitzung"
     r"|session) (?:\w+ ){0,2}(?:speichern|merken|gespeichert|notieren)"),
    ("diese",
     r"\bdiese[rs]? (?:ganze )?(?:gespräch|unterhaltung|chat|sitzung) (?:ist"
     r"|bleibt) (?:streng )?(?:vertraulich|unter uns)"),
    ("rien de",
     rf"\bn(?:e |'){_FRENCH_VERBS} rien de (?:cette|cet|notre) (?:conversation|échange"
     rf"|session|discussion)"),
    (" nada", rf"\bno {_SPANISH_VERBS} nada de (?:esta|nuestra) (?:conversación|charla|sesión)"),
    ("non ",
     rf"\bnon {_ITALIAN_VERBS}e (?:niente|nulla) di questa (?:conversazione|chat|sessione)"),
    (" nada", rf"\bnão {_PORTUGUESE_VERBS} nada d(?:esta|essa|a nossa) (?:conversa|sessão)"),
    ("niets",
     r"\b(?:bewaar|onthoud|noteer) niets (?:van|uit) (?:dit gesprek|deze (?:sessie|chat))"),
    ("niets op", r"\bsla niets op (?:van|uit) (?:dit gesprek|deze (?:sessie|chat))"),
    ("这", r"(?:不要|别)(?:保存|记录|记住)(?:这次|这个|这段)(?:对话|会话|聊天)"),
    ("ないで", r"この(?:会話|チャット|セッション)(?:は|を)?(?:保存|記録|記憶)しないで"),
)  # fmt: skip

COMES_NEXT = (
    "something", " next", "etwas", "gleich", "quelque chose", "algo ", "qualcosa", "iets ",
    "接下来", "これから",
)  # fmt: skip
"""Pieces of a turn that announces what must not be kept."""
NEXT_TURN = (
    ("what i",
     rf"\bwhat i(?:'m about to| am about to|'ll|'m going to)? (?:say|tell you"
     rf"|write)(?: \w+)? next\b.{{0,20}}{_NOT} (?:save|store|keep|record|remember|note)"),
)  # fmt: skip
SAYS_NOTHING = """
i'll i'd i'm i've hey
actually please scratch strike that tell say said something can may will sure wait oh ok okay
thanks thank sorry well no yes just now really again next right after answering hear heard let also
bitte danke das gerade eben jetzt doch mal kann ich dir etwas sagen ja nein dass
ça cela s'il te plaît merci eso esto por favor gracias questo per favore grazie isso obrigado
dit dat alsjeblieft bedankt net zei 这 请 这个 吧 谢谢 謝謝 好的 麻烦 麻煩 です ください これ は を
ありがとう ございます すみません お願い します ね よ
"""
"""Words of a turn that has nothing but the wish."""
