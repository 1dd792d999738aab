"""Alert rules and dashboard: checked by Prometheus itself, and in step with the limits."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace.rules.alarms import ALARMS, alarm_named, ringing_alarms
from tests import ROOT

MONITORING = ROOT / "monitoring"


def promtool(*arguments: str) -> str:
    found = shutil.which("promtool") or shutil.which("promtool", path=Path(sys.executable).parent)
    assert found, "the alert rules are tested with promtool: make promtool"
    done = subprocess.run([found, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_prometheus_takes_the_rules() -> None:
    assert f"SUCCESS: {len(ALARMS)} rules found" in promtool(
        "check", "rules", str(MONITORING / "alerts.yml")
    )


def test_each_alert_fires_when_it_must_and_none_for_a_book_that_fares_well() -> None:
    assert "SUCCESS" in promtool("test", "rules", str(MONITORING / "alerts_test.yml"))


def test_a_rule_with_another_limit_would_be_noticed(tmp_path: Path) -> None:
    rules = (MONITORING / "alerts.yml").read_text()
    assert "* 60 > 50" in rules
    (tmp_path / "alerts.yml").write_text(rules.replace("* 60 > 50", "* 60 > 5000"))
    tests = tmp_path / "alerts_test.yml"
    tests.write_text((MONITORING / "alerts_test.yml").read_text())
    with pytest.raises(AssertionError, match="MemoryWriteStorm"):
        promtool("test", "rules", str(tests))


def test_the_files_are_made_of_the_limits_in_the_code(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "monitoring.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    for name in ("alerts.yml", "alerts_test.yml", "dashboard.json"):
        assert (tmp_path / name).read_text() == (MONITORING / name).read_text(), (
            f"{name} is out of date: python scripts/monitoring.py"
        )


def test_the_limits_are_those_of_the_design() -> None:
    limits = {one.figure: one.limit for one in ALARMS}
    assert (
        limits
        | {
            "writes_a_minute": 50,
            "hit_ratio": 0.1,
            "repeated": 0.7,
            "contradictions_a_day": 50,
            "stale_median": 0.5,
            "scopes_of_one_user": 50,
            "blocked_a_day": 20,
            "backup_age_s": 3600,
        }
        == limits
    )


def test_an_alarm_rings_past_its_limit_and_says_the_figure() -> None:
    assert ringing_alarms({"hit_ratio": 0.1, "writes_a_minute": 50, "repeated": None}) == []
    rung = ringing_alarms({"hit_ratio": 0.05, "writes_a_minute": 51})
    assert [(one.name, one.said(value)) for one, value in rung] == [
        ("MemoryWriteStorm", "51 memories were written in a minute."),
        ("MemoryFewAnswers", "Only 5% of questions found anything."),
    ]
    assert alarm_named("MemoryFewAnswers").below


def test_every_alert_is_documented_with_its_usual_range() -> None:
    page = (ROOT / "docs" / "monitoring.md").read_text()
    for one in ALARMS:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{one.name}`"))
        assert row.endswith(f"| {one.healthy} |"), one.name
        assert one.do, one.name


def test_the_dashboard_has_a_place_for_each_panel_and_asks_for_one_book() -> None:
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    panels = dashboard["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24
        assert not taken & cells, panel["title"]
        taken |= cells
        for target in panel["targets"]:
            for selector in re.findall(r"commonplace_\w+(\{[^}]*\})?", target["expr"]):
                assert 'job="$job"' in selector, target["expr"]
