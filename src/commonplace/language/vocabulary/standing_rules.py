"""How people give a rule that holds from now on: `scrivi sempre …`, `…, siempre`, `voortaan …`.

Each constant is a piece of a regular expression; alternatives are divided by `|`.
"""

from __future__ import annotations

FROM_NOW_ON = (
    r"ab jetzt|ab sofort|von nun an|künftig|in zukunft|désormais|dorénavant|à partir de maintenant"
    r"|de ahora en adelante|a partir de ahora|d'ora in poi|da ora in poi|d'ora in avanti"
    r"|de agora em diante|a partir de agora|daqui em diante|vanaf nu|voortaan"
)
ALWAYS = (
    rf"always|never|immer|nie(?:mals)?|stets|toujours|jamais|siempre|nunca|sempre|mai|jamás"
    rf"|altijd|nooit|{FROM_NOW_ON}"
)
FOR_ONCE = (
    r"(?:just|right) now|for now|(?:today|tonight|tomorrow)(?!'s)|(?:just )?this (?:time|once)"
    r"|(?:only|just|for) once|(?:at|for) the moment|heute|diesmal|dieses mal|als nächstes"
    r"|ausnahmsweise|fürs erste|erst ?mal|vorerst|cette fois|aujourd'hui|demain|pour l'instant"
    r"|exceptionnellement|pour une fois|esta vez|hoy|por ahora|de momento|por una vez"
    r"|excepcionalmente|questa volta|stavolta|oggi|domani|per ora|per una volta|eccezionalmente"
    r"|desta vez|hoje|amanhã|por enquanto|por agora|deze keer|vandaag|voorlopig|bij uitzondering"
)
"""With one of these a wish holds for this once, if nothing says that it holds from now on."""
NOT_BUT = (
    r"(?:es|das|er|sie) (?:ist|sind|war|waren) (?:kein\w*|nicht) .*\bsondern\b"
    r"|ce (?:n'est|n'était|ne sont) pas .*(?:, c'est|, mais) |c'est pas .*, c'est "
    r"|no (?:es|son|era|eran) .*(?:, es|, son|, era| sino) "
    r"|non (?:è|sono|era) .*(?:, è|, sono|,? ma) "
    r"|não (?:é|são|era) .*(?:, é|, são|,? mas) |het (?:is|zijn|was) (?:geen|niet) .*,? maar "
)
"""Opens a sentence that says what something is instead of what was said."""
ORDERS = (
    r"antworte|schreibe?|verwende|nutze|benutze|nimm|mach|setze?|nenne?|gib|sprich|runde"
    r"|répond[sz]|répondez|écri[sv]\w*|utilis\w+|mets|mettez|fais|nomme\w*|donne\w*|emploie"
    r"|arrondi\w+|parle[sz]?"
    r"|respond[ae]s?|escrib[ae]s?|us[ae]s?|utiliza|utilices|pon|pongas|haz|hagas|nombra|redondea"
    r"|habla|hables|guarda"
    r"|rispond[ei]\w*|scriv[ei]\w*|usare|utilizza\w*|metti|mettere|fai|fare|arrotonda\w*|parla\w*"
    r"|salva|tieni"
    r"|escrev[ae]s?|põe|coloc\w+|coloque|faz|faça|arredond[ae]|fal[ae]"
    r"|antwoord|schrijf|gebruik|zet|maak|noem|geef|rond|spreek|bewaar"
)
"""Verbs by which one person tells another how to work, as orders."""
WHERE = r"(?:(?:in|dans|en|nel|neste|nesta|no|na|im|für|pour|para|per|voor) [^,.;:!?]{2,40}?,? )"
PLEASE = (
    r"please|bitte|s'il (?:te|vous) pla[iî]t|stp|por favor|per favore"
    r"|alsjeblieft|graag|se faz favor"
)
NOT_THIS = r"no|not|kein\w*|nicht|pas|non|não|geen|niet|ne|n'\w+"
