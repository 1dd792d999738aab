"""`_index.md`: a map of the vault for people, made from what the manifest knows."""

from __future__ import annotations

MAX_LINKS = 2_000
_TITLE = "# Map of this book\n\nMade by `commonplace sync`; changes to this file are replaced.\n"


def render(inventory: list[tuple[str, str, str]]) -> str:
    """The map: a heading per scope, a list per kind, links while there are not too many."""
    groups: dict[str, dict[str, list[str]]] = {}
    for scope, kind, path in inventory:
        groups.setdefault(scope, {}).setdefault(kind, []).append(path)
    lines = [_TITLE]
    left = MAX_LINKS
    for scope, kinds in sorted(groups.items()):
        lines.append(f"\n## {scope}\n")
        for kind, paths in sorted(kinds.items()):
            distinct = sorted(set(paths))
            lines.append(f"\n### {kind} ({len(paths)})\n\n")
            shown = distinct[: max(left, 0)]
            lines += [f"- {link(path)}\n" for path in shown]
            if len(shown) < len(distinct):
                lines.append(f"- … and {len(distinct) - len(shown)} more\n")
            left -= len(shown)
    return "".join(lines)


def link(path: str) -> str:
    """A wikilink to a note by its path, shown by its name."""
    whole = path.removesuffix(".md")
    return f"[[{whole}|{whole.rpartition('/')[2]}]]"
