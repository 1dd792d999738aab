"""Check a draft and complete it to a memory before anything is written."""

from __future__ import annotations

from datetime import UTC, datetime

from ..language.plain_text import FORBIDDEN
from ..model.codec import TIMES, TUPLES, moment, to_millisecond
from ..model.errors import BadInput, Refused
from ..model.identity import slug
from ..model.memory import BASES, OWNERS, SENSITIVITIES, TIERS, Draft, Memory
from ..model.scope import Scope
from ..notes.places import checked_kind
from .authority import PERSON, actor_of, least_trust, trust_of
from .handed_over.quotation import is_echo, without_hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

MAX_CHARACTERS = 1_000_000
MAX_TAGS = 50
MAX_VALUE_BYTES = 45_000
"""A value stands in the head of a note, which readers take up to 64 KiB of."""

_ONE_LINE = ("topic", "key", "namespace", "episode", "speaker", "title", "imported_id")
_TIER_OF_KIND = {
    "fact": "critical", "profile": "identity", "override": "identity",
    "task-summary": "archive", "session-summary": "archive",
}  # fmt: skip


def make_draft(content: str | Draft | Mapping[str, Any], **fields: Any) -> Draft:
    """A checked draft from whatever form the caller has: text and options, a mapping, a draft."""
    if isinstance(content, Draft):
        given: dict[str, Any] = {**content.__dict__, **fields}
    elif isinstance(content, str):
        given = {"content": content, **fields}
    else:
        given = {**content, **fields}
    if unknown := given.keys() - set(Draft.__fields__):
        raise BadInput(
            f"A memory has no field {sorted(unknown)[0]!r}.",
            hint=f"Use {', '.join(Draft.__fields__)}.",
        )
    _clean_names(given)
    if "content" not in given and given.get("key") and given.get("value") is not None:
        given["content"] = f"{given['key']}: {given['value']}"
    if "content" not in given:
        raise BadInput("There is no content to remember.", hint="Give the text to save.")
    if given.get("scope") is not None:
        given["scope"] = Scope.of(given["scope"])
    for name in TIMES & given.keys():
        given[name] = _time(name, given[name])
    for name in TUPLES & given.keys():
        given[name] = _texts(name, given[name])
    return _checked(Draft(**given))


def _clean_names(given: dict[str, Any]) -> None:
    """Take what nobody sees out of key and namespace.

    Two keys that look the same are one: the value of one must not pass for the other's.
    """
    derived = given.get("content") == f"{given.get('key')}: {given.get('value')}"
    for name in ("key", "namespace"):
        if isinstance(given.get(name), str) and given[name].strip():
            given[name] = without_hidden(given[name]).strip()
    if derived:
        given["content"] = f"{given['key']}: {given['value']}"


def make_memory(
    draft: Draft,
    *,
    id: str,
    scope: Scope,
    source: str,
    now: datetime,
    lineage: Sequence[str] = (),
) -> Memory:
    """The new memory a draft becomes; trust comes from the door, never from the draft.

    `lineage` has the trusts of the memories it is made from: it is trusted no more than these.
    """
    trust = least_trust((trust_of(source), *lineage))
    kind = draft.kind or ("fact" if draft.key else "insight")
    if trust == "external" and kind in ("profile", "override"):
        # Who somebody is, and how an agent behaves, is not for text from outside to say.
        kind = "insight"
    created = to_millisecond(draft.created or now)
    tier = draft.tier or _TIER_OF_KIND.get(kind, "search")
    if trust == "external" and tier in ("identity", "critical"):
        # Text from outside must be reviewed by a person before it is loaded without being asked.
        tier = "search"
    shared: dict[str, Any] = {
        name: getattr(draft, name) for name in _SHARED if getattr(draft, name) is not None
    }
    return Memory(
        id=id,
        scope=scope,
        kind=kind,
        tier=tier,
        owner=_owner(draft, kind, trust),
        trust=trust,
        source=source,
        created=created,
        updated=to_millisecond(now),
        always_load=draft.always_load and trust != "external",
        confidence=_confidence(draft, source),
        slug=slug(draft.title or draft.key or draft.content[:300], id),
        **shared,
    )


def _confidence(draft: Draft, source: str) -> float:
    """As the draft says; otherwise only a person, and a turn of a conversation, states."""
    if draft.confidence is not None:
        return draft.confidence
    states = actor_of(source) == PERSON or draft.episode is not None
    return BASES[draft.basis or ("stated" if states else "inferred")]


def _owner(draft: Draft, kind: str, trust: str) -> str:
    """Who keeps the memory: profiles, overrides and facts of a person stand in curated notes.

    An agent's profile lines and overrides stand among its own notes, beside those of the person.
    """
    if kind in ("profile", "override"):
        return "curated" if trust == "user" else "agent"
    by_person = trust == "user" and kind == "fact" and draft.key is not None
    return draft.owner or ("curated" if by_person else "agent")


_SHARED = tuple(
    name
    for name in Draft.__fields__
    if name in Memory.__fields__
    and name not in ("scope", "kind", "tier", "owner", "created", "always_load", "confidence")
)


def checked_value(value: str) -> str:
    """Refuse a value that cannot be stored, or that the head of a note has no room for."""
    checked_content(value)
    size = len(value.encode())
    if size > MAX_VALUE_BYTES:
        raise BadInput(
            f"The value has {size:,} bytes; a fact holds at most {MAX_VALUE_BYTES:,}.",
            hint="Save the text as a memory without a key, and name it in the value.",
        )
    return value


def checked_content(text: object) -> str:
    """Refuse what cannot be stored as readable text, or comes from here."""
    if not isinstance(text, str):
        raise BadInput("A memory's content must be text.", hint="Pass a string.")
    if not text.strip():
        raise BadInput("There is nothing to remember: the content is empty.", hint="Add some text.")
    if len(text) > MAX_CHARACTERS:
        raise BadInput(
            f"The content has {len(text):,} characters; a memory holds at most {MAX_CHARACTERS:,}.",
            hint="Split it into several memories, or save a summary and link the document.",
        )
    if found := FORBIDDEN.search(text):
        raise BadInput(
            f"The content has a control character ({ord(found.group()):#04x}) "
            f"at position {found.start()}.",
            hint="Remove it; memories are plain text.",
        )
    if is_echo(text):
        raise Refused(
            "This is text that Commonplace itself handed out.",
            hint="Save what is new about it, in words of its own.",
        )
    return text


def _checked(draft: Draft) -> Draft:
    checked_content(draft.content)
    if draft.kind is not None:
        checked_kind(draft.kind)
    if draft.kind == "profile":
        from ..notes.profile import require_room

        require_room(draft.content)
    for name, allowed in (
        ("tier", TIERS), ("owner", OWNERS), ("sensitivity", SENSITIVITIES), ("basis", BASES),
    ):  # fmt: skip
        value = getattr(draft, name)
        if value is not None and value not in allowed:
            raise BadInput(f"{value!r} is not a {name}.", hint=f"Use {', '.join(allowed)}.")
    if draft.owner == "personal":
        raise BadInput(
            "Personal notes are not written by save.", hint="Use save_personal for that."
        )
    for name in (*_ONE_LINE, "supersedes"):
        value = getattr(draft, name)
        if value is not None and not isinstance(value, str):
            raise BadInput(f"The {name} must be text.", hint="Pass a string.")
        _check_line(name, value, longest=300)
    if draft.value is not None:
        checked_value(draft.value)
        if draft.key is None:
            raise BadInput("A value needs a key.", hint="Give key and value together.")
    _check_shares(draft)
    if len(draft.tags) > MAX_TAGS:
        raise BadInput(f"A memory has at most {MAX_TAGS} tags.", hint="Keep the telling ones.")
    return draft


def _check_shares(draft: Draft) -> None:
    for name, usual in (("confidence", 0.6), ("importance", 0.5)):
        share = getattr(draft, name)
        if share is not None and not 0 <= share <= 1:
            raise BadInput(f"{name.capitalize()} lies between 0 and 1.", hint=f"{usual} is usual.")


def _check_line(name: str, value: str | None, *, longest: int) -> None:
    if value is not None and not value.strip() and name != "title":
        hint = "Name the fact, such as `deploy.branch`." if name == "key" else "Leave it out."
        raise BadInput(f"The {name} is empty.", hint=hint)
    if value and (len(value) > longest or "\n" in value or FORBIDDEN.search(value)):
        raise BadInput(
            f"The {name} is not one plain line of at most {longest} characters.",
            hint="Put longer text into the content.",
        )


def _texts(name: str, value: Any) -> tuple[str, ...]:
    given: Sequence[Any] = (value,) if isinstance(value, str) else value
    if not isinstance(given, list | tuple):
        raise BadInput(f"The {name} must be a list of texts.", hint="Pass a list of strings.")
    texts: list[str] = []
    for text in given:
        if not isinstance(text, str) or not text.strip():
            raise BadInput(f"Each of the {name} must be text.", hint="Pass a list of strings.")
        _check_line(name, text, longest=200)
        texts.append(text.strip().removeprefix("#"))
    return tuple(dict.fromkeys(texts))


def _time(name: str, value: object) -> datetime | None:
    if value is None:
        return None
    try:
        read = moment(value) if isinstance(value, str) else value
    except ValueError as error:
        raise BadInput(
            f"{value!r} is not a time for {name}.", hint="Write it as 2026-05-01T12:00:00Z."
        ) from error
    if not isinstance(read, datetime):
        raise BadInput(f"{name} must be a time.", hint="Pass a datetime or an ISO string.")
    return to_millisecond(read if read.tzinfo else read.replace(tzinfo=UTC))
