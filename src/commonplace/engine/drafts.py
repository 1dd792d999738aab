"""From a draft to the memory it would become: screened, worth keeping, in its place, summarized."""

from __future__ import annotations

from ..language import tokens
from ..model import identity
from ..model.errors import Refused
from ..notes.display import TITLE, is_sealed
from ..rules import access, drafts, write_policy
from ..rules.parameters import TAG
from ..rules.screening.findings import CREDENTIAL
from ..rules.screening.screen import screen
from .neighbours import ReasonerCache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeVar

    from ..model.memory import Draft, Memory
    from ..rules.parameters import GateThresholds
    from ..rules.screening.findings import Finding
    from .engine import Engine

    Kept = TypeVar("Kept", Draft, Memory)


TEXTS = ("title", "topic", "key", "namespace", "episode", "speaker", "imported_id")
LISTS = ("aliases", "tags", "source_tasks")
BETWEEN = "\n\0\n"
"""Stands between the fields of a draft, so that none is read on into the next."""


def screened(engine: Engine, draft: Draft) -> Draft:
    """The draft as it may be kept: whole, flagged, redacted or sealed. Raises Refused.

    Every text of it is looked at, because titles and tags end up in file names and in the index.
    """
    if draft.seal:
        return _sealed(engine, draft).but(seal=False)
    return _settled(engine, draft, ask=True)


def screened_version(engine: Engine, old: Memory, new: Memory) -> Memory:
    """A new version as it may be kept; that of a sealed memory is sealed again.

    No model is asked: this is called while the book is held, and others wait.
    """
    sealing = is_sealed(old) and not is_sealed(new)
    kept = _sealed(engine, new) if sealing else _settled(engine, new)
    if kept is new:
        return new
    # Its name was made of the text as it was given.
    return kept.but(slug=identity.slug(kept.title or kept.key or kept.content[:300], kept.id))


def screened_fields(engine: Engine, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Changes to some fields as they may be kept. Raises Refused."""
    texts = [text for value in fields.values() for text in _texts(value)]
    joined = BETWEEN.join(texts)
    secrets = _removable(engine, screen(joined), joined)
    if not secrets:
        return dict(fields)
    return {
        name: _replaced(value, secrets)
        if isinstance(value, str)
        else [_replaced(text, secrets) for text in _texts(value)] or value
        for name, value in fields.items()
    }


def refusal(found: Sequence[Finding]) -> Refused:
    """What to say about a text that may not be kept: what it holds, and never the thing itself."""
    labels = ", ".join(dict.fromkeys(one.label for one in found))
    if found[0].kind == CREDENTIAL:
        return Refused(
            f"Nothing was saved, because the text holds a credential ({labels}).",
            hint="Leave it out, or keep it encrypted: `save --seal`, or seal=True.",
        ).because("credential")
    return Refused(
        f"Nothing was saved, because the text holds personal data ({labels}).",
        hint="Leave it out, or set screening.personal to flag.",
    ).because("personal")


def _settled(engine: Engine, kept: Kept, *, around_only: bool = False, ask: bool = False) -> Kept:
    text = _around(kept)
    if not around_only and not is_sealed(kept):
        text = BETWEEN.join((text, *_said(kept)))
    found = screen(text)
    if not found and not (ask and _second_opinion(engine, kept)):
        return kept
    if secrets := _removable(engine, found, text):
        kept = _redacted(kept, secrets)
    personal = any(one.kind != CREDENTIAL for one in found) or not found
    if not personal or engine.settings.screening.personal == "allow":
        return kept
    return kept.but(
        tags=kept.tags if TAG in kept.tags else (*kept.tags, TAG),
        sensitivity="private" if kept.sensitivity == "public" else kept.sensitivity,
    )


def _removable(engine: Engine, found: Sequence[Finding], text: str) -> dict[str, str]:
    """What must go by policy, and its label; raises Refused where that is the whole text."""
    wanted = engine.settings.screening
    secrets: dict[str, str] = {}
    for one in found:
        action = wanted.credentials if one.kind == CREDENTIAL else wanted.personal
        if action == "block":
            raise refusal([other for other in found if other.kind == one.kind])
        if action == "redact":
            secrets[text[one.start : one.end]] = one.label
    return secrets


def _around(kept: Draft | Memory) -> str:
    """Every text but content and value."""
    texts = [text for name in TEXTS if (text := getattr(kept, name))]
    for name in LISTS:
        texts += getattr(kept, name)
    return BETWEEN.join((*texts, *_places(kept)))


def _places(kept: Draft | Memory) -> list[str]:
    """What names folders; it can be refused, but not redacted."""
    scope = kept.scope
    named = [value for _, value in scope.pairs] if scope is not None else []
    return [*named, kept.kind] if kept.kind else named


def _said(kept: Draft | Memory) -> list[str]:
    """Content and value, beside the name that may call them a secret."""
    said = [kept.content]
    if kept.value is not None and kept.value not in kept.content:
        said.append(f"{kept.key}: {kept.value}")
    if kept.title and " " not in kept.content:
        said.append(f"{kept.title}: {kept.content}")
    return said


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    several: Sequence[Any] = value if hasattr(value, "__len__") else ()
    return [text for text in several if isinstance(text, str)]


def _redacted(kept: Kept, secrets: Mapping[str, str]) -> Kept:
    places = "\n".join(_places(kept))
    for secret, label in secrets.items():
        if secret in places:
            raise Refused(
                f"Nothing was saved, because a name in the scope or kind is secret ({label}).",
                hint="Give it another name.",
            ).because("credential")
    changes: dict[str, object] = {}
    for name in ("content", "value", *TEXTS):
        if text := getattr(kept, name):
            changes[name] = _replaced(text, secrets)
    for name in LISTS:
        changes[name] = tuple(_replaced(text, secrets) for text in getattr(kept, name))
    return kept.but(**changes)


def _replaced(text: str, secrets: Mapping[str, str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, f"[{secrets[secret]} removed]")
    return text


def _second_opinion(engine: Engine, kept: Draft | Memory) -> bool:
    """Whether a model, where one is configured, sees personal data that no format gives away."""
    if engine.settings.reasoner == "rules" or is_sealed(kept):
        return False
    return bool(engine.reasoner.sensitive(kept.content))


def _sealed(engine: Engine, kept: Kept) -> Kept:
    """The same with its text encrypted; what stays readable may hold nothing secret."""
    hidden = kept.content if kept.value is None else kept.value
    if len(hidden.strip()) >= 4 and hidden.strip() in _around(kept):
        raise Refused(
            "Nothing was saved, because the secret is repeated where everybody can read it.",
            hint="Choose a title, key and tags that do not hold it.",
        ).because("credential")
    kept = _settled(engine, kept, around_only=True)
    sealed = engine.cipher.encrypt(hidden)
    return kept.but(
        content=sealed if kept.key is None else f"{kept.key}: {sealed}",
        value=None if kept.key is None else sealed,
        title=kept.title or ("" if kept.key else TITLE),
        sensitivity="sensitive",
        always_load=False,
    )


# From a draft to the memory it would become: screened, worth keeping, in its place, summarized.


MOST_REASONS = 10
"""How many of many refused texts are explained."""


def drafted(
    engine: Engine, given: Sequence[Draft], asking: ReasonerCache
) -> list[tuple[Draft, Memory]]:
    """Every draft with the memory it would become; raises Refused before anything is written.

    Of many drafts all that may not be kept are named at once, so that they can be left out.
    """
    made: list[tuple[Draft, Memory]] = []
    refused: dict[int, Refused] = {}
    for place, draft in enumerate(given):
        try:
            clean = screened(engine, draft)
            scope = access.home(engine.context, clean.scope)
            memory = drafts.memory(
                clean, id=engine.id(), scope=scope, source=engine.source, now=engine.now()
            )
            refuse_by_policy(engine, memory)
        except Refused as error:
            refused[place] = error
        else:
            made.append((clean, memory))
    if refused:
        raise refused[0] if len(given) == 1 else refusal_of_many(refused, len(given))
    return [(clean, summarized(engine, memory, asking)) for clean, memory in made]


def refusal_of_many(refused: Mapping[int, Refused], of: int) -> Refused:
    """One refusal that says which of many texts may not be kept, and why."""
    shown = [
        f"Text {place + 1}: {error.sentence}"
        for place, error in list(refused.items())[:MOST_REASONS]
    ]
    more = len(refused) - len(shown)
    rest = f" So are {more} more." if more else ""
    whole = Refused(
        f"{len(refused)} of {of} texts were refused, and none was saved. {' '.join(shown)}{rest}",
        hint="Leave those out and save the others; `places` of the error counts them from 0.",
    )
    whole.places = tuple(refused)
    return whole.because(*(reason for error in refused.values() for reason in error.reasons))


def refuse_by_policy(engine: Engine, memory: Memory) -> None:
    """Raise Refused when a memory is not worth keeping, with the reason."""
    gates = engine.settings.gates
    if not gates.policy:
        return
    if reason := write_policy.refusal(memory, confidence_floor=gates.confidence_floor):
        hint = "Save what should be known later, as a statement of its own."
        raise Refused(reason, hint=hint).because("policy")


def summarized(engine: Engine, memory: Memory, asking: ReasonerCache | None = None) -> Memory:
    """The memory with a summary if it is long; turns of conversations are kept as they are."""
    made = ""
    if memory.episode is None and _is_long(memory, engine.settings.gates):
        budget = engine.settings.gates.summary_tokens
        asking = asking or ReasonerCache(engine)
        made = asking.summarize(memory.content, budget_tokens=budget).strip()
    if len(made) >= len(memory.content):
        made = ""
    return memory if memory.summary == made else memory.but(summary=made)


def _is_long(memory: Memory, gates: GateThresholds) -> bool:
    above, text = gates.summary_above_tokens, memory.content
    # Most texts are short at a glance; a character of other scripts may take several tokens.
    if not above or len(text) * (1 if text.isascii() else 4) <= above or is_sealed(memory):
        return False
    return tokens.estimate(text) > above
