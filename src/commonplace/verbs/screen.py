"""The first gate of every write: nothing secret is kept, and personal data is marked as such."""

from __future__ import annotations

from ..errors import Refused
from ..rules.screening import CREDENTIAL, screen
from ..rules.screening.policy import TAG
from ..rules.sealing import TITLE, is_sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Draft
    from ..ports import Cipher
    from ..rules.screening import Finding
    from .engine import Engine

TEXTS = ("title", "topic", "key", "namespace", "episode", "speaker", "imported_id")
LISTS = ("aliases", "tags", "source_tasks")
BETWEEN = "\n\0\n"
"""Stands between the fields of a draft, so that none is read on into the next."""


def screened(engine: Engine, draft: Draft) -> Draft:
    """The draft as it may be kept: whole, flagged, redacted or sealed. Raises Refused.

    Every text of it is looked at, because titles and tags end up in file names and in the index.
    """
    if draft.seal:
        return _sealed(engine, draft)
    around = _around(draft)
    text = around if is_sealed(draft) else BETWEEN.join((around, *_said(draft)))
    return _settled(engine, draft, text)


def screened_text(engine: Engine, text: str) -> str:
    """One text that is no draft, such as a new name, as it may be kept. Raises Refused."""
    found = screen(text)
    secrets = _removable(engine, found, text)
    return _replaced(text, secrets)


def _settled(engine: Engine, draft: Draft, text: str) -> Draft:
    found = screen(text)
    if not found and not _second_opinion(engine, draft):
        return draft
    secrets = _removable(engine, found, text)
    if secrets:
        draft = _redacted(draft, secrets)
    personal = any(one.kind != CREDENTIAL for one in found) or not found
    if not personal or engine.settings.screening.personal == "allow":
        return draft
    return draft.but(
        tags=draft.tags if TAG in draft.tags else (*draft.tags, TAG),
        sensitivity="private" if draft.sensitivity == "public" else draft.sensitivity,
    )


def _removable(engine: Engine, found: Sequence[Finding], text: str) -> dict[str, str]:
    """What must go by policy, and its label; raises Refused where that is the whole text."""
    if not found:
        return {}
    wanted = engine.settings.screening
    secrets: dict[str, str] = {}
    for one in found:
        action = wanted.credentials if one.kind == CREDENTIAL else wanted.personal
        if action == "block":
            raise refusal([other for other in found if other.kind == one.kind])
        if action == "redact":
            secrets[text[one.start : one.end]] = one.label
    return secrets


def refusal(found: Sequence[Finding]) -> Refused:
    """What to say about a text that may not be kept: what it holds, and never the thing itself."""
    labels = ", ".join(dict.fromkeys(one.label for one in found))
    if found[0].kind == CREDENTIAL:
        return Refused(
            f"Nothing was saved, because the text holds a credential ({labels}).",
            hint="Leave it out, or keep it encrypted: `save --seal`, or seal=True.",
        )
    return Refused(
        f"Nothing was saved, because the text holds personal data ({labels}).",
        hint="Leave it out, or set screening.personal to flag.",
    )


def _around(draft: Draft) -> str:
    """Every text of a draft but its content and value."""
    fields = [getattr(draft, name) for name in TEXTS]
    for name in LISTS:
        fields += getattr(draft, name)
    if draft.scope is not None:
        fields += (value for _, value in draft.scope.pairs)
    return BETWEEN.join(text for text in (*fields, draft.kind) if text)


def _said(draft: Draft) -> list[str]:
    """Content and value, beside the name that may call them a secret."""
    said = [draft.content]
    if draft.value is not None and draft.value not in draft.content:
        said.append(f"{draft.key}: {draft.value}")
    if draft.title and " " not in draft.content:
        said.append(f"{draft.title}: {draft.content}")
    return said


def _redacted(draft: Draft, secrets: dict[str, str]) -> Draft:
    fixed = (draft.kind or "", *(value for _, value in (draft.scope.pairs if draft.scope else ())))
    for secret, label in secrets.items():
        if any(secret in one for one in fixed):
            raise Refused(
                f"Nothing was saved, because a name in the scope or kind is a secret ({label}).",
                hint="Give it another name.",
            )
    changes: dict[str, object] = {}
    for name in ("content", "value", *TEXTS):
        if (text := getattr(draft, name)) is not None:
            changes[name] = _replaced(text, secrets)
    for name in LISTS:
        changes[name] = tuple(_replaced(text, secrets) for text in getattr(draft, name))
    return draft.but(**changes)


def _replaced(text: str, secrets: dict[str, str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, f"[{secrets[secret]} removed]")
    return text


def _second_opinion(engine: Engine, draft: Draft) -> bool:
    """Whether a model, where one is configured, sees personal data that no format gives away."""
    reasoner = getattr(engine, "reasoner", None)
    return reasoner is not None and bool(reasoner.sensitive(draft.content))


def _sealed(engine: Engine, draft: Draft) -> Draft:
    """The draft with its text encrypted; what stays readable may hold nothing secret."""
    around = _around(draft)
    hidden = draft.content if draft.value is None else draft.value
    if len(hidden.strip()) >= 4 and hidden.strip() in around:
        raise Refused(
            "Nothing was saved, because the secret is repeated where everybody can read it.",
            hint="Choose a title, key and tags that do not hold it.",
        )
    draft = _settled(engine, draft.but(content="", value=None, tags=draft.tags), around).but(
        content=draft.content, value=draft.value
    )
    cipher = _cipher(engine)
    if draft.key is None:
        content, value = cipher.encrypt(draft.content), None
    else:
        value = cipher.encrypt(hidden)
        content = f"{draft.key}: {value}"
    return draft.but(
        content=content,
        value=value,
        title=draft.title or ("" if draft.key else TITLE),
        sensitivity="sensitive",
        always_load=False,
        seal=False,
    )


def _cipher(engine: Engine) -> Cipher:
    if engine.open_cipher is None:
        raise Refused(
            "This book has no key to seal a memory with.", hint="See `commonplace key --help`."
        )
    return engine.open_cipher()
