"""Records in two places: the same, told in a place's own way, or less than they were."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.identity import derived_id
from commonplace.model.memory import Memory
from commonplace.model.scope import Scope
from commonplace.notes.exchange import differing_fields, lost_fields, record_fingerprint
from commonplace.notes.facts import fact_id
from tests.conformance.samples import NOON, memory

ADA = Scope.parse("/user/ada")
SAVED = memory("Ada likes tea", tags=("drinks",))
NOTE = SAVED.but(id=derived_id("n", "users/ada/Tea.md"), source="hand")
LINE = memory("tea: green", kind="fact", key="tea", value="green", id=fact_id(ADA, None, "tea"))
OLD_LINE = LINE.but(id=derived_id("f", LINE.id, "black", "then"), status="superseded")
"""A value that a line had before, which is a note in the archive."""
LATER = NOON + timedelta(hours=1)
OTHERWISE: dict[str, Any] = {
    "content": "Ada likes coffee", "created": LATER, "updated": LATER, "source": "cli",
    "version": 2, "supersedes": "m-mate", "title": "Tea", "slug": "tea", "aliases": ("Cha",),
    "tags": ("hot",), "tier": "critical", "always_load": True, "status": "stale", "trust": "user",
    "confidence": 0.5, "importance": 0.7, "topic": "kitchen",
    "valid_until": LATER, "superseded_by": "m-mate",
}  # fmt: skip
changed = st.lists(st.sampled_from(sorted(OTHERWISE)), unique=True, max_size=4).map(
    lambda names: {name: OTHERWISE[name] for name in names}
)


@given(st.sampled_from([SAVED, NOTE, LINE, OLD_LINE]), changed)
def test_prints_are_equal_exactly_when_nothing_differs_or_nothing_is_lost(
    here: Memory, fields: dict[str, Any]
) -> None:
    there = here.but(**fields)
    assert (record_fingerprint(here) == record_fingerprint(there)) == (
        differing_fields(here, there) == []
    )
    same = record_fingerprint(here, loosely=True) == record_fingerprint(there, loosely=True)
    assert same == (lost_fields(here, there) == [])


def test_a_vault_may_say_by_a_heading_or_a_folder_what_a_database_says_in_a_field() -> None:
    own_way = {"title", "slug", "aliases", "tags", "tier", "always_load"}
    there = SAVED.but(**OTHERWISE)
    assert {*lost_fields(SAVED, there)} == OTHERWISE.keys() - own_way


def test_a_note_that_a_person_wrote_keeps_its_dates_wherever_it_goes() -> None:
    for here in (SAVED, NOTE, OLD_LINE):
        assert lost_fields(here, here.but(created=LATER)) == ["created"]
        assert lost_fields(here, here.but(updated=LATER)) == ["updated"]


def test_a_line_has_the_date_of_its_file_and_no_room_for_where_it_is_from() -> None:
    there = LINE.but(created=LATER, updated=LATER, source="hand", version=3, supersedes="m-mate")
    assert len(differing_fields(LINE, there)) == 5
    assert lost_fields(LINE, there) == []
    assert lost_fields(LINE, there.but(value="black")) == ["value"]
