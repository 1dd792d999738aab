"""Every program in training/ runs, on a model of random numbers and a handful of texts."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from array import array
from math import sqrt
from operator import mul
from pathlib import Path

import pytest

from commonplace.backends.neural.model_file import ModelFile
from commonplace.backends.neural.ranker import BundledRanker
from commonplace.rules.ranking.features import NAMES

pytestmark = pytest.mark.slow

TRAINING = Path(__file__).parents[2] / "training"
RANDOM_BASE = """
import sys
from pathlib import Path
import bert, numpy as np
chance = np.random.default_rng(0)
shapes = {"pieces": (30_522, 384), "positions": (512, 384), "segments": (2, 384)}
for name, (given, made) in {
    "query": (384, 384), "key": (384, 384), "value": (384, 384),
    "merge": (384, 384), "rise": (384, 1536), "fall": (1536, 384),
}.items():
    shapes[f"layer.{name}.matrix"] = (6, given, made)
params = {name: chance.normal(0, 0.02, shape) for name, shape in shapes.items()}
for name in ("query", "key", "value", "merge", "rise", "fall"):
    params[f"layer.{name}.bias"] = np.zeros((6, shapes[f"layer.{name}.matrix"][2]))
for name in ("norm", "layer.merge.norm", "layer.fall.norm"):
    rows = (6, 384) if name.startswith("layer") else (384,)
    params[f"{name}.scale"], params[f"{name}.bias"] = np.ones(rows), np.zeros(rows)
bert.save(params, Path(sys.argv[1]))
"""


SIX_LAYERS = """
import sys
from pathlib import Path
import bert, numpy as np
params = bert.load(Path(sys.argv[1]))
layers = {n: np.repeat(v, 6, axis=0) for n, v in params.items() if n.startswith("layer.")}
bert.save(params | layers, Path(sys.argv[2]))
"""


RANDOM_LARGE = """
import json, sys
from pathlib import Path
import numpy as np
chance, width = np.random.default_rng(1), 48
shapes = {
    "embeddings.word_embeddings.weight": (30_527, width),
    "embeddings.position_embeddings.weight": (514, width),
    "embeddings.LayerNorm.weight": (width,), "embeddings.LayerNorm.bias": (width,),
    "encoder.relative_attention_bias.weight": (32, 12),
}
parts = {f"attention.attn.{name}": (width, width) for name in "qkvo"}
parts |= {"intermediate.dense": (96, width), "output.dense": (width, 96)}
for name, shape in parts.items():
    shapes |= {f"encoder.layer.0.{name}.weight": shape, f"encoder.layer.0.{name}.bias": shape[:1]}
for name in ("attention.LayerNorm", "output.LayerNorm"):
    shapes |= {f"encoder.layer.0.{name}.{part}": (width,) for part in ("weight", "bias")}
table, content = {}, b""
for name, shape in shapes.items():
    data = chance.normal(0, 0.02, shape).astype(np.float16).tobytes()
    at = [len(content), len(content) + len(data)]
    table[name] = {"dtype": "F16", "shape": list(shape), "data_offsets": at}
    content += data
head = json.dumps(table).encode()
Path(sys.argv[1]).write_bytes(len(head).to_bytes(8, "little") + head + content)
"""
"""An MPNet as its file has it, of one narrow layer."""


def run(*arguments: object) -> str:
    """What a program in training/ prints."""
    given = [sys.executable, *map(str, arguments)]
    done = subprocess.run(
        given, check=False, cwd=TRAINING, capture_output=True, text=True,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("base") / "base.safetensors"
    run("-c", RANDOM_BASE, path)
    return path


@pytest.fixture(scope="module")
def dialogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dialogues") / "dialogues.json.gz"
    turns = ["Did you water the plants?", "Yes, this morning.", "And the fig tree?", "Not yet."]
    asked = {"source": "friends", "question": "What has not been watered?", "evidence": [2, 3]}
    content = {
        "conversations": {f"friends/{n}": turns for n in range(8)},
        "questions": [{"conversation": f"friends/{n}", **asked} for n in range(8)],
    }
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    return path


def test_an_embedder_is_trained_and_packed(base: Path, dialogues: Path, tmp_path: Path) -> None:
    trained, packed = tmp_path / "trained.safetensors", tmp_path / "embedder.bin"
    said = run(
        "embedder.py", base, trained, "--dialogues", dialogues,
        "--small", "--epochs", 1, "--seeds", 1,
    )  # fmt: skip
    assert "mean of seeds" in said
    # One layer was trained; the file of the package has six.
    run("pack.py", base, packed, "--pieces", base)
    assert ModelFile(str(packed)).is_whole()


def test_an_embedder_learns_from_a_larger_one(base: Path, dialogues: Path, tmp_path: Path) -> None:
    large, told = tmp_path / "large", tmp_path / "told.npz"
    run("-c", RANDOM_LARGE, large)
    few = ("--dialogues", dialogues, "--small", "--epochs", 1, "--seeds", 1)
    run("embedder.py", large, told, "--teach", *few)
    said = run("embedder.py", base, tmp_path / "trained.safetensors", "--told", told, *few)
    assert "mean of seeds" in said


@pytest.mark.parametrize("task", ["judge", "listener", "checker"])
def test_a_reader_is_trained_and_packed(
    task: str, base: Path, dialogues: Path, tmp_path: Path
) -> None:
    trained, packed = tmp_path / f"{task}.safetensors", tmp_path / f"{task}.bin"
    more = ("--dialogues", dialogues) if task == "checker" else ("--elsewhere", "freesia")
    said = run("reader.py", task, base, trained, "--small", "--epochs", 1, "--seeds", 2, *more)
    assert ("mean: " if task == "checker" else "mean, taught") in said
    # One layer was trained; the file of the package has six.
    run("-c", SIX_LAYERS, trained, tmp_path / "six.safetensors")
    run("pack.py", tmp_path / "six.safetensors", packed)
    assert ModelFile(str(packed)).is_whole()
    assert ModelFile(str(packed)).has("calibration")


def test_a_judge_learns_from_what_a_larger_network_says(base: Path, tmp_path: Path) -> None:
    large, told = tmp_path / "large", tmp_path / "told.npz"
    run("-c", RANDOM_LARGE, large)
    few = ("--small", "--epochs", 1, "--seeds", 1)
    said = run("reader.py", "judge", large, told, "--teach", *few)
    assert "teacher: " in said
    assert "told by the teachers" in said
    more = ("--told", told, "--start", base, "--batch", 32)
    said = run("reader.py", "judge", base, tmp_path / "judge.safetensors", *more, *few)
    assert "mean: " in said
    assert "taught" not in said


def test_judges_are_averaged(base: Path, tmp_path: Path) -> None:
    pieces, trained = tmp_path / "embedder.bin", tmp_path / "judge.safetensors"
    run("pack.py", base, pieces, "--pieces", base)
    run("reader.py", "judge", base, trained, "--small", "--epochs", 0.5, "--seeds", 1)
    made = tmp_path / "mean.safetensors"
    said = run("mean.py", made, trained, trained, "--pieces", pieces, "--small")
    assert "64 look-alikes" in said
    run("-c", SIX_LAYERS, made, tmp_path / "six.safetensors")
    run("pack.py", tmp_path / "six.safetensors", tmp_path / "judge.bin")
    assert ModelFile(str(tmp_path / "judge.bin")).has("calibration")


def test_a_ranker_is_trained_from_what_the_product_finds(
    base: Path, dialogues: Path, tmp_path: Path
) -> None:
    vectors, rows, table = tmp_path / "vectors", tmp_path / "rows.npz", tmp_path / "ranker.bin"
    alone = tmp_path / "alone.npz"
    run(
        "embedder.py", base, vectors, "--dialogues", dialogues,
        "--held-out", "--small", "--epochs", 1,
    )  # fmt: skip
    for notes in ([], ["--notes"]):
        run("candidates.py", vectors, rows, "--dialogues", dialogues, "--small", *notes)
    run("candidates.py", vectors, alone, "--dialogues", dialogues, "--small", "--alone")
    said = run("ranker.py", rows, table, "--also", alone, "--trees", 3)
    assert "training: {'all@10'" in said
    ranker = BundledRanker(str(table), columns=len(NAMES))
    assert len(ranker.factors([[0.0] * len(NAMES)] * 3)) == 3


def test_words_of_secrets_are_learned(tmp_path: Path) -> None:
    made = tmp_path / "secret_words.bin"
    run("secret_words.py", made)
    shipped = TRAINING.parent / "src/commonplace/rules/screening/secret_words.bin"
    one, other = (array("b", path.read_bytes()) for path in (made, shipped))
    assert len(one) == len(other)
    # Pages and pairs are among the ordinary notes: each new one changes all weights a little.
    alike = sumprod(one, other) / sqrt(sumprod(one, one) * sumprod(other, other))
    assert alike > 0.8, "what is shipped was learned from these sentences"


def sumprod(one: array[int], other: array[int]) -> int:
    return sum(map(mul, one, other))
