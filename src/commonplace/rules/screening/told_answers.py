"""Find what somebody is told to say or to type: the answer to a bank's question, a phrase at a prompt."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...language.vocabulary import secrets as words
from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding
from .secret_values import is_filled_in
from .values_in_sentences import is_description, is_fiction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTION_HINTS = (
    "first", "favo", "childhood", "street", "maiden", "middle name", "memorable", "ersten", "liebst", "lieblings",
    "mädchenname", "geburtsort", "straße, in", "premi", "jeune fille", "naissance", "primer", "soltera", "ciudad",
    "prima ", "primo ", "nubile", "ragazza", "città", "solteira", "secret", "security", "answer", "sicherheits",
    "geheime", "sécurité", "secrète", "seguridad", "respuesta", "sicurezza", "segret", "segurança", "vraag", "vragen",
    "pytani", "密保", "安全问题", "秘密",
)  # fmt: skip
"""Lower-case hints; every question of a bank has one."""

_QUESTION = lazy(
    rf"(?i)(?<!\w)(?:(?:my |the |our )?(?:first|favou?rite|childhood) (?:pet|school|teacher|car|street|concert|job|boss|kiss|holiday|friend)|street (?:i|we|you) (?:grew up|lived)|(?:maiden|middle) name|memorable (?:word|name|place|date)|(?:mein\w* |das |dem |der )?(?:ersten?|liebsten?|lieblings)[ -]?(?:haustier\w*|schule|lehrer\w*|auto)|mädchenname\w*|geburtsort|straße, in der"
    rf"|(?:mon |ma |le |la )?(?:premi(?:er|ère)) (?:animal|école|voiture|instituteur|institutrice)|nom de jeune fille|ville de naissance|(?:mi |la |el )?primer[ao]? (?:mascota|colegio|escuela|coche|profesor\w*)|apellido de soltera|ciudad (?:natal|de nacimiento)|(?:il mio |la mia |del |il |la )?prim[ao] (?:animale|scuola|auto|maestr[ao])|(?:cognome|nome) da (?:nubile|ragazza)|città (?:natale|di nascita)|(?:meu |minha )?primeir[ao] (?:animal|escola|carro)|nome de solteira|{words.SECURITY_QUESTIONS})(?!\w)"
)
_ASKER = lazy(
    r"(?i)(?<!\w)(?:bank\w*|building society|insur\w+|pension\w*|broker|they(?:['’]ll)? ask|if (?:it|he|she|anyone|somebody) asks|asks? (?:for|me|you|about)|security|hotline|call ?cent(?:er|re)|support|fragt|fragen|bank|versicherung|portal|banque|assurance|demande(?:nt)?|banco|seguro|preguntan?|pide|banca|assicurazione|chied\w+|pergunt\w+|question|frage|pregunta|domanda|answer|antwort|réponse|respuesta|risposta)(?!\w)"
)
_SAY = lazy(
    r"(?i)(?<!\w)(?:(?:just |then |please )?(?:say|tell (?:them|her|him)|answer|reply|give (?:them|her|him)?|put|type|write)(?: (?:that )?it['’]s| with)?|it['’]s|the answer(?: is|['’]s)?|answer:?|sag\w{0,2}(?: ihnen| einfach)?|antworte\w?(?: einfach)?(?: mit)?|gib|schreib|(?:die )?antwort:?(?: ist| lautet)?|dis(?:-leur)?|réponds(?:-leur)?|réponse:?|mets|tape|di|dile|diles|responde|contesta|pon|escribe|respuesta:?|rispondi|dì|di['’]|digli|metti|scrivi|risposta:?|diga|responda|resposta:?)[ ,:]+[\"'“„«]?"
)
_ANSWER = lazy(
    r"(?P<value>[A-ZÀ-ÞА-Я][\w'’.-]{1,25}(?: (?:(?:of|the|de|la|le|von|di|da|y|and) )?[\wÀ-ÿ'’-]{2,20}){0,3}|\w{3,20}\d{1,6}\w{0,6})(?=\s*(?:[.,;!?)\"'”»\n]|$|\s[-–]\s))"
)
_QUOTED_QUESTION = lazy(
    r"(?i)(?<!\w)(?:answers?|antwort|réponse|respuesta|risposta|resposta) (?:to|for|auf|à|a|alla|para) (?:the question |die frage |la question |la pregunta |la domanda )?['\"“„«‘][^'\"”»’\n]{5,70}['\"”»’“]\s*(?:is|ist|lautet|est|es|è|é|:|=)\s+[\"'“„«]?(?P<value>[^\W_][\w'’-]{2,30}(?: [\w'’-]{2,20}){0,2})(?=[\"'”»]?\s*(?:[.,;!?)\n]|$))"
)
_NO_ANSWER = lazy(
    r"(?i)(?:i|we|you|he|she|they|it|no|yes|please|thanks?|ich|wir|du|er|sie|bitte|je|tu|il|elle|on|yo|tú|él|ella|io|lui|lei|don['’]t|the (?:bank|man|woman|agent))(?![\w-])"
)


_PROMPT = lazy(
    r"(?i)(?<!\w)(?:prompt\w*|pass ?phrases?|luks|disk|encrypt\w*|decrypt\w*|unlock\w*|boots?|booting|starts? up|passwor[dt]\w*|kennwort|vault|keystore|login|log-?in|invite|phrase|démarrage|disque|mot de passe|frase|disco|arran\w+|contraseña|clave|avvio|parola|inicializ\w+|senha|passphrase|verschlüssel\w*|festplatte|hochfahren|beim start|sudo|ssh-add|gpg)(?!\w)"
)
_TYPE = lazy(
    r"(?i)(?<!\w)(?:type(?:s|d)?(?: in)?|enter|give it|feed it|say|put in|use|tippe?\w?|gib|tape[rz]?|saisi\w{1,4}|écri\w{1,4}|entre[rz]?|escrib\w{1,3}|teclea\w?|pon(?:er|es)?|introduc\w{1,3}|scriv\w{1,4}|digita\w{0,2}|inserisc\w{1,3}|metti|dann|puis|luego|poi|digite|escreva)[: ]{1,3}[\"“„«»][ \u00a0]?(?P<value>[^\W\d_][^\"“”„«»\n]{6,60})[\"”“»«]|(?i:type|enter|tippe?|tape|escribe|scrivi|digita) ['‘](?P<single>[^\W\d_][^'’\n]{6,60})['’](?!\w)"
)


def find_told_answers(text: str, lower: str) -> Iterator[Finding]:
    """Answers and phrases that a text tells somebody to give, perhaps overlapping."""
    if any(map(lower.__contains__, QUESTION_HINTS)):
        yield from _answers(text)
    if not any(map(lower.__contains__, "\"“„«»'‘")):
        return
    yield from _typed_phrases(text)
    for match in _QUOTED_QUESTION.finditer(text):
        if not _is_said_of(match["value"]):
            yield Finding(CREDENTIAL, "security answer", *match.span("value"))


def _answers(text: str) -> Iterator[Finding]:
    for question in _QUESTION.finditer(text):
        start, end = question.start(), min(len(text), question.end() + 130)
        if not _ASKER.search(text, max(0, start - 90), end) or is_fiction(text, start):
            continue
        for say in _SAY.finditer(text, question.end(), end):
            value = _ANSWER.match(text, say.end())
            if value and not _NO_ANSWER.match(value["value"]) and not _is_said_of(value["value"]):
                yield Finding(CREDENTIAL, "security answer", *value.span("value"))
                break


def _is_said_of(value: str) -> bool:
    return is_description(value.split(maxsplit=1)[0], "is")


def _typed_phrases(text: str) -> Iterator[Finding]:
    """A quotation of a few words, after an order to type it at a prompt."""
    for typed in _TYPE.finditer(text):
        group = "value" if typed["value"] else "single"
        at, said = typed.start(group), typed[group].strip()
        few = 2 <= len(said.split()) <= 9 and is_filled_in(said)
        asked = _PROMPT.search(text, max(0, at - 120), at) or _PROMPT.search(
            text, typed.end(), typed.end() + 60
        )
        if few and asked and not is_fiction(text, at):
            yield Finding(CREDENTIAL, "password", at, at + len(said))
