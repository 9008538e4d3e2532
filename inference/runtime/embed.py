"""Texts to vectors: tokens cut at the model's window, batched by length, pooled inside the ONNX graph."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from inference.contracts import (
    Json,
    PageInput,
    TextInput,
    Units,
    VersionSpec,
    WorkInput,
    WorkOutput,
    WorkRefused,
)
from inference.runtime.artifacts import artifact
from inference.runtime.hosted_session import HostedSession
from inference.runtime.length_batches import batches_by_length
from inference.runtime.once import OncePerKey
from inference.runtime.session_host import SessionHost
from inference.runtime.texts import WINDOW_TOKENS, check_texts, page_text

MAX_PAGE_WINDOWS = 16
"""A page is embedded up to 4096 tokens, several times what a dense A4 page holds."""
MAX_WINDOW_CHARACTERS = 32_768
"""Tokenizing time grows with the characters, and no sensible window of 256 tokens is longer."""
MAX_PADDED_TOKENS = 2048
MAX_PADDING_SHARE = 0.1

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Window:
    """Token ids of one run of text that the model sees at once."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TokenizedText:
    windows: tuple[Window, ...]
    truncated: bool
    """Whether text beyond the last window was left out."""


class EmbedRuntime:
    session_roles = ("weights",)

    def __init__(self, host: SessionHost) -> None:
        self._host = host
        self._tokenizers: OncePerKey[Tokenizer] = OncePerKey(_read_tokenizer)

    def load(self, spec: VersionSpec) -> None:
        self._tokenizers.get(artifact(spec, "tokenizer"))
        self._host.load(artifact(spec, "weights"), _warm_up)

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json]) -> WorkOutput:
        if isinstance(work, PageInput):
            return self._embed_page(spec, work)
        if isinstance(work, TextInput):
            return self._embed_texts(spec, work)
        raise WorkRefused("input_not_accepted", "an embedding model reads text, not tensors")

    def _embed_texts(self, spec: VersionSpec, work: TextInput) -> WorkOutput:
        check_texts(work)
        tokenizer = self._tokenizers.get(artifact(spec, "tokenizer"))
        texts = [tokenize(tokenizer, text, max_windows=1) for text in work.texts]
        windows = [text.windows[0] for text in texts]
        vectors = self._embed_windows(spec, windows)
        tokens = sum(len(window.ids) for window in windows)
        if work.single:
            return _answer(
                {"embedding": _to_json(vectors[0]), "truncated": texts[0].truncated}, vectors, tokens
            )
        cut = [position for position, text in enumerate(texts) if text.truncated]
        return _answer({"embeddings": _to_json(vectors), "truncated": cut}, vectors, tokens)

    def _embed_page(self, spec: VersionSpec, page: PageInput) -> WorkOutput:
        """One vector for the whole page: the mean of its windows, each weighing as much as it has tokens."""
        content = page_text(page)
        text = tokenize(
            self._tokenizers.get(artifact(spec, "tokenizer")), content, max_windows=MAX_PAGE_WINDOWS
        )
        vectors = self._embed_windows(spec, text.windows)
        weights = np.array([len(window.ids) for window in text.windows], np.float32)
        mean = weights @ vectors
        mean /= np.linalg.norm(mean)
        result = {"embedding": _to_json(mean), "truncated": text.truncated}
        return _answer(result, vectors, int(weights.sum()), pages=1)

    def _embed_windows(self, spec: VersionSpec, windows: Sequence[Window]) -> Vectors:
        lengths = [len(window.ids) for window in windows]
        batches = batches_by_length(
            lengths, max_padded_tokens=MAX_PADDED_TOKENS, max_padding_share=MAX_PADDING_SHARE
        )
        with self._host.session(artifact(spec, "weights"), _warm_up) as session:
            parts = [
                (batch, _run_batch(session, [windows[position] for position in batch])) for batch in batches
            ]
        vectors = np.empty((len(windows), parts[0][1].shape[1]), np.float32)
        for batch, part in parts:
            vectors[list(batch)] = part
        return vectors


def tokenize(tokenizer: Tokenizer, text: str, *, max_windows: int) -> TokenizedText:
    max_characters = max_windows * MAX_WINDOW_CHARACTERS
    encoding = tokenizer.encode(text[:max_characters])
    windows = [encoding, *encoding.overflowing]
    return TokenizedText(
        tuple(Window(tuple(window.ids)) for window in windows[:max_windows]),
        truncated=len(windows) > max_windows or len(text) > max_characters,
    )


def _read_tokenizer(path: str) -> Tokenizer:
    tokenizer = Tokenizer.from_file(path)
    tokenizer.enable_truncation(WINDOW_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _run_batch(session: HostedSession, windows: Sequence[Window]) -> Vectors:
    longest = max(len(window.ids) for window in windows)
    ids = np.zeros((len(windows), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
    vectors: Vectors = session.run({"input_ids": ids, "attention_mask": mask})[0]
    return vectors


def _warm_up(session: HostedSession) -> None:
    _run_batch(session, [Window((101, 7592, 102))])


def _to_json(vectors: Vectors) -> Iterable[Json]:
    # Eight decimals keep all that a float32 of a unit vector says, in half the characters.
    numbers: list[Json] = vectors.astype(np.float64).round(8).tolist()
    return numbers


def _answer(result: Mapping[str, Json], vectors: Vectors, tokens: int, pages: int = 0) -> WorkOutput:
    return WorkOutput(
        {**result, "dimensions": vectors.shape[1], "tokens": tokens}, Units(pages=pages, tokens=tokens)
    )
