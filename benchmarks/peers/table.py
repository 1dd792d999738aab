"""The table of a run, as Markdown, and where it stands in the pages.

python -m benchmarks.peers.table       write it into the pages again, from results.json
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
RESULTS = HERE / "results.json"
BEGIN, END = "<!-- peers: {} -->", "<!-- /peers -->"
MISSING = "—"
BUSY = 2
"""Load per core from which on nothing that was read from a clock is shown."""
BY_CLOCK = ("cold_wall_ms", "warm_ms", "save_ms")

Figures = dict[str, float | None]


def _share(figures: Figures, name: str) -> str:
    value = figures.get(name)
    return MISSING if value is None else f"{value:.3f}".removeprefix("0")


def _percent(figures: Figures, name: str) -> str:
    value = figures.get(name)
    return MISSING if value is None else f"{value:.0%}".replace("%", " %")


def _count(figures: Figures, name: str) -> str:
    value = figures.get(name)
    return MISSING if value is None else f"{value:.0f}"


def _of(figures: Figures, name: str, all_: str) -> str:
    lost, saved = figures.get(name), figures.get(all_)
    return MISSING if lost is None or saved is None else f"{lost:.0f} of {saved:.0f}"


def _cost(figures: Figures, ours: Figures, name: str, unit: str) -> str:
    """A cost, and how many times ours it is."""
    value, base = figures.get(name), ours.get(name)
    if value is None:
        return MISSING
    shown = f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
    ratio = f" ({_times(value / base)})" if base and figures is not ours else ""
    return f"{shown} {unit}{ratio}"


def _times(ratio: float) -> str:
    return f"×{ratio:.0f}" if ratio >= 10 else f"×{ratio:.1f}" if ratio >= 0.1 else f"×{ratio:.2f}"


COLUMNS = {
    "all@10": lambda own, ours: _share(own, "all@10"),
    "NDCG@10": lambda own, ours: _share(own, "ndcg@10"),
    "newest first": lambda own, ours: _percent(own, "newest_first"),
    "look-alikes lost": lambda own, ours: _count(own, "look_alikes_lost"),
    "lost by kills": lambda own, ours: _of(own, "lost_by_kills", "saved_before_kills"),
    "cold search, processor": lambda own, ours: _cost(own, ours, "cold_cpu_ms", "ms"),
    "cold search, wall": lambda own, ours: _cost(own, ours, "cold_wall_ms", "ms"),
    "warm search": lambda own, ours: _cost(own, ours, "warm_ms", "ms"),
    "single save": lambda own, ours: _cost(own, ours, "save_ms", "ms"),
    "memory": lambda own, ours: _cost(own, ours, "peak_mb", "MB"),
    "store": lambda own, ours: _cost(own, ours, "disk_mb", "MB"),
    "installed": lambda own, ours: _cost(own, ours, "install_mb", "MB"),
}
FOUND, COST = tuple(COLUMNS)[:5], tuple(COLUMNS)[5:]
SHORT = (*(name for name in FOUND if name != "NDCG@10"), "cold search, processor", "installed")
"""The columns of the README."""


def table(results: dict[str, Any], columns: tuple[str, ...] = tuple(COLUMNS)) -> str:
    """The results as a Markdown table, a system a row; what could not be measured is a dash."""
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    hidden = BY_CLOCK if _busy(results) else ()
    ours: Figures = {}
    for row in results["systems"]:
        given = row.get("measured", {})
        own = {name: value for name, value in given.items() if name not in hidden}
        ours = ours or own
        cells = [COLUMNS[name](own, ours) for name in columns]
        lines.append(f"| {row['name']} {row['version']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _busy(results: dict[str, Any]) -> bool:
    return results.get("load", 0) > BUSY * results.get("cores", 1)


def whole(results: dict[str, Any]) -> str:
    """The part of docs/comparison.md: when it was made, all columns, and why cells are empty."""
    made = results["set"]
    about = (
        f"Measured on {results['date']}, {results['machine']}, Python {results['python']}: "
        f"{made['questions']} questions about {made['turns']} turns ({made['name']}), "
        f"{results['facts']['changes']} facts that change, {results['facts']['look_alikes']} facts "
        f"that look alike, and a store of {results['notes']:,} notes for time, memory and disk."
    )
    parts = [about, table(results, FOUND), table(results, COST)]
    if missing := _missing(results):
        parts.append("\n".join(missing))
    return "\n\n".join(parts)


def _missing(results: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    if _busy(results):
        lines.append(
            f"- The machine had other work during this run (a load of {results['load']:.0f} on "
            f"{results['cores']} cores), so times by the clock are left out. Processor "
            "times suffer less, but systems that ran at different loads compare only roughly."
        )
    for row in results["systems"]:
        if reason := row.get("not_installed"):
            lines.append(f"- {row['name']} could not be installed: {reason}")
        lines += [
            f"- {row['name']}, {trial}: {reason}" for trial, reason in row.get("failed", {}).items()
        ]
    return lines


def short(results: dict[str, Any]) -> str:
    """The table of the README."""
    return f"Measured on {results['date']}:\n\n{table(results, SHORT)}"


PAGES = {
    REPOSITORY / "README.md": ("short", short),
    REPOSITORY / "docs" / "comparison.md": ("whole", whole),
}


def with_table(page: str, name: str, made: str) -> str:
    """A page with the table between its marks."""
    begin = BEGIN.format(name)
    before, rest = page.split(begin, 1)
    _, after = rest.split(END, 1)
    return f"{before}{begin}\n\n{made}\n\n{END}{after}"


def write_pages(results: dict[str, Any]) -> None:
    """Write the tables into the pages."""
    for path, (name, make) in PAGES.items():
        text = path.read_text(encoding="utf-8")
        path.write_text(with_table(text, name, make(results)), encoding="utf-8")


if __name__ == "__main__":
    write_pages(json.loads(RESULTS.read_text(encoding="utf-8")))
