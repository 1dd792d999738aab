"""Measure what a book learns from conversations: lessons kept, memories corrected, harm done.

    python benchmarks/quality/conversations.py training/final/talks-*.jsonl

A file has a notebook per line: `memories`, and `turns` with `before`, `turn`, `label`, `kept`,
`replaces` and `same`. The memories are saved, the conversation is held and ended, and then the
book is looked at: was each memory retired that a turn replaced, and no other?
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import commonplace
from commonplace.books.services import rules_reasoner
from commonplace.model.errors import Refused
from commonplace.model.memory import LIVE
from commonplace.ports.reasoner import Turn

if TYPE_CHECKING:
    from commonplace.book import Commonplace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--shown", action="store_true", help="print every mistake")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    for path in given.files:
        for line in path.read_text(encoding="utf-8").splitlines():
            total += measured(json.loads(line), given.shown)
    said, replaced = total["taught"] + total["quiet"], total["replaced"]
    print(f"{said} turns, {total['taught']} of them teach something, {replaced} memories replaced")
    print(
        f"  kept {total['kept'] / total['taught']:.3f}  false {total['false'] / total['quiet']:.3f}"
    )
    print(
        f"  retired {total['retired'] / replaced:.3f}  asked about {total['asked'] / replaced:.3f}"
        f"  wrongly retired {total['harmed'] / total['holding']:.3f}"
        f"  wrongly asked about {total['doubted'] / total['holding']:.3f}"
    )


def measured(talk: dict[str, Any], shown: bool) -> Counter[str]:
    """The counts of one notebook."""
    found: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        commonplace.open(f"sqlite://{folder}/b.db") as book,
    ):
        saved = [_saved(book, text) for text in talk["memories"]]
        kept_before = [_status(book, id) for id in saved]
        turns = [
            turn
            for said in talk["turns"]
            for turn in (Turn("assistant", said["before"] or "Go on."), Turn("user", said["turn"]))
        ]
        told = rules_reasoner().lessons(turns)
        heard = {lesson.turn // 2 for lesson in told if lesson.sure >= 1.0}
        for number, said in enumerate(talk["turns"]):
            taught = said["label"] != "none"
            found["taught" if taught else "quiet"] += 1
            found["kept" if taught else "false"] += number in heard
        book.session("talk").end(turns)
        wanted = {at for said in talk["turns"] for at in said["replaces"]}
        for at, id in enumerate(saved):
            if kept_before[at] != "active":
                continue
            status = _status(book, id)
            replaced = at in wanted
            found["replaced" if replaced else "holding"] += 1
            found["retired" if replaced else "harmed"] += status not in LIVE
            asked = status == "review" or _asked(book, id)
            found["asked" if replaced else "doubted"] += status in LIVE and asked
            if shown and (status not in LIVE) != replaced:
                by = book.get(id).superseded_by
                print(
                    f"{talk['id']}: {'should go' if replaced else 'should stay'}:"
                    f" {talk['memories'][at]} | {book.get(by).content if by else ''}"
                )
    return found


def _saved(book: Commonplace, text: str) -> str:
    """The id of a saved memory; empty for one with a code in it, which no book takes."""
    try:
        return book.save(text).id
    except Refused:
        return ""


def _status(book: Commonplace, id: str) -> str:
    return book.get(id).status if id else "refused"


def _asked(book: Commonplace, id: str) -> bool:
    return any(id in [one.id for one in entry.about] for entry in book.inbox())


if __name__ == "__main__":
    sys.exit(main())
