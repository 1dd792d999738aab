"""The small words by which clauses with a subject of their own are told, in seven languages."""

from __future__ import annotations

JOINS = (
    "and|but|while|whereas|und|aber|während|doch|et|mais|tandis que|y|e|pero|mientras|ma|mentre"
    "|mas|enquanto|maar|terwijl"
)
"""Join two clauses, or two nouns."""
DUTCH_JOIN = "en"
"""Means `in` in other languages."""
_DUTCH = "het een heeft hebben is zijn brengt wordt voor niet naar"
DUTCH = frozenset(_DUTCH.split())

_DETERMINERS = """
the a an this that these those my our your his her their der die das den dem des ein eine einen
einem einer mein meine unser unsere ihr ihre sein seine im am zum zur beim vom ins le la les l un
une des du au aux mon ma mes notre nos son sa ses leur leurs el los las una unos unas al del mi mis
nuestro nuestra su sus il lo gli i uno nel nella nello sul sulla dal dalla o os as um uma no na nos
nas ao à do da meu minha seu sua de het een mijn onze zijn haar hun
"""
DETERMINERS = frozenset(_DETERMINERS.split())
"""Stand before a noun, alone or with a preposition in them."""
_PREPOSITIONS = """
to in of at with from against for by on about during into via over under behind beside near between
without until since before after through around nach von mit bei zu gegen aus auf an über unter vor
hinter neben zwischen für ohne um seit bis durch à en dans sur sous avec sans pour chez vers par
depuis con sin para por desde hasta entre sobre di da per tra fra com sem até met naar bij voor op
uit tot zonder and or but und oder et ou y e o en of
"""
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
"""Stand before a noun or between two, and are no verbs."""

_VERBS = """
is are was were has have had will can must should may does do gets goes runs uses lives works stays
takes needs keeps leads owns costs starts ends sits holds makes wants likes prefers comes lies
stands leaves pays reads writes moves meets opens closes drives sends belongs brings carries knows
teaches plays sings sleeps eats hat haben ist sind war waren wird werden kann muss soll kommt bringt
geht macht hält trägt führt steht liegt fährt est sont était a ont avait va vient fait tient met
prend garde apporte porte es son era está están tiene tienen va viene hace trae lleva guarda è sono
ha hanno fa porta tiene prende viene é são foi tem têm vai vem faz traz leva guarda heeft hebben
zijn was gaat komt doet brengt houdt draagt
"""
VERBS = frozenset(_VERBS.split())
"""Verbs that people, and things, often do."""

_LEANING = """
he she it they him them his its their too also there then so er sie ihn ihm auch dort elle elles ils
aussi lui ello él ella ellos también lei loro anche ele ela eles também hij hem zij ze ook daar
"""
LEANING = frozenset(_LEANING.split())
"""Point at what was said before."""
