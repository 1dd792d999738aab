"""The bundled reader: a judge, a listener and a checker, whose weights are files of the package.

All use the vocabulary and the vectors of pieces in the embedder's file. How they were made is in
`training/README.md`.
"""

from __future__ import annotations

import math
import os
import sys
from operator import mul

from ...distribution import reinstall_command
from ...model.errors import ReaderUnavailable
from ...model.identity import blake2b
from ...model.memory import Problem
from ...ports.reader import Heard, Related
from .bundled import END, FILE, START, WordPieceTokenizer, has_arithmetic
from .model_file import WIDTH, ModelFile, Vocabulary
from .reader_input import ANSWERS, RELATIONS, TURNS, read_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

HERE = os.path.dirname(__file__)
JUDGE, LISTENER, CHECKER = (
    os.path.join(HERE, name) for name in ("judge.bin", "listener.bin", "checker.bin")
)
JUDGE_PIECES, LISTENER_PIECES = 160, 192
"""Pieces read at once, as in training."""
CHECKER_PIECES = 96
"""Fewer than in training, where few texts were longer: somebody waits for the answer."""
TINY = 1e-12
MOST_READ = 4_096
_READ: dict[tuple[str, str], list[float]] = {}
"""Outputs for texts that a model has read in this process, by model file and hash of the texts.

A save, and the maintenance after it, compare the same notes."""
TURN_PIECES = 120
"""Pieces of a turn that are read; the rest is for the turn before it."""


class BundledReader:
    """A reader that runs on this machine alone."""

    def __init__(
        self,
        judge: str = JUDGE,
        listener: str = LISTENER,
        checker: str = CHECKER,
        pieces: str = FILE,
    ) -> None:
        self._paths = {"judge": judge, "listener": listener, "checker": checker}
        self._pieces = pieces
        self._tokenizer: WordPieceTokenizer | None = None
        self._networks: dict[str, _Network] = {}

    def ready(self) -> bool:
        """Whether this machine can compute with the files; `problems` checks the files."""
        return sys.byteorder == "little" and has_arithmetic()

    def problems(self) -> tuple[Problem, ...]:
        """Which of the models' files are missing or damaged."""
        return tuple(
            Problem(name, f"The file of the {name} is {state}; {WITHOUT[name]}", _reinstall())
            for name, path in self._paths.items()
            if (state := _file_state(path))
        )

    def relate(self, newer: str, older: str, *, context: str = "") -> Related:
        """How a newer text relates to an older note."""
        logits = self._logits("judge", (older, newer, context), JUDGE_PIECES)
        return Related(*_shares(logits, 0, self._network("judge").calibration))

    def hear(self, sentences: Sequence[str], *, before: str = "") -> Heard:
        """Classify a user's turn, and rate how much of each sentence is worth keeping."""
        network, tokenizer = self._network("listener"), self._reader()
        spans: list[tuple[int, int]] = []
        turn = [START]
        for sentence in sentences:
            pieces = tokenizer.read(sentence, limit=TURN_PIECES)[1:-1]
            spans.append((len(turn), min(len(turn) + len(pieces), TURN_PIECES - 1)))
            turn += pieces
        turn = [*turn[: TURN_PIECES - 1], END]
        pieces, segments = read_texts(tokenizer, (turn, before), limit=LISTENER_PIECES)
        states = network.encoder.states(pieces, segments)
        kept = tuple(network.kept(states, *span) for span in spans)
        none = TURNS.index("none")
        return Heard(*_shares(network.head(states[0]), none, network.calibration), kept=kept)

    def answers(self, question: str, text: str) -> float:
        """How much a text speaks to a question."""
        right, wrong = self._logits("checker", (question, text), CHECKER_PIECES)
        return right - wrong

    def close(self) -> None:
        """Release the models."""
        self._tokenizer = None
        self._networks.clear()

    def _logits(self, name: str, texts: tuple[str, ...], limit: int) -> list[float]:
        """How much some texts speak for each class; what was read lately is not read again."""
        network = self._network(name)
        key = self._paths[name], blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), 16)
        if (known := _READ.get(key)) is not None:
            return known
        try:
            pieces, segments = read_texts(self._reader(), texts, limit=limit)
            found = network.head(network.encoder.first_state(pieces, segments))
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            raise ReaderUnavailable(
                f"The bundled {name} cannot read these texts.", hint=_reinstall()
            ) from error
        if len(_READ) >= MOST_READ:
            _READ.clear()
        _READ[key] = found
        return found

    def _reader(self) -> WordPieceTokenizer:
        if self._tokenizer is None:
            self._tokenizer = WordPieceTokenizer(Vocabulary(ModelFile(self._pieces)).find)
        return self._tokenizer

    def _network(self, name: str) -> _Network:
        if name not in self._networks:
            try:
                self._networks[name] = _Network(
                    ModelFile(self._paths[name]), ModelFile(self._pieces), OUTPUTS[name]
                )
            except (OSError, ValueError, LookupError, TypeError, ImportError) as error:
                raise ReaderUnavailable(
                    f"The file of the bundled {name} cannot be used: {error}.", hint=_reinstall()
                ) from error
        return self._networks[name]


OUTPUTS = {"judge": len(RELATIONS), "listener": len(TURNS), "checker": len(ANSWERS)}
WITHOUT = {
    "judge": "rules alone tell whether two notes contradict each other.",
    "listener": "rules alone tell what a user wants to be remembered.",
    "checker": "words and vectors alone tell how sure an answer is.",
}


def _reinstall() -> str:
    return f"Run `{reinstall_command()}`."


def _file_state(path: str) -> str:
    """Whether a model's file is missing or damaged; empty if it is as it was shipped."""
    try:
        return "" if ModelFile(path).is_whole() else "damaged"
    except FileNotFoundError:
        return "missing"
    except (OSError, ValueError, LookupError):
        return "damaged"


class _Network:
    """The layers of one model, and its heads."""

    def __init__(self, model: ModelFile, pieces: ModelFile, outputs: int) -> None:
        # Imported here: it packs tables for this processor, and most commands read nothing.
        from .encoder import Encoder

        self.encoder = Encoder(model, pieces)
        self._matrix = model.floats("head.matrix")
        self._bias = model.floats("head.bias")
        scale, shift = model.floats("calibration")
        self.calibration = scale, shift
        self._kept = model.floats("kept.matrix") if model.has("kept.matrix") else None
        self._kept_bias = model.floats("kept.bias")[0] if self._kept else 0.0
        if len(self._matrix) != outputs * WIDTH or len(self._bias) != outputs:
            raise ValueError("its head has another shape")

    def head(self, state: Any) -> list[float]:
        """How much the state of the first piece speaks for each class."""
        own = memoryview(state).tolist()
        return [
            _dot(own, self._matrix[at * WIDTH : (at + 1) * WIDTH]) + bias
            for at, bias in enumerate(self._bias)
        ]

    def kept(self, states: Any, start: int, end: int) -> float:
        """The mean over some pieces of how likely each is worth keeping."""
        if start >= end or self._kept is None:
            return 0.0
        rows = (memoryview(states[at]).tolist() for at in range(start, end))
        found = [_dot(row, self._kept) + self._kept_bias for row in rows]
        return sum(1 / (1 + math.exp(-max(-30.0, min(30.0, one)))) for one in found) / len(found)


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(map(mul, one, other))


def _shares(logits: Sequence[float], chief: int, calibration: tuple[float, float]) -> list[float]:
    """The likelihood of each class; that of the chief one is as often right as it says."""
    highest = max(logits)
    powers = [math.exp(one - highest) for one in logits]
    rest = sum(powers) - powers[chief]
    margin = math.log(powers[chief] + TINY) - math.log(rest + TINY)
    share = 1 / (1 + math.exp(-(calibration[0] * margin + calibration[1])))
    return [
        share if at == chief else (1 - share) * one / (rest + TINY) for at, one in enumerate(powers)
    ]
