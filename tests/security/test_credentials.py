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
    "hazelnut": 0.97,
    "quinine": 0.97,
    "medlar": 0.97,
    "bramble": 0.97,
    "teasel": 0.97,
    "surgery": 0.97,
    "operations": 0.97,
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


def _name(entry: dict[str, Any]) -> str:
    """What a failing test calls a text: its family, or the text itself."""
    return entry.get("family") or entry["text"]


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
    missed = [_name(entry) for entry in secrets if not is_caught(entry)]
    share = 1 - len(missed) / len(secrets)
    assert share >= CAUGHT[name], sorted(missed)


@pytest.mark.parametrize("name", CAUGHT)
def test_harmless_look_alikes_pass(name: str) -> None:
    harmless = [entry for entry in labelled(name) if entry["secret"] is None]
    wrong = [_name(entry) for entry in harmless if refused(entry["text"])]
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


@pytest.mark.parametrize(
    "text",
    [
        "- The user: It's 9090 since last week.\n- The user: The lobby drops players after about 40"
        " seconds, can you find out why, or is the heartbeat left as it is?",
        "The gate passes now. The build is 4412.",
        "The lock times out in the worker. Make it 3000.",
        "The gate server listens on 7070, not 7071.",
        "The card layout is off, make it 3000.",
        "The alarm threshold is 8500, it was 9000.",
        "The SMS service moved, it's 7070 now.",
    ],
)
def test_ports_builds_and_limits_are_no_access_codes(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "The lobby door code is 4412, the server is up again.",
        "The cage in the server room is locked, it's 4471.",
        "The front door of the build site is locked. It's 4471.",
        "Type 4471 at the gate in the lobby.",
        "The garage is 4471 since last week.",
    ],
)
def test_a_code_beside_other_talk_is_refused(text: str) -> None:
    assert refused(text)


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
        *("Trout-Lake9! ", "capital a, ", "a: 1\n", "backup codes 1234 5678, "),
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


@pytest.mark.parametrize(
    "text",
    [
        "I'll say it letter by letter for the office wifi: small h, o, v, e, r, dash, two, two",
        "Te deletreo la del correo: ele mayúscula, u, n, a, guion bajo, nueve, nueve",
        "for the router: uppercase Q, lowercase w, 7, 7, ampersand, lowercase p",
        "Mes codes de récupération Gmail :\n 2231 9087\n 4410 2298\n 7781 0032",
        "Códigos de recuperación de la sede electrónica, quedan dos, 7H2K-PP31 y 0QX9-L4MN",
        (
            "Le dodici parole del portafoglio Ledger, in quest'ordine: acqua "
            "balena cometa dado edera fieno gonna imbuto lepre marmo nebbia orto"
        ),
        (
            "seed words for the cold wallet are tomato, fiction, blush, dune, "
            "orbit, ghost, viable, stool, rhythm, maple, angle, verb"
        ),
        (
            "Für die Sicherheitsfrage beim Finanzamt hab ich Seegurke angegeben, "
            "nicht den echten Namen."
        ),
        "For the parish Dropbox you sign in as bellringers and then it's semibreve",
        "En la web del AMPA entras como vocal3 y luego pones alcachofa",
        "acceso tienda: encargada // tornillos",
        "On the vet's portal: user brindle.h, word Catflap",
        "para el netflix pusimos perrosalchicha, todo junto y en minúsculas",
        "Correction, le wifi de l'accueil n'est plus celui du carton, c'est désormais Libellule.",
        "Le portable de mamie : 4471",
        "Bank card 4471, same as the tablet",
        "Pass phrase for the archive disk: my aunt dances alone in the rain",
        "el portátil de Ana se desbloquea poniendo 2580",
        "Ich vergess das Passwort fürs Finanzamt ständig, es heißt schlicht Steuererklärung.",
        "borg mount needs BORG_PASSPHRASE='wind''s-up-77' exported first",
        "username netops privilege 15 secret 0 Gannet!Reef5",
        "wpa-psk ascii 0 PuffinBurrow12",
        "printf 'Sk00ma#Trail' | tee secrets/db_password",
        ': PSK "merganser-Loch-4"',
        "uint8_t wifi_psk[] = { 0x42, 0x6f, 0x67, 0x73, 0x31, 0x39 };",
        "schtasks /create /tn nightly /tr x.bat /ru svc /rp Pochard+88",
        "kubectl create secret generic db --from-literal=password=Knot_Flats_2",
        "rclone obscure Turnstone-Rock8",
        "ansible-vault pw is marsh harrier over reeds, unquoted",
        "HEROKU_API_KEY:     550e7c14-0a9b-4f6d-8e23-b17ac5d0f392",
        "export RESTIC_PASSWORD=three-oak-trees",
        "openssl req -passout pass:Merlin.Moor9 -new",
    ],
)
def test_a_secret_that_is_spelled_listed_paired_or_corrected_is_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "My surname is spelled capital M, a, c, capital B, r, i, d, e.",
        "Der Name schreibt sich: großes S, c, h, m, i, t, t, Doppel-t.",
        "La palabra lleva be, uve y ene; el niño las confunde.",
        "Please write file names in lower case, with hyphens, no spaces, three words at most.",
        "x y z 0 1 2 in capital letters on the axis of the plot",
        "Backup codes table: id 4, code_hash varchar(64), used_at timestamptz",
        "Recovery key rotation runs nightly at 03:00; last run 20240511 took 12 min.",
        (
            "Le portefeuille de mon père était en cuir brun, avec des photos, des "
            "tickets, des pièces et une carte."
        ),
        "Two-step codes arrive by SMS, order 40318-2277 has nothing to do with it.",
        "The security question asks for the first pet, and I can never remember what I answered.",
        "You go in as a guest and then it's a short walk to the lift.",
        "Entramos como siempre y luego pedimos dos cañas.",
        "accès parking : niveau -2 → ascenseur B",
        "Access road: north // closed until May",
        "login page: header / footer are done",
        "router: kitchen -> hallway, switch: hallway -> office",
        "The wifi is no longer free at the airport, it's now Premium only.",
        "Mein Handy: 0171 3920055, ruf an.",
        "My debit card ending 4471 was declined.",
        "Wir fahren zuerst 20, dann 30 km, hinten im Auto ist Platz.",
        "Satz des Tages: wer rastet der rostet auch",
        "The laptop is grey, all one piece, no gaps, and weighs nothing.",
        "Rechnung Telefon: 4830 Einheiten, bezahlt",
        "The router was in the hall, now Tom has it.",
        "password: ${{ secrets.NPM_PW }}",
        "conn = connect(host=host, user=user, password=pw, port=5432)",
        "snmpwalk -v2c -c public localhost",
        'echo "$PW" > secrets/db_password',
        'assert resp.json()["token"] == expected_token',
        "git switch -c feature/rotate-api-keys-2025",
        'if (password.length < 12) throw new Error("too short: 12 chars")',
        "username: ${DB_USER:app}\npassword: ${DB_PASS:}",
        "password_hash = bcrypt.hashpw(pw, bcrypt.gensalt(12))",
        "2024-05-01T03:12:00Z ERROR auth failed user=svc_x code=401 port=51544",
        (
            "| field | type | note |\n|---|---|---|\n| password | string | min 12 "
            "|\n| token | string | opaque |"
        ),
        "INSERT INTO users (name, password) VALUES (?, ?)",
        "password=&quot;{{ env.PW }}&quot;",
        "MAC 9c:a2:f4:11:08:7e, printer, panel 3",
        "Passwordless sudo for wheel: %wheel ALL=(ALL) NOPASSWD: ALL",
        "checksum sha256:3be07c1fd9a2458e60f7b2c491ad3e85f60c7219d4be8a53107fc29e6d84ab1f",
        '"password": null, "token": "", "mfa": false',
    ],
)
def test_fields_lists_and_notes_that_tell_no_secret_pass(text: str) -> None:
    assert not refused(text)
