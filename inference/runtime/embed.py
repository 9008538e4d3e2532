"""Texts to vectors: tokens are cut at the model's window, batched by length, and pooled inside the ONNX graph."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.batching.batch_run import Ended
from inference.batching.batcher import Piece
from inference.batching.limits import BatchLimits
from inference.core.calls import Call, RunControl
from inference.core.contracts import (
    Json,
    PageInput,
    TextInput,
    TokenInput,
    Units,
    VersionSpec,
    WorkInput,
    WorkOutput,
    WorkRefused,
)
from inference.core.errors import ModelFailed
from inference.runtime.batched import (
    EMBED_LIMITS,
    WHOLE_EMBED_LIMITS,
    Asked,
    Begins,
    Part,
    Ready,
    RunOnSession,
    SessionBatchers,
)
from inference.runtime.fixed_size_runs import WHOLE_LENGTHS, whole_length, whole_rows
from inference.runtime.made_once import OncePerKey
from inference.runtime.native import read_tokenizer
from inference.runtime.parameters import TRUNCATE
from inference.runtime.precision import artifact
from inference.runtime.session import Session
from inference.runtime.session_host import SessionHost
from inference.runtime.tensors import VECTORS
from inference.runtime.texts import (
    WINDOW_TOKENS,
    Marks,
    check_texts,
    check_tokens,
    name_of,
    page_text,
    read_tokens,
    too_long,
)

MAX_PAGE_WINDOWS = 16
"""The number of embedded windows of a page: 4096 tokens, several times what a dense A4 page holds."""
MAX_WINDOW_CHARACTERS = 32_768
"""The most characters of a window. Tokenizing time grows with them, and no sensible window is longer."""

SOON_SPLIT_CHARACTERS = 8_192
SOON_SPLIT_TEXTS = 16
"""The most texts that are tokenized without a thread, which takes some milliseconds up to both limits."""

Vectors = npt.NDArray[np.float32]
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Window:
    """The token ids of a part of a text that the model sees at once."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TokenizedText:
    windows: tuple[Window, ...]
    truncated: bool
    """Set if text beyond the last window was left out."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a caller, with a window for each."""

    windows: Sequence[Window]
    single: bool
    cut: Sequence[int]
    """The positions of the texts that were longer than their windows."""


@dataclass(frozen=True, slots=True)
class TextTokenizer:
    encoder: Any
    """The encoder. It cuts at the window and does not pad rows."""
    marks: Marks


class EmbedRuntime:
    session_roles = ("weights",)
    may_use_gpu = True

    def __init__(self, host: SessionHost, batchers: SessionBatchers) -> None:
        self._host = host
        self._batchers = batchers
        self._tokenizers: OncePerKey[TextTokenizer] = OncePerKey()

    def load(self, spec: VersionSpec) -> None:
        self._tokenizer(spec)
        self._host.load(self._weights(spec), self._warm_up(spec), name=spec.key, at_once=True)

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call) -> WorkOutput:
        cuts = bool(parameters.get(TRUNCATE.name, TRUNCATE.default))
        match work:
            case PageInput():
                return self._embed_page(spec, work, cuts, call)
            case TextInput():
                return self._embed_texts(spec, work, cuts, call)
            case TokenInput():
                return self._embed_tokens(spec, work, call)
        raise WorkRefused("input_not_accepted", "an embedding model reads text, not tensors")

    def begin(self, spec: VersionSpec, asked: Sequence[Asked], ended: Ended) -> Begins:
        """Start the work as in `BeginsRuns.begin`. A thread must do work whose tokenizing would hold up the caller."""

        def prepare(_session: Session, one: Asked) -> Ready | None:
            if not isinstance(one.work, TextInput) or not _soon_split(one.work):
                return None
            cuts = bool(one.parameters.get(TRUNCATE.name, TRUNCATE.default))
            texts = self._windows(spec, one.work, cuts, one.call)
            return Ready(self._pieces(spec, texts.windows), lambda vectors: _answer_texts(texts, np.stack(vectors)))

        of, run, limits = Part(spec.key, "weights"), self._runner(spec), self._limits(spec)
        return self._batchers.begin(self._weights(spec), asked, prepare, run, of=of, limits=limits, ended=ended)

    def rows_together(self, spec: VersionSpec) -> int:
        return self._batchers.limits_of(Part(spec.key, "weights"), self._limits(spec)).max_rows

    def _embed_texts(self, spec: VersionSpec, work: TextInput, cuts: bool, call: Call) -> WorkOutput:
        texts = self._windows(spec, work, cuts, call)
        return _answer_texts(texts, self._embed_windows(spec, texts.windows, call))

    def _windows(self, spec: VersionSpec, work: TextInput, cuts: bool, call: Call) -> Texts:
        check_texts(work)
        encoder = self._tokenizer(spec).encoder
        windows, cut = [], []
        for position, text in enumerate(work.texts):
            call.check()
            tokenized = tokenize(encoder, text, max_windows=1)
            if tokenized.truncated:
                if not cuts:
                    raise too_long(name_of(position, single=work.single), f"{len(text)} characters")
                cut.append(position)
            windows.append(tokenized.windows[0])
        return Texts(windows, work.single, cut)

    def _embed_tokens(self, spec: VersionSpec, work: TokenInput, call: Call) -> WorkOutput:
        check_tokens(work)
        tokenizer, windows = self._tokenizer(spec), []
        for position, row in enumerate(work.rows):
            call.check()
            name = name_of(position, single=work.single)
            windows.append(Window(read_tokens(tokenizer.encoder, tokenizer.marks, row, name)))
        return _answer_texts(Texts(windows, work.single, []), self._embed_windows(spec, windows, call))

    def _embed_page(self, spec: VersionSpec, page: PageInput, cuts: bool, call: Call) -> WorkOutput:
        """Return a vector for the whole page: the mean of its windows, each weighted by its number of tokens."""
        content = page_text(page)
        text = tokenize(self._tokenizer(spec).encoder, content, max_windows=MAX_PAGE_WINDOWS)
        if text.truncated and not cuts:
            raise too_long("the page", f"{len(content)} characters", windows=MAX_PAGE_WINDOWS)
        vectors = self._embed_windows(spec, text.windows, call)
        weights = np.array([len(window.ids) for window in text.windows], np.float32)
        mean = weights @ vectors
        mean /= np.linalg.norm(mean)
        return _answer(mean, text.truncated, tuple(len(window.ids) for window in text.windows), pages=1)

    def _embed_windows(self, spec: VersionSpec, windows: Sequence[Window], call: Call) -> Vectors:
        warm_up = self._warm_up(spec)
        with self._host.session(self._weights(spec), warm_up, call=call, name=spec.key, at_once=True) as session:
            rows = self._batchers.run(
                session,
                self._pieces(spec, windows),
                self._runner(spec),
                of=Part(spec.key, "weights"),
                limits=self._limits(spec),
                call=call,
            )
        return np.stack(rows)

    def _limits(self, spec: VersionSpec) -> BatchLimits:
        return WHOLE_EMBED_LIMITS if self._host.on_gpu else EMBED_LIMITS

    def _runner(self, spec: VersionSpec) -> RunOnSession:
        return _run_whole if self._host.on_gpu else _run_batch

    def _warm_up(self, spec: VersionSpec) -> Callable[[Session], None]:
        return _warm_up_whole if self._host.on_gpu else _warm_up

    def _pieces(self, spec: VersionSpec, windows: Sequence[Window]) -> list[Piece[Window]]:
        lengths = [len(window.ids) for window in windows]
        if self._host.on_gpu:
            wholes = map(whole_length, lengths)
            return [Piece(window, whole, group=whole) for window, whole in zip(windows, wholes, strict=True)]
        return [
            Piece(*window_and_length) for window_and_length in zip(windows, map(padded_length, lengths), strict=True)
        ]

    def _tokenizer(self, spec: VersionSpec) -> TextTokenizer:
        path = artifact(spec, "tokenizer")
        return self._tokenizers.get(path, lambda: _read_tokenizer(path))

    def _weights(self, spec: VersionSpec) -> str:
        return artifact(spec, "weights", on_gpu=self._host.on_gpu)


def _soon_split(work: TextInput) -> bool:
    return len(work.texts) <= SOON_SPLIT_TEXTS and sum(map(len, work.texts)) <= SOON_SPLIT_CHARACTERS


def padded_length(tokens: int) -> int:
    """Return a length for the same vector as at any greater one: ONNX Runtime sums attention in steps of four."""
    return tokens + 1 if tokens % 4 == 3 else tokens


def tokenize(tokenizer: Any, text: str, *, max_windows: int) -> TokenizedText:
    max_characters = max_windows * MAX_WINDOW_CHARACTERS
    encoding = tokenizer.encode(text[:max_characters])
    windows = [encoding, *encoding.overflowing]
    return TokenizedText(
        tuple(Window(tuple(window.ids)) for window in windows[:max_windows]),
        truncated=len(windows) > max_windows or len(text) > max_characters,
    )


def _read_tokenizer(path: str) -> TextTokenizer:
    encoder = read_tokenizer(path)
    padding = encoder.padding["pad_id"] if encoder.padding else None
    encoder.enable_truncation(WINDOW_TOKENS)
    encoder.no_padding()
    return TextTokenizer(encoder, Marks.of(encoder, padding=padding))


def _run_batch(
    session: Session, windows: Sequence[Window], length: int, control: RunControl | None = None
) -> list[Vector]:
    ids = np.zeros((len(windows), length), np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
    vectors: Vectors = session.run({"input_ids": ids, "attention_mask": mask}, control=control)[0]
    if not np.isfinite(vectors).all():
        raise ModelFailed("model_output_not_finite", "the model answered with NaN or infinity")
    return list(vectors)


def _run_whole(
    session: Session, windows: Sequence[Window], length: int, control: RunControl | None = None
) -> list[Vector]:
    rows, vectors = whole_rows(length), list[Vector]()
    for start in range(0, len(windows), rows):
        part = windows[start : start + rows]
        filled = [*part, *[part[-1]] * (rows - len(part))]
        vectors += _run_batch(session, filled, length, control)[: len(part)]
    return vectors


def _warm_up_whole(session: Session) -> None:
    """Run every size that will be requested, because a GPU's libraries take their time for the first run of a size."""
    for length in WHOLE_LENGTHS:
        _run_whole(session, [Window((101, 7592, 102))], length)


def _warm_up(session: Session) -> None:
    window = Window((101, 7592, 102))
    _run_batch(session, [window], padded_length(len(window.ids)))


def _answer_texts(texts: Texts, vectors: Vectors) -> WorkOutput:
    tokens = tuple(len(window.ids) for window in texts.windows)
    if texts.single:
        return _answer(vectors[0], bool(texts.cut), tokens)
    return _answer(vectors, list(texts.cut), tokens)


def _answer(vectors: Vectors, truncated: Json, row_tokens: tuple[int, ...], pages: int = 0) -> WorkOutput:
    tokens = sum(row_tokens)
    fields = {"truncated": truncated, "dimensions": vectors.shape[-1], "tokens": tokens}
    units = Units(pages=pages, tokens=tokens)
    return WorkOutput(fields, units, tensors={VECTORS: vectors}, row_tokens=() if pages else row_tokens)
