"""Screening: what is secret or personal is found, what only looks like it is left alone."""

from __future__ import annotations

import base64
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import BadInput
from commonplace.rules.parameters import ScreeningPolicy
from commonplace.rules.screening.credential_formats import FORMATS, Format
from commonplace.rules.screening.findings import Finding, redacted_text, without_overlaps
from commonplace.rules.screening.screen import credentials_removed, screen
from tests.rules import made_credentials as made

WORD = "pass" + "word"
HIDDEN = "Kakadu77!x"


def kinds(text: str) -> list[str]:
    return [one.kind for one in screen(text)]


def labels(text: str) -> list[str]:
    return [one.label for one in screen(text)]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: f"{form.label} {form.anchors[0]}")
def test_a_credential_of_every_published_format_is_found_whole(form: Format) -> None:
    draw = random.Random(form.shape)
    for frame in ("{}", "It answers to {} now.", "export X='{}'", "see ({}), please"):
        secret = made.credential(form, draw)
        text = frame.format(secret)
        found = [one for one in screen(text) if one.kind == "credential"]
        assert found, form.label
        assert secret.rstrip("-_=.") not in redacted_text(text, found)


def test_more_than_forty_issuers_are_known() -> None:
    assert len({form.label.split()[0] for form in FORMATS}) > 40


@pytest.mark.parametrize("prefix", ["ghp_", "npm_", "gho_"])
def test_the_prefix_and_length_are_enough_whatever_the_checksum(prefix: str) -> None:
    assert kinds(prefix + made.drawn("[A-Za-z0-9]{36}", random.Random(7))) == ["credential"]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: f"{form.label} {form.anchors[0]}")
def test_a_longer_run_of_letters_is_something_else(form: Format) -> None:
    text = made.too_long(form, random.Random(3))
    assert text is None or kinds(text) == []


@pytest.mark.parametrize("seed", range(10))
def test_hashes_dates_versions_and_orders_are_neither_keys_nor_numbers_of_people(seed: int) -> None:
    for text in made.look_alikes(random.Random(seed)):
        assert screen(text) == (), text


@pytest.mark.parametrize(
    "text",
    [
        f"{WORD} = {HIDDEN}",
        f"DB_{WORD.upper()}={HIDDEN}",
        f"the wifi {WORD} is {HIDDEN}",
        f'"{WORD}": "{HIDDEN}"',
        f"{WORD}: '{HIDDEN}'",
        f"Passwort: {HIDDEN}",
        f"пароль: {HIDDEN}",
        f"postgres://ada:{HIDDEN}@db.internal/app",
        f"curl -u ada:{HIDDEN} https://api.internal",
        f"machine db login ada {WORD} {HIDDEN}",
        "client_secret=" + "9f8Wq27LmZ01xTcB",
        "The heroku api key is " + "0b1c2d3e-1111-4222-8333-444455556666",
        "datadog app key: " + "0123456789abcdef" * 2,
        "Authorization: Basic " + base64.b64encode(f"ada:{HIDDEN}".encode()).decode(),
        "Authorization: Bearer " + "q9" * 16,
    ],
)
def test_what_a_text_calls_a_secret_is_one(text: str) -> None:
    assert "credential" in kinds(text)
    assert HIDDEN not in credentials_removed(text)


def test_a_private_key_goes_whole() -> None:
    body = "\n".join(made.drawn("[A-Za-z0-9+/]{64}", random.Random(n)) for n in range(5))
    dashes = "-" * 5
    name = "OPENSSH " + "PRIVATE KEY"
    key = f"{dashes}BEGIN {name}{dashes}\n{body}\n{dashes}END {name}{dashes}"
    assert credentials_removed(f"The key:\n{key}\nThat was it.") == (
        "The key:\n[private key removed]\nThat was it."
    )


@pytest.mark.parametrize(
    "text",
    [
        f"{WORD}: required",
        f"{WORD} = ${{DB_PASSWORD}}",
        f"{WORD}=<your {WORD}>",
        f"{WORD} = os.environ['X']",
        f"{WORD}: ********",
        f"The {WORD} is 12 characters long",
        f"the {WORD} is stored in 1Password",
        f"{WORD} is hashed with argon2id-v19",
        "token: see the wiki page about tokens",
        "token = request.headers.get('x-token-2')",
        "secret_name: prod/db/credentials-2024",
        "The secret is a good night's sleep",
        "key: user-42-profile",
        "https://user:{}@host/ is how a proxy is written".format("pass"),
        "Bearer authentication is used everywhere",
        "basic authentication, basic understanding",
    ],
)
def test_placeholders_variables_and_plain_words_are_no_secrets(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Mail ada.lovelace@example.org", "e-mail address"),
        ("Write to josé@correo.español.es", "e-mail address"),
        ("+44 20 7946 0958 is her office", "telephone number"),
        ("Call me at 415-555-0132", "telephone number"),
        ("Mobile: 0176 1234 5678", "telephone number"),
        ("card 4111 1111 1111 1111, exp 12/30", "payment card number"),
        ("Amex 378282246310005", "payment card number"),
        ("IBAN GB82 WEST 1234 5698 7654 32", "bank account number"),
        ("Konto DE89370400440532013000", "bank account number"),
        ("SSN 536-90-4399", "US social security number"),
        ("CPF 390.533.447-05", "Brazilian tax number"),
        ("codice fiscale RCCMNL83S18D969H", "Italian tax code"),
        ("She was born on 10 December 1985", "date of birth"),
        ("DOB: 1985-12-10", "date of birth"),
        ("last login from 86.121.97.248", "IP address"),
        ("lives at 221 Baker Street", "postal address"),
        ("wohnt in der Lindenstraße 12", "postal address"),
    ],
)
def test_data_about_a_person_is_found(text: str, label: str) -> None:
    assert labels(text) == [label]


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:ada/engine.git is the remote",
        "pip install flask@3.0.1",
        "card 4111 1111 1111 1112",
        "Order 4111111111111111 was returned",
        "GB82 WEST 1234 5698 7654 33",
        "version 86.121.97.248",
        "the release of 10.12.1985 was the first",
        "Scores were 415-432 and 0132",
        "Two Google Drive folders and 3 Road trips",
    ],
)
def test_what_only_looks_personal_is_left_alone(text: str) -> None:
    assert labels(text) == []


@given(st.text(max_size=300))
def test_any_text_is_screened_and_findings_lie_within_it(text: str) -> None:
    found = screen(text)
    places = [place for one in found for place in (one.start, one.end)]
    assert places == sorted(places)
    assert all(0 <= one.start < one.end <= len(text) for one in found)


@given(st.sampled_from(FORMATS), st.text(max_size=60), st.text(max_size=60), st.integers(0, 2**32))
def test_a_credential_is_found_in_any_text(form: Format, before: str, after: str, n: int) -> None:
    secret = made.credential(form, random.Random(n))
    cleared = credentials_removed(f"{before} {secret} {after}")
    assert secret not in cleared


def test_a_finding_says_what_and_where_and_never_repeats_it() -> None:
    (found,) = screen(f"{WORD} = {HIDDEN}")
    assert HIDDEN not in repr(found)
    assert found.label == WORD


def test_ordinary_text_loads_no_detector() -> None:
    code = (
        "import sys; from commonplace.rules.screening.screen import screen\n"
        "assert screen('We deploy from main on Fridays, says Ada (2026-11-15).') == ()\n"
        "loaded = ' '.join(sys.modules)\n"
        "assert 'phonenumbers' not in loaded and 'stdnum' not in loaded, loaded\n"
        "assert 'screening.formats' not in loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_policy_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadInput, match=r"screening\.credentials"):
        ScreeningPolicy(credentials="allow")


def test_a_list_of_many_addresses_is_screened_without_comparing_each_with_each() -> None:
    people = 20_000
    found = screen("ada@example.org " * people)
    assert len(found) == people
    assert [one.start for one in found[:2]] == [0, 16]


@given(
    st.lists(
        st.builds(
            lambda kind, start, size: Finding(kind, "", start, start + size),
            st.sampled_from(["credential", "personal"]),
            st.integers(0, 40),
            st.integers(1, 12),
        ),
        max_size=12,
    )
)
def test_findings_never_overlap_and_only_give_way_to_better_ones(found: list[Finding]) -> None:
    kept = without_overlaps(found)
    assert all(one.end <= other.start for one, other in pairwise(kept))
    for gone in set(found) - set(kept):
        over = [one for one in kept if one.start < gone.end and gone.start < one.end]
        assert any(
            (one.kind, one.start - one.end) <= (gone.kind, gone.start - gone.end) for one in over
        )


@pytest.mark.parametrize(
    "text",
    [
        "ski_weekend.lift_pass: 132 euros", "lift_pass: 132 €", "bus_pass: EUR 49.50",
        "day_pass: 49.50", "boarding_pass: 2026-05-12", "museum_pass: 12.05.2026",
        "season_pass: 350", "ski pass: 12%", "annual_pass = 1,200 dollars", "travel_pass: 365 days",
        "gym.pass: 10 visits", "password: 12 characters",
    ],
)  # fmt: skip
def test_an_amount_a_count_and_a_date_are_no_password(text: str) -> None:
    assert list(screen(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "db_pass: 132435", "wifi_pass: 20261231", "pw: 471147", "db_pass: hunter2",
        "lift_pass: hunter2", "ski_pass: Alp3nglow!", "password: 132435 for the router",
    ],
)  # fmt: skip
def test_a_number_that_counts_nothing_is_still_a_password(text: str) -> None:
    assert list(screen(text))


def test_harmless_names_are_left_alone() -> None:
    """Products, code names, commits, tickets, versions; one may look like a passphrase."""
    lines = Path(__file__).with_name("harmless_names.txt").read_text("utf-8").splitlines()
    refused = [line for line in lines if screen(line)]
    assert len(lines) >= 150
    assert len(refused) <= 1, refused
