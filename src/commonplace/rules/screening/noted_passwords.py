"""Find passwords by the note on how they are written, and new values by what they correct.

`…, all lower case, no spaces` is said of a password alone, so that the words before it are one. `It's
no longer the one on the card, it's now Stethoscope` tells one of the network that it names.
"""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding
from .passwords_by_shape import names_access
from .secret_values import is_filled_in, is_strong
from .values_in_sentences import TECHNICAL, is_description, is_fiction, read_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NOTE_HINTS = (
    "lower case", "lowercase", "one word", "no space", "no gap", "the spaces", "with spaces", "hyphen", "dash", "capital", "attaché",
    "minuscule", "espaces", "tirets", "minuscul", "espacio", "guion", "junto", "minuscol", "maiuscol", "spazi", "attaccat", "trattin",
    "klein", "bindestrich", "leerzeichen", "zusammengeschrieben", "am stück", "mayúscula",
)  # fmt: skip
CORRECTION_HINTS = (
    "now", "désormais", "maintenant", "ahora", "adesso", " ora ", "jetzt", "from here on", "instead", "nuov", "neue", "nouve", "nuev",
)  # fmt: skip
REPLACED_HINTS = (
    "any more", "anymore", "no longer", "isn't", "isn’t", "old one", "scrap", "instead", "not ", "refused", "nicht mehr", "alte", "statt", "plus ",
    "ancien", "ya no", "vieja", "viejo", "antigua", "en vez", "non è più", "vecchia", "vecchio", "invece", "está", "already", "ahora", "já não", "antiga",
)  # fmt: skip

_SMALL = (
    r"(?:all |everything |only |just )?(?:in )?(?:lower|small)[ -]?case(?: letters)?|(?:all )?one word|no (?:spaces|gaps|caps|capitals)|(?:with|incl(?:uding|\.)?|and) (?:the )?(?:spaces|hyphens|dashes|full stops|underscores)|(?:spaces|hyphens|dashes) (?:incl\w*\.?|and all)"
    r"|(?:with )?a?\s?(?:capital|big|small) \w\b|hyphens between|joined up|run together"
    r"|tout (?:attaché|collé|en minuscules?|minuscule)|(?:en|tout en) (?:minuscules?|majuscules?)|sans (?:espaces?|majuscules?|accents?)|avec (?:les |des )?(?:espaces|tirets|accents?)|en un (?:seul )?mot"
    r"|todo (?:junto|seguido|pegado|en min[uú]sculas?)|(?:en|con) min[uú]sculas?|sin (?:espacios|may[uú]sculas|acentos|tildes)|con (?:los )?(?:espacios|guiones|acentos)"
    r"|tutto (?:attaccato|minuscolo|unito)|(?:in |tutto )?minuscolo|senza (?:spazi|maiuscole|accenti)|con (?:gli |i )?(?:spazi|trattini)"
    r"|alles (?:klein|zusammen\w*|kleingeschrieben|groß)|(?:klein|zusammen)(?:geschrieben)|(?:ohne|mit) (?:leerzeichen|bindestrich\w{0,2}|umlaut\w*|großbuchstaben)|am stück|in einem wort"
)
_NOTE = lazy(
    rf"(?i)\s*(?:,|;|\(|–|—| - )\s*(?:and |und |e |et |y |todo |tutto |tout )?(?:{_SMALL})(?!\w)"
)
_SAYS_WHERE = lazy(
    r"(?i)(?:in|on|at|under|not|the same|written|stored|kept|im|in|unter|nicht|dans|sous|pas|en|no|nel|sotto|non|wie|como|comme|come|like|as)(?!\w)"
)
_WORD_BEFORE = lazy(r"[\"“„«']?(?P<value>[^\s\"“”„«»(),;:]{4,60})[\"”»']?$")
_PHRASE_BEFORE = lazy(
    r"(?i)(?:(?<!\w)(?:is|it['’]s|are|was|put|use|used|typed?|enter|est|c['’]est|es|è|ist|heißt|lautet|mets|mis|metto|metti|messo|pon|pones|puse|nimm|backup|wifi|tablet|laptop|gave it|give it|say)|[:=→])\s+(?P<value>\w[^,;:.!?()\n]{7,60})$"
)
_ABOUT = lazy(
    r"(?i)(?<!\w)(?:file(?:name)?s?|branch(?:es)?|variables?|columns?|identifiers?|tags?|slugs?|headings?|titles?|names?|domains?|hostnames?|hashtag|url|e-?mails?|write|writes|schreib\w*|écri\w+|escrib\w+|scriv\w+|spelled|spelt|usernames?|must|should|muss|doit|debe|deve|keys are|please|menu|sign|logo|label|poster)(?!\w)"
)


def find_noted_passwords(text: str, lower: str) -> Iterator[Finding]:
    """Words that a note on their spelling follows, where something asks for a password."""
    if any(map(lower.__contains__, NOTE_HINTS)):
        for note in _NOTE.finditer(text):
            if place := _noted(text, note.start()):
                yield Finding(CREDENTIAL, "password", *place)
    if any(map(lower.__contains__, CORRECTION_HINTS)):
        yield from _corrected(text)
    if any(map(lower.__contains__, REPLACED_HINTS)):
        yield from _replaced(text)


def _noted(text: str, end: int) -> tuple[int, int] | None:
    start = max(0, end - 110, text.rfind("\n", 0, end) + 1)
    clause = text[start:end].rstrip("\"”»'")
    if _ABOUT.search(clause[-60:]) or is_fiction(text, end):
        return None
    word = _WORD_BEFORE.search(clause)
    if word and (_is_run_together(word["value"]) or names_access(text, end, end)):
        said = word["value"]
        if (
            is_filled_in(said)
            and not is_description(said)
            and (said[0].isupper() or len(said) > 7 or not said.isalpha())
        ):
            return start + word.start("value"), start + word.end("value")
    if names_access(text, end, end) and (phrase := _PHRASE_BEFORE.search(clause)):
        said = phrase["value"].split()
        if 2 <= len(said) <= 8 and not _SAYS_WHERE.match(phrase["value"]):
            return start + phrase.start("value"), start + phrase.end("value")
    return None


def _is_run_together(word: str) -> bool:
    """Whether several words are written as one: with dashes, or longer than words are."""
    return word.count("-") >= 2 or (word.isalpha() and len(word) >= 14)


_OLD = r"(?:no longer|isn['’]t|not the (?:one|old)|old one|was the old|changed (?:it|the)|n['’]est plus|plus (?:ça|celui|la même)|c['’]était l['’]ancien|nan|erratum|correction|ya no|era l[ao] viej[ao]|cambi\w+|no es|non è più|era quell[ao] vecchi[ao]|nicht mehr|war das alte|korrektur|stimmt nimmer|scratch that|forget (?:what|the)|actually)"
_NOW = r"(?:it['’]s now|is now|now it['’]s|now|c['’]est (?:désormais|maintenant)|désormais c['’]est|maintenant c['’]?(?:est)?|ahora es|es ahora|(?:adesso|ora) è|jetzt (?:ist es|heißt es|ist|heißt)|ist jetzt|heißt jetzt|is nu|nu is het)"
_CORRECTED = lazy(
    rf"(?i)(?<!\w){_OLD}(?!\w)[^\n]{{0,120}}?(?<!\w){_NOW}\s+(?:(?:just|simply|tout simplement|simplemente|semplicemente|einfach)\s+)?"
)
_NETWORK = lazy(
    r"(?i)(?<!\w)(?:admin|root|switch|user|wi-?fi|wlan|router|box|hotspot|netflix|disney\+?|spotify|prime|hulu|apple tv|alexa|plex|amazon|ebay|paypal|gmail|outlook|icloud|zoom|teams|dropbox|instagram|facebook|tiktok|account|login|konto|compte|cuenta|conto|portal\w?|portail|laptop|tablet|ipad|nas|mot de passe|password|passwort|contraseña|clave|pw)(?!\w)"
)
_ENDS = lazy(
    r"(?i)[\"”»']?(?:\s*[.,;!)\n]|\s*$|\s+(?:et rien d['’]autre|and nothing else|y (?:ya está|nada más)|e basta|e nient['’]altro|und sonst nichts)(?!\w))"
)


def _corrected(text: str) -> Iterator[Finding]:
    """One capital or odd word that is said to hold now, of a thing that one logs into."""
    for match in _CORRECTED.finditer(text):
        start = max(0, match.start() - 100)
        if not _NETWORK.search(text, start, match.end()):
            continue
        value = read_value(
            text,
            match.end(),
            min(len(text), match.end() + 60),
            plain=True,
            phrase=False,
            copula="is",
        )
        if not value or not _ENDS.match(text, value[1]):
            continue
        said = text[slice(*value)]
        if said[:1].isupper() or not said.isalpha():
            yield Finding(CREDENTIAL, "password", *value)


_REPLACES = lazy(
    r"(?i)(?<!\w)(?:(?:isn['’]t|is not|not|no longer|was)\s+(?P<old>[^\s,;]{4,40})(?:\s+(?:any ?more|any longer))?|(?:ist\s+)?nicht mehr\s+(?P<alt>[^\s,;]{4,40})|(?:n['’]est plus|n['’]est pas)\s+(?P<ancien>[^\s,;]{4,40})|(?:ya )?no es\s+(?P<viejo>[^\s,;]{4,40})|non è più\s+(?P<vecchio>[^\s,;]{4,40})|(?:já )?não é(?: mais)?\s+(?P<velho>[^\s,;]{4,40}))"
    r"\s*[,;:–-]\s*(?:(?:but|sondern|mais|sino|ma|mas)\s+)?[^.;!?\n]{0,60}?(?P<value>(?=[^\s,;]*[\d!#$&*_+.-])[^\W\d_][^\s,;]{3,40})(?=[\s,;.!]|$)"
)
"""`It isn't A any more, since Monday it is B`: B takes the place of A."""
_WAS_OLD = lazy(
    r"(?i)(?<!\w)(?:that (?:was|is|['’]s) the old (?:one|pass\w*|code)|(?:the )?old one|scrap (?:that|the)[^.:\n]{0,40}|das (?:war|ist) (?:der|das|die) alte\w*|c['’]était l['’]ancien(?:ne)?|c['’]est l['’]ancien(?:ne)?|(?:esa|ese) (?:era|es) (?:la viej[ao]|el viejo|la antigua|la anterior)|(?:quella|quello) (?:era|è) (?:la vecchia|il vecchio|quella vecchia)|(?:essa|esse) (?:era|é) [ao] antig[ao])(?!\w)"
    r"[^\n]{0,12}?[,;:.–-]?\s*(?:the right one|use|try|take|it['’]s|now|nimm|jetzt|nehmt|richtig|prends|mets|essaie|usa|pon|prueba|prova|metti|tenta)?(?: is| ist)?\s*:?\s+[\"'“„«]?(?P<value>(?=[^\s,;]*[\d!#$&*_+-])[^\W\d_][^\s,;\"”»]{4,40})"
)
_NOW_IN = lazy(
    r"(?i)(?<!\w)(?:contrase(?:ñ|n)a|clave|senha|password|mot de passe|passwort)[^.\n]{0,30}?\s(?:está|é|è|est|is|ist|steht)\s+(?:ahora|ya|agora|ora|adesso|maintenant|now|jetzt)\s+(?:en|em|su|à|sur|at|auf)\s+(?P<value>[^\s,;]{5,40})"
)


def _replaced(text: str) -> Iterator[Finding]:
    """An odd word that takes the place of another one, where something asks for a password."""
    for pattern in (_REPLACES, _WAS_OLD, _NOW_IN):
        for match in pattern.finditer(text):
            said = match["value"].rstrip(".!?)…'’\"”»")
            start = match.start("value")
            if not is_strong(said) or TECHNICAL.fullmatch(said):
                continue
            above = text.rfind("\n", 0, max(0, text.rfind("\n", 0, start))) + 1
            if _NETWORK.search(text, max(above, start - 200), start) or names_access(
                text, start, start + len(said)
            ):
                yield Finding(CREDENTIAL, "password", start, start + len(said))
