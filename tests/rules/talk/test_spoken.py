"""What a turn says of a memory, where words tell more than a judge sees."""

from __future__ import annotations

import pytest

from commonplace.rules.talk import spoken


@pytest.mark.parametrize(
    ("memory", "before", "said"),
    [
        ("The tour guide is Ilka.", "Tour on 4 May with Ilka.", "It's the 11th. Ilka stays."),
        ("Water comes from Aquila.", "Noted.", "Power is with Volta now; water stays with them."),
        ("Cafe Lumen gets 8 percent off.", "10 percent for Lumen.", "Eight percent for Lumen."),
        ("No default exports.", "I used a default export.", "we dont do default exports here"),
        ("Functions have at most 50 lines.", "It has 58 lines now.", "too long, 50 at most"),
        ("The kiln is fired at 1,040 °C.", "Did it break?", "kiln's still fine, 1,040"),
        ("The glossary of Orsk is in glossary.ods.", "A newer one came.", "the glossary stands"),
        ("Crew one: Aino and Bram.", "Noted.", "Aino goes with Deva for six weeks, he is injured"),
        ("The band meets on Tuesdays.", "Noted.", "on the 19th we play in the church, pipes broke"),
    ],
)
def test_what_a_turn_repeats_or_leaves_as_it_is_holds(memory: str, before: str, said: str) -> None:
    assert spoken.says_it_holds(said, before, memory)


@pytest.mark.parametrize(
    ("memory", "before", "said"),
    [
        ("The tour guide is Ilka.", "Tour on 4 May with Ilka.", "Ilka broke her leg, Bo does it."),
        ("Traces are sampled at 5 %.", "Shall I look?", "Sampling went up from 5 to 20 percent."),
        ("The trial lasts 14 days.", "It lasts 14 days.", "it's 7 days now, 14 was awful"),
        ("No default exports.", "All named.", "default exports are fine these days"),
        ("I prefer pytest over unittest.", "Noted.", "I prefer unittest over pytest."),
        ("The kiln is fired at 1,040 °C.", "Noted.", "it is still a kiln but at 1,100 now"),
        ("Sprints run for three weeks.", "Noted.", "sprints go for two weeks"),
        ("Ana lives in Porto.", "Noted.", "Ana has lived in Braga for two months"),
        ("The band meets on Tuesdays.", "Noted.", "we meet Thursdays, starting on the 19th"),
        ("The essay is due on 3 May.", "Noted.", "they want it on the 19th"),
        ("Our vet is Dr. Lund.", "Noted.", "our vet is Dr. Imhoff, Lund retired"),
    ],
)
def test_what_a_turn_changes_does_not_hold(memory: str, before: str, said: str) -> None:
    assert not spoken.says_it_holds(said, before, memory)


@pytest.mark.parametrize(
    ("memory", "before", "said", "corrected"),
    [
        ("Zone B deliveries cost 18.", "Car assigned, price 18.", "nah, 21", True),
        ("The draft is due on 1 November.", "Time until 1 November?", "moved to 15 January", True),
        ("Each user has 200 GB.", "Added: 200 GB per user.", "five hundred? no, 500 GB", True),
        ("Each user has 200 GB.", "Added: 200 GB per user.", "yes, 200 is right", False),
        ("Each user has 200 GB.", "Added the new users.", "make it 3 users", False),
        ("My aunt has two kids.", "In Graz, two nights.", "she's in Linz that weekend", False),
    ],
)
def test_a_corrected_figure_is_that_of_the_memory_that_was_quoted(
    memory: str, before: str, said: str, corrected: bool
) -> None:
    assert spoken.corrects_figure(said, before, memory) is corrected


@pytest.mark.parametrize(
    ("memory", "before", "said", "whole"),
    [
        (
            "The venue is the town hall.",
            "I booked the town hall as the venue.",
            "No, it's the boat house.",
            "The venue is the boat house.",
        ),
        ("The venue is the town hall.", "Shall I print the posters?", "No, it's too late.", ""),
        ("The venue is the town hall.", "The town hall is the venue.", "No, leave it.", ""),
    ],
)
def test_a_short_answer_is_about_what_the_assistant_just_used(
    memory: str, before: str, said: str, whole: str
) -> None:
    assert spoken.completed(said, before, memory) == whole


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Milan can't come. We take Sofie.", "Milan"),
        ("Milan left the team, we have Sofie now", "Milan"),
        ("It is gone, we use Valkey now", ""),
        ("She's out. We hired Sofie.", ""),
        ("The is out, we use Valkey", ""),
        ("Milan left early. We got Pizza.", ""),
        (f"Milan is out. {'The tests pass. ' * 9}We use Valkey.", ""),
    ],
)
def test_only_a_name_is_replaced_and_only_by_what_follows(said: str, name: str) -> None:
    assert spoken.replaced_name(said) == name


@pytest.mark.parametrize(
    ("memory", "left"),
    [
        ("Deliveries go to Leiden and Voorschoten only", "Deliveries go to Leiden only"),
        ("We deliver to Voorschoten and Leiden.", "We deliver to Leiden."),
        ("We deliver to Delft, Voorschoten and Leiden.", "We deliver to Delft and Leiden."),
        ("We deliver to Delft, Leiden, and Voorschoten.", "We deliver to Delft and Leiden."),
        ("Leiden and Voorschoten are in Holland.", ""),
        ("We deliver to Voorschoten.", ""),
        ("We deliver to Leiden and Delft.", ""),
    ],
)
def test_of_a_list_only_what_is_named_ends(memory: str, left: str) -> None:
    assert spoken.without_ended("we no longer deliver to Voorschoten", memory) == left


def test_an_end_that_a_memory_tells_of_is_no_exception_to_it() -> None:
    said = "It was extended, it runs until September."
    assert not spoken.ends_nothing(said, "The lease of the van runs until June.")
    assert spoken.ends_nothing("Until Friday the van is in the yard.", "The van is in Lime Street.")


def test_a_note_is_not_repeated_by_its_words_in_two_clauses() -> None:
    assert not spoken.repeats("Our vet is Dr. Imhoff, Lund retired", "Our vet is Dr. Lund.")
    assert spoken.repeats("Our vet is still Dr. Lund, by the way", "Our vet is Dr. Lund.")
