"""Find secrets that stand on a line of their own: an answer in a chat, a field of a form, a list.

What they are was said on the lines before: by the question of another speaker, by a label, by a
heading.
"""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...language.vocabulary import secrets as words
from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding
from .secret_values import is_filled_in, is_strong
from .values_in_sentences import TECHNICAL, is_description

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LINES_BEFORE = 5
"""How many lines above an answer may say what it opens."""
MOST_LINES = 400
"""A longer text is a file, whose lines answer nothing."""

_NAMES_SECRET = lazy(
    rf"(?i)(?<!\w)(?:{words.PASSWORD_NOUNS}|{words.PIN_NOUNS}|{words.CODE_NOUNS}|pass|wi-?fi|wlan|spruch|locked out|(?:log|get|sign|come|komm\w?|geh\w?|entr\w{{1,2}}|acced\w+|connect\w*|rein|konto|compte|cuenta|conto|account|log-?in|konto\w*)|(?:i |do i |to )?(?:type|enter|put in)|{words.LOCKED_THINGS}|doors?|digits|codes?|c[óo]digos?|codic[ei]|clave|combination|combo|number for|(?:which|what) number|vault|keys?|schlüssel|clé|chiave)(?!\w)|\w+(?:konto|code|zugang)(?!\w)|{words.EASTERN_PASSWORDS}"
)
_OF_CODE = lazy(
    rf"(?i)(?<!\w)(?:{words.PIN_NOUNS}|{words.CODE_NOUNS}|codes?|c[óo]digos?|codic[ei]|combination|combo|number|digits|kombination|zahl\w*)(?!\w)|\wcode(?!\w)"
)
_SPEAKER = lazy(
    r"[ \t]*(?:\[[^\]\n]{1,20}\][ \t]*)?(?:\d{1,2}[:.]\d\d(?::\d\d)?(?:[ \t]+Uhr)?[ \t]+)?(?P<who><?[^\W\d_][\w .'’-]{0,22}>?[ \t]?:[ \t]+|<?[\w.-]{1,20}>[ \t]+|[<>-][ \t]+)?"
)
_ASKS_OTHER = lazy(
    rf"(?i)(?<!\w)(?:versions?|branch|tickets?|files?|model|commit|port|url|host(?:name)?|policy|address|adresse|dirección|indirizzo|user ?names?|benutzername|usuario|utente|utilisateur|identifiant|who|when|how many|how long|wer|wann|wie ?viele|qui|quand|combien|quién|cuándo|cuánt\w+|chi|quando|quant\w+|(?:{words.OTHER_THINGS})[ -](?:code|number))(?!\w)"
)
_LEAD = lazy(
    r"(?i)(?:(?:it['’]?s|its|it is|use|try|still|yes|sure|then|now|es|ist|c['’]est|es la|è|sigue siendo|nimm|prova|usa|immer noch|toujours|user \S+,? (?:and |pass(?:word)? )?)[ \t]+){0,2}[\"'“„«`]?"
)
_VALUE = lazy(
    r"(?P<value>[^\s\"“”„«»`,;|<>=]{4,60})[\"'”»`]?(?=[ \t]*(?:[.!,;]|$|\(|-|–)|[ \t]+(?:without|with|and|then|mit|und|ohne|avec|et|con|y|e|sin|sans|senza)(?!\w))"
)
_CODE = lazy(r"[#*]?(?:[A-Z][ -]?)?\d(?:[ -]?\d){2,7}[A-Z]?[#*]?")
_EVERYDAY = lazy(
    r"(?i)\d[\d.,:/-]*(?:[a-z]{1,6}(?:/[a-z]{1,4})?|%|€|\$|£)?|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|[\w.-]+\.(?:com|org|net|de|fr|es|it|io|dev|example|local)(?:/\S*)?|v\d\S*|https?:\S+|\S+@\S+|[\w.-]+\.\w{2,4}|\w+['’]\w+|[^\W\d_]+(?:[-/][^\W\d_]+)*|#?\d+\w?"
)
"""Words, numbers, dates and addresses, with which somebody answers any question."""


_RUN_TOGETHER = lazy(r"(?:[A-ZÀ-Þ][^\W\d_A-Z]+){2,6}\d{1,4}!?")


def find_secrets_in_turns(text: str) -> Iterator[Finding]:
    """Values that the lines before make a secret, perhaps overlapping."""
    lines = _lines(text)
    if len(lines) > MOST_LINES:
        return
    yield from _answers(lines)
    yield from _fields(lines)
    yield from _items(lines)


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with the place of each."""
    found: list[tuple[int, str]] = []
    place = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            found.append((place, line.rstrip()))
        place += len(line)
    return found


# A question, and its answer alone


def _answers(lines: Sequence[tuple[int, str]]) -> Iterator[Finding]:
    for number in range(1, len(lines)):
        asked = lines[number - 1][1]
        if not _is_asking(asked, spoken=bool(_speaker(lines[number][1]))):
            continue
        above = "\n".join(line for _, line in lines[max(0, number - LINES_BEFORE) : number])
        if not _NAMES_SECRET.search(above) or _ASKS_OTHER.search(asked):
            continue
        at, line = lines[number]
        if place := _answer(line, code=bool(_OF_CODE.search(asked))):
            yield Finding(CREDENTIAL, "password", at + place[0], at + place[1])


def _is_asking(line: str, *, spoken: bool) -> bool:
    if line.rstrip("\"'”») ").endswith(("?", "？")):
        return True
    return spoken and bool(_WHAT_IS_IT.search(line))


_WHAT_IS_IT = lazy(
    r"(?i)(?:what is it|what['’]s it|was ist es|c['’]est quoi|cuál es|qual è|please|bitte)\s*[.!]?$"
)


def _speaker(line: str) -> str:
    speaker = _SPEAKER.match(line)
    return (speaker["who"] or "") if speaker else ""


def _answer(line: str, *, code: bool) -> tuple[int, int] | None:
    """The place of a value with which a line begins, behind its speaker."""
    speaker = _SPEAKER.match(line)
    start = speaker.end() if speaker else 0
    if lead := _LEAD.match(line, start):
        start = lead.end()
    if code and (number := _CODE.match(line, start)) and not _GOES_ON.match(line, number.end()):
        return number.span()
    value = _VALUE.match(line, start)
    if not value:
        return None
    said = value["value"].rstrip(".!?…'’)")
    if not is_odd(said):
        return None
    return value.start("value"), value.start("value") + len(said)


_GOES_ON = lazy(r"[\w%€$£°]|[.,:/-]\d|\s+(?:[^\W\d_]{3,}\s*){1,2}$")


def is_odd(word: str) -> bool:
    """Whether a word is none with which somebody answers any other question."""
    return (
        len(word) >= 5
        and is_strong(word)
        and not _EVERYDAY.fullmatch(word)
        and not (
            TECHNICAL.fullmatch(word) and "." not in word and not _RUN_TOGETHER.fullmatch(word)
        )
    ) or (word.count("-") == 2 and word.replace("-", "").isalpha() and word.islower() is False)


# A label, and its value on the next line

_NETWORK_LABEL = r"(?:wi-?fi|wlan|network|netzwerk|netz|réseau|red|rete|rede)"
_LABEL = lazy(
    rf"(?i)\W*(?:(?:your|my|the|our|new|old|temporary|initial|first|guest|admin|dein|ihr|neues|votre|nouveau|su|tu|nueva|la tua|nuova|{_NETWORK_LABEL})[ -]+)*(?:{words.PASSWORD_NOUNS}|{words.PIN_NOUNS})(?: (?:for|für|pour|para|per|of|de|del|du) [\w' -]{{2,25}})?\W*(?:\([^)\n]{{1,30}}\)\W*)?"
)
_KEY_LABEL = lazy(
    rf"(?i)\W*(?:{words.KEY_NOUNS}|{_NETWORK_LABEL}[ -]?(?:key|schlüssel)|clave(?: de)?(?: (?:la )?{_NETWORK_LABEL})?)\W*"
)
_CODE_LABEL = lazy(
    rf"(?i)\W*(?:{words.CODE_NOUNS}|(?:key ?pad|door|gate|entry) codes?)(?: [\w' -]{{2,25}})?\W*(?:\([^)\n]{{1,30}}\)\W*)?"
)
_USER_LABEL = lazy(
    rf"(?i)\W*(?:user(?:[ _-]?name)?|log-?in|e-?mail|account|usuario|usuário|benutzer(?:name)?|nutzer(?:name)?|identifiant|utilisateur|utente|nome utente|gebruiker(?:snaam)?|ssid|{_NETWORK_LABEL}(?:[ -](?:network|name))?(?: name)?)\W*"
)
_LONE = lazy(r"[\"'“„«`]?(?P<value>[^\s\"“”„«»`|<>]{3,59}[^\s\"“”„«»`|<>:;{(\[])[\"'”»`]?")
_SEVERAL = lazy(r"(?P<value>[^\W_][\w'’!-]*(?: [\w'’!-]+){1,6})")
_LABELLED_CODE = lazy(
    r"(?P<value>[#*]?(?:[A-Z][ -]?)?\d(?:[ -]?\d){2,9}[A-Z]?[#*]?)(?:[ \t].{0,40})?"
)


def _fields(lines: Sequence[tuple[int, str]]) -> Iterator[Finding]:
    for number in range(len(lines) - 1):
        label = lines[number][1]
        if len(label) > 60 or label.lstrip().startswith(("#", "//", "--")):
            continue
        at, line = lines[number + 1]
        value = line.strip()
        at += line.find(value)
        paired = number >= 2 and bool(_USER_LABEL.fullmatch(lines[number - 2][1]))
        if place := _field(label, value, paired=paired):
            yield Finding(CREDENTIAL, "password", at + place[0], at + place[1])


def _field(label: str, value: str, *, paired: bool) -> tuple[int, int] | None:
    if _LABEL.fullmatch(label) or (paired and _KEY_LABEL.fullmatch(label)):
        lone = _LONE.fullmatch(value)
        if lone and is_filled_in(lone["value"]) and not is_description(lone["value"]):
            return lone.span("value") if paired or is_odd(lone["value"]) else None
        several = _SEVERAL.fullmatch(value) if paired else None
        if several and not _describes(value):
            return several.span("value")
    if _CODE_LABEL.fullmatch(label) and (code := _LABELLED_CODE.fullmatch(value)):
        return code.span("value")
    return None


def _describes(value: str) -> bool:
    """Whether a few words say how a secret is; a phrase may begin with a numeral."""
    first = value.split(maxsplit=1)[0]
    return first.lower() not in words.NUMERALS and is_description(first)


# A heading, and codes or shares below it

_MARK = r"[ \t]*(?:[-*•>]|\d{1,2}[.):]|\[[ xX✓]?\]|☐|☑)?(?:[ \t]+\[[ xX✓]?\])?[ \t]*"
_LISTED_CODE = lazy(
    rf"{_MARK}(?P<value>\d{{4}}[ -]\d{{4}}|\d{{3}}[ -]\d{{3}}|\d{{6,10}}|(?=[a-z-]*\d)[a-z0-9]{{3,8}}(?:-[a-z0-9]{{3,8}}){{1,5}}|(?=[A-Z-]*\d)[A-Z0-9]{{3,8}}(?:-[A-Z0-9]{{3,8}}){{1,5}}|(?=[A-Za-z]*\d)[A-Za-z0-9]{{8,12}})(?:[ \t]*\(?(?:used|benutzt|verbraucht|utilisé|usado|usato|weg|gone)\)?)?"
)
_SHARE = lazy(
    rf"{_MARK}(?:(?:share|key|part|teil|clé|clave|chiave)[ ]?\d{{1,2}}[:.)]?[ \t]*)?(?P<value>(?=[^\n]*[A-Z])(?=[^\n]*[a-z])(?=[^\n]*[0-9+/])[A-Za-z0-9+/]{{30,100}}={{0,2}})"
)
_HEADS_CODES = lazy(
    r"(?i)(?<!\w)(?:accounts?|konto\w*|\w+konto|comptes?|cuentas?|conti?|contas?|2fa|mfa|totp|two-factor|recovery|backup|scratch|one[- ]time|single[- ]use|google|github|gitlab|microsoft|apple id|facebook|instagram|npm|pypi|authenticator|not(?:fall)?codes|secours|respaldo|recuperaci[óo]n|recupero|recuperação|usage unique)(?!\w)"
)
_HEADS_SHARES = lazy(
    r"(?i)(?<!\w)(?:unseal\w*|(?:unseal )?shares?|shards?|shamir|key parts|vault|schlüsselteile|entsiegel\w*|fragments?|fragmentos?|frammenti)(?!\w)"
)
_NUMBERED = lazy(
    r"(?i)(?<!\w)(?:tickets?|orders?|invoices?|seats?|serials?|parts?|tracking|commits?|samples?|lots?|bookings?|phones?|numbers|artikel|bestell\w+|rechnung\w*|factur\w+|fattur\w+|commandes|pedidos|ordini|telefon\w*)(?!\w)"
)
FEWEST_ITEMS = 2


def _items(lines: Sequence[tuple[int, str]]) -> Iterator[Finding]:
    for form, heads in ((_LISTED_CODE, _HEADS_CODES), (_SHARE, _HEADS_SHARES)):
        first = 0
        while first < len(lines):
            last = first
            while last < len(lines) and form.fullmatch(lines[last][1]):
                last += 1
            heading = "\n".join(line for _, line in lines[max(0, first - 2) : first])
            if (
                last - first >= FEWEST_ITEMS
                and heads.search(heading)
                and not _NUMBERED.search(heading)
            ):
                for at, line in lines[first:last]:
                    item = form.fullmatch(line)
                    if item:
                        yield Finding(
                            CREDENTIAL,
                            "recovery code",
                            at + item.start("value"),
                            at + item.end("value"),
                        )
            first = max(last, first + 1)
