"""Words by which a note belongs to an occasion without naming it: a flight to a trip.

`Booked the Scandic in Oslo` is about the Oslo trip; `The Oslo office moved` is not.
"""

from __future__ import annotations

_OCCASIONS = (
    (
        "trip journey holiday vacation travel visit tour excursion getaway cruise honeymoon reise"
        " urlaub ausflug voyage viaje",
        "flight flights fly flying flew hotel hostel guesthouse ryokan airbnb ferry passport visa"
        " luggage suitcase pack packing itinerary sightseeing departure layover jetlag nights"
        " airport boarding souvenir flug hotelzimmer koffer fähre",
    ),
    (
        "surgery operation",
        "surgeon operate operated operating hospital anaesthesia anesthesia crutches physiotherapy"
        " rehab stitches scar ward",
    ),
    (
        "migration cutover rollout",
        "migrate migrating cutover rollback mirror switchover",
    ),
    (
        "party wedding birthday celebration anniversary baptism funeral",
        "invitation invitations invite guests cake gift presents speech bouquet venue caterer",
    ),
    (
        "renovation remodel remodelling refurbishment",
        "renovate renovated electrician plumber tiler carpenter painter",
    ),
    (
        "job position internship employment",
        "boss salary employer employed hired fired",
    ),
    (
        "lawsuit trial divorce dispute litigation",
        "lawyer attorney court hearing judge claim settlement sue sued",
    ),
    (
        "lessons lesson course class training",
        "teacher tutor practise practice recital homework exam",
    ),
    (
        "marathon race triathlon",
        "pace bib",
    ),
    (
        "inheritance estate",
        "will notary heir heirs testament probate",
    ),
    (
        "conference congress fair meetup",
        "talk slides booth keynote badge speaker",
    ),
    (
        "house flat apartment home",
        "mortgage rent tenant landlord roof",
    ),
    (
        "relocation move umzug",
        "boxes vans movers kartons moving",
    ),
)
OCCASIONS = {
    name: frozenset(belonging.split()) for names, belonging in _OCCASIONS for name in names.split()
}
"""Words that belong to an occasion, by each of its names."""

_NAMED_THINGS = """
project client customer company startup app product team vendor supplier repo repository codename
band brand
"""
NAMED_THINGS = frozenset(_NAMED_THINGS.split())
"""Nouns that people leave out before a name: `Falcon ships in May` means the project Falcon."""

_ROLES = """
landlord landlady boss manager dentist doctor therapist lawyer accountant neighbour neighbor
colleague coworker friend girlfriend boyfriend partner wife husband ex vet teacher coach dog cat pet
horse son daughter child kid sister brother mother father mum mom dad aunt uncle cousin nephew niece
grandma grandpa grandmother grandfather roommate flatmate
"""
ROLES = frozenset(_ROLES.split())
"""Relations of a person or a pet to the user, which people leave out before the name."""

_RELATIVES = """
sister brother mother father mum mom dad parents son daughter aunt uncle cousin nephew niece wife
husband girlfriend boyfriend partner friend friends neighbour neighbours neighbor neighbors
colleague colleagues grandma grandpa grandmother grandfather roommate flatmate kids
"""
RELATIVES = frozenset(_RELATIVES.split())
_TITLES = """
mr mrs ms miss dr prof professor herr frau sir madame monsieur
"""
TITLES = frozenset(_TITLES.split())

_PERSONS_VERBS = """
is was has had went goes flew flies will wants wanted booked books plans planned visited visits
travels travelled traveled moved moves lives lived likes works worked invited asked spent took takes
leaves left returned returns came got gets runs ran applied applies studied studies met meets owns
bought buys joined joins wrote writes needs loves hates prefers did does made makes married had
says said thinks told lent borrowed reviews reviewed played plays invented speaks
kept gave won lost held sang stood began brought built chose drew drove fell felt found grew knew
led paid sat sent sold spoke swam taught threw wore hat ist war fährt
"""
PERSONS_VERBS = frozenset(_PERSONS_VERBS.split())
"""Verbs after which a capitalized first word is taken for a person."""
_THINGS_VERBS = """
is was are were be has have had will would can may might must takes took needs leaves makes made
ist war sind waren wird hat hatte macht
"""
THINGS_VERBS = frozenset(_THINGS_VERBS.split())
"""Verbs whose subject is as often a thing as a person."""
BEING = frozenset(("is", "was", "are", "were", "ist", "war", "sind", "waren"))
_KNOWING = """
think thought heard hear know knew believe guess hope see saw learned read remember noticed
"""
KNOWING = frozenset(_KNOWING.split())
"""Verbs by which somebody says that something is so."""
_LEADS = """
currently now apparently maybe perhaps also then meanwhile soon still just probably since after
before while this these some when until over around im am seit ab
"""
LEADS = frozenset(_LEADS.split())
"""Words that begin a time, a place or a doubt before or behind a subject."""
THIRD_PERSONS = frozenset(("he", "she", "they", "er", "sie"))
INDEFINITE = frozenset(("a", "an", "another", "ein", "eine", "einen", "einem", "einer"))
DETERMINERS = INDEFINITE | frozenset(
    ("the", "this", "that", "these", "those", "der", "die", "das", "den", "dem")
)
ARTICLES = DETERMINERS | frozenset(("il", "lo", "gli", "los", "las", "os", "het"))
"""Stand before a noun and are no stop words of other languages: English has the verb `die`."""
_OWN = """
i me my mine we us our ours myself ourselves ich mein meine wir unser unsere
"""
OWN = frozenset(_OWN.split())
_OTHERS = """
his her their theirs hers ihr ihre sein seine
"""
OTHERS = frozenset(_OTHERS.split())

_ANOTHER = """
another other next previous earlier second third upcoming future former different following
"""
ANOTHER = frozenset(_ANOTHER.split())
"""Words that set one occasion apart from another of the same name."""
_LIGHT = """
old new big small long short whole entire great nice own current recent last first final actual main
upcoming little alte neue problem issue matter thing topic situation affair business version
"""
LIGHT = frozenset(_LIGHT.split())
"""Words that tell no two things apart."""
_PREPOSITIONS = """
to in of at with from against for by on about during into via nach von mit bei zu gegen aus
toward towards vers depuis hacia desde verso naar uit
"""
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
_TO = "to toward towards nach zu zum zur vers hacia para verso naar a à al ao alla allo"
_FROM = "from von vom aus de du des depuis desde del da do das dal dalla dallo van uit"
TO, FROM = frozenset(_TO.split()), frozenset(_FROM.split())
"""Before a place these tell where something goes, and where it comes from."""
_FRAMES = """
everything anything something all that what whatever you know known remember memories memory notes
note facts information info stuff things related relating regarding concerning connected concerns
forget delete remove erase please about happened happens happening story going
"""
FRAMES = frozenset(_FRAMES.split())
"""Words that ask for forgetting and say nothing about what."""

IRREGULAR = {
    "mice": "mouse", "feet": "foot", "teeth": "tooth", "children": "child", "men": "man",
    "women": "woman", "geese": "goose", "wives": "wife", "lives": "life", "knives": "knife",
}  # fmt: skip
"""Plurals that share no stem with their singular."""
