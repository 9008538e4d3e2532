"""Text recognition: it finds the lines on a page's image and reads each."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inference.batching.batcher import Piece
from inference.core.calls import Call, RunControl
from inference.core.contracts import (
    Json,
    Pixels,
    Units,
    VersionSpec,
    WorkInput,
    WorkOutput,
)
from inference.core.errors import ModelFailed
from inference.runtime.batched import DETECTION_LIMITS, RECOGNITION_LIMITS, Part, SessionBatchers
from inference.runtime.coarse_look import coarse_scale, inked_part, needs_closer_look
from inference.runtime.hosted_session import HostedSession
from inference.runtime.missed_text import missed_pieces
from inference.runtime.page_pixels import page_pixels
from inference.runtime.precision import artifact
from inference.runtime.session_host import SessionHost
from inference.runtime.text_detection import (
    STRIDE,
    Floats,
    PreparedPage,
    close_scale,
    detector_input,
    find_boxes,
    on_page,
    prepare_page,
)
from inference.runtime.text_recognition import (
    LINE_HEIGHT,
    MIN_ROWS,
    MIN_WIDTH,
    CharacterSet,
    RecognizedText,
    ScaledLine,
    cut_line,
    recognizer_input,
    scaled_line,
)


@dataclass(frozen=True, slots=True)
class FoundLine:
    box: Floats
    content: RecognizedText


class OcrRuntime:
    """The runtime for text recognition. Lines of all pages read at the same time share batches between callers."""

    session_roles = ("detection", "recognition")
    may_use_gpu = False
    """No GPU: ONNX Runtime would plan every convolution anew, for seconds, at each new size of a page or line."""

    def __init__(self, host: SessionHost, batchers: SessionBatchers) -> None:
        self._host = host
        self._batchers = batchers
        self._characters: dict[Path, CharacterSet] = {}

    def load(self, spec: VersionSpec) -> None:
        file, name = self._file(spec, "detection"), _name(spec, "detection")
        self._host.load(file, _warm_up_detector, name=name, on_cpu=True)
        with self._recognizer(spec) as session:
            self._characters_of(session)

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call) -> WorkOutput:
        pixels = page_pixels(work)
        call.check()
        page = prepare_page(pixels)
        boxes = self._detect(spec, page, call)
        contents = self._recognize(spec, page, boxes, call)
        found = [
            FoundLine(box, content)
            for box, content in zip(on_page(boxes, page), contents, strict=True)
            if content.text.strip() and content.confidence >= parameters["min_confidence"]
        ]
        return WorkOutput(_as_result(found, page), Units(pages=1))

    def _detect(self, spec: VersionSpec, page: PreparedPage, call: Call) -> Floats:
        file, name = self._file(spec, "detection"), _name(spec, "detection")
        with self._host.session(file, _warm_up_detector, call=call, name=name, on_cpu=True) as session:
            boxes = self._first_boxes(spec, session, page.image, call)
            pieces = missed_pieces(page.image, boxes)
            found = self._boxes_on(spec, session, [piece.picture for piece in pieces], call)
        for piece, boxes_on_piece in zip(pieces, found, strict=True):
            boxes = piece.add(boxes_on_piece, boxes)
        return boxes

    def _first_boxes(self, spec: VersionSpec, session: HostedSession, image: Pixels, call: Call) -> Floats:
        """Look for lines where there is ink: coarsely, then closely if print may have been missed."""
        inked, coarse, close = inked_part(image), coarse_scale(image), close_scale(image)
        part, first = inked.cut(image), coarse if coarse < 1 else close
        boxes = inked.on_image(self._boxes_on(spec, session, [part], call, scale=first)[0])
        if first < close and needs_closer_look(boxes, inked, first):
            boxes = inked.on_image(self._boxes_on(spec, session, [part], call, scale=close)[0])
        return boxes

    def _boxes_on(
        self,
        spec: VersionSpec,
        session: HostedSession,
        images: Sequence[Pixels],
        call: Call,
        *,
        scale: float | None = None,
    ) -> list[Floats]:
        inputs = [detector_input(image, scale) for image in images]
        pieces = [Piece(tensor, length=tensor.shape[2] * tensor.shape[3], group=tensor.shape) for tensor in inputs]
        maps = self._batchers.run(
            session, pieces, _detect_batch, of=Part(spec.key, "detection"), limits=DETECTION_LIMITS, call=call
        )
        return [
            find_boxes(probabilities, width=image.shape[1], height=image.shape[0])
            for image, probabilities in zip(images, maps, strict=True)
        ]

    def _recognize(self, spec: VersionSpec, page: PreparedPage, boxes: Floats, call: Call) -> list[RecognizedText]:
        lines = [cut_line(page.image, box) for box in boxes]
        scaled = [scaled_line(line) for line in lines]
        pieces = [Piece(line, length=line.padded_width, group=line.padded_width) for line in scaled]
        with self._recognizer(spec, call) as session:
            return self._batchers.run(
                session,
                pieces,
                self._read_batch,
                of=Part(spec.key, "recognition"),
                limits=RECOGNITION_LIMITS,
                call=call,
            )

    def _read_batch(
        self, session: HostedSession, scaled: Sequence[ScaledLine], width: int, control: RunControl
    ) -> list[RecognizedText]:
        chances = _run_single_input(session, recognizer_input(scaled, width), control)
        squeezes = [line.squeeze for line in scaled]
        return self._characters_of(session).decode(chances[: len(scaled)], width, squeezes)

    def _recognizer(self, spec: VersionSpec, call: Call | None = None) -> AbstractContextManager[HostedSession]:
        return self._host.session(
            self._file(spec, "recognition"),
            _warm_up_recognizer,
            call=call,
            name=_name(spec, "recognition"),
            on_cpu=True,
        )

    def _file(self, spec: VersionSpec, role: str) -> str:
        return artifact(spec, role, on_gpu=self.may_use_gpu)

    def _characters_of(self, session: HostedSession) -> CharacterSet:
        characters = self._characters.get(session.path)
        if characters is None:
            listed = session.metadata.get("character")
            if listed is None:
                raise ModelFailed("model_load_failed", "the recognition model lists no characters in its metadata")
            characters = self._characters[session.path] = CharacterSet(listed)
        return characters


def _name(spec: VersionSpec, role: str) -> str:
    return str(Part(spec.key, role))


def _detect_batch(
    session: HostedSession, pictures: Sequence[Floats], _length: int, control: RunControl
) -> list[Floats]:
    chances = _run_single_input(session, np.concatenate(pictures), control)
    if not np.isfinite(chances).all():
        raise ModelFailed("model_output_not_finite", "text detection answered with NaN or infinity")
    return list(chances[:, 0])


def _run_single_input(session: HostedSession, tensor: Floats, control: RunControl | None = None) -> Floats:
    answer: Floats = session.run({session.inputs[0].name: tensor}, control=control)[0]
    return answer


def _warm_up_detector(session: HostedSession) -> None:
    _run_single_input(session, np.zeros((1, 3, STRIDE * 2, STRIDE * 2), np.float32))


def _warm_up_recognizer(session: HostedSession) -> None:
    _run_single_input(session, np.zeros((MIN_ROWS, 3, LINE_HEIGHT, MIN_WIDTH), np.float32))


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
