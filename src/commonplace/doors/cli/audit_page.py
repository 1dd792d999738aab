"""The page of an audit: one HTML file without scripts, fonts or images from elsewhere."""

from __future__ import annotations

from html import escape

from . import text_format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.results import AuditExample, FaultShare, StoreAudit

EXPLAINED = {
    "junk": "Small talk, echoes and passing states that no later reader needs.",
    "duplicates": "Statements that another one says already.",
    "contradictions": "Statements that a newer one no longer agrees with.",
    "secrets": "Passwords, keys and tokens. Change those that were shown to an agent.",
    "personal data": "Addresses, numbers and dates of persons.",
    "orders": "Text that orders agents about: to drop rules, hand over secrets or approve unseen.",
    "stale paths": "Files and folders that are not on this machine.",
    "stale dates": "Times to come that have passed, and days that nobody can name any more.",
    "dead links": "Links to notes and files that do not exist, with their lines.",
}
STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --soft: #667085; --paper: #f6f7f9;
  --card: #fff; --line: #e4e7ec; --accent: #2f6f5e; --warn: #c2701c; --bad: #b93a32; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaef; --soft: #98a2b3; --paper: #14171d;
  --card: #1d212a; --line: #2e3440; --accent: #67b49d; --warn: #e0a15a; --bad: #e27a72; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0; }
p { margin: .25rem 0; }
.soft { color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem;
  margin: 1.5rem 0; }
.tile, section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.tile { padding: .9rem 1rem; }
.tile b { display: block; font-size: 1.6rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
section { margin: .75rem 0; padding: 1rem 1.25rem; }
.shares { display: grid; grid-template-columns: max-content 1fr max-content; gap: .45rem 1rem;
  align-items: center; }
.shares a { color: inherit; text-decoration: none; }
.shares a:hover { text-decoration: underline; }
.bar { height: .65rem; border-radius: .35rem; background: var(--line); overflow: hidden; }
.bar i { display: block; height: 100%; border-radius: .35rem; background: var(--warn); }
.bar i.good { background: var(--accent); }
.bar i.bad { background: var(--bad); }
.count { text-align: right; font-variant-numeric: tabular-nums; }
header.fault { display: flex; gap: 1rem; justify-content: space-between; align-items: baseline; }
ol { margin: .75rem 0 0; padding: 0; list-style: none; }
li { border-top: 1px solid var(--line); padding: .6rem 0; overflow-wrap: anywhere; }
li:last-child { padding-bottom: 0; }
blockquote { margin: 0; white-space: pre-wrap; }
.other { border-left: 3px solid var(--line); padding-left: .75rem; margin: .35rem 0; }
.why { font-size: .875rem; color: var(--soft); }
mark { background: none; color: var(--bad); font-size: .9em; }
footer { margin-top: 2rem; font-size: .875rem; color: var(--soft); }
"""
GRAVE = ("secrets", "personal data", "orders")
LONGEST = 600


def audit_page(done: StoreAudit) -> str:
    """The whole page."""
    return "\n".join(_page(done)) + "\n"


def _page(done: StoreAudit) -> Iterator[str]:
    name = escape(done.store)
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield f"<title>Audit of {name}</title><style>{STYLE}</style></head><body><main>"
    yield f'<p class="soft">Audit of a memory store</p><h1>{name}</h1>'
    yield f'<p class="soft">Format: {escape(done.format)}</p>'
    yield '<div class="tiles">'
    for label, value in (
        ("memories", f"{done.memories:,}"),
        ("statements", f"{done.statements:,}"),
        ("without a fault", f"{done.good:,}"),
        ("of all statements", f"{done.good / max(done.statements, 1):.0%}"),
    ):
        yield f'<div class="tile"><b>{value}</b><span class="soft">{label}</span></div>'
    yield '</div><section><div class="shares">'
    for fault in done.faults:
        yield from _bar(fault.kind, fault.count, fault.share, _colour(fault.kind))
    yield from _bar("without a fault", done.good, done.good / max(done.statements, 1), "good")
    yield "</div></section>"
    for fault in done.faults:
        if fault.count:
            yield from _section(fault)
    yield from _footer(done)
    yield "</main></body></html>"


def _bar(label: str, count: int, share: float, colour: str) -> Iterator[str]:
    name = escape(label)
    linked = f'<a href="#{_anchor(label)}">{name}</a>' if label in EXPLAINED and count else name
    yield f"<span>{linked}</span>"
    yield f'<div class="bar"><i class="{colour}" style="width:{min(share, 1):.1%}"></i></div>'
    yield _count(count, share)


def _section(fault: FaultShare) -> Iterator[str]:
    yield f'<section id="{_anchor(fault.kind)}"><header class="fault">'
    yield f"<h2>{escape(fault.kind.capitalize())}</h2>"
    yield _count(fault.count, fault.share)
    yield f'</header><p class="soft">{escape(EXPLAINED[fault.kind])}</p><ol>'
    for example in fault.examples:
        yield from _example(example)
    if (more := fault.count - len(fault.examples)) > 0:
        yield f'<li class="why">and {more:,} more</li>'
    yield "</ol></section>"


def _example(example: AuditExample) -> Iterator[str]:
    yield f"<li><blockquote>{_text(example.text)}</blockquote>"
    if example.other:
        yield f'<blockquote class="other">{_text(example.other)}</blockquote>'
    where = f" · {_text(example.where)}" if example.where else ""
    yield f'<div class="why">{_text(example.why)}{where}</div></li>'


def _footer(done: StoreAudit) -> Iterator[str]:
    yield "<footer>"
    for reason, count in done.left_out:
        yield f"<p>{count:,} × not read: {_text(reason)}</p>"
    for note in done.notes:
        yield f"<p>{_text(note)}</p>"
    if done.imported is not None:
        yield f"<p>{done.imported.saved:,} memories without faults were imported.</p>"
    yield "<p>Made by Commonplace. The store was only read; secrets and personal data are masked."
    yield "</p></footer>"


def _text(text: str) -> str:
    """Text of the store as HTML: shortened, without control characters, masks marked."""
    shown = escape(text_format.fit(text_format.clean(text), LONGEST))
    parts = shown.split(" removed]")
    for at, part in enumerate(parts[:-1]):
        head, bracket, label = part.rpartition("[")
        parts[at] = f"{head}<mark>[{label} removed]</mark>" if bracket else f"{part} removed]"
    return "".join(parts)


def _count(count: int, share: float) -> str:
    return f'<span class="count">{count:,} <span class="soft">· {share:.0%}</span></span>'


def _colour(kind: str) -> str:
    return "bad" if kind in GRAVE else "warn"


def _anchor(kind: str) -> str:
    return kind.replace(" ", "-")
