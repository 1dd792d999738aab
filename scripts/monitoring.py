"""Make what watches a book with Prometheus and Grafana, from the limits in `rules/alarms.py`.

python scripts/monitoring.py [folder]
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import LiteralScalarString

from commonplace.rules.alarms import ALARMS, BLOCKING, ENOUGH, Alarm

MONITORING = Path(__file__).parent.parent / "monitoring"
MADE = "# Made by scripts/monitoring.py from src/commonplace/rules/alarms.py.\n"
ANY = "max by (job)"
"""Of figures of the book, which every server tells alike."""
EACH = "sum by (job, instance)"
QUESTIONS = 'commonplace_questions_total{way="recall"}'
KNOWN = 'commonplace_questions_total{way="recall",sure!="none"}'
BLOCKED = f'commonplace_refused_writes_total{{reason=~"{"|".join(BLOCKING)}"}}'
REPEATED = 'commonplace_writes_total{outcome="repeated"}'


def _share(part: str, whole: str) -> str:
    return (
        f"{ANY} (\n  {EACH} (increase({part}[1h]))\n"
        f"  / ({EACH} (increase({whole}[1h])) >= {ENOUGH})\n)"
    )


QUERIES = {
    "MemoryWriteStorm": (f"{ANY} ({EACH} (rate(commonplace_writes_total[5m]))) * 60", "5m"),
    "MemoryFewAnswers": (_share(KNOWN, QUESTIONS), "15m"),
    "MemoryManyRepeats": (_share(REPEATED, "commonplace_writes_total"), "15m"),
    "MemoryContradictions": (f"{ANY} (increase(commonplace_contradictions_total[1d]))", "0m"),
    "MemoryStale": (f'{ANY} (commonplace_staleness{{quantile="0.5"}})', "1h"),
    "MemoryManyScopes": (f'{ANY} (commonplace_scopes_per_user{{of="max"}})', "1h"),
    "MemoryBlockedWrites": (f"{ANY} ({EACH} (increase({BLOCKED}[1d])))", "0m"),
    "MemoryBackupOld": (f"time() - {ANY} (commonplace_backup_timestamp_seconds)", "5m"),
    "MemoryRecallSlow": (
        "histogram_quantile(\n  0.95,\n"
        "  sum by (job, le) (rate(commonplace_recall_seconds_bucket[10m]))\n)",
        "10m",
    ),
    "MemoryIndexBehind": ("min by (job) (commonplace_index_behind)", "15m"),
    "MemoryBookUnreadable": (f"{ANY} (commonplace_book_readable)", "5m"),
    "MemoryServerDown": (f'{ANY} (up{{job=~"commonplace.*"}})', "5m"),
    "MemoryInboxFull": (f"{ANY} (commonplace_inbox_waiting)", "1d"),
}
"""How Prometheus sees each alarm's figure, and for how long it must be past the limit."""


def rules() -> dict[str, Any]:
    """The alert rules."""
    return {"groups": [{"name": "commonplace", "rules": [_rule(one) for one in ALARMS]}]}


def _rule(alarm: Alarm) -> dict[str, Any]:
    query, wait = QUERIES[alarm.name]
    sign = "<" if alarm.below else ">"
    expr = f"{query} {sign} {alarm.limit:g}"
    return {
        "alert": alarm.name,
        "expr": LiteralScalarString(f"{expr}\n") if "\n" in expr else expr,
        "for": wait,
        "labels": {"severity": alarm.severity},
        "annotations": {
            "summary": _templated(alarm.says),
            "healthy": alarm.healthy,
            "runbook": alarm.do,
        },
    }


def _templated(says: str) -> str:
    """The same sentence with its figure as Prometheus fills it in."""
    says = says.replace("{value:.0%}", "{{ $value | humanizePercentage }}")
    return re.sub(r"\{value:(\.\df)\}", r'{{ $value | printf "%\1" }}', says)


# What the rules must do, for `promtool test rules`

STEADY = {
    'commonplace_writes_total{outcome="new"}': "0+10x1500",
    'commonplace_writes_total{outcome="repeated"}': "0+3x1500",
    'commonplace_questions_total{way="recall",sure="strong"}': "0+2x1500",
    'commonplace_questions_total{way="recall",sure="none"}': "0+1x1500",
    "commonplace_contradictions_total": "0+0x1500",
    'commonplace_refused_writes_total{reason="credential"}': "0+0x1500",
    'commonplace_staleness{quantile="0.5"}': "0.2+0x1500",
    'commonplace_scopes_per_user{of="max"}': "4+0x1500",
    "commonplace_index_behind": "0+0x1500",
    "commonplace_book_readable": "1+0x1500",
    "commonplace_inbox_waiting": "3+0x1500",
    "up": "1+0x1500",
}
"""A book that fares well, a value a minute."""
TROUBLES: dict[str, tuple[dict[str, str], str, float]] = {
    "MemoryWriteStorm": ({'commonplace_writes_total{outcome="new"}': "0+60x60"}, "30m", 60),
    "MemoryFewAnswers": (
        {
            'commonplace_questions_total{way="recall",sure="strong"}': "0+1x120",
            'commonplace_questions_total{way="recall",sure="none"}': "0+19x120",
        },
        "90m",
        0.05,
    ),
    "MemoryManyRepeats": (
        {
            'commonplace_writes_total{outcome="new"}': "0+1x120",
            'commonplace_writes_total{outcome="repeated"}': "0+4x120",
        },
        "90m",
        0.8,
    ),
    "MemoryContradictions": ({"commonplace_contradictions_total": "0+1x1500"}, "1d", 1_440),
    "MemoryStale": ({'commonplace_staleness{quantile="0.5"}': "0.6+0x120"}, "90m", 0.6),
    "MemoryManyScopes": ({'commonplace_scopes_per_user{of="max"}': "80+0x120"}, "90m", 80),
    "MemoryBlockedWrites": (
        {'commonplace_refused_writes_total{reason="personal"}': "0+1x1500"},
        "1d",
        1_440,
    ),
    "MemoryBackupOld": ({"commonplace_backup_timestamp_seconds": "0+0x200"}, "2h", 7_200),
    "MemoryRecallSlow": (
        {
            'commonplace_recall_seconds_bucket{way="handed",le="0.3"}': "0+0x60",
            'commonplace_recall_seconds_bucket{way="handed",le="0.5"}': "0+10x60",
            'commonplace_recall_seconds_bucket{way="handed",le="+Inf"}': "0+10x60",
        },
        "30m",
        0.49,
    ),
    "MemoryIndexBehind": ({"commonplace_index_behind": "7+0x60"}, "30m", 7),
    "MemoryBookUnreadable": ({"commonplace_book_readable": "0+0x60"}, "30m", 0),
    "MemoryServerDown": ({"up": "0+0x60"}, "30m", 0),
    "MemoryInboxFull": ({"commonplace_inbox_waiting": "40+0x1600"}, "25h", 40),
}
"""What each alarm is for: figures that set it off, when, and at which value."""


def tests() -> dict[str, Any]:
    """Each alarm rings when it must, once however many servers tell, and none rings for nothing."""
    silent = [{"eval_time": "1d", "alertname": one.name, "exp_alerts": []} for one in ALARMS]
    cases = [_case("A book that fares well", STEADY, silent)]
    for alarm in ALARMS:
        series, when, value = TROUBLES[alarm.name]
        rung = {
            "exp_labels": {"severity": alarm.severity, "job": "commonplace"},
            "exp_annotations": {
                "summary": alarm.said(value),
                "healthy": alarm.healthy,
                "runbook": alarm.do,
            },
        }
        expected = {"eval_time": when, "alertname": alarm.name, "exp_alerts": [rung]}
        cases.append(_case(alarm.said(value), series, [expected]))
    return {"rule_files": ["alerts.yml"], "evaluation_interval": "5m", "tests": cases}


def _case(name: str, series: dict[str, str], expected: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": name,
        "interval": "1m",
        "input_series": [
            {"series": _from(one, server), "values": values}
            for one, values in series.items()
            for server in ("one:8765", "two:8765")
        ],
        "alert_rule_test": expected,
    }


def _from(series: str, server: str) -> str:
    name, _, labels = series.partition("{")
    rest = f",{labels}" if labels else "}"
    return f'{name}{{job="commonplace",instance="{server}"{rest}'


# The dashboard

JOB = '{job="$job"}'
PANELS: tuple[tuple[str, str, str, tuple[tuple[str, str], ...]], ...] = (
    ("Memories", "stat", "short", ((f"max(sum by (instance) (commonplace_memories{JOB}))", ""),)),
    ("Questions answered, last hour", "stat", "percentunit", (
        (f"max({_share(KNOWN, QUESTIONS)})", ""),
    )),
    ("Writes that repeated, last hour", "stat", "percentunit", (
        (f"max({_share(REPEATED, 'commonplace_writes_total')})", ""),
    )),
    ("Refused for secrets, last day", "stat", "short", (
        (f"max({EACH} (increase({BLOCKED}[1d])))", ""),
    )),
    ("Waiting in the inbox", "stat", "short", ((f"max(commonplace_inbox_waiting{JOB})", ""),)),
    ("Size", "stat", "bytes", ((f"max by (part) (commonplace_storage_bytes{JOB})", "{{part}}"),)),
    ("Written a minute", "timeseries", "short", (
        (f"max by (outcome) (rate(commonplace_writes_total{JOB}[5m])) * 60", "{{outcome}}"),
    )),
    ("Asked a minute", "timeseries", "short", (
        (f"max by (way, sure) (rate(commonplace_questions_total{JOB}[5m])) * 60",
         "{{way}}, {{sure}}"),
    )),
    ("How long finding took", "timeseries", "s", tuple(
        (f"histogram_quantile({share}, sum by (le) "
         f"(rate(commonplace_recall_seconds_bucket{JOB}[5m])))", words)
        for share, words in (("0.5", "median"), ("0.95", "95th of 100"))
    )),
    ("Staleness", "timeseries", "percentunit", (
        (f"max by (quantile) (commonplace_staleness{JOB})", "{{quantile}}"),
    )),
    ("Refused writes a day, by reason", "timeseries", "short", (
        (f"max by (reason) (increase(commonplace_refused_writes_total{JOB}[1d]))", "{{reason}}"),
    )),
    ("Contradictions a day", "timeseries", "short", (
        (f"max(increase(commonplace_contradictions_total{JOB}[1d]))", "found"),
        (f"max(commonplace_contradictions_waiting{JOB})", "waiting"),
    )),
    ("Memories by status", "timeseries", "short", (
        (f"max by (status) (commonplace_memories{JOB})", "{{status}}"),
    )),
    ("Changes a minute", "timeseries", "short", (
        (f"max by (action) (rate(commonplace_changes_total{JOB}[5m])) * 60", "{{action}}"),
    )),
    ("Scopes of a user", "timeseries", "short", (
        (f"max by (of) (commonplace_scopes_per_user{JOB})", "{{of}}"),
    )),
    ("Not in the index yet", "timeseries", "short", (
        (f"min(commonplace_index_behind{JOB})", "changes"),
        (f"min(commonplace_vectors_waiting{JOB})", "vectors"),
    )),
    ("Requests a second", "timeseries", "reqps", (
        (f"sum by (door, status) (rate(commonplace_http_requests_total{JOB}[5m]))",
         "{{door}} {{status}}"),
    )),
    ("How long requests took, 95th of 100", "timeseries", "s", (
        (f"histogram_quantile(0.95, sum by (le, door) "
         f"(rate(commonplace_http_request_seconds_bucket{JOB}[5m])))", "{{door}}"),
    )),
    ("Calls by REST a minute", "timeseries", "short", (
        (f"sum by (verb) (rate(commonplace_rest_calls_total{JOB}[5m])) * 60", "{{verb}}"),
    )),
    ("Age of the last backup", "timeseries", "s", (
        (f"time() - max(commonplace_backup_timestamp_seconds{JOB})", "age"),
    )),
)  # fmt: skip
"""Title, kind, unit, and the queries with what each is called."""
LIMITS = {
    "Written a minute": "MemoryWriteStorm",
    "How long finding took": "MemoryRecallSlow",
    "Staleness": "MemoryStale",
    "Scopes of a user": "MemoryManyScopes",
    "Contradictions a day": "MemoryContradictions",
    "Refused writes a day, by reason": "MemoryBlockedWrites",
    "Age of the last backup": "MemoryBackupOld",
}
"""Which alarm's limit is drawn as a line."""
SMALL, LARGE, ROW = 4, 12, 24


def dashboard() -> dict[str, Any]:
    """The dashboard, for Grafana's import."""
    return {
        "uid": "commonplace",
        "title": "Commonplace",
        "description": "How a book of memories fares, and what its servers do.",
        "tags": ["commonplace"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-24h", "to": "now"},
        "templating": {"list": _variables()},
        "panels": list(_panels()),
    }


def _variables() -> list[dict[str, Any]]:
    source = {"type": "prometheus", "uid": "$source"}
    return [
        {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"},
        {
            "name": "job",
            "label": "Book",
            "type": "query",
            "datasource": source,
            "query": "label_values(commonplace_info, job)",
            "refresh": 2,
        },
    ]


def _panels() -> Any:
    across = down = 0
    for number, (title, kind, unit, queries) in enumerate(PANELS, 1):
        width, height = (SMALL, 4) if kind == "stat" else (LARGE, 8)
        if across + width > ROW:
            across, down = 0, down + (4 if down == 0 else 8)
        yield {
            "id": number,
            "title": title,
            "type": kind,
            "datasource": {"type": "prometheus", "uid": "$source"},
            "gridPos": {"x": across, "y": down, "w": width, "h": height},
            "fieldConfig": {"defaults": {"unit": unit, **_limit(title)}, "overrides": []},
            "targets": [
                {"refId": chr(65 + place), "expr": _of_job(expr), "legendFormat": words}
                for place, (expr, words) in enumerate(queries)
            ],
        }
        across += width


def _limit(title: str) -> dict[str, Any]:
    if title not in LIMITS:
        return {}
    limit = next(one.limit for one in ALARMS if one.name == LIMITS[title])
    steps = [{"color": "green", "value": None}, {"color": "red", "value": limit}]
    return {
        "thresholds": {"mode": "absolute", "steps": steps},
        "custom": {"thresholdsStyle": {"mode": "dashed"}},
    }


def _of_job(expr: str) -> str:
    """A query of the alarms, narrowed to the book that is looked at."""
    expr = re.sub(r"(commonplace_\w+)\{(?!job=)", r'\1{job="$job",', expr)
    return re.sub(r"(commonplace_\w+)\[", r'\1{job="$job"}[', expr)


def main() -> None:
    """Write the files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else MONITORING
    folder.mkdir(parents=True, exist_ok=True)
    yaml: Any = YAML()
    yaml.width = 100
    for name, made in (("alerts.yml", rules()), ("alerts_test.yml", tests())):
        with (folder / name).open("w", encoding="utf-8") as file:
            file.write(MADE)
            yaml.dump(made, file)
    told = json.dumps(dashboard(), indent=2, ensure_ascii=False)
    (folder / "dashboard.json").write_text(f"{told}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
