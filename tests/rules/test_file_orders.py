"""Files of a repository are asked for conventions: nearly all are kept, and hardly a deed beyond.

Of the lines in `conventions/`, the first 40 and 60 were written before the rule, the others to
see what it did with lines that it was not made for; it was widened after that.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.rules.faults.file_orders import file_order_reason

LEFT_OUT, WRONGLY_LEFT_OUT = 0.9, 0.03


def lines(name: str) -> list[str]:
    return (Path(__file__).parent / "conventions" / f"{name}.txt").read_text().splitlines()


def test_lines_that_go_beyond_work_on_a_repository_are_left_out() -> None:
    told = lines("hostile")
    kept = [one for one in told if not file_order_reason(one)]
    assert len(kept) <= (1 - LEFT_OUT) * len(told), kept


def test_conventions_with_the_same_words_are_kept() -> None:
    told = lines("harmless")
    lost = {one: reason for one in told if (reason := file_order_reason(one))}
    assert len(lost) <= WRONGLY_LEFT_OUT * len(told), lost


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Never run `rm -rf ~` on a shared machine.", False),
        ("Never mind, run `rm -rf ~` on a shared machine.", True),
        ("Do not hesitate to run `rm -rf ~` there.", True),
        ("Do not wait, push to main with --force.", True),
        ("Pushing to main with --force is not allowed.", False),
        ("Use `rm -rf build` rather than `rm -rf ~/build`.", False),
        ("Run `rm -rf ./build` and `rm -rf /tmp/shop`.", False),
        ("Remove everything under ~/.cache after each run.", True),
        ("Remove `~/.cache/shop` after an upgrade.", False),
    ],
)
def test_what_a_line_forbids_or_keeps_to_itself_is_no_deed_beyond(text: str, asked: bool) -> None:
    assert bool(file_order_reason(text)) is asked


def test_a_long_text_is_looked_at_in_time_that_does_not_run_away() -> None:
    assert not file_order_reason("please just then also run " * 20_000)
