"""How people put right what they have just said: `no wait`, `ach nee, ich meine`, `quise decir`.

Each list is a piece of a regular expression; alternatives are divided by `|`.
"""

from __future__ import annotations

NOES = (
    r"no+|nope|nah|oh|äh+m?|eh+|ach|nein|nee|nö|doch|non|mais non|ah|bah|não|nãão|ma no|che|ai|ops"
    r"|oops|hoppla|uf|och|aber"
)
"""May stand before or after the words of a repair, and open none alone."""
REPAIRS = (
    r"wait(?: a (?:second|minute|moment|sec))?|sorry|hang on|hold on|i mean|i meant|scratch that"
    r"|make that|rather"
    r"|(?:ach|oh|äh|ah|eh|hm) (?:nein|nee|non|no|não)|warte(?: mal| kurz)?|moment(?: mal)?|halt"
    r"|stopp|quatsch|unsinn|entschuldigung|verzeihung"
    r"|pardon|tut mir leid|ich mein(?:e|te)?|ich wollte sagen|vielmehr|besser gesagt"
    r"|genauer gesagt"
    r"|attends|attendez|minute|excuse[sz]?(?:-moi)?|désolée?|je veux dire|enfin|ou plutôt|plutôt"
    r"|espera|espere|perdón|perdona|disculpa|lo siento|digo|quiero decir|mejor dicho|más bien"
    r"|aspetta|scusa(?:mi|te)?|mi dispiace|anzi|cioè|voglio dire|o meglio|un attimo"
    r"|espera aí|peraí|desculpa|desculpe|perdão|quer dizer|aliás|ou melhor|ou seja|digo"
    r"|wacht(?: even)?|pardon|ik bedoel|of liever|eh nee|excuses"
)
"""Open a repair where a value follows; elsewhere some of them only open a sentence."""
ENGLISH_CORRECTIONS = r"correction|my (?:mistake|bad)|i misspoke|typo"
CORRECTIONS = (
    r"korrektur|berichtigung|falsch|ich meinte|ich hab(?:e)? mich (?:vertan|vertippt|geirrt"
    r"|verschrieben|versprochen)|mein fehler"
    r"|je voulais dire|je me suis trompée?|erreur|rectification|au temps pour moi|autant pour moi"
    r"|quise decir|quería decir|corrección|corrijo|me (?:he )?equivo(?:qué|cado)|error mío"
    r"|volevo dire|intendevo|correzione|mi sono sbagliat[oa]|errore mio|mi correggo"
    r"|quis dizer|queria dizer|correção|corrijo|me enganei|enganei-me|erro meu"
    r"|ik bedoelde|correctie|ik vergiste me|foutje|mijn fout|ik heb me vergist"
)
"""Say that something was wrong, wherever they stand."""
APOLOGIES = (
    r"entschuldigung|entschuldige|verzeihung|tut mir leid|sorry|pardon|désolée?|excuse[sz]?-moi"
    r"|perdón|perdona|disculpa|lo siento|scusa(?:mi|te)?|mi dispiace|desculpa|desculpe|perdão"
    r"|excuses|het spijt me"
)
"""Open a sentence and say nothing, where a pause follows."""
GOES_ON = (
    r"dass|wenn|falls|aber|que|qu['’]|si|mais|pero|che|se|ma|mas|dat|als|maar|that|if|but|about|for"
    r"|für|pour|por|per|voor|de"
)
"""After an apology or `I mean`, these lead to what it is about."""
ARTICLES = (
    "a an the ein eine einen einem einer der die das den dem des un une le la les el los las una"
    " unos unas il lo gli i uno o os as um uma het de een l d"
)
COPULAS = (
    "is are was were ist sind war waren heißt heißen est sont était étaient es son era eran está"
    " están è sono erano foi são fica fica wordt is zijn waren heet s'appelle se llama si chiama"
    " chama-se"
)
"""Lead to a value at the end of a sentence."""
_DAYS = (
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag"),
    ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "sábados", "domingo"),
    ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
    ("segunda", "terça", "quarta", "quinta", "sexta", "sábado", "domingo", "segunda-feira",
     "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira"),
    ("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"),
)  # fmt: skip
WEEKDAY_NAMES = frozenset(form for names in _DAYS for day in names for form in (day, f"{day}s"))
"""Weekdays in the seven languages, also in the plural."""
