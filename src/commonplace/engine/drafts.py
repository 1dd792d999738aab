"""Turn drafts into the memories they would become: screened, checked, placed and summarized.

Everything that can refuse a text by itself happens here, before the book is looked at: credentials
and personal data, the write policy, and texts that were purged.
"""

from __future__ import annotations

from ..language import tokens
from ..model import identity
from ..model.errors import Refused
from ..model.scope import subsets
from ..notes.display import TITLE, is_sealed
from ..rules import access, authority, branches, drafts, write_policy
from ..rules.parameters import PERSONAL_DATA_TAG
from ..rules.screening.findings import CREDENTIAL, IDENTITY, PERSONAL
from ..rules.screening.screen import screen
from .reasoner_cache import ReasonerCache
from .stale_marks import anchored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeVar

    from ..model.memory import Draft, Memory
    from ..model.scope import Context, Scope
    from ..rules.parameters import GateThresholds
    from ..rules.screening.findings import Finding
    from .engine import Engine

    Item = TypeVar("Item", Draft, Memory)


TEXT_FIELDS = ("title", "topic", "key", "namespace", "episode", "speaker", "imported_id")
LIST_FIELDS = ("aliases", "tags", "source_tasks", "derived_from")
SEPARATOR = "\n\0\n"
"""Stands between the fields of a draft, so that no secret is found across two of them."""
MOST_OF_A_WISH = 400
"""Characters of a wish; a longer text is a story."""
_FIRST_PERSON = (
    "i i'm i'd i've i'll me my mine your answer answers reply replies emoji emojis apologise"
    " apologize yourself english spelling prefers likes dislikes hates loves enjoys ich mir mich"
    " mein meine je moi mon ma mes yo mi mis prefiero odio"
)
FIRST_PERSON = frozenset(_FIRST_PERSON.split())
"""Words of which one stands in a wish or a fact of the person's own."""
MOST_REASONS = 10
"""Refused texts of a batch that are explained."""


def draft_memories(
    engine: Engine, given: Sequence[Draft], reasoner: ReasonerCache
) -> list[tuple[Draft, Memory]]:
    """Every draft with the memory it would become; raises Refused before anything is written.

    The refusal of a batch names all refused texts, so that the caller can leave them out.
    """
    made: list[tuple[Draft, Memory]] = []
    refused: dict[int, Refused] = {}
    for place, draft in enumerate(given):
        try:
            clean = with_kind(engine.context, screen_draft(engine, draft))
            scope = scope_of_draft(engine.context, clean)
            memory = drafts.make_memory(
                clean,
                id=engine.id(),
                scope=scope,
                source=engine.source,
                now=engine.now(),
                lineage=_lineage(engine, clean),
            )
            memory = with_checkout(engine, _with_origin(memory, engine.context))
            refuse_by_policy(engine, memory)
        except Refused as error:
            refused[place] = error
        else:
            made.append((clean, memory))
    if refused:
        raise refused[0] if len(given) == 1 else _batch_refusal(refused, len(given))
    memories = anchored(engine, [memory for _, memory in made])
    return [
        (clean, summarized(engine, memory, reasoner))
        for (clean, _), memory in zip(made, memories, strict=True)
    ]


def scope_of_draft(context: Context, draft: Draft) -> Scope:
    """The scope that a draft is saved in: the one it names, or the context's home.

    A preference that names none is the person's or the work's, as its text says: hooks, agents and
    people save the same wish in the same place. So is what a person tells of themselves.
    """
    named = draft.scope
    if named is None and (draft.kind == "preference" or _is_fact_of_person(draft)):
        from ..rules.talk.lessons import scope_of_wish

        named = scope_of_wish(draft.content, context)
    return access.write_scope(context, named, draft.kind)


def with_kind(context: Context, draft: Draft) -> Draft:
    """The draft as a preference, if it names no kind and is a wish of the person's own."""
    if not _may_tell_of_person(draft):
        return draft
    from ..rules.talk.lessons import is_wish_of_person

    wish = is_wish_of_person(draft.content, context.project)
    return draft.but(kind="preference") if wish else draft


def _is_fact_of_person(draft: Draft) -> bool:
    if not _may_tell_of_person(draft):
        return False
    from ..rules.talk.lessons import is_fact_of_person

    return is_fact_of_person(draft.content)


def _may_tell_of_person(draft: Draft) -> bool:
    """Whether a short text of no kind has a word of the person's: most have none.

    Asked first, because the patterns that read a wish take a cold start longer than its save.
    """
    if draft.kind or draft.key or draft.episode or draft.imported_id or is_sealed(draft):
        return False
    text = draft.content
    if len(text) > MOST_OF_A_WISH:
        return False
    said = text.casefold().replace("’", "'").split()
    return not text.isascii() or not FIRST_PERSON.isdisjoint(word.strip(".,;:!") for word in said)


def _with_origin(memory: Memory, context: Context) -> Memory:
    """The memory with the agent type and the task that it was learned by."""
    if context.agent is None and context.task is None:
        return memory
    tasks = memory.source_tasks
    if context.task is not None and context.task not in tasks:
        tasks = (*tasks, context.task)
    return memory.but(source_agent=context.agent, source_tasks=tasks)


def with_checkout(engine: Engine, memory: Memory) -> Memory:
    """The memory with the commit and branch that the caller works on, if it notes them."""
    checkout = engine.checkout
    if checkout is None or not branches.notes_commit(memory) or (head := checkout.head()) is None:
        return memory
    return memory.but(
        repository=checkout.repository() or None, commit=head.commit, branch=head.branch or None
    )


def _lineage(engine: Engine, draft: Draft) -> list[str]:
    """The trusts of what a draft is made from; a parent that is gone vouches for nothing."""
    if not draft.derived_from:
        return []
    found = engine.store.read(draft.derived_from, visible=engine.visible)
    gone = len(found) < len(set(draft.derived_from))
    person = authority.actor_of(engine.source) == authority.PERSON
    unknown = ["external"] if gone and not person else []
    return [*(one.trust for one in found.values()), *unknown]


def _batch_refusal(refused: Mapping[int, Refused], of: int) -> Refused:
    """One refusal that says which texts of a batch were refused, and why."""
    shown = [
        f"Text {place + 1}: {error.sentence}"
        for place, error in list(refused.items())[:MOST_REASONS]
    ]
    more = len(refused) - len(shown)
    rest = f" {more} more were refused." if more else ""
    whole = Refused(
        f"{len(refused)} of {of} texts were refused, and none was saved. {' '.join(shown)}{rest}",
        hint="Leave those out and save the others; `places` of the error counts them from 0.",
    )
    whole.places = tuple(refused)
    return whole.because(*(reason for error in refused.values() for reason in error.reasons))


def refuse_by_policy(engine: Engine, memory: Memory, before: Memory | None = None) -> None:
    """Raise Refused if the write policy says that a memory is not worth saving.

    A new version is not refused for what the version `before` it was not refused for, either.
    """
    gates = engine.settings.gates
    if not gates.policy:
        return
    floor = gates.confidence_floor
    reason = write_policy.refusal_reason(memory, confidence_floor=floor)
    if reason and before is not None:
        was = before.but(trust=memory.trust, kind=memory.kind)
        reason = "" if write_policy.refusal_reason(was, confidence_floor=floor) else reason
    if reason:
        hint = "Save what should be known later, as a statement of its own."
        raise Refused(reason, hint=hint).because("policy")


def refuse_purged(engine: Engine, memories: Sequence[Memory]) -> None:
    """Raise Refused if one of these texts was purged where it would be written, or above."""
    if not engine.ledger.tombstone_count():
        return
    keys = [
        {
            engine.content_fingerprint(memory),
            *(engine.place_fingerprint(memory, scope) for scope in subsets(memory.scope.pairs)),
        }
        for memory in memories
    ]
    if not (purged := engine.ledger.purged_keys([key for own in keys for key in own])):
        return
    refusal = Refused(
        "This text was purged from the book and stays gone.",
        hint="Word it differently if it should be remembered after all.",
    ).because("purged")
    places = [place for place, own in enumerate(keys) if not own.isdisjoint(purged)]
    if len(memories) == 1:
        raise refusal
    raise _batch_refusal(dict.fromkeys(places, refusal), len(memories))


def summarized(engine: Engine, memory: Memory, reasoner: ReasonerCache | None = None) -> Memory:
    """The memory with a summary if it is long; turns of conversations are kept as they are."""
    made = ""
    if memory.episode is None and _is_long(memory, engine.settings.gates):
        budget = engine.settings.gates.summary_tokens
        reasoner = reasoner or ReasonerCache(engine)
        made = reasoner.summarize(memory.content, budget_tokens=budget).strip()
    if len(made) >= len(memory.content):
        made = ""
    return memory if memory.summary == made else memory.but(summary=made)


def _is_long(memory: Memory, gates: GateThresholds) -> bool:
    above, text = gates.summary_above_tokens, memory.content
    # Most texts are short at a glance; a character of other scripts may take several tokens.
    if not above or len(text) * (1 if text.isascii() else 4) <= above or is_sealed(memory):
        return False
    return tokens.estimate(text) > above


def screen_draft(engine: Engine, draft: Draft) -> Draft:
    """The draft as the policy allows it: unchanged, flagged, redacted or sealed. Raises Refused.

    All its texts are screened: titles and tags end up in file names and in the index.
    """
    if draft.seal:
        return _sealed(engine, draft).but(seal=False)
    return _screened(engine, draft, ask_model=True)


def screen_version(engine: Engine, old: Memory, new: Memory) -> Memory:
    """A new version as the policy allows it; the version of a sealed memory is sealed again.

    No model is asked: the caller has the lease, and others wait for it.
    """
    sealing = is_sealed(old) and not is_sealed(new)
    item = _sealed(engine, new) if sealing else _screened(engine, new)
    refuse_by_policy(engine, item, old)
    if item is new:
        return new
    return _with_own_slug(item)


def _with_own_slug(item: Memory) -> Memory:
    """The memory with a slug of its text, which was another one before screening."""
    return item.but(slug=identity.slug(item.title or item.key or item.content[:300], item.id))


def screen_accepted(engine: Engine, memory: Memory) -> Memory:
    """A memory that a person lets in, as the policy allows it: its text may have been edited."""
    drafts.checked_content(memory.content)
    if memory.value is not None:
        drafts.checked_value(memory.value)
    refuse_by_policy(engine, memory.but(trust="user"))
    refuse_purged(engine, [memory])
    clean = _screened(engine, memory)
    same = (clean.title, clean.content) == (memory.title, memory.content)
    return clean if same else _with_own_slug(clean)


def screen_fields(engine: Engine, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Changes to some fields as the policy allows them. Raises Refused."""
    texts = [text for value in fields.values() for text in _texts(value)]
    joined = SEPARATOR.join(texts)
    secrets = _to_redact(engine, screen(joined), joined)
    if not secrets:
        return dict(fields)
    return {
        name: _without_secrets(value, secrets)
        if isinstance(value, str)
        else [_without_secrets(text, secrets) for text in _texts(value)] or value
        for name, value in fields.items()
    }


def _screening_refusal(found: Sequence[Finding]) -> Refused:
    """The refusal names the kinds of secret that a text holds, and never a secret itself."""
    labels = ", ".join(dict.fromkeys(one.label for one in found))
    if found[0].kind == CREDENTIAL:
        return Refused(
            f"Nothing was saved, because the text holds a credential ({labels}).",
            hint="Leave it out. A person can keep it encrypted: `commonplace save --seal`.",
        ).because("credential")
    setting = "identity" if found[0].kind == IDENTITY else "personal"
    return Refused(
        f"Nothing was saved, because the text holds personal data ({labels}).",
        hint=f"Leave it out, or set screening.{setting} to flag.",
    ).because("personal")


def _screened(
    engine: Engine, item: Item, *, labels_only: bool = False, ask_model: bool = False
) -> Item:
    text = _labels(item)
    if not labels_only and not is_sealed(item):
        text = SEPARATOR.join((text, *_bodies(item)))
    found = screen(text)
    if not found and not (ask_model and _model_finds_personal(engine, item)):
        return item
    if secrets := _to_redact(engine, found, text):
        item = _redacted(item, secrets)
    kinds = {one.kind for one in found} or {PERSONAL}
    if engine.settings.screening.personal == "allow":
        kinds.discard(PERSONAL)
    if kinds <= {CREDENTIAL}:
        return item
    return item.but(
        tags=item.tags if PERSONAL_DATA_TAG in item.tags else (*item.tags, PERSONAL_DATA_TAG),
        sensitivity="private" if item.sensitivity == "public" else item.sensitivity,
    )


def _to_redact(engine: Engine, found: Sequence[Finding], text: str) -> dict[str, str]:
    """The secrets that the policy redacts, with their labels; raises Refused if it blocks one."""
    wanted = engine.settings.screening
    actions = {
        CREDENTIAL: wanted.credentials,
        IDENTITY: wanted.identity,
        PERSONAL: wanted.personal,
    }
    secrets: dict[str, str] = {}
    for one in found:
        action = actions[one.kind]
        if action == "block":
            raise _screening_refusal([other for other in found if other.kind == one.kind])
        if action == "redact":
            secrets[text[one.start : one.end]] = one.label
    return secrets


def _labels(item: Draft | Memory) -> str:
    """All texts but content and value."""
    texts = [text for name in TEXT_FIELDS if (text := getattr(item, name))]
    for name in LIST_FIELDS:
        texts += getattr(item, name)
    return SEPARATOR.join((*texts, *_folder_names(item)))


def _folder_names(item: Draft | Memory) -> list[str]:
    """Scope values and kind, which name folders: they can be refused, but not redacted."""
    scope = item.scope
    named = [value for _, value in scope.pairs] if scope is not None else []
    return [*named, item.kind] if item.kind else named


def _bodies(item: Draft | Memory) -> list[str]:
    """Content and value, after the key or title that may say that they are secret."""
    said = [item.content]
    if item.value is not None and item.value not in item.content:
        said.append(f"{item.key}: {item.value}")
    if item.title and " " not in item.content:
        said.append(f"{item.title}: {item.content}")
    return said


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    several: Sequence[Any] = value if hasattr(value, "__len__") else ()
    return [text for text in several if isinstance(text, str)]


def _redacted(item: Item, secrets: Mapping[str, str]) -> Item:
    places = "\n".join(_folder_names(item))
    for secret, label in secrets.items():
        if secret in places:
            raise Refused(
                f"Nothing was saved, because a name in the scope or kind is secret ({label}).",
                hint="Give it another name.",
            ).because("credential")
    changes: dict[str, object] = {}
    for name in ("content", "value", *TEXT_FIELDS):
        if text := getattr(item, name):
            changes[name] = _without_secrets(text, secrets)
    for name in LIST_FIELDS:
        changes[name] = tuple(_without_secrets(text, secrets) for text in getattr(item, name))
    return item.but(**changes)


def _without_secrets(text: str, secrets: Mapping[str, str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, f"[{secrets[secret]} removed]")
    return text


def _model_finds_personal(engine: Engine, item: Draft | Memory) -> bool:
    """Whether the configured model finds personal data that no pattern matches."""
    if engine.settings.reasoner == "rules" or is_sealed(item):
        return False
    return bool(engine.reasoner.sensitive(item.content))


def _sealed(engine: Engine, item: Item) -> Item:
    """The item with its text encrypted; its readable fields may hold no secret."""
    hidden = item.content if item.value is None else item.value
    if len(hidden.strip()) >= 4 and hidden.strip() in _labels(item):
        raise Refused(
            "Nothing was saved, because the secret is repeated where everybody can read it.",
            hint="Choose a title, key and tags that do not hold it.",
        ).because("credential")
    item = _screened(engine, item, labels_only=True)
    sealed = engine.cipher.encrypt(hidden)
    return item.but(
        content=sealed if item.key is None else f"{item.key}: {sealed}",
        value=None if item.key is None else sealed,
        title=item.title or ("" if item.key else TITLE),
        sensitivity="sensitive",
        always_load=False,
    )
