"""The names in a text that may stand for files, definitions, keys and commands of a project.

A name counts only if it is found in the project's files, so that many more may be offered here.
"""

from __future__ import annotations

import re

from ...model.value import Value
from .settings_keys import SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_CHARACTERS = 20_000
"""Characters of a text that are searched for names."""
MOST_NAMES = 60
MOST_NAME = 120

_QUOTED = re.compile(r"`([^`\n]{1,200})`|“([^”\n]{1,200})”|\"([^\"\n]{1,200})\"")
_PATH = re.compile(r"(?<![\w/@:.~-])(?:\./)?(?:[\w.@+-]+[/\\])*[\w.@+-]+(?:/(?![\w/]))?")
_LINE_NUMBER = re.compile(r":\d+(?:[:-]\d+)?$|#L\d+(?:-L?\d+)?$")
_BARE_FILES = frozenset((
    "makefile", "gnumakefile", "dockerfile", "justfile", "procfile", "license", "readme",
    "jenkinsfile", "vagrantfile", "gemfile", "rakefile", "changelog", "contributing", "brewfile",
))  # fmt: skip
_CAPITAL_FILES = frozenset((
    "AUTHORS", "CHANGES", "CODEOWNERS", "COPYING", "HISTORY", "INSTALL", "MANIFEST", "NEWS",
    "NOTICE", "TODO", "VERSION",
))  # fmt: skip
"""Files whose names are words of a sentence, unless they are written like this."""
_IDENTIFIER = re.compile(
    r"(?<![\w$.:/-])[^\W\d][\w$]*(?:(?:\.|::|-(?=\w))[^\W\d][\w$]*)*[?!]?(?:\([^()\n]{0,200}\))?"
)
_TELLING = re.compile(r"_|[a-z\d][A-Z]|[A-Z]{2}.*\d|::|\(|(?<=\w)\.(?=[a-z_])")
"""A name that is no word of a sentence: snake_case, camelCase, Class.method, call()."""
_NAMED = re.compile(
    r"(?i)\b(?:function|method|class|constant|variable|struct|interface|enum|trait|type|macro"
    r"|decorator|fixture|module|key|setting|option|field|flag|property|parameter|target|recipe)\s+"
    r"([^\W\d][\w$.-]*)|\b([^\W\d][\w$.-]*)\s+(?:function|method|class|constant|struct|interface"
    r"|enum|fixture|key|setting|option|field|target)\b"
)
_TEMPLATE = re.compile(r"\$\{\{[^}\n]*\}\}|\$\{[^}\n]*\}|\$\([^)\n]*\)")
"""The place of a value in a value, whose names are not what a claim is about."""
_NAMED_IN = re.compile(
    r"(?<![\w$.-])([^\W\d][\w$-]*)\s+(?:in|from|of|at|\()\s*(?:the\s+)?(?:file\s+)?`?(?=[\w./\\-]*\.\w+)"
)
"""A word before the path of a file."""
_LIKE_A_NAME = re.compile(r"[A-Z][A-Z\d]{2,}|[A-Z][a-z\d]{3,}")
"""A constant of one word, or a class: only in files that the text names."""
_NO_NAMES = frozenset((
    "", "a", "an", "the", "this", "that", "these", "each", "every", "any", "our", "its", "their",
    "my", "your", "one", "no", "some", "which", "what", "is", "of", "in", "for", "with", "to",
    "and", "or", "new", "old", "same", "other", "first", "last", "is", "was", "has", "e.g", "i.e",
))  # fmt: skip
_COMMAND = re.compile(
    r"\b(?P<tool>make|just|(?:npm|pnpm|yarn|bun)(?:\s+run(?:-script)?)?"
    r"|(?:uv|poetry|pdm|hatch|pipenv|rye|poe|task|composer)(?:\s+run)?)\s+"
    r"(?P<name>[A-Za-z][\w:.-]*)"
)
_SURE_WORDS = "arguments?|parameters?|args|params|signature"
_NOT_IN_A_NAME = r"(?<![\w.])(?:{})(?!\w|[.(]\w)"
"""A word of a sentence: Parameter.name is a name."""
SIGNATURE = re.compile(
    "(?i)" + _NOT_IN_A_NAME.format(rf"{_SURE_WORDS}|takes?|accepts?|expects?|called with")
)
"""Words of a claim about the parameters of a function."""
_SURELY_SIGNATURE = re.compile("(?i)" + _NOT_IN_A_NAME.format(_SURE_WORDS))
_DEFAULTS = re.compile("(?i)" + _NOT_IN_A_NAME.format("defaults?|defaulting") + r"|\w=[\w'\"\[({-]")
"""Words of a claim about what a parameter is if nobody gives it."""


_CLAIMED = (
    r"(?<![\w.-]){key}(?![\w-]|\.\w)"
    r"(?:(?!\b(?:is|are|was|were|be|not|than|and|or|but|if|when)\b)[^\n;=!?]){{0,80}}?"
    r"(?:\b(?:is|are|equals|set to)(?:\s+(?:now|still|always|currently|exactly|set to))*\s|=|:)"
    r"\s*[`\"“]?(?P<value>[-+]?\d[\d_,]*(?:\.\d+)?|(?i:true|false|on|off|enabled|disabled))"
    r"(?![\w%]|[.:/-]\w)(?P<after>[^\n]{{0,60}})"
)
"""A sentence that gives a key a number or a truth value."""
_CLAIMED_WORD = (
    r"(?:(?<![\w.-]){key}(?![\w-]|\.\w)"
    r"(?:(?!\b(?:is|are|was|were|be|not|than|and|or|but|if|when)\b)[^\n;=!?]){{0,80}}?"
    r"\b(?:is|are|equals|set to)(?:\s+(?:now|still|always|currently|exactly|set to))*\s+"
    r"(?:(?P<quote>[`\"“])(?P<quoted>{word})[`\"”](?P<after>[^\n]{{0,60}})|(?P<bare>{word}){end})"
    r"|(?:^|[.:;,(]\s+|\n)[`\"“]?{key}\s?[=:]\s?[\"“]?(?P<written>{word})[`\"”]*{end})"
)
"""A sentence that gives a key one word: quoted, or with nothing behind it."""
_CLAIM_ENDS = r"(?=\s*[.,;)]?\s*(?:$|\n)|[.,;)]\s|\s+in\s+`?[\w./\\-]*\.\w)"
_BOUND = (
    r"(?<![\w.-]){key}(?![\w-]|\.\w)[`\"”]?(?:\s+in\s+\S+)?(?:"
    r"(?:(?:(?!\b(?:is|are|was|were|and|or|but|if|when)\b)[^\n;!?]){{0,80}}?"
    r"\b(?:is|are|be|stays?|remains?|goes|go|falls?|drops?|rises?|grows?)"
    r"(?:\s+(?:always|never|not|kept|set|to))*)?\s+"
    r"(?:at\s+(?:least|most)|a\s+(?:min|max)imum\s+of|below|above|under|over|up\s+to|between"
    r"|(?:(?:no|not|any)\s+)?(?:more|less|fewer|lower|higher|greater|larger|smaller|longer|shorter)"
    r"\s+than)|(?:(?!\b(?:is|are)\b)[^.\n;!?]){{0,40}}?\bexceeds?|\s*[<>≤≥]=?)\s*[`\"“]?\d"
)
"""A sentence that says of a key what it may be, not what it is: at least 20, never above 60."""
_WORD = r"[A-Za-z][\w.+/@-]{0,60}(?::[\w.+-]{1,30})?(?<![.])"
"""One word, perhaps with what a colon parts from it: `rabbit:4`. No address with a password."""
_ALTERNATIVES = (
    ("main", "master", "trunk", "develop"), ("development", "staging", "production"),
    ("debug", "info", "warning"), ("tabs", "spaces"), ("light", "dark"), ("lf", "crlf"),
    ("npm", "pnpm", "yarn", "bun"), ("json", "yaml", "toml"),
    ("sqlite", "postgres", "mysql", "mariadb", "mongodb", "redis", "memcached", "memory"),
)  # fmt: skip
"""Values of which a key has one. Other words after “is” may describe it: `the backend is slow`."""
_LARGE_NUMBER = re.compile(r"(?<![\w.#:/-])(?<!\bline )(?<!\blines )\d{3,6}(?![\w%]|[.,:/-]\w)")
"""A number that stands for one thing in a file, such as a port."""
_LABEL = re.compile(
    r"(?<![\w.@:/+-])(?=[\w.:/+-]*\d)(?=[\w.:/+-]*[A-Za-z])\w[\w.:/+-]{2,60}(?!\w)(?<![.:/+-])"
)
"""A word with letters and digits, such as `ubuntu-22.04`, that no other key has by chance."""
_GROUPED = re.compile(r"(?<![\w.,])(?:\d+(?:_\d+)+|\d{1,3}(?:,\d{3})+)(?!\w|,\d)")
_CONDITION = re.compile(
    r"(?i)\b(?:if|when|unless|whether|until|once|should|could|would|must|may|suppose)\b[^.!?\n]*$"
)
_COMPARED = re.compile(
    r"\s*(?:times|x|percent|of|more|less|higher|lower|out)\b"
    r"|[`\"”]?\s+(?:(?:in|on|for|under|during|while|when|if|unless|only|before|after|outside)\s+"
    r"(?!(?:the\s+)?(?:file\s+)?`?[\w./\\-]*\.\w)"
    r"(?!(?:order to|line with|purpose|now|good|historical reasons)\b)"
    r"|(?:or|sometimes|often|usually|mostly|at\s+(?:first|times|night|weekends))\b"
    r"|(?:to|and)\s+[`\"“\d])"
)
"""Words after a value that make it another one, or one of several."""
_UNIT = re.compile(
    r"[`\"”]?\s*(?:[kmgt]i?b|bytes?|ms|s|m|h|min|[a-z]*(?:second|minute|hour|day|week)s?)\b", re.I
)
_FACTORS = (60, 3_600, 86_400, 604_800, 1_000, 1_000_000, 1_024, 1_048_576, 1_073_741_824)
_TRUTHS = (("true", "false"), ("on", "off"), ("yes", "no"), ("enabled", "disabled"))


class Mentions(Value):
    """The names of one text, in its order."""

    text: str
    paths: tuple[str, ...]
    names: tuple[str, ...]
    """Names that are surely no words: between backquotes, with underscores, after “function”, …"""
    words: tuple[str, ...]
    """All other words, of which some may be keys."""
    capitals: tuple[str, ...]
    """Those of them that could be constants or classes of a file that is named as well."""
    commands: tuple[tuple[str, str], ...]
    """Tools and the names that they run: make and test, npm run and build."""

    def has_value(self, value: str) -> bool:
        """Whether the text names a value of some key."""
        if not value or len(value) > MOST_NAME:
            return False
        if _has_word(self.text, value):
            return True
        return _number(value) is not None and _has_word(_ungrouped(self.text), _ungrouped(value))

    def telling_values(self) -> list[str]:
        """The large numbers of the text, and its words of letters and digits."""
        found = (*_LARGE_NUMBER.findall(self.text), *_LABEL.findall(self.text))
        return list(dict.fromkeys(found))

    def said_of(self, key: str, value: str) -> str:
        """The value that the text gives a key, in the form of the file's; empty if it gives none.

        The same number in another unit is no other value. Of words only those count that are
        surely a value.
        """
        if self.has_value(value):
            return ""
        if _truth(value) or _number(value) is not None:
            return self._number_said_of(key, value)
        return self._word_said_of(key, value)

    def bounds(self, key: str) -> bool:
        """Whether the text only says of a key between which numbers it is."""
        return bool(re.search(_BOUND.format(key=re.escape(key)), self.text))

    def _number_said_of(self, key: str, value: str) -> str:
        """The number or truth value of a key."""
        found = re.search(_CLAIMED.format(key=re.escape(key)), self.text)
        if found is None or _COMPARED.match(found["after"]):
            return ""
        if _CONDITION.search(self.text, max(0, found.start() - 200), found.start()):
            return ""
        said = found["value"].rstrip(",_")
        if pair := _truth(value):
            own = _truth(said)
            truth = pair[own.index(said.lower())] if own else ""
            if truth == value.lower():
                return value
            return truth.capitalize() if value[0].isupper() else truth
        number, other = _number(said), _number(value)
        if not number or not other:
            return said.replace(",", "") if number is not None and number != other else ""
        ratio = max(number / other, other / number)
        same = ratio == 1 or (_UNIT.match(found["after"]) and ratio in _FACTORS)
        return "" if same else said.replace(",", "").replace("_", "")

    def _word_said_of(self, key: str, value: str) -> str:
        """The word that the text gives a key, if it can only be a value."""
        if not re.fullmatch(_WORD, value):
            return ""
        claimed = _CLAIMED_WORD.format(key=re.escape(key), word=_WORD, end=_CLAIM_ENDS)
        found = re.search(claimed, self.text)
        if found is None or _COMPARED.match(found["after"] or ""):
            return ""
        if _CONDITION.search(self.text, max(0, found.start() - 200), found.start()):
            return ""
        said = found["quoted"] or found["bare"] or found["written"]
        old, new = value.lower(), said.lower()
        known = any(old in words and new in words for words in _ALTERNATIVES)
        if old in new or new in old or (found["bare"] and not known):
            return ""  # Another spelling, or a word about the value.
        return said

    def speaks_of_parameters(self, name: str, words: Iterable[str]) -> bool:
        """Whether the claim is about the parameters of a function, not about what it does.

        `words` are those of its parameters.
        """
        last = name.rpartition(".")[2]
        if re.search(rf"\b{re.escape(last)}\([^()\n]*\w", self.text):
            return True
        if not SIGNATURE.search(self.text):
            return False
        if _SURELY_SIGNATURE.search(self.text):
            return True
        return self.has_one_of(words)

    def speaks_of_defaults(self) -> bool:
        """Whether the claim says what a parameter is if nobody gives it."""
        return bool(_DEFAULTS.search(self.text))

    def has_one_of(self, words: Iterable[str]) -> bool:
        """Whether the text has one of the words of some code."""
        own = (one for one in words if one not in ("self", "cls", "None") and len(one) > 1)
        return any(_has_word(self.text, one) for one in own)


def find_mentions(text: str) -> Mentions:
    """The names in a text."""
    text = text[:MOST_CHARACTERS]
    bare = _TEMPLATE.sub(" ", text)
    quoted = [next(filter(None, one.groups())) for one in _QUOTED.finditer(bare)]
    paths = dict.fromkeys(_paths(text, quoted))
    names = dict.fromkeys(one for one in _names(bare, quoted) if one.lower() not in _NO_NAMES)
    words = dict.fromkeys(
        re.findall(r"(?<![\w./-])(?<!::)[^\W\d][\w-]{2,}(?![\w/(]|\.\w|::)", text)
    )
    commands = dict.fromkeys(
        (" ".join(one["tool"].split()), one["name"].rstrip(".:")) for one in _COMMAND.finditer(text)
    )
    others = tuple(one for one in words if one not in names)[: 4 * MOST_NAMES]
    return Mentions(
        text,
        tuple(paths)[:MOST_NAMES],
        tuple(names)[:MOST_NAMES],
        others,
        tuple(one for one in others if _LIKE_A_NAME.fullmatch(one)),
        tuple(commands)[:MOST_NAMES],
    )


def _paths(text: str, quoted: Iterable[str]) -> Iterator[str]:
    """Names of files and folders; a word with a dot may be one, too."""
    for one in quoted:
        if " " in one and ("/" in one or "\\" in one):
            yield _plain_path(one)
    for found in _PATH.finditer(text):
        path = _plain_path(found[0])
        base = path.rpartition("/")[2]
        if (
            "/" in path
            or re.search(r"\w\.[A-Za-z]\w{0,9}$|^\.\w", path)
            or base.lower() in _BARE_FILES
            or base in _CAPITAL_FILES
        ):
            yield path


def _plain_path(written: str) -> str:
    path = _LINE_NUMBER.sub("", written.strip()).replace("\\", "/").removeprefix("./")
    return path.rstrip(".,;:!?") if not path.endswith("..") else path


def _names(text: str, quoted: Iterable[str]) -> Iterator[str]:
    for one in quoted:
        for found in _IDENTIFIER.finditer(one.strip()):
            # A whole command or sentence between quotes names its telling words alone.
            if found[0] == one.strip() or _TELLING.search(found[0]):
                yield _plain_name(found[0])
    for found in _IDENTIFIER.finditer(text):
        if _TELLING.search(found[0]) and len(found[0]) <= MOST_NAME:
            yield _plain_name(found[0])
    for found in _NAMED.finditer(text):
        yield _plain_name(found[1] or found[2])
    for found in _NAMED_IN.finditer(text):
        yield found[1]


def _truth(value: str) -> tuple[str, str] | None:
    """The two truth values of which one is given."""
    return next((pair for pair in _TRUTHS if value.lower() in pair), None)


def _has_word(text: str, word: str) -> bool:
    return bool(re.search(rf"(?<![\w.]){re.escape(word)}(?!\w|\.\d)", text))


def _ungrouped(text: str) -> str:
    """A text in which 1_200 and 1,200 are 1200."""
    return _GROUPED.sub(lambda found: re.sub("[_,]", "", found[0]), text)


def _number(value: str) -> float | None:
    plain = value.replace(",", "").replace("_", "")
    return float(plain) if re.fullmatch(r"[-+]?\d{1,18}(?:\.\d{1,9})?", plain) else None


def _plain_name(written: str) -> str:
    name = written.partition("(")[0].replace("::", ".").strip(".-")
    return name[:MOST_NAME]


def is_secret_key(name: str) -> bool:
    """Whether the value of a key may be secret."""
    return bool(SECRET.search(name))
