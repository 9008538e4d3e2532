"""Reads a page, from its own text or from its picture, and says what kind of document it is."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np

from inference.contracts import (
    Json,
    PageInput,
    TextInput,
    TextLine,
    Units,
    VersionSpec,
    WorkInput,
    WorkOutput,
    WorkRefused,
)
from inference.pipelines.classification import NOTHING_TO_CLASSIFY, Vectors, classify, prototype_sentences
from inference.pipelines.steps import StepRunner, run_step, step_spec
from inference.runtime.once import OncePerKey
from inference.runtime.texts import check_texts

OCR, EMBED = "ocr", "embed"


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page whose text is known, from wherever it came."""

    source: str
    """`text_layer`, `ocr`, or `text` for a text that was sent as such."""
    lines: tuple[TextLine, ...]
    width: int
    height: int

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


class ParsePipeline:
    session_roles: tuple[str, ...] = ()

    def __init__(self, runner: StepRunner) -> None:
        self._runner = runner
        self._embedders: dict[str, VersionSpec] = {}
        self._prototypes: OncePerKey[Vectors] = OncePerKey(self._embed_prototypes)

    def load(self, spec: VersionSpec) -> None:
        self._prototypes_of(spec)

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json]) -> WorkOutput:
        page = self._read(spec, work, parameters)
        result: dict[str, Json] = {
            "text": page.text,
            "lines": [asdict(line) for line in page.lines],
            "width": page.width,
            "height": page.height,
            "source": page.source,
        }
        embedding, tokens = self._embed(spec, page)
        kind = NOTHING_TO_CLASSIFY
        if embedding is not None:
            kind = classify(np.array(embedding, np.float32), self._prototypes_of(spec))
        result["class"] = {
            "label": kind.label,
            "score": round(kind.score, 4),
            "scores": {label: round(score, 4) for label, score in kind.scores.items()},
        }
        if parameters["include_embedding"]:
            result["embedding"] = embedding
        return WorkOutput(result, Units(pages=1, tokens=tokens))

    def _read(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json]) -> ReadPage:
        if isinstance(work, TextInput):
            check_texts(work)
            lines = tuple(TextLine(line, None, 1.0) for line in work.texts[0].splitlines())
            return ReadPage("text", lines, 0, 0)
        if not isinstance(work, PageInput):
            raise WorkRefused("input_not_accepted", "parse reads documents and text, not tensors")
        if work.text_lines is not None:
            return ReadPage("text_layer", work.text_lines, work.width_px, work.height_px)
        confidence = {"min_confidence": parameters["min_confidence"]}
        answer = run_step(self._runner, spec, OCR, work, confidence).result
        lines = tuple(TextLine(**line) for line in answer["lines"])
        return ReadPage("ocr", lines, answer["width"], answer["height"])

    def _embed(self, spec: VersionSpec, page: ReadPage) -> tuple[list[float] | None, int]:
        """The embedding of the whole text, and its tokens; none for a blank page, which is no failure."""
        if not page.text.strip():
            return None, 0
        readable = PageInput(1, page.width, page.height, page.lines, load_pixels=None)
        answer = run_step(self._runner, spec, EMBED, readable, {})
        return answer.result["embedding"], answer.units.tokens

    def _prototypes_of(self, spec: VersionSpec) -> Vectors:
        embedder = step_spec(spec, EMBED)
        self._embedders[embedder.digest] = replace(spec, steps={EMBED: embedder})
        return self._prototypes.get(embedder.digest)

    def _embed_prototypes(self, digest: str) -> Vectors:
        sentences = TextInput(prototype_sentences(), single=False)
        answer = run_step(self._runner, self._embedders[digest], EMBED, sentences, {})
        return np.array(answer.result["embeddings"], np.float32)
