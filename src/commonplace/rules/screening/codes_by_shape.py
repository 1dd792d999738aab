"""Find codes by their shape: keys of a keypad, digits that a sentence counts, digits one by one."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding
from .values_in_sentences import is_fiction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HASH = r"(?:hash|pound|star|asterisk|asterisco|raute|sternchen|dièse|étoile|almohadilla|cancelletto|hekje|sterretje)"
_COUNTS = r"(?:three|four|five|six|eight|[34568]|drei|vier|fünf|sechs|acht|trois|quatre|cinq|huit|tres|cuatro|cinco|seis|ocho|tre|quattro|cinque|sei|otto|quatro|oito|zes)"
_DIGITS = r"(?:digits?|numbers|numeritos|números|chiffres|ziffern|zahlen|cifre|cifras|numeri|dígitos|cijfers|siffror|sifre)"
_ENDS = r"(?![\w%€$£°]|[.,:/-]\d)"
_SHAPES = tuple(
    (tuple(hints.split("|")), lazy(f"(?i){pattern}"))
    for hints, pattern in (
        # Hints of which a text must have one, and the pattern
        (
            "#|*",
            r"(?:(?<!\w)(?:is|are|it['’]?s|now|then|with|enter|press|type|dial|key in|to|es|ist|est|è|con|mit|avec)|[:=→,])\s+(?P<code>[#*]?\d{3,8}[#*])(?![\w#*])",
        ),
        (
            "hash|pound|star|aster|raute|ster|dièse|étoile|almoh|cancell|hekje",
            rf"(?<!\w)(?:then|press|enter|type|dial|key in|marcas?|marcar|tape[rz]?|tippe?|premi|digit[ai]|toets|pulsas?)\s+(?P<code>\d(?:[ ,-]{{0,2}}\d){{2,7}}[, ]{{1,2}}{_HASH})(?!\w)",
        ),
        (
            "hash|star|pound",
            r"(?<!\w)(?P<code>(?:star|hash|pound|asterisk)(?:[, ]{1,2}\d){3,8}(?:[, ]{1,2}(?:hash|star|pound))?|\d(?:, ?\d){2,7}, ?(?:hash|star|pound))(?!\w)",
        ),
        (
            "digit|number|numer|númer|chiffres|ziffern|zahlen|cifr|dígit|cijfers|siffr|sifre",
            rf"(?<!\w){_COUNTS}[ -]{_DIGITS}(?![\w-])[^\d.?!\n]{{0,50}}?(?:[:=–—]|(?<!\w)(?:is|are|was|they['’]re|son|sono|sont|sind|são|zijn|er|är))\s+(?P<code>\d(?:[ -]?\d){{2,7}}){_ENDS}",
        ),
        (
            "safe|lock|combi|tresor|vault|coffre|caja|cassaforte",
            r"(?<!\w)(?P<code>[RL] ?\d{1,2}(?:[ ,–-]+[RL] ?\d{1,2}){2,4})(?!\w)",
        ),
        (
            "door|tür|porte|puerta|porta|gate|tor|portail|cancello|entrance|eingang|entrée|entrada|ingresso|cassett|cajet|box",
            r"(?m)(?:^|[.;]\s)[ \t•*-]*(?:the |die |la |le |il |el )?(?:[^\W\d_][\w'’-]* ){0,2}(?:doors?|\w*tür|porte|puerta|porta|gates?|\w*tor|portail|portillon|cancello|entrance|eingang|entrée|entrada|ingresso|cassetta|cajetín|key ?box|lock ?box|key ?safe)(?: (?:de|des|du|del|della|delle|dei|di|do|da|zum|zur|am|im|of|to|by|near|vicino al?|junto al?|près de)[\w'’ ]{1,30})?\s?:\s*(?P<code>\d{4,8}[A-Z]?)(?=\s*(?:[,.;\n]|$))",
        ),
        (
            "dial|wheel|rädch|rad |molette|rueda|rotell|numerador|disco",
            rf"(?<!\w)(?:dials?|wheels?|zahlenr\w+|rädchen|molettes?|ruedas?|ruedecillas?|rotelle|rodas)(?: (?:it )?(?:to|at|on|auf|sur|su|en|em|set to))?\s+(?P<code>\d(?:[ -]\d){{2,7}}|\d{{3,6}}){_ENDS}",
        ),
        (
            "together|zusammen|ensemble|insieme|tegelijk|a la vez",
            r"(?<![\w.,])(?P<code>\d(?:,? (?:(?:and|then|both|und|dann|et|puis|y|e|en) ){0,3}\d){1,5} (?:together|at once|zusammen|ensemble|insieme|tegelijk|a la vez)(?:,? (?:and |und )?(?:then|dann|puis|luego|poi|dan) \d){0,4})(?!\w)",
        ),
        (
            "key in|punch in|tap in|keyed in|punched in",
            rf"(?<!\w)(?:key|punch|tap|keyed|punched) in (?P<code>\d(?:[ -]?\d){{2,7}}[#*]?){_ENDS}(?! (?:characters|words|names|lines|numbers|records|orders|invoices))",
        ),
    )
)
_CARD = lazy(
    r"(?i)(?<!\w)(?P<thing>(?:ec|giro|bank|kredit|debit|credit|cash|maestro|sim|visa|master)[- ]?(?:karte|card)|[^\W\d_]+['’]s (?:bank |debit |credit )?card|carte (?:bleue|bancaire|visa|pro|de crédit)|la cb|tarjeta(?: (?:de (?:cr[ée]dito|d[ée]bito)|del banco|bancaria|visa))?(?! de )|bancomat|postepay|carta (?:di credito|prepagata)|cartão|bankpas|pinpas"
    r"|(?:el |il |le |la |das |the |my |her |his |grandad's |mum's |dad's |nan's )?(?:m[óo]vil|celular|cellulare|telefonino|portable|t[ée]l[ée]phone|telefono|teléfono|handy|smartphone|i?phone|i?pad|tablette|tablet)(?: (?:de|del|de la|di|della|du|vom|von|of)(?: l[ae']| il)?[ '’]?\w{2,14}(?: \w{2,12})?)?)"
    r"\s*(?P<mark>[:=,→(]|->|–|—|-)?\s*(?P<code>\d{4}|\d{6})(?![\w€$£%°-]|[.,:/]\d|\s?(?:€|\$|£|euro|\d|mah|gb|mb|min|uhr|stück|personen|pounds|pts|pixels?|px|mm|cm|kg|km|units?|einheiten))"
)
_NO_PIN = lazy(
    r"(?i)(?<!\w)(?:end(?:s|ing|et|ung)|termin\w+|finisc\w+|finit|last four|letzten? vier|acaba\w*|valid|expir\w+|gültig|exp|scad\w+|caduc\w+|modell?o?|modèle|model|serie|version|year|baujahr|android|ios)(?!\w)"
)
_YEAR = lazy(r"(?:19|20)\d\d$")
CHECK_HINTS = (
    "back", "reverse", "strip", "security", "check", "hinten", "rück", "prüf", "dos", "verso", "crypto", "atrás",
    "detrás", "dorso", "retro", "dietro", "trás",
)  # fmt: skip
PART_HINTS = (
    "vorn", "zuerst", "erst", "first", "front", "start", "abord", "devant", "début", "primer", "delante", "empieza",
    "prima", "davanti", "inizia", "begin", "fängt", "commence", "comienza", "comincia", "começa", "second", "other",
    "1st", "2nd", "zweit", "andere", "deuxième", "autre", "segund", "otra", "altra", "outra", "hälfte", "teil",
)  # fmt: skip
_CARD_CHECK = lazy(
    r"(?i)(?<!\w)(?:(?:last )?(?:three|3) (?:digits? |numbers? |figures? )?(?:on|at|from) (?:the|its) (?:back|reverse|signature strip)|(?:security|check) (?:digits|number|code)[^.\n\d]{0,30}(?:back|strip|card|visa)|(?:die )?(?:letzten )?(?:drei|3) (?:ziffern |zahlen |stellen )?(?:hinten|auf der rückseite|hinten drauf)|(?:karten)?prüf(?:nummer|ziffern?|code|zahl)(?: auf der rückseite| hinten)?(?: der karte)?"
    r"|(?:les )?(?:trois|3) (?:derniers )?(?:chiffres |numéros )?(?:au|du|derrière au) (?:dos|verso)|cryptogramme[^.\n\d]{0,20}|(?:los |las )?(?:tres|3) (?:números |numeritos |dígitos |cifras )?(?:de(?:l)? (?:atrás|detrás|reverso|dorso)|por detrás)|(?:le |i )?(?:tre|3) (?:cifre|numeri|numerini)? ?(?:sul retro|dietro|di dietro)|(?:os )?(?:três|3) (?:números|dígitos) (?:de trás|do verso|atrás))"
    r"[^.\n\d]{0,30}?(?<!\d)(?P<code>\d(?: ?\d){2,3})(?![\w%€$£°]|[.,:/-]\d)"
)
"""The check number of a payment card, as people call it."""
_KEY_NAME = r"(?:star|hash|pound|asterisk|asterisco|ast[ée]risque|stern(?:chen)?|raute|gatter|dièse|étoile|almohadilla|estrella|cancelletto|stella|cerquilha|jogo da velha|sterretje|hekje|#|\*)"
_THEN = r"(?:,? ?(?:then|and|dann|und|puis|et|luego|y|poi|e|depois)(?: the)?)?"
_KEYS = lazy(
    rf"(?<![\w.,:/+–-])(?P<code>(?:(?:[A-Z]|(?i:{_KEY_NAME})){_THEN}[ ,]{{1,2}})?\d(?:[ ,-]{{1,2}}\d){{2,7}}(?:{_THEN}[ ,-]{{1,2}}(?:(?i:{_KEY_NAME})|[A-Z](?![\w'’])))?)(?![\w%€$£°]|[.,:/-]\d| ?[%€$£])"
)
_STARTS = r"(?:(?:it )?(?:starts?|begins?)(?: with)?|(?:fängt|beginnt)(?: mit)?|commence(?:nt)?(?: par)?|début(?:e|ent)?(?: par)?|empieza(?:n)?(?: por| con)?|comienza(?: por| con)?|(?:inizia(?:no)?|comincia)(?: con)?|começa(?: (?:por|com))?)"
_FINISHES = r"(?:(?:it )?(?:ends?|finishes)(?: (?:in|with|on))?|(?:hört|endet)(?: (?:mit|auf))?|(?:finit|termine|finissent)(?: par| en)?|(?:acaba|termina|finaliza)(?:n)?(?: en| con| por)?|(?:finisce|termina)(?: con| per| in)?|(?:acaba|termina)(?: em| com)?)"
_APART = lazy(
    rf"(?i)(?<!\w){_STARTS} (?P<first>\d{{1,5}})(?!\d)[^\n]{{0,140}}?(?<!\w){_FINISHES} (?P<last>\d{{1,5}})(?!\d)"
)
"""The first and the last digits of a number, perhaps in two sentences."""
_PART_OF_WORD = lazy(
    r"(?i)(?<!\w)(?:(?:first|second|other|1st|2nd) (?:half|part)|(?:erste[rn]?|zweite[rn]?|andere[rn]?|1\.|2\.) (?:hälfte|teil)|(?:erste|zweite)(?=:)|(?:première|deuxième|seconde|autre) (?:moitié|partie)|(?:primera|segunda|otra) (?:mitad|parte)|(?:prima|seconda|altra) (?:metà|parte)|(?:primeira|segunda|outra) (?:metade|parte))[^:=\n]{0,40}?(?:\s?[:=]| (?:is|ist|est|es|è|é))\s+[\"'“„«]?(?P<value>[^\s,;.\"”»]{2,30}[^\s,;.\"”»!?]|\d{2,8})"
)
_HALVES = lazy(
    r"(?i)(?<!\w)(?:vorne|vorn|zuerst|erst|first|front|starts?(?: with)?|d['’]abord|devant|au début|début|primero|delante|empieza(?: por| con)?|prima|davanti|inizia con)\s+(?P<code>\d{1,4},?\s+(?:(?:and|und|et|y|e|then)\s+)?(?:hinten|dann|danach|then|back|last|ends?(?: with)?|puis|derrière|à la fin|fin|luego|después|detrás|acaba(?: en)?|poi|dopo|dietro|finisce con)\s+\d{1,4})(?!\w)"
)
_SECRET_NUMBER = lazy(
    r"(?i)(?<!\w)(?:pins?|codes?|códigos?|codic[ei]|kod|puk|geheimzahl|alarm\w*|tresor|safe|combinaci?[oó]n|combinazione|schloss|cadenas|candado|lucchetto|password|passwort|contraseña|clave|mot de passe)(?!\w)"
)
_SINGLY = lazy(
    r"(?<![\w.,:/+–-])\d(?:-\d){3,7}(?![\w:/–-]|[.,]\d)|(?<![\w.,:/+–-] )(?<![\w.,/+–-])\d(?: \d){3,7}(?! ?[\w%€$£]|[.,]\d)"
)
"""Digits one by one; beside a thing with a lock they open it."""
_KEPT = lazy(
    r"(?i)(?<!\w)(?:cabinet|cupboard|panel|key ?pad|lock\w{0,6}|safe|box|shed|gate|door|barrier|alarm|till|room|card|phone|cellar|caja|armario|puerta|panneau|armoire|porte|coffre|\w*(?:schrank|tür|kasten|tor|schloss|kästchen)|kasten|box|kasse|armadi\w{1,4}|porta|cassetta|kast|deur|nøkkel\w{0,6}|skab|skåp|boks\w{0,3}|keypad|push-button|tastenfeld|tor|türchen|clavier|portillon|portail|digicode|teclado|verja|portal|portón|tastierino|cancell\w{1,4}|portone|lucchetto|candado|cadenas|padlock|alarme|allarme|alarma|kopierer|copier)(?!\w)"
)
_OTHER = lazy(
    r"(?i)(?<!\w)(?:score\w?|won|lost|beat|formation|plays?|quarter|lottery|sequence|sizes?|hymns?|ticket|issue|order|steps?|options?|column|row|rows|array|list|page|pages|chapters?|model|line)(?!\w)"
)


def find_shaped_codes(text: str, lower: str) -> Iterator[Finding]:
    """Numbers whose form or whose sentence makes them a code."""
    for hints, pattern in _SHAPES:
        if any(map(lower.__contains__, hints)):
            for match in pattern.finditer(text):
                if not is_other(text, match.start("code")):
                    yield Finding(CREDENTIAL, "access code", *match.span("code"))
    yield from _of_cards(text, lower)
    if any(map(lower.__contains__, PART_HINTS)):
        yield from _in_parts(text)
    yield from _on_keypads(text)


def _of_cards(text: str, lower: str) -> Iterator[Finding]:
    """PINs beside a card or a telephone, and check numbers of cards."""
    for match in _CARD.finditer(text):
        around = text[max(0, match.start() - 30) : match.end() + 30]
        year = _YEAR.fullmatch(match["code"]) and (not match["mark"] or match["code"] >= "2000")
        if not year and not _NO_PIN.search(around) and not is_other(text, match.start("code")):
            yield Finding(CREDENTIAL, "PIN", *match.span("code"))
    if not any(map(lower.__contains__, CHECK_HINTS)):
        return
    for match in _CARD_CHECK.finditer(text):
        yield Finding(CREDENTIAL, "PIN", *match.span("code"))


def _in_parts(text: str) -> Iterator[Finding]:
    """Numbers of which a text tells the first and the last digits."""
    for match in _HALVES.finditer(text):
        if _SECRET_NUMBER.search(text, max(0, match.start() - 90), match.end()):
            yield Finding(CREDENTIAL, "PIN", *match.span("code"))
    for match in _PART_OF_WORD.finditer(text):
        if _SECRET_NUMBER.search(text, max(0, match.start() - 120), match.end()):
            yield Finding(CREDENTIAL, "password", *match.span("value"))
    for match in _APART.finditer(text):
        if _SECRET_NUMBER.search(text, max(0, match.start() - 120), match.end()):
            yield Finding(CREDENTIAL, "access code", *match.span("first"))
            yield Finding(CREDENTIAL, "access code", *match.span("last"))


def _on_keypads(text: str) -> Iterator[Finding]:
    """Keys one by one, beside something that they open."""
    for match in _KEYS.finditer(text):
        signed = not (match["code"][0].isdigit() and match["code"][-1].isdigit())
        if signed and _is_kept(text, match.start()):
            yield Finding(CREDENTIAL, "access code", *match.span("code"))
    for match in _SINGLY.finditer(text):
        if _is_kept(text, match.start()):
            yield Finding(CREDENTIAL, "access code", *match.span())


def _is_kept(text: str, at: int) -> bool:
    return bool(_KEPT.search(text, max(0, at - 60), at)) and not is_other(text, at)


def is_other(text: str, at: int) -> bool:
    """Whether the words before tell a score, a list or a story."""
    return bool(_OTHER.search(text, max(0, at - 60), at)) or is_fiction(text, at)
