"""Find the credentials and personal data of a text.

Cheap checks come first, because most texts hold neither; detectors are imported only when a text
gives a reason.
"""

from __future__ import annotations

from ...model.lazy_pattern import lazy
from .hints import has_row_of_words, odd_word, reasons

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from ..parameters import ScreeningPolicy
    from .findings import Finding

LONG_WORD = 16
"""No credential with a format of its own is shorter."""
JOINT_HINTS = ("\n", '" ', "' ", '"+', "'+", "><")
"""Where a token may be broken into two."""
QUOTED_HINTS = ("' \\\n", '" \\\n', "'\n", '"\n', "' + '", '" + "', "'+'", '"+"', "' . '", '" . "')
"""Where a program puts a text together from two."""
ESCAPES = ("%", "\\", "&#", "&quot;", "&apos;", "&amp;", "&lt;", "&gt;")
SPACED_HINTS = ("p a s s", "p-a-s-s", "p.a.s.s")

_NUMERAL = lazy(
    r"\b(?:two|three|four|five|six|seven|eight|nine|zwei|drei|vier|deux|trois|sept"
    r"|huit|null|acht|neun|zwanzig|vierzig|zéro|cero|zero|ocho|quince|treinta|otto|dos|tres|siete|due|tre|sette|dois|oito|twee|zes|zeven|dwa|trzy)\b"
)
_ODD_WORD = odd_word(2, 3)
_SHAPED = lazy(
    r"[\d!$#%^&*?+_.~-](?<=[^\W_][^\s])(?:(?<=[^\W\d_]{3}\d)|(?<=[^\W_][!#$^&*?+_.~%-])(?=[^\W_])|(?<=[^\W\d_]{2}\d)(?=[^\W_])|(?<=[^\W\d_]{4}!)(?!\w))"
)
"""A place where a word may have the shape of a password."""
_OF_SOMETHING_ELSE = lazy(
    r"(?i)\b(?:pass(?:word|phrase|code)?|token|secret|pin|code|key|credential)s?[ -]"
    r"(?:rate|ratio|length|ticket|issue|system|manual|names?|santa|(?:hash )?algorithm|screen|page"
    r"|team|polic(?:y|ies)|counts?|limit|format|scheme|generator|type|of the month"
    r"|ingredients?|colou?rs?|spices?|switch(?:es)?|gates?|heights?|completion)\b"
    r"[^.;:,\n]{0,40}\b(?:is|was|are|were|uses?)(?: [\w-]+){0,4}? [#\"'“]?\Z"
    r"|\b(?:site|public|publishable)[ _-]?key\W{0,4}\Z|\b\w+SiteKey\W{0,4}\Z"
    r"|\b(?:design|colou?r) tokens? (?:is|was) \Z"
    r"|\b(?:tickets?|issues?) (?![^.;:,\n]{0,20}\b(?:pin|password|code)\b)[^.;:,\n]{0,30}\bis \Z"
    r"|\bpass (?:rates?|completion|accuracy) (?:of|by|for)(?: the)? \Z"
    r"|\bpass(?:word|phrase)s? (?:is|are|was) generated (?:from|by|with)(?: the)? \Z"
)
"""`The pass rate is` tells no password: what follows is the value of another noun."""
_PUBLIC_CODE = lazy(r"(?i)RAL[- ]?\d{4}\b|97[89](?:-\d+){3,4}\b")
_WITH_HEIGHT = lazy(r"[A-ZÀ-Þ][a-zß-ÿ]+(?:-[A-ZÀ-Þa-zß-ÿ]+)*-?\d{3,4} ?m(?!\w)")
"""A place and its height, as maps write it."""
_PASS = lazy(r"(?i)\bpass(?:es)?\b[^.;!?\n]{0,40}\Z")
_OUTDOORS = lazy(
    r"(?i)\b(?:mountains?|alps?|alpine|summits?|peaks?|valleys?|glaciers?|hik(?:e|es|ed|ing)|trek\w*"
    r"|climb(?:s|ed|ing)?|bends|hairpins?|gradients?|descents?|gravel|trails?|snow\w*|stage \d+"
    r"|cross(?:ed|ing) the|down to the (?:lake|village|valley)|cyclists?|cols?|ski tours?)\b"
)
"""A pass in the mountains is no password, …"""
_ACCESS = lazy(
    r"(?i)\b(?:pass(?:word|wort|phrase|code)s?|pwd?|wi-?fi|wlan|log(?:in|ins|ged|s)?[ -]?in|login"
    r"|sign(?:s|ed)?[ -]?in|accounts?|user\w*|admin|routers?|networks?|portals?|apps?|e-?mails?"
    r"|doors?|safes?|lockers?|lock|unlocks?|huts?|cabins?|laptops?|phones?|server|vpn|ssid|pin|codes?)\b"
)
"""… unless something is named that one opens with a password."""
_MARKS = '.,;:?()"“”…'
_NOTE = lazy(r"\[[\w .'’-]{2,60} removed\]")
_EXAMPLE = lazy(
    r"(?i)(?<!\w)(?:e\.\s?g\.|for (?:example|instance)|z\.\s?b\.|zum beispiel|par exemple|p\. ?ex\."
    r"|por ejemplo|p\. ?ej\.|ad esempio|per esempio|por exemplo|bijv\.|bijvoorbeeld|np\.|např\."
    r"|na przykład|t\.ex\.|f\.eks\.|(?:most|more) common[^.\n]{0,30}|never use)"
    r"[\s:,(\"“„«']*(?:\S+\s){0,1}$"
)
"""Words before a value that is only an example."""
_EXAMPLE_AFTER = lazy(
    r"(?i)[\"”“»')]*\s+(?:(?:as|for) an? (?:\w+ )?(?:example|illustration|sample|placeholder)"
    r"|(?:is|was|ist|war|est|es|è|é) (?:only |just |nur )?"
    r"(?:the|an?|das|ein|l['’]|une?|una?|um|el|il) ?(?:[\w-]+ )?"
    r"(?:example|meme|joke|sample|placeholder|beispiel|platzhalter|exemple|ejemplo|esempio|exemplo)"
    r"|[^.\n]{0,40}\bmost common (?:passwords?|pins?|codes?)\b)"
)
_DIGITS = "[0-9](?:[A-Za-z ().,/:+-]{0,3}[0-9]){5}"
_LONG_NUMBER = lazy(_DIGITS)
_PERSONS_NUMBER = lazy(rf"{_DIGITS}|[A-Z](?=[A-Z0-9]{{0,6}}[0-9])[A-Z0-9]{{7}}")


def screen(text: str) -> tuple[Finding, ...]:
    """Everything found in a text, in its order and without overlaps."""
    text = _without_notes(text)
    lower = text.lower()
    why = reasons(lower)
    found = _secrets(text, lower, why)
    if "personal" in why or "@" in text or ("digit" in why and _LONG_NUMBER.search(text)):
        from .personal_data import find_personal_data

        found += find_personal_data(text)
    if not found:
        return ()
    from .findings import without_overlaps

    return without_overlaps(found)


def credentials_removed(text: str) -> str:
    """The text with a note in place of every credential and identity number, for messages."""
    # The rest may read differently, so that it is read again until nothing is found.
    while found := _refused(text):
        from .findings import redacted_text, without_overlaps

        text = redacted_text(text, without_overlaps(found))
    return text


def _refused(text: str) -> list[Finding]:
    """The credentials and identity numbers of a text, perhaps overlapping."""
    shown = _without_notes(text)
    lower = shown.lower()
    found = _secrets(shown, lower, reasons(lower))
    if not found:
        return found
    from .findings import PERSONAL

    return [one for one in found if one.kind != PERSONAL]


def _without_notes(text: str) -> str:
    """The text with every note of an earlier redaction blanked, because it names what it hides."""
    return _NOTE.sub(_blanked, text) if " removed]" in text else text


def _blanked(note: re.Match[str]) -> str:
    """Null characters end a sentence, as a value did that stood there."""
    return "\0" * len(note.group())


def loggable(text: str, policy: ScreeningPolicy) -> str:
    """The text as a log may keep it: without credentials, and without what policy keeps out."""
    removed = ("redact", "block")
    if policy.personal not in removed and policy.identity in removed:
        return credentials_removed(text)
    from .findings import IDENTITY, PERSONAL, redacted_text

    kept = {
        kind
        for kind, action in ((PERSONAL, policy.personal), (IDENTITY, policy.identity))
        if action not in removed
    }
    return redacted_text(text, [one for one in screen(text) if one.kind not in kept])


def forms_removed(text: str) -> str:
    """The text without anything that has the form of a credential, be it the sample of a manual."""
    from .credential_formats import find_credentials
    from .findings import redacted_text, without_overlaps

    return redacted_text(text, without_overlaps([*find_credentials(text, samples=True)]))


def _secrets(text: str, lower: str, why: set[str]) -> list[Finding]:
    """Credentials, cards and identity numbers, perhaps overlapping."""
    found = list(_seen(text, lower, why))
    if not text.isascii() or any(map(text.__contains__, ESCAPES)):
        from .disguises import undisguised

        if view := undisguised(text):
            lower = view.text.lower()
            found += view.original(_seen(view.text, lower, reasons(lower)))
    told = "syntax" in why or "spoken" in why
    if told and any(map(lower.__contains__, (*SPACED_HINTS, *QUOTED_HINTS))):
        from .disguises import closed_up

        if view := closed_up(text):
            lower = view.text.lower()
            found += view.original(_seen(view.text, lower, reasons(lower)))
    if any(map(text.__contains__, JOINT_HINTS)):
        from .credential_formats import find_split_credentials

        found += find_split_credentials(text)
    if found:
        from .harmless_values import without_harmless

        found = without_harmless(text, found)
    if "digit" in why and _PERSONS_NUMBER.search(text):
        from .personal_data import find_numbers

        found += find_numbers(text)
    if not found:
        return found
    from .other_values import without_other_values

    return without_other_values(text, found)


def _seen(text: str, lower: str, why: set[str]) -> Iterator[Finding]:
    long = max(map(len, text.split()), default=0) >= LONG_WORD
    if long:
        from .credential_formats import find_credentials

        yield from find_credentials(text)
    if long or "syntax" in why:
        from .secrets_in_syntax import find_secrets

        yield from find_secrets(text)
    told = [*_told(text)] if _may_tell(text, lower, why) else []
    if _has_odd_word(text) and _SHAPED.search(text):
        told += _shaped(text)
    if any(map(_is_in_question, text.split())):
        told += _likely(text)
    if not told:
        return
    from .secret_values import is_sealed

    for one in told:
        if not (
            _EXAMPLE.search(text, max(0, one.start - 50), one.start)
            or _EXAMPLE_AFTER.match(text, one.end)
            or _OF_SOMETHING_ELSE.search(text, max(0, one.start - 80), one.start)
            or _PUBLIC_CODE.match(text, one.start)
            or is_sealed(text, one.start)
            or _is_mountain_pass(text, one)
        ):
            yield one


def _is_mountain_pass(text: str, one: Finding) -> bool:
    """Whether a value is the name of a pass, in a sentence about the way over it."""
    if not _PASS.search(text, max(0, one.start - 60), one.start):
        return False
    start, end = max(0, one.start - 80), min(len(text), one.end + 80)
    about = _WITH_HEIGHT.match(text, one.start) or _OUTDOORS.search(text, start, end)
    return bool(about) and not _ACCESS.search(text, start, end)


def _has_odd_word(text: str) -> bool:
    """Whether a word has more than letters, without a pattern: those take time to load."""
    bare = (word.strip(_MARKS).replace("'", "").replace("’", "") for word in text.split())
    return any(not word.isalpha() and not word.isdigit() for word in bare if word)


def _told(text: str) -> Iterator[Finding]:
    """Secrets told in sentences, tables and lists of words."""
    from .findings import in_parts
    from .listed_secrets import find_listed_secrets
    from .secrets_in_sentences import find_spoken_secrets

    yield from in_parts(text, find_spoken_secrets)
    yield from in_parts(text, find_listed_secrets)


def _shaped(text: str) -> Iterator[Finding]:
    """Passwords by their shape, unless the words around speak against it."""
    from .findings import in_parts
    from .likely_secrets import not_spoken_against
    from .passwords_by_shape import find_shaped_passwords

    def found(part: str) -> list[Finding]:
        return not_spoken_against(part, [*find_shaped_passwords(part)])

    yield from in_parts(text, found)


def _is_in_question(word: str) -> bool:
    """Whether a word is more than one of a sentence, at a first glance."""
    bare = word.strip(_MARKS)
    return not (bare.isalpha() and (bare.islower() or bare.istitle() or bare.isupper()))


def _likely(text: str) -> Iterator[Finding]:
    """Secrets that a sentence only mentions, by the words around them."""
    from .findings import in_parts
    from .likely_secrets import find_likely_secrets

    yield from in_parts(text, find_likely_secrets)


def _may_tell(text: str, lower: str, why: set[str]) -> bool:
    """Whether a sentence may tell a password, a code or a list of words."""
    return bool(
        "spoken" in why
        or ("code" in why and ("digit" in why or _NUMERAL.search(lower)))
        or ("opening" in why and _ODD_WORD.search(text))
        or has_row_of_words(lower)
    )
