"""Word lists by which statements are read and compared: who, how many, when, yes and no.

The duplicate gate (`rules.relations.differences`) and the contradiction judge
(`rules.relations.contradiction`) share these lists. A recall does not need them.
"""

from __future__ import annotations

from . import (
    ENGLISH_MONTHS,
    ENGLISH_NUMBERS,
    ENGLISH_WEEKDAYS,
    GERMAN_MONTHS,
    GERMAN_NUMBERS,
    GERMAN_WEEKDAYS,
)

# Subjects

PERSON = "user"
"""The subject of a text that says `I` or `the user`."""
TEAM = "we"

_PHRASES = {
    "the user": PERSON, "the user's": PERSON, "der nutzer": PERSON, "die nutzerin": PERSON,
    "der benutzer": PERSON, "el usuario": PERSON, "la usuaria": PERSON,
    "the team": TEAM, "the project": TEAM, "this project": TEAM, "our project": TEAM,
    "our team": TEAM, "this repo": TEAM, "the repo": TEAM, "this repository": TEAM,
    "the repository": TEAM, "the codebase": TEAM, "das projekt": TEAM, "le projet": TEAM,
}  # fmt: skip
_I = """
i me my mine user user's ich mich mir mein meine meinen je j' moi mon ma mes l'utilisateur yo mi
mis 我 用户 我的 私 僕 俺 ユーザー
"""
_WE = """
we us our ours wir uns unser unsere nous notre nos nosotros nuestro nuestra 我们 我們 我们的 私たち
"""
SPEAKERS = _PHRASES | dict.fromkeys(_I.split(), PERSON) | dict.fromkeys(_WE.split(), TEAM)
"""Words for oneself, with the subject that they name."""

_PRONOUNS = """
he she it they this that these those there here who which what one someone somebody anyone anything
everything something nothing you er sie es das dies man il elle ils elles on ce cela ello eso esto
"""
PRONOUNS = frozenset(_PRONOUNS.split())
"""Subjects that another text cannot mean: pronouns and the like."""

PERSON_FORMS = {
    "i": "we", "you": "we", "your": "our", "my": "our", "yours": "ours", "mine": "ours",
}  # fmt: skip
"""Pronouns that the two sides of a conversation use for the same people."""
UNCLEAR_PRONOUNS = frozenset({
    "it", "that", "this", "them", "there", "those", "these", "one", "ones", "so", "he", "she",
})  # fmt: skip
"""A value that is one of these is not understood outside its conversation."""


# Attributes and values

_SINGLE_VALUED = """
name nickname surname branch port version color colour email mail phone number address birthday
birthdate deadline language editor ide database db framework host hostname url domain timezone zone
currency budget price cost size height weight age owner lead leader manager boss director ceo cto
location city country capital license licence format indentation provider region endpoint username
login model engine shell job employer company school university spouse wife husband partner doctor
dentist surgery limit timeout interval frequency threshold duration length width temperature
level status role title theme locale
password passphrase key time date day month year quota headcount salary rate target runtime
namen name farbe sprache adresse alter hauptstadt stadt beruf chef version nom couleur langue
adresse âge ville métier chef nombre color idioma dirección edad ciudad trabajo jefe versión
名字 名称 颜色 语言 地址 年龄 城市 生日 版本 名前 色 言語 住所 年齢 誕生日
"""
SINGLE_VALUED = frozenset(_SINGLE_VALUED.split())
"""Attributes with one value at a time, so that two values exclude each other."""
_UNIQUE_MARKERS = """
favorite favourite preferred default primary main current only official lieblings bevorzugte
standard préféré préférée favori favorito favorita preferido preferida 最喜欢的 好きな
"""
UNIQUE_MARKERS = frozenset(_UNIQUE_MARKERS.split())
"""Words that pick one of many: the *default* browser, the *current* sprint."""

_DESCRIPTIVE = """
a an the good bad great nice fine ok okay slow fast broken down up wrong right important hard easy
long short new old boring fun too very so quite really pretty still unknown unclear ready done
required optional optimal useful used needed missing available different similar same high low big
small large set here there
"""
DESCRIPTIVE = frozenset(_DESCRIPTIVE.split())
"""A value that begins with one of these describes a thing and does not name it."""

_ALTERNATIVES = """
tabs spaces
tea coffee
vim neovim emacs vscode pycharm intellij zed sublime nano
npm yarn pnpm bun
pip poetry uv pipenv conda pdm hatch
postgres postgresql mysql mariadb sqlite mongodb oracle dynamodb
pytest unittest nose
jest vitest mocha
react vue svelte angular solid
django flask fastapi
black ruff yapf
eslint biome
aws gcp azure
linux macos windows
bash zsh fish powershell
git mercurial svn
github gitlab bitbucket
metric imperial
celsius fahrenheit
light dark
morning evening
email phone
vegetarian vegan
window aisle
mac windows
"""
ALTERNATIVES = tuple(frozenset(line.split()) for line in _ALTERNATIVES.strip().splitlines())
"""Things of one kind: who prefers or uses one gives up the others."""


# Opposites and negations

_OPPOSITES = """
on off; open closed; open close; open shut; opened closed; enabled disabled; enable disable;
allowed forbidden; allow forbid; allow block; allow deny; allow ban; allowed prohibited; required
optional; mandatory optional; public private; true false; yes no; full empty; empty occupied; up
down; always never; hot cold; warm cold; wet dry; asleep awake; awake sleeping; alive dead;
sitting standing; sit stand; standing running; walking running; swimming immobile; silent talking;
silent loud; quiet loud; quiet noisy; young old; clean dirty; cleaning dirtying; putting removing;
putting taking; loading unloading; lifting lowering; wearing removing; opening closing; entering
leaving; pushing pulling; lighting extinguishing; buying selling; buy sell; starting stopping;
start stop; start end; begin end; first last; before after; early late; earlier later; safe
unsafe; secure insecure; supported unsupported; valid invalid; possible impossible; correct
incorrect; correct wrong; right wrong; single married; employed unemployed; synchronous
asynchronous; sync async; mutable immutable; internal external; local remote; manual automatic;
manually automatically; static dynamic; cheap expensive; rich poor; strong weak; light dark; light
heavy; fast slow; faster slower; quick slow; high low; higher lower; tall short; long short; big
small; large small; huge small; large tiny; big tiny; huge tiny; thick thin; sharp blunt; happy
sad; easy hard; easy difficult; near far; close far; nearby far; inside outside; indoors outdoors;
indoor outdoor; above below; left right; increase decrease; increasing decreasing; add remove; add
delete; adding removing; accept reject; accepted rejected; approve reject; pass fail; passing
failing; passed failed; success failure; succeed fail; win lose; more less; more fewer; most
least; many few; minimum maximum; min max; good bad; good poor; better worse; best worst; online
offline; active inactive; present absent; visible hidden; encrypted unencrypted; signed unsigned;
odd even; positive negative; smooth rough; calm angry; ascending descending; climbing descending;
vertical horizontal; uppercase lowercase; crowded deserted; crowded empty; stationary moving; love
hate; love dislike; like hate; like dislike; likes dislikes; loves hates; enjoy hate; enjoy
dislike; agree disagree; include exclude; remember forget; keep discard; same different; all none;
everybody nobody; everyone nobody; everything nothing; gerne ungern; immer nie; gut schlecht; aime
déteste; toujours jamais; bon mauvais; gusta odia; siempre nunca; bueno malo
"""
OPPOSITES = frozenset(
    frozenset(pair.split()) for pair in _OPPOSITES.replace("\n", " ").split(";") if pair.strip()
)
"""Pairs that cannot both be true of one thing."""
_COUNTERPARTS = """
with without; in out; into out; into from; onto off; onto from; over under; front back; front
behind; behind before; toward from; top bottom; north south; east west; upper lower; man woman;
boy girl; male female; husband wife; mother father; son daughter; brother sister; he she; his her;
him her; parent child; client server; backend frontend; staging production; dev prod; debug
release; unit integration; request response; producer consumer; sender receiver; source target;
input output; inbound outbound; ingress egress; incoming outgoing; primary secondary; primary
replica; desktop mobile; breakfast dinner; lunch dinner; black white; old new; older newer; all
some; all any; same other; must may; single double; tab space; upload download; import export;
read write; create delete; show hide; appear vanish; encrypt decrypt; encode decode; lock unlock;
login logout; install uninstall; deploy rollback; rise fall; raise lower; arrive leave; come go;
enter exit; hit miss; catch miss; catch drop; follow lead; mag mögen; an aus; auf zu; mit ohne;
alt neu; avec sans; con sin; groß klein
"""
COUNTERPARTS = frozenset(
    frozenset(pair.split()) for pair in _COUNTERPARTS.replace("\n", " ").split(";") if pair.strip()
)
"""Pairs that may both be true, yet never mean the same."""
OPPOSITE_PREFIXES = ("un", "in", "im", "ir", "dis", "non", "de", "mis", "anti", "pre", "post", "re")
"""Prefixes that turn a word into another one: safe and unsafe."""

_NEGATIONS = """
not no never none nobody nothing neither nor without cannot nowhere nicht kein keine keinen keinem
keiner keines nie niemals niemand nichts weder ohne ne pas jamais aucun aucune rien nunca jamás
nadie ningún ninguno ninguna tampoco
"""
NEGATIONS = frozenset(_NEGATIONS.split())
"""Words that deny a sentence."""
NEGATIONS_UNSPACED = (
    "不", "没有", "沒有", "别", "從不", "从不", "ない", "ません", "ではなく", "じゃな", "않", "없",
    "ไม่",
)  # fmt: skip
"""The same in scripts without spaces."""
_NEAR_NEGATIONS = """
hardly barely rarely seldom longer stop stopped stops quit anymore except unless lack lacks lacking
fail fails failed refuse refuses refused avoid avoids wrong false incorrect former formerly ex kaum
mehr falsch sans plus faux sin nada falso
"""
NEAR_NEGATIONS = frozenset(_NEAR_NEGATIONS.split())
"""Words that deny in some sentences only: with one of them, two texts are not the same."""
NEAR_NEGATIONS_UNSPACED = (*"没沒無无未非勿別否嫌", "なく", "ずに", "안 ", "못", "아니", "không")


# Numbers and times

_FRENCH_NUMBERS = "deux trois quatre cinq six sept huit neuf dix onze douze"
_SPANISH_NUMBERS = "dos tres cuatro cinco seis siete ocho nueve diez once doce"
NUMBER_DIGITS = {
    word: str(number)
    for names, first in (
        (ENGLISH_NUMBERS, 0), (GERMAN_NUMBERS, 0), (_FRENCH_NUMBERS, 2), (_SPANISH_NUMBERS, 2),
    )
    for number, word in enumerate(names.split(), first)
}  # fmt: skip
"""Number words with their digits; French and Spanish from two on, since one is an article."""
_MORE_NUMBERS = """
thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
seventy eighty ninety hundred thousand million billion dozen half twice thrice double triple single
both first second third fourth fifth hundert tausend erste zweite dritte beide cent mille premier
cien mil primero
"""
ALL_NUMBERS = frozenset((*NUMBER_DIGITS, *_MORE_NUMBERS.split()))
"""Words in which two texts that mean the same do not differ."""

_OTHER_WEEKDAYS = """
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
"""
_PLURAL_WEEKDAYS = tuple(f"{day}s" for day in f"{ENGLISH_WEEKDAYS} {GERMAN_WEEKDAYS}".split())
CALENDAR_NAMES = frozenset((
    *f"{ENGLISH_WEEKDAYS} {GERMAN_WEEKDAYS} {_OTHER_WEEKDAYS}".split(), *_PLURAL_WEEKDAYS,
    *f"{ENGLISH_MONTHS} {GERMAN_MONTHS}".split(),
)) - {"may"}  # fmt: skip
"""Weekdays and months; `may` is mostly a verb."""
_MORE_TIMES = """
may today tomorrow yesterday tonight morning noon afternoon evening night midnight spring summer
autumn fall winter daily weekly monthly yearly hourly quarterly annual annually weekday weekend am
pm second minute hour day week month quarter year decade heute morgen gestern abend nacht täglich
wöchentlich monatlich jährlich tag woche monat jahr aujourd'hui demain hier hoy mañana ayer
"""
ALL_TIMES = CALENDAR_NAMES | frozenset(_MORE_TIMES.split())
"""Words for times in which two texts that mean the same do not differ."""


# Function words of statements

TELLING_FUNCTION_WORDS = frozenset({
    "like", "on", "off", "over", "under", "before", "after", "up", "down", "all", "out", "into",
    "onto", "from", "inside", "outside", "against", "same", "other", "only", "must",
})  # fmt: skip
"""Stop words that change what a statement says."""
PARTICLES = frozenset({"on", "off", "up", "down", "in", "out", "over", "under", "from", "to"})
FILLER_WORDS = frozenset({
    "nowadays", "currently", "presently", "basically", "actually", "simply", "anyway", "please",
})  # fmt: skip
"""Words without which a statement says the same."""
ONE_LETTER_WORDS = frozenset("aiyoeus")
"""Any other single letter is a name: module b, option C."""

_GENERAL_THINGS = """
morning mornings afternoon evening evenings night weekend weekends week day days month year time
moment past future end beginning start rest side way same other others first last second third one
ones latest newest simplest shortest standard default metric imperial system oxford comma voice
tense imperative indicative infinitive active passive present singular plural person answer answers
reply replies response explanation summary conclusion code result diff
example examples command line terminal shell browser editor ide debugger repl keyboard mouse phone
computer laptop screen dark light theme mode train plane bus car window aisle seat world internet
news weather outdoors city country countryside mountains sea beach gym office kitchen home house
uk us usa eu point details idea fact truth why how what reason reasons reasoning trade tradeoff
tradeoffs pros cons plan problem solution
morgen vormittag nachmittag abend nacht wochenende tag woche monat jahr moment vergleich allgemeinen
antwort antworten erklärung terminal browser rechner handy büro zug stadt land welt ende anfang
matin soir après-midi week-end réponse réponses terminal navigateur train bureau ville monde
mañana tarde noche respuesta respuestas terminal navegador tren oficina ciudad mundo general
"""
GENERAL_THINGS = frozenset(_GENERAL_THINGS.split())
"""Things with an article that belong to no project: times, tools, places and parts of answers."""
_EVERY = ("every", "each", "any", "jedem", "jedes", "chaque", "cada", "ogni", "elk", "ieder")
THIS_PROJECT = (
    "".join(rf"(?<!\b{word} )" for word in _EVERY)
    + r"\b(?:projekt|project|projet|proyecto|progetto|projeto|repositorio|repositório|dépôt)\b"
    r"|\b(?:questo|questa|neste|nesta|deste|desta|dit|deze|diese[mr]|ce) "
    r"(?:team|equipo|squadra|equipe|ploeg|repo|codebase)\b"
    r"|\b(?:nostr[oaie]|noss[oa]s?|noi|onze|ons)\b"
)
"""A pattern of words for the work at hand, in languages other than English too."""
