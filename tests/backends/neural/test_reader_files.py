"""The bundled reader's files: what happens when one of them is no good."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.backends.neural import reader
from commonplace.backends.neural.reader import BundledReader
from commonplace.backends.reasoners.rules import RulesReasoner
from commonplace.model.errors import ReaderUnavailable
from commonplace.rules.relations import contradiction
from tests.conftest import OpenBook

OLD, NEW = "Our deploy branch is main", "We release from the branch trunk these days"
DAMAGES = ("missing", "empty", "cut", "one byte")


def spoil(path: Path, damage: str) -> None:
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    path.unlink()  # It may be a link to the shipped file, which must stay whole.
    if damage != "missing":
        path.write_bytes({"empty": b"", "cut": whole[:-64], "one byte": bytes(changed)}[damage])


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Files of the reader that a test may spoil."""
    made: dict[str, Path] = {}
    shipped_files = {
        "judge": reader.JUDGE,
        "listener": reader.LISTENER,
        "checker": reader.CHECKER,
    }
    for name, shipped in shipped_files.items():
        made[name] = tmp_path / f"{name}.bin"
        os.symlink(shipped, made[name])
    paths = tuple(map(str, made.values()))
    monkeypatch.setattr(BundledReader.__init__, "__defaults__", (*paths, reader.FILE))
    return made


def test_whole_files_are_no_problem(files: dict[str, Path], open_vault: OpenBook) -> None:
    book = open_vault()
    assert BundledReader().problems() == ()
    assert book.status().reasoner == "rules"
    assert [one for one in book.doctor() if one.where in files] == []


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["judge", "listener", "checker"])
def test_status_and_doctor_name_a_file_that_is_no_good(
    files: dict[str, Path], open_vault: OpenBook, name: str, damage: str
) -> None:
    spoil(files[name], damage)
    book = open_vault()
    [problem] = [one for one in book.doctor() if one.where in files]
    said = "missing" if damage == "missing" else "damaged"
    assert problem.where == name
    assert problem.what.startswith(f"The file of the {name} is {said}; ")
    assert "--force-reinstall" in problem.hint
    assert problem.what in book.status().reasoner


@pytest.mark.parametrize("damage", DAMAGES[:3])
def test_rules_answer_where_the_judge_cannot(files: dict[str, Path], damage: str) -> None:
    spoil(files["judge"], damage)
    with pytest.raises(ReaderUnavailable, match="cannot be used") as caught:
        BundledReader().relate(NEW, OLD)
    assert "--force-reinstall" in (caught.value.hint or "")
    judged = RulesReasoner(BundledReader()).judge(NEW, OLD)
    assert judged == contradiction.judge(NEW, OLD)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_book_goes_on_without_its_models(
    files: dict[str, Path], open_vault: OpenBook, damage: str
) -> None:
    for path in files.values():
        spoil(path, damage)
    book: Commonplace = open_vault()
    book.save("The port of the gateway is 8080")
    assert book.save("The port of the gateway is 9090").action in ("superseded", "created")
    assert book.maintain().ran
    assert "9090" in book.recall("port of the gateway")[0].memory.content


def test_the_judge_works_without_the_listener(files: dict[str, Path]) -> None:
    before = BundledReader().relate(NEW, OLD)
    spoil(files["listener"], "missing")
    assert BundledReader().relate(NEW, OLD) == before


def test_the_first_state_alone_is_the_first_of_all_states() -> None:
    from commonplace.backends.neural.reader import JUDGE_PIECES
    from commonplace.backends.neural.reader_input import read_texts

    own = BundledReader()
    encoder = own._network("judge").encoder  # pyright: ignore[reportPrivateUsage]
    tokenizer = own._reader()  # pyright: ignore[reportPrivateUsage]
    for texts in (("tea", "tea"), (OLD, NEW), (f"{OLD}. " * 30, NEW)):
        pieces, segments = read_texts(tokenizer, texts, limit=JUDGE_PIECES)
        alone, together = encoder.first_state(pieces, segments), encoder.states(pieces, segments)[0]
        assert memoryview(alone).tolist() == pytest.approx(memoryview(together).tolist(), abs=1e-4)


def test_without_a_checker_words_tell_how_sure_an_answer_is(
    files: dict[str, Path], open_vault: OpenBook
) -> None:
    files["checker"].unlink()
    book = open_vault(embedder="bundled")
    book.save("billing listens on 8443")
    found = book.recall("Which port does billing listen on?")
    assert (len(found), found.sureness) == (1, None)
