"""Refused writes and contradictions leave audit events without their texts."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

import pytest

from commonplace import Commonplace, NotFound, Refused
from commonplace.rules.audit import refusal_reason_of, refused_count
from commonplace.rules.screening.credential_formats import FORMATS
from tests import as_person
from tests.conftest import Clock
from tests.rules import made_credentials as made

TOKEN = made.credential(
    next(form for form in FORMATS if form.label == "GitHub token"), random.Random(5)
)


def refused(book: Commonplace) -> Counter[str]:
    events = [one for one in book.audit(limit=1_000) if one.action == "refused"]
    return sum(
        (Counter({refusal_reason_of(one): refused_count(one)}) for one in events), Counter[str]()
    )


def test_a_refused_write_is_audited_with_its_reason_and_none_of_its_text(
    book: Commonplace,
) -> None:
    with pytest.raises(Refused):
        book.save(f"The deploy token is {TOKEN}", title="Harbour secrets")
    (event,) = book.audit()
    assert (event.action, refusal_reason_of(event), event.by) == (
        "refused",
        "credential",
        "library",
    )
    assert TOKEN not in str(event)
    assert "Harbour" not in str(event)
    assert event.digest == ""
    with pytest.raises(NotFound):
        book.get(event.memory)
    assert book.audit_verify().sound


def test_every_gate_gives_its_reason(book: Commonplace) -> None:
    gone = book.save("The attic holds nine violins")
    as_person(book).purge(gone.id)
    book.save("The harbour crane is painted every seventh year by Ines and her crew of nine")
    for text in (
        "The attic holds nine violins",
        f"Token {TOKEN}",
        "ok",
    ):
        with pytest.raises(Refused):
            book.save(text)
    assert refused(book) == {"purged": 1, "credential": 1, "policy": 1}


def test_of_many_texts_each_refused_one_is_counted_in_few_events(book: Commonplace) -> None:
    with pytest.raises(Refused):
        book.save_many(["We deploy from main", *(f"Key {n}: {TOKEN}" for n in range(30))])
    assert refused(book) == {"credential": 30}
    assert len(book.audit()) == 1


def test_a_refused_edit_and_correction_count_too(book: Commonplace) -> None:
    saved = book.save("The ferry leaves at nine")
    with pytest.raises(Refused):
        book.edit(saved.id, content=f"The ferry leaves with {TOKEN}")
    with pytest.raises(Refused):
        book.edit(saved.id, tags=[TOKEN])
    with pytest.raises(Refused):
        book.correct(saved.id, f"The ferry needs {TOKEN}")
    assert refused(book) == {"credential": 3}
    assert book.get(saved.id).content == "The ferry leaves at nine"


def test_a_refusal_is_nothing_to_undo_and_no_change(book: Commonplace, clock: Clock) -> None:
    since = clock.now - timedelta(hours=1)
    with pytest.raises(Refused):
        book.save(f"Token {TOKEN}")
    (event,) = book.audit()
    with pytest.raises(Refused, match="cannot be undone"):
        book.revert(event.id)
    assert book.changes(since) == []
    assert book.undo_automatic(since).left_alone == ()


def test_only_those_who_tried_see_that_it_was_refused(book: Commonplace) -> None:
    ada, bob = (book.as_context({"user": user, "role": "member"}) for user in ("ada", "bob"))
    with pytest.raises(Refused):
        ada.save(f"Token {TOKEN}")
    assert refused(ada) == {"credential": 1}
    assert bob.audit() == []


def test_a_contradiction_is_audited_and_the_save_is_still_undone(
    book: Commonplace, clock: Clock
) -> None:
    old = book.save("The staging server listens on port 8080")
    clock.pass_days(2)
    new = book.save("The staging server listens on port 9090")
    found = [one for one in book.audit(limit=50) if one.action == "contradicted"]
    assert [(one.memory, one.related) for one in found] == [(new.id, (old.id,))]
    book.revert(new.id)
    assert book.get(old.id).status == "active"
