"""The bundled embedder, whose weights are a file of the package, and its tokenizer.

Needs no download, server or numpy: processes map the file into memory and share it. How it was
made is in `training/README.md`.
"""

from __future__ import annotations

import os
import sys
import unicodedata

from ...model.errors import EmbedderUnavailable
from .model_file import POSITIONS, ModelFile, Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .encoder import Encoder


UNKNOWN, START, END = 100, 101, 102
"""Ids of [UNK], [CLS] and [SEP] in the vocabulary."""
READ_CHARACTERS = 20_000
"""Characters read of a text: enough for more pieces than the model takes."""
WORD_CHARACTERS = 100
"""A longer word is unknown as a whole, as in the training of the model."""
CACHED_WORDS = 100_000

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPieceTokenizer:
    """Splits texts into pieces; `find` returns the id of a piece, or -1."""

    def __init__(self, find: Callable[[bytes], int]) -> None:
        self._find = find
        self._known: dict[str, tuple[int, ...]] = {}

    def read(self, text: str, *, limit: int) -> list[int]:
        """The ids of a text's pieces between START and END, at most `limit` in all."""
        pieces = [START]
        for word in split_words(text):
            pieces += self._known.get(word) or self._split(word)
            if len(pieces) >= limit:
                break
        return [*pieces[: limit - 1], END]

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > WORD_CHARACTERS:
            return (UNKNOWN,)
        if len(self._known) >= CACHED_WORDS:
            self._known.clear()
        self._known[word] = found = tuple(self._pieces(word))
        return found

    def _pieces(self, word: str) -> list[int]:
        found: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else f"##{word[start:end]}"
                if (number := self._find(piece.encode())) >= 0:
                    break
            else:
                return [UNKNOWN]
            found.append(number)
            start = end
        return found


def split_words(text: str) -> list[str]:
    """The words of a text before they are split into pieces."""
    text = text[:READ_CHARACTERS]
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)
    return text.translate(_characters).split()


class _Characters(dict[int, str]):
    """The replacement of each character, computed when first needed."""

    def __missing__(self, code: int) -> str:
        self[code] = replacement = _normalized(code)
        return replacement


def _normalized(code: int) -> str:
    character = chr(code)
    category = unicodedata.category(character)
    if character in "\t\n\r" or category[0] == "Z":
        return " "
    if category == "Mn" or category[0] == "C" or code == 0xFFFD:
        return ""
    # The model takes every ASCII sign for punctuation: `$`, `+` and `^` as well as `.`.
    sign = code < 128 and not character.isalnum()
    if sign or category[0] == "P" or any(low <= code <= high for low, high in _IDEOGRAPHS):
        return f" {character} "
    return character.lower()


_characters = _Characters()


FILE = os.path.join(os.path.dirname(__file__), "embedder.bin")
MODEL = "commonplace-1"
"""Changes with the file: vectors of other weights cannot be compared with those stored."""
ARITHMETIC_PACKAGE = "numkong"
BATCH_PIECES = 128
"""Pieces computed in one batch: as many as fit the processor's caches."""
FORMER_MODEL, FORMER_FILE = "all-MiniLM-L6-v2-int8", "models/minilm-8199be6f-2.bin"
"""The model before this one, and its file in the state folder of devices that used it."""


class BundledEmbedder:
    """An embedder that runs on this machine alone."""

    dimensions = 384
    unrelated = 0.2

    def __init__(self, path: str = FILE, model: str = MODEL) -> None:
        self.model = model
        self._path = path
        self._loaded: tuple[WordPieceTokenizer, Encoder] | None = None

    def ready(self) -> bool:
        """Whether the file is there and this machine can compute with it."""
        # The weights are little-endian and used without conversion.
        return sys.byteorder == "little" and os.path.exists(self._path) and has_arithmetic()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """One vector per text; questions and memories are embedded alike."""
        reader, encoder = self._loaded = self._loaded or self._load()
        vectors: list[bytes] = []
        try:
            for batch in _batches(reader.read(text, limit=POSITIONS) for text in texts):
                vectors += encoder.encode(batch)
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            raise EmbedderUnavailable(
                "The bundled model cannot read a text.",
                hint=_reinstall() if self.is_damaged() else "Set the embedder to none.",
            ) from error
        return vectors

    def is_damaged(self) -> bool:
        """Whether a byte of the model's file is not as it was shipped."""
        try:
            return not ModelFile(self._path).is_whole()
        except FileNotFoundError:
            return False
        except (OSError, ValueError, LookupError):
            return True

    def close(self) -> None:
        """Release the model."""
        self._loaded = None

    def _load(self) -> tuple[WordPieceTokenizer, Encoder]:
        try:
            model = ModelFile(self._path)
            from .encoder import Encoder

            return WordPieceTokenizer(Vocabulary(model).find), Encoder(model)
        except ImportError as error:
            raise EmbedderUnavailable(
                "The bundled model needs the package numkong.",
                hint="Run `pip install numkong`, or set the embedder to none.",
            ) from error
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise EmbedderUnavailable(
                f"The file of the bundled model cannot be used: {error}.", hint=_reinstall()
            ) from error


def _reinstall() -> str:
    from ...distribution import reinstall_command  # Most processes reinstall nothing.

    return f"Run `{reinstall_command()}`, or set the embedder to none."


def former_bundled(state: str) -> BundledEmbedder:
    """The bundled model before this one, which this device may still have in its state folder."""
    embedder = BundledEmbedder(os.path.join(state, FORMER_FILE), FORMER_MODEL)
    embedder.unrelated = 0.1
    return embedder


def _batches(texts: Iterator[list[int]]) -> Iterator[list[list[int]]]:
    batch: list[list[int]] = []
    size = 0
    for pieces in texts:
        if batch and size + len(pieces) > BATCH_PIECES:
            yield batch
            batch, size = [], 0
        batch.append(pieces)
        size += len(pieces)
    if batch:
        yield batch


def has_arithmetic() -> bool:
    """Whether the package for fast arithmetic is installed."""
    # importlib.util would do the same, but imports more modules.
    from importlib.machinery import PathFinder

    return PathFinder.find_spec(ARITHMETIC_PACKAGE) is not None
