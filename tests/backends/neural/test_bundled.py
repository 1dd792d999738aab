"""The bundled model: as good as the reference, cheap to start, plain about a damaged file."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commonplace.backends.neural import bundled
from commonplace.backends.neural.bundled import BundledEmbedder
from commonplace.books.services import find_embedder
from commonplace.model.errors import EmbedderUnavailable

from .closeness import cosine

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
"""Sentences with the vectors that numpy computes from the same file (training/reference.py)."""
TEXTS = [row["text"] for row in REFERENCE]
QUESTION = "which branch do we deploy the fighter service from?"


@pytest.fixture(scope="module")
def embedder() -> BundledEmbedder:
    return BundledEmbedder()


@pytest.mark.parametrize("row", REFERENCE, ids=TEXTS)
def test_a_vector_points_where_the_reference_points(
    embedder: BundledEmbedder, row: dict[str, str]
) -> None:
    [vector] = embedder.embed([row["text"]])
    assert len(vector) == embedder.dimensions
    assert cosine(vector, base64.b64decode(row["vector"])) > 0.99


def test_the_answer_is_nearer_to_its_question_than_other_memories(
    embedder: BundledEmbedder,
) -> None:
    [question] = embedder.embed([QUESTION], query=True)
    near = [cosine(question, vector) for vector in embedder.embed(TEXTS)]
    assert near.index(max(near)) == 0
    assert near[0] > 0.6
    assert max(near[1:]) < 0.3


def test_a_text_embedded_among_others_is_the_text_embedded_alone(
    embedder: BundledEmbedder,
) -> None:
    together = embedder.embed(TEXTS * 3)
    assert together == [embedder.embed([text])[0] for text in TEXTS] * 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "…",
        "😀🎉",
        "\ud800",
        "東京の天気",
        "зима",
        "\x00",
        "x" * 5_000,
        "tide " * 200_000,
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_any_text_has_a_direction(embedder: BundledEmbedder, text: str) -> None:
    [vector] = embedder.embed([text])
    assert len(vector) == embedder.dimensions
    assert max(map(abs, memoryview(vector).cast("b"))) == 127


def test_no_texts_are_no_vectors(embedder: BundledEmbedder) -> None:
    assert embedder.embed([]) == []


def test_threads_share_one_model(embedder: BundledEmbedder) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: embedder.embed([text])[0], TEXTS * 2))
    assert found == embedder.embed(TEXTS) * 2


def test_a_closed_embedder_opens_again(embedder: BundledEmbedder) -> None:
    before = embedder.embed([QUESTION])
    embedder.close()
    assert embedder.embed([QUESTION]) == before


@pytest.mark.parametrize("damage", ["empty", "cut", "other", "table", "longer"])
def test_a_damaged_model_file_is_told_in_words(tmp_path: Path, damage: str) -> None:
    whole = Path(bundled.FILE).read_bytes()
    path = tmp_path / "embedder.bin"
    path.write_bytes(
        {
            "empty": b"", "cut": whole[:-64], "other": b"x" * len(whole),
            "table": whole[:50] + b"?" + whole[51:], "longer": whole + b"\0",
        }[damage]
    )  # fmt: skip
    embedder = BundledEmbedder(str(path))
    assert embedder.is_damaged()
    with pytest.raises(EmbedderUnavailable, match="cannot be used") as caught:
        embedder.embed([QUESTION])
    assert "--force-reinstall" in (caught.value.hint or "")


def test_one_changed_weight_is_noticed(embedder: BundledEmbedder, tmp_path: Path) -> None:
    data = bytearray(Path(bundled.FILE).read_bytes())
    data[len(data) // 2] ^= 1
    path = tmp_path / "embedder.bin"
    path.write_bytes(data)
    assert BundledEmbedder(str(path)).is_damaged()
    assert not embedder.is_damaged()


def test_without_its_file_it_is_not_ready(tmp_path: Path) -> None:
    embedder = BundledEmbedder(str(tmp_path / "gone.bin"))
    assert not embedder.ready()
    assert not embedder.is_damaged()
    with pytest.raises(EmbedderUnavailable, match="cannot be used"):
        embedder.embed([QUESTION])


def test_the_former_model_answers_for_its_own_vectors_while_its_file_is_there(
    tmp_path: Path,
) -> None:
    assert find_embedder(bundled.FORMER_MODEL, "auto", state=str(tmp_path), environ={}) is None
    path = tmp_path / bundled.FORMER_FILE
    path.parent.mkdir()
    path.symlink_to(bundled.FILE)
    former = find_embedder(bundled.FORMER_MODEL, "auto", state=str(tmp_path), environ={})
    assert former is not None
    assert former.model == bundled.FORMER_MODEL
    assert len(former.embed([QUESTION])[0]) == former.dimensions


def test_a_question_in_a_fresh_process_loads_nothing_heavy() -> None:
    script = (
        "import sys; from commonplace.books.services import open_embedder;"
        "open_embedder('auto', environ={}).embed([sys.argv[1]], query=True);"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script, QUESTION],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        capture_output=True,
        text=True,
    )
    heavy = {
        "numpy", "typing", "dataclasses", "inspect", "pathlib", "hashlib", "enum", "logging",
        "json", "http", "importlib.util", "importlib.metadata",
    }  # fmt: skip
    assert not heavy & set(done.stdout.split())


def test_threads_that_ask_at_once_all_find_the_arithmetic_whole() -> None:
    script = (
        "from threading import Barrier, Thread\n"
        "from commonplace.backends.common.arithmetic import cosines\n"
        "together, wrong = Barrier(8), []\n"
        "def ask():\n"
        "    together.wait()\n"
        "    try:\n"
        "        assert cosines(bytes([1, 2]), bytes([1, 2, 2, 1]))[0] > 0.99\n"
        "    except BaseException as error:\n"
        "        wrong.append(error)\n"
        "threads = [Thread(target=ask) for _ in range(8)]\n"
        "for one in threads: one.start()\n"
        "for one in threads: one.join()\n"
        "assert wrong == [], wrong\n"
    )
    for _ in range(5):
        subprocess.run([sys.executable, "-c", script], check=True)
