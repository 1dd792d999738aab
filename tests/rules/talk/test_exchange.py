"""A corrected value in the sentence that it corrects."""

from __future__ import annotations

import pytest

from commonplace.rules.talk.exchange import (
    corrected_value,
    exchanged_statement,
    exchanged_value,
    with_subject,
    with_topic,
)


@pytest.mark.parametrize(
    ("old", "said", "content", "right"),
    [
        (
            "The deploy branch is main.",
            "No, it's release.",
            "Deploy from release, not main.",
            "The deploy branch is release.",
        ),
        (
            "Standup is on Tuesday in the small room.",
            "Thursday, not Tuesday.",
            "Thursday, not Tuesday.",
            "Standup is on Thursday in the small room.",
        ),
        ("Zone C deliveries cost 22.", "nah, 25", "25.", "Zone C deliveries cost 25."),
        (
            "Rehearsals are on Mondays in the old hall.",
            "no, Sundays now",
            "Sundays now.",
            "Rehearsals are on Sundays in the old hall.",
        ),
        (
            "Standup is at 9:30 in the kitchen.",
            "standup moved to 10:15, same room",
            "Standup moved to 10:15, same room.",
            "Standup is at 10:15 in the kitchen.",
        ),
        ("The keys are in the shed.", "no, Friday", "no, Friday", "no, Friday"),
        (
            "The hall holds 80 people.",
            "It holds 120 people since the rebuilding, the rest is fine.",
            "The left holds 120 people since the rebuilding, the rest is fine.",
            "The hall holds 120 people since the rebuilding, the rest is fine.",
        ),
        (
            "The guest towels are in the blue chest.",
            "They're in the hall cupboard, not the blue chest.",
            "In the hall cupboard.",
            "The guest towels are in the hall cupboard.",
        ),
        (
            "The sauna is heated at 6 in the evening.",
            "Looks good, though the sauna is heated at 5 these days, so tell Mara first.",
            "Looks good, though the sauna is heated at 5 these days, so tell Mara first.",
            "Looks good, though the sauna is heated at 5 these days, so tell Mara first.",
        ),
        (
            "The meeting room Elbe seats 8.",
            "They brought more chairs, so there are twelve places in Elbe.",
            "They brought more chairs, so there are twelve places in Elbe.",
            "They brought more chairs, so there are twelve places in Elbe.",
        ),
    ],
)
def test_what_holds_now_stands_alone(old: str, said: str, content: str, right: str) -> None:
    assert exchanged_statement(old, said, content) == right


@pytest.mark.parametrize(
    ("old", "said", "value"),
    [
        ("granite", "No, we deploy from the branch basalt, not granite.", "basalt"),
        ("8080", "No, the API listens on port 8443, not 8080", "8443"),
        ("make check", "No, the test command is make verify, not make check", "make verify"),
        ("90", "The cache TTL is 300 seconds now.", "300"),
        ("Bob", "Chioma.", "Chioma"),
        ("eu-north-1", "I think we should talk about zones at some point, maybe on Friday", ""),
    ],
)
def test_the_new_value_of_a_fact(old: str, said: str, value: str) -> None:
    assert exchanged_value(old, said) == value


@pytest.mark.parametrize(
    ("old", "said", "key", "value"),
    [
        ("emacs", "vim", "editor", "vim"),
        ("emacs", "No, the editor is vim now", "editor", "vim"),
        ("emacs", "No, vim", "editor", "vim"),
        ("emacs", "it's vim now", "editor", "vim"),
        ("emacs", "editor: vim", "editor", "vim"),
        ("main", "The deploy branch is release", "deploy_branch", "release"),
        ("main", "release, not main", "deploy_branch", "release"),
        ("8080", "No, 9090", "port", "9090"),
        ("yes", "no", "use_tabs", "no"),
        ("pytest", "pytest tests/ -v", "test_command", "pytest tests/ -v"),
        ("Every day is a gift", "Every day is a new day", "motto", "Every day is a new day"),
        ("Rotterdam", "The office city is Ghent, since May", "office.city", "Ghent"),
        ("emacs", "it's vim, as of last week", "editor", "vim"),
        ("emacs", "we use vim now", "editor", ""),
        ("emacs", "The editor is not vim", "editor", ""),
        ("pytest", "No, Jonas changed that last week", "test_command", ""),
    ],
)
def test_a_sentence_corrects_a_fact_by_the_value_that_it_states(
    old: str, said: str, key: str, value: str
) -> None:
    assert corrected_value(old, said, key=key) == value


@pytest.mark.parametrize(
    ("old", "right", "kept"),
    [
        ("The choir fee is 30 euros.", "It is 35 euros.", "The choir fee is 35 euros."),
        ("The choir fee is 30 euros.", "It's 35 euros.", "The choir fee is 35 euros."),
        ("The choir fee is 30 euros.", "It costs 35 euros.", "The choir fee costs 35 euros."),
        ("Aunt Bea lives in Linz.", "She lives in Graz.", "Aunt Bea lives in Graz."),
        ("Backups are kept 30 days.", "They're kept 90 days.", "Backups are kept 90 days."),
        # What it points at is not the subject, or nobody can tell.
        ("Aunt Bea lives in Linz.", "It is Graz.", "It is Graz."),
        ("I am 34.", "It is 35.", "It is 35."),
        ("Fee: 30 euros", "It is 35 euros.", "It is 35 euros."),
        ("The choir fee is 30 euros.", "The fee is 35 euros.", "The fee is 35 euros."),
        ("The choir fee is 30 euros.", "Italian lessons cost 35.", "Italian lessons cost 35."),
    ],
)
def test_a_correction_that_only_points_is_about_the_old_subject(
    old: str, right: str, kept: str
) -> None:
    assert with_subject(old, right) == kept


@pytest.mark.parametrize(
    ("old", "said", "kept"),
    [
        ("Latest ferry release: 0.6.2.", "make it 0.8.1", "Latest ferry release: “make it 0.8.1”."),
        (
            "Latest ferry release: “make it 0.8.1”.",
            "0.9.0, an hour ago",
            "Latest ferry release: “0.9.0, an hour ago”.",
        ),
        ("The routing team is led by Bram.", "he left, it's Ilse",
         "The routing team: “he left, it's Ilse”."),
        ("The essay may have 15 pages.", "they changed that to 20",
         "The essay: “they changed that to 20”."),
        ("Lena does judo.", "she swims", "To “Lena does judo” the answer was “she swims”."),
        (
            "To “School until four?” the answer was “he's at home”.",
            "he builds kitchens",
            "To “School until four?” the answer was “he builds kitchens”.",
        ),
        ("It is in the cellar.", "the rented box",
         "To “It is in the cellar” the answer was “the rented box”."),
    ],
)  # fmt: skip
def test_a_correction_stands_under_the_topic_of_its_note_and_quotes_no_quotation(
    old: str, said: str, kept: str
) -> None:
    assert with_topic(old, said) == kept


@pytest.mark.parametrize(
    ("key", "old", "said", "value"),
    [
        (
            "deploy.branch",
            "release",
            "To “We deploy from release” the answer was “since Monday we deploy from trunk”.",
            "trunk",
        ),
        ("deploy.branch", "release", "Since Monday we deploy from trunk.", "trunk"),
        ("deploy.branch", "release", "Since Monday Ilse handles deploys from Berlin.", ""),
        ("deploy.branch", "release", "Piet changed that on Monday.", ""),
        (
            "deploy.branch",
            "main",
            "To “Which branch do we deploy from?” the answer was “from stable since May”.",
            "stable",
        ),
        ("office", "Utrecht", "Not since June: we are in Leiden now.", ""),
        (
            "office",
            "Utrecht",
            "To “Where is the office?” the answer was “not since June: we are in Leiden now”.",
            "Leiden",
        ),
        (
            "office",
            "Utrecht",
            "To “In Utrecht” the answer was “not since June: we are in Leiden now”.",
            "Leiden",
        ),
        ("office", "Utrecht", "To “In Utrecht” the answer was “in May we moved to Leiden”.", ""),
        ("db.port", "5432", "Since the upgrade it is 5433.", "5433"),
        ("db.port", "5432", "3 people complained about that port.", ""),
        ("db.port", "5432", "In 2027 that changes.", ""),
        ("node", "20", "To “Node 20” the answer was “in May Femke moved us to 22”.", "22"),
        ("on_call", "Bob", "Chioma.", "Chioma"),
        ("on_call", "Bob", "Chioma is on call since March.", ""),
        ("on_call", "Bob", "Ask Chioma.", ""),
        ("on_call", "Bob", "It's Chioma now", "Chioma"),
        ("team.lead", "Rosa", "Rosa left in April, the team lead is Carla", ""),
        (
            "test_command",
            "make check",
            "we use make verify since the 3rd, not make check",
            "make verify",
        ),
        ("test_command", "make check", "It is slow on Fridays.", ""),
        ("test_command", "make check", "Since Tuesday the runner breaks with make check.", ""),
        ("retention", "400 days", "Legal says 365 days from January on.", ""),
        ("retention", "400 days", "365 days", "365 days"),
        ("retention", "400 days", "365 days, not 400", "365 days"),
        ("retention", "400 days", "365, not 400", "365 days"),
        ("standup.day", "Tuesday", "Thursday, not Tuesday", "Thursday"),
        ("standup.day", "Tuesday", "No, since June it's on Thursday", ""),
        ("region", "eu-north-1", "we deploy from trunk to eu-west-2, not eu-north-1", ""),
        ("region", "eu-north-1", "We moved to eu-west-2 in March, not eu-north-1", "eu-west-2"),
        (
            "mail.provider",
            "SendGrid",
            "To “We send with SendGrid” the answer was “since the outage we send with Postmark”.",
            "Postmark",
        ),
        ("mail.provider", "SendGrid", "Femke cancelled SendGrid.", ""),
        ("staging.host", "stg-2", "stg-5, stg-2 is dead", ""),
        (
            "staging.host",
            "stg-2",
            "To “Staging runs on stg-2” the answer was “staging runs on stg-5 since Friday”.",
            "stg-5",
        ),
        ("log_level", "INFO", "We set it on Monday to DEBUG because of the outage.", ""),
        ("editor", "emacs", "vim", "vim"),
        ("editor", "emacs", "I told you last week", ""),
        ("editor", "emacs", "that's what Jonas uses", ""),
        ("timezone", "UTC", "No longer, as of October we use CET", ""),
        ("currency", "EUR", "Not any more: from January on we bill in CHF.", ""),
        (
            "currency",
            "EUR",
            "To “We bill in EUR” the answer was “from January on we bill in CHF”.",
            "CHF",
        ),
        (
            "venue",
            "De Oude Gracht",
            "To “The venue is De Oude Gracht” the answer was “the venue is Stadskasteel”.",
            "Stadskasteel",
        ),
    ],
)
def test_a_fact_takes_only_a_value_that_was_certainly_given(
    key: str, old: str, said: str, value: str
) -> None:
    assert exchanged_value(old, said, key=key) == value
