"""Tell the value of another thing from the value of a secret.

A detector reads what stands near a noun. Here the words right before a value say whose it is: the
code of an error, the number of a meter, a card that a payment vendor publishes for tests, an item of
a list of bad passwords, a value that its file calls made up.
"""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...language.vocabulary import secrets as words
from ...model.lazy_pattern import lazy
from .findings import IDENTITY, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TOLD = ("access code", "PIN", "password", "secret", "code")
"""Labels of values without a format of their own."""
BEFORE = 90
"""How far before a value its noun may stand."""

_CODE = r"(?:codes?|c[óo]digos?|codic[ei]|kod|numbers?|no\.?|nr\.?|nummern?|n[uú]mero|num[ée]ro|n[°º]\.?|ids?|ref(?:erence)?\.?|marks?|vector)"
_OF = r"(?:on|of|for|in|at|from|by|auf|für|von|vom|der|des|im|am|an|bei|de|du|del|della|dello|dell['’]|do|da|dos|das|sur|su|en|nella|nel|sul|sulla|no|na|à|au|aux)"
_IS = r"(?:is|was|are|ist|war|lautet|est|sont|es|era|è|é|são)"
_OTHER = rf"(?<![\w-])(?:(?:{words.OTHER_THINGS})(?:['’]s)?(?:[ -]?{_CODE}){{0,2}}|(?:{words.OTHER_CODES_BEFORE})[ -]?codes?|{words.OTHER_COMPOUNDS})"
_RIGHT_BEFORE = lazy(rf"(?i){_OTHER}[ ]?[\s(#]{{1,2}}[\"'“#]?$")
_GIVEN_TO = lazy(
    rf"(?i){_OTHER}(?:\s+{_OF}\s+(?:[^\s,.;:]+\s+){{1,3}}?(?={_IS}\s|[:=])|\s+)?(?:\s?[:=#|,(]|{_IS}(?=\s))?\s*[\"'“#]?$"
)
_NUMBER_OF = lazy(
    r"(?i)(?<!\w)(?!(?:secret|pin|security|access|banking|memorable|unlock|code|magic|card|right|new|wheel|lock|safe|door|gate|alarm|whole|same|old|other|the|which|this|that|combination|wheels?)\b)[\w'’]+ (?:numbers?|no\.|nos?(?=\s?[:#]))(?: (?:is|was))?\s?[:#]?\s*$"
    r"|(?<!\w)(?!(?:geheim|pin|zugangs|sicherheits|bestätigungs|freischalt|einwahl|puk|tan|karten|prüf|kombinations)\w*)[a-zäöüß]{3,}nummer(?: (?:ist|war|lautet))?\s?[:#]?\s*$"
    r"|(?<!\w)(?:n[uú]mero|num[ée]ro|n[°º]\.?) (?:de |d['’]|di |do |da |del |della |du |de la )?(?!(?:secret\w?|segret\w?|s[ée]curit\w+|seguran\w+|segurid\w+|acc[eè]s\w*|pin|carte|tarjeta|carta|cartão|puerta|porte|porta)\b)[^\s\d:,.;]+(?: (?:est|es|è|é))?\s?[:#]?\s*$"
    r"|(?<!\w)(?:matr[ií]cul[ae]|matricola|matricule|baud|chip|tag|durchwahl|extension|interno|ramal|poste)(?: (?:is|est|es|è|é|ist))?\s?[:#]?\s*$"
)
"""The number of anything but of a secret."""
_OPENS = lazy(
    rf"(?i)(?<!\w)(?:{words.PASSWORD_NOUNS}|{words.PIN_NOUNS}|{words.LOCKED_THINGS}|doors?|tür\w*|haust?ür\w*|puerta|porta|porte|deur|entrance|key ?pad|lockbox|copier|kopierer)(?!\w)"
)
_PART_OF = lazy(
    rf"(?i)(?<!\w)(?:{_OF}|to|near|by|beside|neben|bei|beim|zu[rm]?|para|pour|per|junto al?|près d[eu]|vicino al?|al|alla|a la)\s?(?:(?:the|my|our|your|der|dem|den|das|la|le|el|il|l['’]|mi|ma|mon|este|this|that)\s?)?$"
)
_CODE_LIKE = lazy(r"[A-Z0-9#][A-Z0-9 ./:#-]{0,24}")
_ASKED = lazy(r"([^\n]*\?)\s*\n[^\n:]{0,24}:\s*$")
"""The question on the line before a turn that begins with a value."""
_WHOSE = lazy(
    rf"(?i)(?<![\w-])(?:{words.OTHER_THINGS})[ -]{_CODE}(?!\w)|{words.OTHER_COMPOUNDS}|(?<!\w){_CODE} (?:{_OF}\s?(?:the |la |le |l['’]|el |il |lo |o |a )?)(?:{words.OTHER_THINGS})(?!\w)|(?<!\w)n[uú]m[ée]r[oi]?\b[^?\n]{{0,12}} (?:el|il|la|le|o|a) (?:{words.OTHER_THINGS})(?!\w)|(?<!\w)nummer\b[^?\n]{{0,12}} (?:der|die|das) (?:{words.OTHER_THINGS})(?!\w)"
)
_CLAUSE = lazy(r"(?:[.;!?。]\s|\n|\s[–—-]\s)(?!.*(?:[.;!?。]\s|\n|\s[–—-]\s))")
_NAME = lazy(r"[A-Z]{1,4}-\d{1,4}[A-Z]?(?!\w)")
_ROOM = lazy(
    r"(?i)(?<!\w)(?:room|building|unit|raum|salle|sala|aula|zimmer)(?: code)?(?: (?:is|ist|est|es|è|é))?\s*:?\s*$"
)
_THING = lazy(
    r"(?i)(?<!\w)(?:lockers?|garages?|doors?|gates?|cabins?|lodges?|flats?|spind|schließfach|casier|taquilla|armadietto|cacifo|tür|tor|porte|porta|puerta|garaje|box)\s?:?\s+$"
)
"""A thing of which there are many; few digits right after it say which."""
_OPENING_TIME = lazy(
    r"(?i)(?<!\w)(?:opens?|closes?|locks?|unlocks?|shuts?|starts?)(?: and \w+)?(?: (?:at|from|again))?\s+$"
)
_CLOCK = lazy(r"(?:[01]\d|2[0-4])[0-5][05](?!\d)")
_CALL = lazy(
    r"(?i)(?<!\w)(?:call|ring|phone (?:me|us|him|her|them|the)|tel\.?:?|hotline|anruf\w*|ruf|appel\w*|llam\w*|chiam\w*|lig(?:ue|ar))(?!\w)(?:(?!\b(?:code|c[óo]digo|codice|pin|puk)\b)[^.\n\d]){0,40}\+?$"
)

_LONG = lazy(r"\d(?:[ -]?\d){12,18}")
_GROUPED = lazy(r"(?<!\d)\d(?:[ -]?\d){6,18}")

# Values that everybody knows

_TEST_CARDS_LIST = """
    4111111111111111 5555444433331111 378282246310005 371449635398431 378734493671000 6011111111111117
    6011000990139424 3056930009020004 30569309025904 38520000023237 36227206271667 3566002020360505 3530111333300000
    5105105105105100 2223003122003222 5200828282828210 4012888888881881 4222222222222 5500000000000004
    4007000000027 4012888818888 6200000000000005 2222400070000005 370000000000002 4988438843884305
    5577000055770004 5136333333333335 4166676667666746 4646464646464644 4917610000000000 4484600000000004
    4005519200000004 4009348888881881 4500600000000061 4217651111111119 36259600000004 6304000000000000
    4242424242424242 5555555555554444 2222990905257051 6759649826438453 4035501000000008 4263982640269299 4711100000000000
"""
_TEST_CARDS = frozenset(_TEST_CARDS_LIST.split())
"""Numbers that vendors of payments publish for tests."""
_TEST_BANKS = ("400000", "424242", "555555")
"""No bank has these first digits; vendors derive more test cards from them."""
_OF_TEST = lazy(
    r"(?i)(?<!\w)(?:test(?:s|ed|ing)?|test[ -]?(?:cards?|karten?|mode|modus|numbers?|window|run)|testmodus|sandbox|stripe|adyen|braintree|worldpay|mollie|declines?|cart[ea]s? de test|mode test|tarjetas? de prueba|modo (?:de )?pruebas?|cart[ae] di (?:test|prova)|cartão de teste|modo de teste|テストカード|测试卡)(?!\w)"
)
_STANDARD = lazy(
    r"(?i)(?<!\w)(?:RFC ?\d{3,5}|FIPS(?: PUB)? ?\d+|NIST SP|test vectors?|known[ -]answers?|testvektor\w*)(?!\w)"
)
_IN_MANUAL = lazy(
    r"(?i)(?<!\w)(?:(?:docs?|manual|man page|readme|tutorial|documentation|handbook|quickstart|handbuch|documentación|documentazione)['’]?s? (?:example|sample|placeholder|shows?|uses?|prints?|has|lists?|gives?)|example (?:from|in|of) the (?:docs|manual|rfc|spec))(?!\w)[^\n]{0,60}$"
)

# Values that their text calls bad or made up

_WEAK = lazy(
    r"(?i)(\d)\1{2,11}|0?12345?6?7?8?9?0?|1234567890?|(?:98765?|87654|7654|6543|54321?|4321)\d{0,6}|(?:12){2,4}|112233|121212|123123|2580|0852|(?:pass(?:wor[dt])?|passw0rd|p@ss\w*|qwert[yz]\w{0,6}|azerty\w{0,3}|abc\d{1,6}|letmein|welcome|admin|iloveyou|dragon|monkey|hallo|hello|motdepasse|contraseña|senha|sommer|summer|winter|secret)\d{0,4}!?"
)
_REJECTED = lazy(
    r"(?i)(?<!\w)(?:deny|block|black|ban|stop)[ -]?list\w*|(?<!\w)(?:denied|blocked|banned|forbidden|disallowed|weak(?:est)?|common(?:est)?|(?:most|too) (?:common|simple|easy)|reject(?:s|ed)?|(?:not|never|nobody) (?:be )?(?:allow|accept|permit)\w*|(?:no|non) (?:se|si|sono|son|están) (?:admit|accett|permit|ammess)\w*|n['’]?(?:est|sont|acceptons) pas|nicht (?:erlaubt|zulässig|akzeptiert)|refus(?:es?|ed)|nobody may|may not (?:be|pick|use)|must not be|gesperrt\w*|verboten\w*|unzulässig\w*|schwache?\w*|häufigste\w*|lehnt|abgelehnt|interdit\w*|refusé\w*|faibles?|trop simples?|fréquents?|prohibid\w+|rechaz\w+|débiles|comunes|vietat\w+|rifiut\w+|troppo semplic\w+|debol\w+|comun[ie]|proibid\w+|fracas|vetad\w+|casi vietati|WEAK\w*|禁止|弱い|よく使われる)(?!\w)"
)
_ITEMS = lazy(
    r"(?:[\"'“„«`]?[^\s,;:、]{1,24}[\"'”»`]?(?:\s*[,、/]\s*|,?\s+(?:or|and|nor|oder|und|ou|et|o|u|y|e|sowie)\s+)){1,20}[\"'“„«`]?$"
)
"""Items of a list before one of them."""
_SUCH_AS = lazy(
    r"(?i)(?:(?<!\w)(?:such as|like|including|for example|e\.g\.|wie|etwa|z\.\s?b\.|comme|tels? que|telles? que|como|tales como|come|ad esempio)|[:(=\[{])\s*[\"'“„«`(\[{]*$"
)
_NOUN = r"(?:pass(?:word|wort)?|kennwort|mot[_-]de[_-]passe|mdp|contraseña|contrasena|clave|senha|key|token|secret|api[_-]key|pw)(?:[_-]?\d{1,3})?"
_MADE_UP_VALUE = lazy(
    r"(?i)(?:.*[_\W])?(?:fake|dummy|bogus|mock|fictional|imaginary|nonexistent|notreal|finto|finta|ficticio|ficticia|fictif|fictive|erfunden|fantasie)(?:[_\W].*|\d*)"
    r"|.*(?:not|kein|pas|no|non|nao|não)[_-](?:(?:a|an|the|un|une|una|ein|es|è|est|é|so)[_-])?(?:real|echt|echtes|vrai|vraie|verdadera|verdadero|vera|vero|a[_-]secret|secret|valid)(?:\W.*)?"
    rf"|(?:sample|example|invalid|beispiel|muster|ejemplo|esempio|exemple|exemplo|faux|fausse|falsch\w{{0,2}}|falsa|falso|prueba|prova)[_-](?:{_NOUN})\W*"
    rf"|(?:{_NOUN})[_-](?:beispiel|ejemplo|esempio|exemple|exemplo|falsa|falso|prueba|prova|teste?|demo)(?:[_-]?\d+)?\W*"
    r"|.*[_-](?:for[_-](?:(?:unit|ci|the)[_-])?tests?|on[_-]purpose|placeholder)(?:[_-]?\d+)?\W*"
)
_DECLARED = lazy(
    r"(?i)(?<!\w)(?:(?:fake|dummy|bogus|made[- ]up|fictional|fictitious|imaginary|invented) (?:data|values?|users?|accounts?|credentials?|secrets?|passwords?|logins?|keys?)|nothing (?:here )?is real|none of (?:these|them) (?:exist|is real|are real)|not? real (?:accounts?|credentials?|secrets?|users?|data|passwords?|values?)|(?:values?|data|all|names|users|passwords) (?:here )?(?:are|is) (?:made up|fake|invented|fictional|dummies|placeholders)"
    r"|all made up|just placeholders|# placeholders|(?:alles )?(?:frei )?erfunden\w*|testdaten|beispieldaten|données (?:fictives|factices|de test|bidon)|datos (?:ficticios|de mentira|falsos|inventados)|dati (?:finti|fittizi|inventati|falsi)|dados (?:fictícios|falsos|inventados)|ダミーデータ|架空|虚构|假数据)(?!\w)"
)
_REAL = lazy(
    r"(?i)(?<!not )(?<!not a )(?<!no )(?<!nothing )(?<!is )(?<!are )(?<!\w)(?:the real|real one|actual|live|echte[srn]?|richtige[srn]?|vraie?|réel(?:le)?|verdader[oa]|real es|vero|vera)(?!\w)"
)
_COMPARED = lazy(
    r"(?:[=!]==?|\bin|\bcase|\.includes\(|\.has\(|\.equals\(|\bnot in)\s*[(\[{]*(?:\s*[\"'][^\"'\n]{0,30}[\"']\s*,)*\s*[\"']$|\b(?:new Set|frozenset|set)\(\s*[\[{(]?(?:\s*[\"'][^\"'\n]{0,30}[\"']\s*,)*\s*[\"']$"
)
"""Code that compares what somebody typed with a literal."""
_FAULT = lazy(
    r"(?:\w*(?:Error|Exception|Denied|Failure|Status)\b[^\n]{0,40}(?:\n[ \t]+[^\n]{0,40})?|\b(?:raise|throw|enum|return|HTTP|status|exit)\b[^\n]{0,60}|\"error\"[^\n]{0,80})$"
)
_CODE_FIELD = lazy(
    r"(?i)(?<![\w-])[\"']?(?:error_?|status_?|exit_?)?code[\"']?\s*[=:]\s*$|(?<!\w)[A-Z_]{2,30}\s=\s$"
)
_STAGED = lazy(
    r"(?i)(?<!\w)(?:(?:in )?act (?:one|two|three|four|five|[1-5]|[iv]{1,3})|(?:acte|acto|atto|ato|akt) (?:[1-5ivx]{1,3}|\w+)|(?:[1-5]\.|ersten|zweiten|dritten|vierten|premier|deuxième|troisième|primer|segundo|tercer|primo|secondo|terzo|primeiro|terceiro) (?:akt|acte|acto|atto|ato)|scene (?:one|two|three|\d)|in the (?:play|panto(?:mime)?|musical)|dans la pièce,|en la obra|nella commedia|na peça|im stück|the sentry|the ghost says)(?!\w)"
)
_ANIMAL = lazy(
    r"(?i)(?<!\w)(?:pets?|cats?|dogs?|ferrets?|puppy|kitten|rabies|tapeworm|chip|microchip|heimtier\w*|hund\w{0,3}|katze\w?|kater|tollwut|chat(?:te|on)?|chien(?:ne)?|rage|vaccin\w*|perr[oa]|gat[oa]|mascota|rabia|cane|gatto|gatta|rabbia|animal de compagnie|cachorro|library|museum|bibliothek\w*|bibliothèque|biblioteca|gym|club|verein\w*|fahrkarte|skipass)(?!\w)"
)
"""Animals and institutions whose passports and cards are no identity documents."""
_TRIED = lazy(
    r"(?i)(?<!\w)(?:usu[áa]rio de teste?|test[ -]?user|testbenutzer|usuario de prueba|utente di prova|utilisateur de test|de exemplo|de ejemplo|di esempio|d['’]exemple|example|sample|dummy|gerad[oa] pelo|generat\w+ by|inválido|invalid|fake)(?!\w)"
)


def without_other_values(text: str, found: Sequence[Finding]) -> list[Finding]:
    """The findings without those that are the value of another thing, or no secret of anybody."""
    # Several detectors may find one value, which is judged once.
    others = {one for one in {*found} if _is_of_other(text, one)}
    return [one for one in found if one not in others]


def _is_of_other(text: str, one: Finding) -> bool:
    value = text[one.start : one.end]
    if one.kind == IDENTITY:
        return _is_of_no_citizen(text, one, value)
    if one.label == "payment card number":
        return _is_tested(text, one.start) and is_test_card(value)
    if one.label not in TOLD and not one.label.startswith(("password", "WireGuard")):
        return False
    if one.label in TOLD and _is_given_to_other(text, one.start, value):
        return True
    return _is_published(text, one.start, value) or _is_bad_or_made_up(text, one, value)


def is_test_card(value: str) -> bool:
    """Whether a number is one of those that vendors of payments publish for tests."""
    digits = "".join(filter(str.isdigit, value))
    return digits in _TEST_CARDS or (len(digits) == 16 and digits.startswith(_TEST_BANKS))


def _is_given_to_other(text: str, start: int, value: str) -> bool:
    """Whether the words before a value make it the code or the number of something that opens nothing."""
    if not _CODE_LIKE.fullmatch(value):
        return False
    before = text[max(0, start - BEFORE) : start]
    if clause := _CLAUSE.search(before):
        before = before[clause.end() :]
    if _NUMBER_OF.search(before) or _names_a_thing(before, value) or _is_long_number(text, start):
        return True
    if asked := _ASKED.search(text, max(0, start - 200), start):
        question = asked[1].rpartition(":")[2]
        return bool(_WHOSE.search(question)) and not _OPENS.search(question)
    given = _GIVEN_TO.search(before)
    if not given:
        return False
    opens = max((one.end() for one in _OPENS.finditer(before)), default=0)
    # `The PIN for the booking is …` is of the PIN, `the keypad's batteries are …` of the batteries.
    head = not _PART_OF.search(before, 0, given.start()) or bool(_RIGHT_BEFORE.search(before))
    return opens <= given.start() and (not opens or head)


def _names_a_thing(before: str, value: str) -> bool:
    """Whether a value is the name of a room, says which locker, or when something opens."""
    return bool(
        (_ROOM.search(before) and _NAME.match(value))
        or (value.isdigit() and len(value) <= 3 and _THING.search(before))
        or (_CLOCK.fullmatch(value) and _OPENING_TIME.search(before))
    )


def _is_long_number(text: str, start: int) -> bool:
    """Whether a value is a part of a vendor's test card, or of a telephone number."""
    if not (whole := _whole_number(text, start)):
        return False
    at, digits = whole
    called = len(digits) >= 7 and _CALL.search(text, max(0, at - 60), at)
    return bool(called) or (is_test_card(digits) and _is_tested(text, at))


def _whole_number(text: str, start: int) -> tuple[int, str] | None:
    """The place and the digits of the number, perhaps in groups, to which a value belongs."""
    for number in _GROUPED.finditer(text, max(0, start - 24), start + 24):
        if number.start() <= start < number.end():
            return number.start(), "".join(filter(str.isdigit, number.group()))
    return None


def _is_published(text: str, start: int, value: str) -> bool:
    """Whether a standard, a manual or a vendor's test page prints the value."""
    before = text[max(0, start - 100) : start]
    if _STANDARD.search(before) or _IN_MANUAL.search(before):
        return True
    digits = value.replace(" ", "")
    if not digits.isdigit() or len(digits) > 6:
        return False
    near = text[max(0, start - 120) : start + 120]
    return _is_tested(text, start) and any(map(is_test_card, _LONG.findall(near)))


def _is_tested(text: str, at: int) -> bool:
    """Whether somebody speaks of tests of payments."""
    return bool(_OF_TEST.search(text, max(0, at - 120), at + 120))


def _is_bad_or_made_up(text: str, one: Finding, value: str) -> bool:
    bare = value.strip("\"'”»`.,;:)}] \n")
    if _MADE_UP_VALUE.fullmatch(bare):
        return True
    start = one.start
    before = text[max(0, start - 200) : start]
    if _is_rejected(text, before, one, bare):
        return True
    if (declared := _DECLARED.search(before)) and not _REAL.search(before, declared.end()):
        return True
    if bare.isdigit() and _CODE_FIELD.search(before) and _FAULT.search(before):
        return True
    return bool(_STAGED.search(text, max(0, start - 90), one.end + 40))


def _is_rejected(text: str, before: str, one: Finding, bare: str) -> bool:
    """Whether a value stands in a list of values that nobody may choose, or as an example of some."""
    line = before[before.rfind("\n") + 1 :]
    weak = bool(_WEAK.fullmatch(bare))
    if weak and _COMPARED.search(line):
        return True
    items = _ITEMS.search(line)
    lead = line[: items.start()] if items else line
    after = text[one.end : one.end + 60]
    listed = (
        bool(items)
        or after.lstrip("\"'”»`")[:1] in ",、"
        or after.lstrip()[:3] in ("or ", "od", "ou ")
    )
    if not weak and not (listed and _SUCH_AS.search(lead)):
        return False
    return bool(_REJECTED.search(line) or _REJECTED.search(after.partition("\n")[0]))


def _is_of_no_citizen(text: str, one: Finding, value: str) -> bool:
    """Whether a number is an animal's, a library's, or made to be tried."""
    around = text[max(0, one.start - 60) : one.end + 60]
    if (whole := _whole_number(text, one.start)) and is_test_card(whole[1]):
        return True
    copied = one.label in ("passport number", "identity number")
    if (copied and _ANIMAL.search(text, max(0, one.start - 45), one.start)) or (
        len({*filter(str.isdigit, value)}) == 1
    ):
        return True
    before = text[max(0, one.start - BEFORE) : one.start]
    return bool(_TRIED.search(around) or _RIGHT_BEFORE.search(before))
