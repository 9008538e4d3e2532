"""Text recognition: finds the lines on a page's picture and reads each."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inference.contracts import (
    Json,
    PageInput,
    Pixels,
    Units,
    VersionSpec,
    WorkInput,
    WorkOutput,
    WorkRefused,
)
from inference.runtime.artifacts import artifact
from inference.runtime.errors import ModelFailed
from inference.runtime.hosted_session import HostedSession
from inference.runtime.once import OncePerKey
from inference.runtime.session_host import SessionHost
from inference.runtime.text_detection import (
    STRIDE,
    Floats,
    PreparedPage,
    detector_input,
    find_boxes,
    on_page,
    prepare_page,
)
from inference.runtime.text_recognition import (
    LINE_HEIGHT,
    MIN_WIDTH,
    CharacterSet,
    RecognisedText,
    cut_line,
    plan_batches,
    recogniser_input,
)


@dataclass(frozen=True, slots=True)
class FoundLine:
    box: Floats
    content: RecognisedText


class OcrRuntime:
    session_roles = ("detection", "recognition")

    def __init__(self, host: SessionHost) -> None:
        self._host = host
        self._characters: OncePerKey[CharacterSet] = OncePerKey(self._read_characters)

    def load(self, spec: VersionSpec) -> None:
        self._host.load(artifact(spec, "detection"), _warm_up_detector)
        self._characters.get(artifact(spec, "recognition"))

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json]) -> WorkOutput:
        pixels = page_pixels(work)
        page = prepare_page(pixels)
        boxes = self._detect(spec, page)
        contents = self._recognise(spec, page, boxes)
        found = [
            FoundLine(box, content)
            for box, content in zip(on_page(boxes, page), contents, strict=True)
            if content.text.strip() and content.confidence >= parameters["min_confidence"]
        ]
        return WorkOutput(_as_result(found, page), Units(pages=1))

    def _detect(self, spec: VersionSpec, page: PreparedPage) -> Floats:
        with self._host.session(artifact(spec, "detection"), _warm_up_detector) as session:
            probabilities = _run_single_input(session, detector_input(page.image))[0, 0]
        height, width = page.image.shape[:2]
        return find_boxes(probabilities, width=width, height=height)

    def _recognise(self, spec: VersionSpec, page: PreparedPage, boxes: Floats) -> list[RecognisedText]:
        lines = [cut_line(page.image, box) for box in boxes]
        path = artifact(spec, "recognition")
        characters = self._characters.get(path)
        contents: dict[int, RecognisedText] = {}
        with self._host.session(path, _warm_up_recogniser) as session:
            for batch in plan_batches([line.shape[1] / line.shape[0] for line in lines]):
                chances = _run_single_input(
                    session, recogniser_input([lines[line] for line in batch.lines], batch.width)
                )
                contents.update(zip(batch.lines, characters.decode(chances), strict=True))
        return [contents[line] for line in range(len(lines))]

    def _read_characters(self, path: str) -> CharacterSet:
        with self._host.session(path, _warm_up_recogniser) as session:
            listed = session.metadata.get("character")
        if listed is None:
            raise ModelFailed(
                "model_load_failed", "the recognition model lists no characters in its metadata"
            )
        return CharacterSet(listed)


def page_pixels(work: WorkInput) -> Pixels:
    if not isinstance(work, PageInput):
        raise WorkRefused(
            "input_not_accepted", "text recognition reads a document's pages, not text or tensors"
        )
    if work.load_pixels is None:
        raise WorkRefused(
            "input_not_accepted", f"page {work.number} is plain text and has no picture to read"
        )
    return work.load_pixels()


def _run_single_input(session: HostedSession, tensor: Floats) -> Floats:
    answer: Floats = session.run({session.inputs[0].name: tensor})[0]
    return answer


def _warm_up_detector(session: HostedSession) -> None:
    _run_single_input(session, np.zeros((1, 3, STRIDE * 2, STRIDE * 2), np.float32))


def _warm_up_recogniser(session: HostedSession) -> None:
    _run_single_input(session, np.zeros((1, 3, LINE_HEIGHT, MIN_WIDTH), np.float32))


def _as_result(found: list[FoundLine], page: PreparedPage) -> Mapping[str, Json]:
    return {
        "text": "\n".join(line.content.text for line in found),
        "lines": [
            {
                "text": line.content.text,
                "box": line.box.astype(np.float64).round(1).tolist(),
                "confidence": line.content.confidence,
            }
            for line in found
        ],
        "width": page.width,
        "height": page.height,
    }
