"""The words that claims are read by: who speaks, what there is one of, what excludes what."""

from __future__ import annotations

PERSON = "user"
"""The one whose memory this is, whether a text says `I` or `the user`."""
TEAM = "we"

_LONGER = {
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
SPEAKERS = _LONGER | dict.fromkeys(_I.split(), PERSON) | dict.fromkeys(_WE.split(), TEAM)
"""Who is meant by the words for oneself."""

_NOBODY = """
he she it they this that these those there here who which what one someone somebody anyone anything
everything something nothing you er sie es das dies man il elle ils elles on ce cela ello eso esto
"""
NOBODY = frozenset(_NOBODY.split())
"""Subjects that name nothing which another text could name too."""

_SINGLE = """
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
SINGLE = frozenset(_SINGLE.split())
"""Things of which there is one at a time, so that two values exclude each other."""
_CHOSEN = """
favorite favourite preferred default primary main current only official lieblings bevorzugte
standard préféré préférée favori favorito favorita preferido preferida 最喜欢的 好きな
"""
CHOSEN = frozenset(_CHOSEN.split())
"""Words that make one thing out of many: the *default* browser, the *current* sprint."""

_LOOSE = """
a an the good bad great nice fine ok okay slow fast broken down up wrong right important hard easy
long short new old boring fun too very so quite really pretty still unknown unclear ready done
required optional optimal useful used needed missing available different similar same high low big
small large set here there
"""
LOOSE = frozenset(_LOOSE.split())
"""What begins so describes a thing and does not say which one it is."""

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
"""Things that take each other's place when somebody prefers or uses one."""

_ANTONYMS = """
on off; open closed; open close; enabled disabled; enable disable; allowed forbidden; allow
forbid; allowed prohibited; required optional; public private; true false; yes no; full empty; up
down; always never; hot cold; wet dry; asleep awake; alive dead; sitting standing; sit stand;
standing running; walking running; swimming immobile; silent talking; silent loud; quiet loud;
quiet noisy; young old; clean dirty; cleaning dirtying; putting removing; putting taking; loading
unloading; lifting lowering; wearing removing; opening closing; entering leaving; pushing pulling;
lighting extinguishing; buying selling; starting stopping; start stop; first last; before after;
early late; safe unsafe; secure insecure; supported unsupported; valid invalid; possible
impossible; correct incorrect; correct wrong; right wrong; single married; employed unemployed;
synchronous asynchronous; sync async; mutable immutable; mandatory optional; internal external;
local remote; manual automatic; cheap expensive; rich poor; strong weak; light dark; light heavy;
fast slow; high low; tall short; big small; large small; large tiny; big tiny; thick thin; sharp
blunt; happy sad; easy hard; easy difficult; near far; inside outside; indoors outdoors; left
right; increase decrease; increasing decreasing; add remove; adding removing; accept reject;
accepted rejected; pass fail; passing failing; passed failed; more less; online offline; active
inactive; visible hidden; encrypted unencrypted; signed unsigned; odd even; smooth rough; calm
angry; ascending descending; climbing descending; crowded deserted; crowded empty; awake sleeping;
stationary moving; best worst; love hate; like dislike; likes dislikes; loves hates; agree
disagree; approve reject
"""
ANTONYMS = frozenset(
    frozenset(pair.split()) for pair in _ANTONYMS.replace("\n", " ").split(";") if pair.strip()
)

_NEGATIONS = """
not no never none nobody nothing neither nor without cannot nowhere nicht kein keine keinen
keinem keiner nie niemals niemand nichts ne pas jamais aucun aucune rien no nunca jamás nadie ningún
ninguno ninguna tampoco
"""
NEGATIONS = frozenset(_NEGATIONS.split())
NEGATIONS_ANYWHERE = (
    "不",
    "没有",
    "沒有",
    "别",
    "從不",
    "从不",
    "ない",
    "ません",
    "ではなく",
    "じゃな",
)

NUMBERS = {
    word: str(number)
    for number, names in enumerate(
        (
            "zero null", "one eins", "two zwei deux dos", "three drei trois tres",
            "four vier quatre cuatro", "five fünf cinq cinco", "six sechs seis",
            "seven sieben sept siete", "eight acht huit ocho", "nine neun neuf nueve",
            "ten zehn dix diez", "eleven elf once onze", "twelve zwölf douze doce",
        )
    )
    for word in names.split()
}  # fmt: skip
_DAYS = """
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
fridays saturdays sundays montag dienstag mittwoch donnerstag freitag samstag sonntag montags
dienstags mittwochs donnerstags freitags samstags sonntags lundi mardi mercredi jeudi vendredi
samedi dimanche lunes martes miércoles jueves viernes sábado domingo
january february march april june july august september october november december mai januar
februar märz juni juli oktober dezember
"""
DAYS = frozenset(_DAYS.split())
