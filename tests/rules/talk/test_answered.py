"""Short answers about a memory: the value goes into its place, or nothing is changed."""

from __future__ import annotations

import pytest

from commonplace.rules.talk.answered import is_short_answer, put_into, says_already

CHANGED = [
    ("Still feeding the kiln at six?", "Seven.", "The kiln is fed at 6:00.", "seven"),
    ("Which port does the relay listen on?", "9443", "The relay listens on port 8443.", "9443"),
    ("Does choir meet on Tuesday?", "thursdays now", "Choir meets on Tuesdays.", "Thursdays"),
    ("Is Odile the person for invoices?", "Bram. She left.", "Invoices go to Odile.", "Bram"),
    ("Who is the stage manager?", "Wanda", "Piet is the stage manager.", "Wanda is"),
    ("The retry limit is 5, as noted.", "3, it hammered them", "The retry limit is 5.", "3"),
    ("Tickets at £12?", "fourteen fifty... no, 14", "Tickets cost £12.", ""),
    ("Lab meeting Monday at 11?", "Fridays. Half past nine.", "Lab meeting is on Mondays at 11.",
     "Fridays at half past nine"),
    ("Rest the dough 18 hours?", "24 h", "The dough rests for 18 hours.", "24 h"),
    ("Lab meeting Wednesday at 9:30?", "they swapped it, Thursdays at 11",
     "Lab meeting is on Wednesdays at 9:30.", "Thursdays at 11"),
]  # fmt: skip
LEFT = [
    ("Still feeding the kiln at six?", "yes, six", "The kiln is fed at 6:00."),
    ("Still feeding the kiln at six?", "Seven tomorrow, they come", "The kiln is fed at 6:00."),
    ("Yellow cards cost 10 euros, and red?", "25", "A yellow card costs 10 euros."),
    ("The hourly rate is £40.", "the shop in Mill Lane asks 55", "The hourly rate is £40."),
    ("Tank of 300 litres, filled every four days?", "400", "The diesel tank holds 180 litres."),
    ("Is Dana shooting?", "Dana, yes", "The photographer is Dana Weiss."),
    ("Shall I book the coach to Shropshire?", "Hold on", "The outing goes to Shropshire."),
    ("I put Dr Patil in room 3.", "five", "Dr Patel sees patients in room 3."),
    ("I put 20 down for the choir.", "40 each, the hall is dear", "Choir: Wednesdays, 20:00."),
    ("Nice weather today!", "Seven.", "The kiln is fed at 6:00."),
    ("", "Seven.", "The kiln is fed at 6:00."),
]  # fmt: skip


@pytest.mark.parametrize(("before", "said", "memory", "value"), CHANGED)
def test_a_value_alone_goes_into_the_memory_that_was_asked_about(
    before: str, said: str, memory: str, value: str
) -> None:
    made = put_into(said, before, memory)
    assert bool(made) == bool(value)
    assert value in made
    assert made != memory


@pytest.mark.parametrize(("before", "said", "memory"), LEFT)
def test_what_is_no_other_value_of_it_changes_nothing(before: str, said: str, memory: str) -> None:
    assert put_into(said, before, memory) == ""


def test_a_memory_that_has_the_value_is_known() -> None:
    before = "I'll scale staging to six replicas, like production."
    assert says_already("two", before, "Staging has two replicas.")
    assert not says_already("two", before, "Production has six replicas.")


@pytest.mark.parametrize("said", ["thanks!", "why?", "can you check that again", "ok do it", ""])
def test_talk_is_no_short_answer(said: str) -> None:
    assert not is_short_answer(said, "Still feeding the kiln at six?")
