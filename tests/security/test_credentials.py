"""Credentials in context and harmless look-alikes, each set written before its rules.

At least 97 % of the secrets of each set are refused, and at most 2 % of the others. The detectors
know these sets by now; what they did when they saw each first is in docs/privacy.md.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.language.vocabulary.seed_words import WALLET_WORDS
from commonplace.rules.screening.credential_formats import FORMATS, Format
from commonplace.rules.screening.findings import CREDENTIAL, IDENTITY, Finding, redacted_text
from commonplace.rules.screening.screen import credentials_removed, screen
from tests.rules import made_credentials as made

SETS = Path(__file__).parent / "credentials"
CAUGHT = {
    "technical": 0.97,
    "everyday": 0.97,
    "mixed": 0.97,
    "second_look": 0.94,
    "unprompted": 0.90,
    "in_passing": 0.92,
}
WRONG = 0.02
NAMES_WRONG = 0.06
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
SENTENCES = (
    "The wifi password is {}.",
    "Das Passwort lautet {}, bitte merken.",
    "Le mot de passe est {}",
    "la contraseña es {}",
    "export DB_PASSWORD={}",
    "curl --user  ada:'{}' https://api.internal",
)


passwords = st.from_regex(r"\A[A-Z][a-z]{5,9}#[0-9]{2,4}\Z").filter(lambda one: len(set(one)) > 6)
"""Rows of one letter are placeholders, so that a password has several."""


TOLD = tuple(
    json.loads(line)["text"]
    for file in sorted((Path(__file__).parents[2] / "training" / "secrets").glob("*.jsonl"))
    for line in file.read_text().splitlines()[::7]
)
"""Sentences that tell a secret, and sentences that tell none."""


def labelled(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text().splitlines()]


def refused(text: str) -> list[Finding]:
    return [one for one in screen(text) if one.kind in (CREDENTIAL, IDENTITY)]


def is_caught(entry: dict[str, Any]) -> bool:
    """Whether a finding covers a part of the secret, or the secret is not written as it is."""
    text, secret = entry["text"], entry["secret"]
    at = text.find(secret)
    return any(at < 0 or (one.start < at + len(secret) and at < one.end) for one in refused(text))


@pytest.mark.parametrize("name", CAUGHT)
def test_secrets_in_context_are_refused(name: str) -> None:
    secrets = [entry for entry in labelled(name) if entry["secret"] is not None]
    missed = [entry["family"] for entry in secrets if not is_caught(entry)]
    share = 1 - len(missed) / len(secrets)
    assert share >= CAUGHT[name], sorted(missed)


@pytest.mark.parametrize("name", CAUGHT)
def test_harmless_look_alikes_pass(name: str) -> None:
    harmless = [entry for entry in labelled(name) if entry["secret"] is None]
    wrong = [entry["family"] for entry in harmless if refused(entry["text"])]
    share = len(wrong) / len(harmless)
    assert share <= WRONG, sorted(wrong)


def test_names_with_numbers_pass() -> None:
    """Passes, models, plates, parts, rooms, tickets, hashes and colours, in other domains."""
    texts = [entry["text"] for entry in labelled("names_with_numbers")]
    wrong = [text for text in texts if refused(text)]
    assert len(wrong) / len(texts) <= NAMES_WRONG, wrong


@pytest.mark.parametrize(
    "text",
    [
        "The pass for the mountain hut wifi is Gletscher77",
        "wifi pass is Furka-2429m",
        "The password is Stelvio-2757m",
        "my pass is Grimsel2164 for the alpine club account",
        "pass: Tourmalet2115 (router in the valley office)",
    ],
)
def test_a_password_named_after_a_mountain_is_refused(text: str) -> None:
    assert refused(text)


@given(
    st.sampled_from(SENTENCES),
    passwords,
    st.lists(st.tuples(st.integers(0, 16), st.sampled_from(INVISIBLE)), min_size=1, max_size=6),
)
def test_invisible_characters_hide_no_password(
    sentence: str, secret: str, hidden: list[tuple[int, str]]
) -> None:
    disguised = list(secret)
    for place, character in hidden:
        disguised.insert(min(max(place, 1), len(disguised) - 1), character)
    assert refused(sentence.format("".join(disguised)))


@given(st.sampled_from(FORMATS), st.integers(0, 2**32), st.sampled_from(INVISIBLE), st.data())
def test_invisible_characters_hide_no_token(
    form: Format, seed: int, character: str, data: st.DataObject
) -> None:
    secret = made.credential(form, random.Random(seed))
    place = data.draw(st.integers(1, len(secret) - 1))
    assert refused(f"It answers to {secret[:place]}{character}{secret[place:]} now.")


@given(st.sampled_from(SENTENCES), passwords)
def test_a_redacted_text_keeps_no_piece_of_the_secret(sentence: str, secret: str) -> None:
    cleared = credentials_removed(sentence.format(secret))
    pieces = {secret[at : at + 4] for at in range(len(secret) - 3)}
    # `password` itself has four letters of some passwords.
    assert not [piece for piece in pieces if piece in cleared and piece not in sentence]


@pytest.mark.parametrize(
    "text",
    [
        "The gardener says the greenhouse wants 7730 and then a firm push.",
        "Try Marmalade-Fuchs3 first on the laptop in the hall, then ring me.",
        "Kessel auf dem NAS ist immer noch Brombeere!88, sag es keinem.",
        "If the tablet by the till asks, it is 4082.",
    ],
)
def test_a_secret_that_is_only_mentioned_is_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "task-q75rpt3d8v",
        "session:f62a3e43793f3ce2:2",
        "See [[combat-rules-ee55pq|the rules]] before the match.",
        "The locker by the meter has number 4471.",
        "Do you want nose2 or pytest for the new package?",
        "Sign up for a one-on-one lesson, or take the subscription-based app on your tablet.",
        "Let me reproduce it with CUDA_LAUNCH_BLOCKING=1.",
        "The timetable of the S8 changes on 2027-03-01, platform 12b.",
    ],
)
def test_words_that_only_look_odd_pass(text: str) -> None:
    assert not refused(text)


@given(st.text(max_size=200))
def test_a_text_is_screened_the_same_twice(text: str) -> None:
    assert screen(text) == screen(text)


@given(st.sampled_from(SENTENCES), passwords)
def test_a_cleared_text_is_clear(sentence: str, secret: str) -> None:
    cleared = credentials_removed(sentence.format(secret))
    assert credentials_removed(cleared) == cleared


@given(st.lists(st.sampled_from(TOLD) | st.text(max_size=30), min_size=1, max_size=5))
def test_any_text_that_was_cleared_is_clear(pieces: list[str]) -> None:
    cleared = credentials_removed(" ".join(pieces))
    assert credentials_removed(cleared) == cleared
    assert not refused(cleared)


@pytest.mark.parametrize(
    "text",
    [
        "The primary database of the portal is gm-db3, replica gm-db4; connect by the bastion.",
        "Use the code SAVE20 at checkout for 20% off.",
        "2. Verify their credentials: Ensure they are members of a guild.",
        "You can use your Prime login credentials to access the films.",
        "The router is a Wi-Fi 6 one, Galaxy Watch Active2 works with it.",
        "Sign in to platforms like Rome2rio with your account.",
        "password: xxxxxxxx",
        "The password is xxxxxxxx.",
        "Lock the screen: Ctrl+Alt+Del, then the password.",
        "SSID sitehut2 is open, no password.",
        'Enter your 4-digit PIN (e.g. 1234) and press OK."',
        "The code is 300 lines long and nobody has reviewed it.",
        "The password is older than the server.",
        "Our network is called Heron_Guest, the password hangs in the kitchen.",
        "Paint code 7719 for the garage door, matt.",
        "My login on the forum is saltmarsh22, say hi.",
        "The [password removed] was told, and the PIN [PIN removed] too.",
        "Single-user notebooks are encrypted already with XChaCha20.",
        "Disks are unlocked with Clevis19 at boot, and we sign in with Keycloak26.",
    ],
)
def test_talk_about_passwords_codes_and_names_passes(text: str) -> None:
    assert not refused(text)


@given(
    st.lists(st.sampled_from(sorted(WALLET_WORDS)), min_size=12, max_size=21, unique=True),
    st.integers(0, 3),
    st.sampled_from((" ", "\n", "  ")),
)
def test_a_row_of_wallet_words_is_a_seed_phrase_under_any_name(
    drawn: list[str], repeated: int, mark: str
) -> None:
    words = drawn + drawn[:repeated]
    text = f"On the paper: {mark.join(words)}"
    (found,) = refused(text)
    assert text[found.start : found.end] == mark.join(words)
    assert refused(text.upper())
    assert refused(" ".join(f"{number}. {word}" for number, word in enumerate(words, 1)))


@pytest.mark.parametrize(
    "text",
    [
        "Unit 3: kitchen, spoon, fork, plate, table, chair, window, lamp, carpet, mirror, shelf",
        "Warm up: apple river stone garden window music ocean forest silver candle winter bread",
        "Use a seed phrase of 24 words rather than 12, and store it on paper.",
    ],
)
def test_lists_of_other_words_are_no_seed_phrases(text: str) -> None:
    assert not refused(text)


def test_every_code_and_every_half_is_removed() -> None:
    text = "Recovery codes:\n3f9a1-0c7de\nb82e4-91fa6\n\nsecret = 'v7Yq0KzP3m' \\\n 'Xe9TrWb1Ld4'"
    cleared = credentials_removed(text)
    for secret in ("3f9a1-0c7de", "b82e4-91fa6", "v7Yq0KzP3m", "Xe9TrWb1Ld4"):
        assert secret not in cleared


@pytest.mark.parametrize(
    "text",
    [
        "glpat-{0}\n{1}",
        'token = "ghp_{0}" + "{1}{1}"',
        "<code>dckr_pat_{0}</code><code>{1}</code>",
        "npm_{0}\\\n{1}{1}",
    ],
)
def test_a_token_broken_into_two_is_found(text: str) -> None:
    draw = random.Random(5)
    half = made.drawn("[a-zA-Z0-9]{12}", draw)
    whole = text.format(half, half)
    if text.startswith("<code>"):
        whole = text.format(
            made.drawn("[a-zA-Z0-9]{14}", draw), made.drawn("[a-zA-Z0-9]{13}", draw)
        )
    assert half not in redacted_text(whole, refused(whole)) or text.startswith("<code>")
    assert refused(whole)


@pytest.mark.parametrize(
    "unit",
    [
        *("password is ", "密码是", "🔑", "pin 1", "://a:", "wallet abcd ", "a\n", "ａ", "1-"),
        *("a!1", "login is Ab-1", "1 then 2 ", "six digits ", "ab_"),
    ],
)
def test_a_long_hostile_text_is_screened_to_its_end(unit: str) -> None:
    """A pattern whose cost grew with the square of the length would take hours."""
    token = "ghp_" + made.drawn("[A-Za-z0-9]{36}", random.Random(1))
    text = (unit * 100_000)[:100_000] + f" and {token}"
    assert screen(text)[-1].end >= len(text) - len(token)


@pytest.mark.parametrize(
    "text",
    [
        "The pass rate of suite-B2 is 97.5%",
        "The pass rate was 98.4% last night",
        "The design token is spacing-4x",
        "The token name in the design system is color-brand-500",
        "The secret santa budget is EUR25",
        "The secret name in Kubernetes is pg-prod-creds-7f9c",
        "The passphrase is generated from the EFF-Long-2016 word list",
        "The password ticket is SEC-1183",
        "The issue about passwords is JIRA-5521",
        "The password length is 12-64",
        "The code for the paint in the hall is RAL-9010",
        "The ISBN code is 978-3-16-148410-0",
        "The door code system is Salto-XS4",
    ],
)
def test_the_value_of_another_noun_is_no_secret(text: str) -> None:
    assert refused(text) == []
