"""Measure the detection of credentials and personal data, with false positives.

    python benchmarks/quality/screening.py [pii.jsonl.gz]

The labelled texts (a JSON object a line: text, spans of start, end, type) may also be named by
COMMONPLACE_PII; without them only the generated sets are measured. Everything generated comes from
a fixed seed.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from sets import lines
from tests.rules import made_credentials as made
from tests.security.test_credentials import CAUGHT, is_caught, labelled, refused

from commonplace.rules.screening.credential_formats import FORMATS
from commonplace.rules.screening.screen import screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EACH = 20
SEED = 2026
FRAMES = ("{}", "The staging box uses {} until Friday.", "export SERVICE='{}'", '{{"value": "{}"}}')
TYPES = {
    "EMAIL_ADDRESS": "e-mail address",
    "PHONE_NUMBER": "telephone number",
    "CREDIT_CARD": "payment card number",
    "IBAN_CODE": "bank account number",
    "US_SSN": "US social security number",
    "IP_ADDRESS": "IP address",
    "STREET_ADDRESS": "postal address",
}
"""Kinds of personal data by the labels of the set. Names, places and dates alone are not detected,
because memories need them."""
HELD_OUT = (
    ("ASANA_CLIENT_SECRET={}", "[a-z0-9]{32}"),
    ("confluence api token: {}", "[a-z0-9]{20}[a-f0-9]{4}"),
    ("{}", "(?:sc|ext|scauth)_[a-z0-9]{12}\\.[a-z0-9]{5}\\.acc_[a-z0-9-]{16}\\.[a-z0-9+/_=-]{60}"),
    ("beamer_key = '{}'", "b_[a-z0-9=_-]{44}"),
    ('bitbucket_client_secret: "{}"', "[a-z0-9=_-]{64}"),
    ("BITTREX_SECRET_KEY={}", "[a-z0-9]{32}"),
    ("MERAKI_DASHBOARD_API_KEY={}", "[0-9a-f]{40}"),
    ("the ClickHouse key is {}", "4b1d[A-Za-z0-9]{38}"),
    ("CLOUDFLARE_API_TOKEN={}", "[A-Za-z0-9_-]{40}"),
    ("cloudflare global api key: {}", "[a-f0-9]{37}"),
    ("codecov_token: {}", "[a-z0-9]{32}"),
    ("CO_API_KEY={}", "[A-Za-z0-9]{40}"),
    ('"coinbase_access_token": "{}"', "[a-z0-9_-]{64}"),
    ("confluent secret = {}", "[a-zA-Z0-9]{64}"),
    ("CONTENTFUL_DELIVERY_TOKEN={}", "[A-Za-z0-9=_-]{43}"),
    ("curl -H 'X-Api-Key: {}' https://api.internal", "[A-Za-z0-9]{24}"),
    ("curl -u deploy:{} https://api.internal", "[A-Za-z0-9]{12}"),
    ("db_password = {}", "[A-Za-z0-9@!$]{14}"),
    ("DATADOG_ACCESS_TOKEN={}", "[a-z0-9]{40}"),
    ("{}", "dnkey-[A-Z0-9]{26}-[A-Z0-9]{52}"),
    ("discord_client_secret = {}", "[A-Za-z0-9_-]{32}"),
    ("DRONECI_TOKEN: {}", "[a-z0-9]{32}"),
    ("dropbox token is {}", "[a-z0-9]{11}AAAAAAAAAA[a-zA-Z0-9_-]{43}"),
)


def main() -> None:
    labelled = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("COMMONPLACE_PII")
    if labelled:
        personal_data(labelled)
    credentials_in_context()
    generated_credentials()
    held_out_credentials()
    speed()
    slow_texts()


def personal_data(path: str) -> None:
    print(f"\nPersonal data in {os.path.basename(path)}, by kind")
    there, found, wrong, missed = Counter[str](), Counter[str](), list[str](), list[str]()
    claimed = right = 0
    for entry in lines(path):
        text, findings = entry["text"], screen(entry["text"])
        wanted = [span for span in entry["spans"] if span["type"] in TYPES]
        for span in wanted:
            there[span["type"]] += 1
            if any(_touch(span, one) for one in findings):
                found[span["type"]] += 1
            elif span["type"] != "STREET_ADDRESS":
                missed.append(f"{span['type']}: {text[span['start'] : span['end']]!r}")
        for one in findings:
            claimed += 1
            if any(_touch(span, one) for span in wanted):
                right += 1
            else:
                wrong.append(f"{one.label}: {text[one.start : one.end]!r}")
    for kind, label in TYPES.items():
        print(f"  {label:28} {found[kind]:4} of {there[kind]:4} found")
    print(f"  {right} of {claimed} findings are right")
    _listed("taken for personal data", wrong)
    _listed("missed", missed)


def _touch(span: dict[str, Any], one: Any) -> bool:
    return one.start < span["end"] and span["start"] < one.end


def credentials_in_context() -> None:
    """The labelled secrets and look-alikes of the tests, by family."""
    for name in CAUGHT:
        there, missed, wrong = Counter[tuple[bool, str]](), Counter[str](), Counter[str]()
        for entry in labelled(name):
            family, secret = entry["family"], entry["secret"] is not None
            there[secret, family] += 1
            if secret and not is_caught(entry):
                missed[family] += 1
            elif not secret and refused(entry["text"]):
                wrong[family] += 1
        real = sum(count for (secret, _), count in there.items() if secret)
        none = there.total() - real
        print(f"\n{name}: {1 - missed.total() / real:.3f} of {real} secrets are refused,", end=" ")
        print(f"and {wrong.total() / none:.3f} of {none} harmless texts")
        _listed("missed", [f"{one}: {n} of {there[True, one]}" for one, n in missed.items()])
        _listed("refused", [f"{one}: {n} of {there[False, one]}" for one, n in wrong.items()])


def generated_credentials() -> None:
    draw = random.Random(SEED)
    real = [
        (form.label, draw.choice(FRAMES).format(made.credential(form, draw)))
        for form in FORMATS
        for _ in range(EACH)
    ]
    none = [text for _ in range(EACH) for text in made.look_alikes(draw)]
    none += [text for form in FORMATS if (text := made.too_long(form, draw))]
    issuers = len({label for label, _ in real})
    print(f"\n{len(real)} credentials of {issuers} kinds, {len(none)} texts that hold none")
    for name, finds in (("this detector", _ours), ("detect-secrets, no entropy", _theirs())):
        _score(name, finds, real, none, detail=finds is _ours)


def _score(
    name: str,
    finds: Callable[[str], bool],
    real: list[tuple[str, str]],
    none: list[str],
    *,
    detail: bool,
) -> None:
    missed = Counter(label for label, text in real if not finds(text))
    wrong = [text for text in none if finds(text)]
    hits = len(real) - missed.total()
    precision = hits / (hits + len(wrong)) if hits else 0.0
    print(f"  {name:28} recall {hits / len(real):.3f}  precision {precision:.3f}")
    if detail:
        _listed("kinds with misses", [f"{label} ({count})" for label, count in missed.items()])
        _listed("taken for credentials", [_hidden(text) for text in wrong])


def held_out_credentials() -> None:
    """Formats from another scanner's rules, collected after the detector was finished.

    Some have a prefix that the detector does not know; most have no format but a name beside them.
    """
    draw = random.Random(SEED)
    real = [
        (frame.split("{")[0] + shape, frame.format(made.drawn(shape, draw)))
        for frame, shape in HELD_OUT
        for _ in range(EACH)
    ]
    print(f"\nHeld out: {len(real)} credentials of {len(HELD_OUT)} other kinds")
    for name, finds in (("this detector", _ours), ("detect-secrets, no entropy", _theirs())):
        missed = Counter(kind for kind, text in real if not finds(text))
        print(f"  {name:28} recall {1 - missed.total() / len(real):.3f}")
        if finds is _ours:
            _listed("missed", [f"{kind} ({count})" for kind, count in missed.items()])


def _ours(text: str) -> bool:
    return any(one.kind == "credential" for one in screen(text))


def _theirs() -> Callable[[str], bool]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class as plugins
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import transient_settings

    used = [
        {"name": plugin.__name__}
        for plugin in plugins().values()
        if "Entropy" not in plugin.__name__ and "IP" not in plugin.__name__
    ]

    def finds(text: str) -> bool:
        with transient_settings({"plugins_used": used}):
            return any(True for _ in scan_line(text))

    return finds


def speed() -> None:
    ordinary = [
        "We decided to keep the deploy branch called main, because the release train expects it.",
        "Ada prefers short notes in the morning and long walks after lunch, says Bob.",
        "Fixed the flaky login test on 2026-11-15 by waiting for the token refresh (PR 4711).",
        "See https://docs.python.org/3/library/re.html before touching the date reader again.",
    ]
    for text in ordinary:
        screen(text)
    print(f"\nOne text costs {_each(screen, ordinary):.1f} µs,", end=" ")
    print(
        f"{_each(screen, ordinary) / _each(str.split, ordinary):.0f} times what splitting it does"
    )


def slow_texts() -> None:
    """Texts of 100,000 characters that make a careless pattern backtrack."""
    units = ("eyJ-", "1 ", "GB82 ", "a_", "1-", "-----BEGIN ", "a@", "token=a1-", "://a:", "AKIA-")
    worst = max(units, key=_seconds)
    print(f"The slowest of {len(units)} made to be slow repeats {worst!r}: {_seconds(worst):.2f} s")


def _seconds(unit: str) -> float:
    text = (unit * 100_000)[:100_000]
    start = time.perf_counter()
    screen(text)
    return time.perf_counter() - start


def _each(call: Callable[[str], object], texts: Iterable[str]) -> float:
    several = list(texts) * 500
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for text in several:
            call(text)
        best = min(best, time.perf_counter() - start)
    return best / len(several) * 1e6


def _listed(title: str, found: list[str]) -> None:
    if found:
        print(f"    {title}: {len(found)}")
        for line in sorted(set(found))[:40]:
            print(f"      {line}")


def _hidden(text: str) -> str:
    """The beginning of a generated credential, too short for secret scanners."""
    return f"{text[:12]}… ({len(text)} characters)"


if __name__ == "__main__":
    main()
