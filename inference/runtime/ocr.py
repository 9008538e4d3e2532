"""Text recognition: it finds the lines on a page's image and reads each."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
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
from inference.runtime.coarse_look import Inked, coarse_scale, inked_part, needs_closer_look
from inference.runtime.column_gaps import part_joined_lines
from inference.runtime.line_scripts import (
    ScriptTeller,
    are_upside_down,
    languages_in,
    line_scripts,
    longest,
    mostly_doubtful,
    read_again,
)
from inference.runtime.missed_text import missed_pieces
from inference.runtime.page_pixels import page_pixels
from inference.runtime.precision import artifact
from inference.runtime.session import Session
from inference.runtime.session_host import SessionHost
from inference.runtime.tesseract import TesseractReader
from inference.runtime.text_detection import (
    STRIDE,
    Floats,
    PreparedPage,
    close_scale,
    detector_input,
    find_boxes,
    in_reading_order,
    on_page,
    prepare_page,
)
from inference.runtime.text_recognition import (
    LINE_HEIGHT,
    MIN_WIDTH,
    CharacterSet,
    RecognizedText,
    ScaledLine,
    cut_line,
    own_steps,
    recognizer_input,
    scaled_line,
)
from inference.scripts.page_scripts import LATIN, is_unknown


@dataclass(frozen=True, slots=True)
class FoundLine:
    box: Floats
    content: RecognizedText
    script: str = LATIN
    """The script as far as it matters: that of a line in a script that is not known here, or which is known."""

    def is_read(self, min_confidence: float) -> bool:
        return bool(self.content.text.strip()) and self.content.confidence >= min_confidence


class OcrRuntime:
    """The runtime for text recognition. Lines run one by one, those of several callers in turns."""

    session_roles = ("detection", "recognition")
    may_use_gpu = False
    """No GPU: ONNX Runtime would plan every convolution anew, for seconds, at each new size of a page or line."""

    def __init__(self, host: SessionHost, batchers: SessionBatchers) -> None:
        self._host = host
        self._batchers = batchers
        self._characters: dict[Path, tuple[CharacterSet, ScriptTeller]] = {}
        self._others = TesseractReader()

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
        lines = [cut_line(page.image, box) for box in boxes]
        scaled = [scaled_line(line) for line in lines]
        contents = self._recognize(spec, scaled, call)
        lengths = [line.length for line in scaled]
        upside_down = self._are_upside_down(spec, lines, contents, lengths, call)
        scripts = line_scripts(contents, lengths)
        # A page that is upside down is read once more, turned.
        again = {} if upside_down else read_again(self._others, languages_in(spec), lines, scripts, call)
        found = [
            FoundLine(box, again[place]) if place in again else FoundLine(box, contents[place], scripts[place])
            for place, box in enumerate(on_page(boxes, page))
        ]
        result = _as_result(found, page, parameters["min_confidence"])
        return WorkOutput({**result, "upside_down": upside_down}, Units(pages=1))

    def _are_upside_down(
        self,
        spec: VersionSpec,
        lines: Sequence[Pixels],
        contents: Sequence[RecognizedText],
        lengths: Sequence[float],
        call: Call,
    ) -> bool:
        """Return whether a page that can hardly be read looks better the other way up, by its longest lines."""
        if not mostly_doubtful(contents, lengths):
            return False
        chosen = longest(lengths)
        turned = [scaled_line(np.ascontiguousarray(np.rot90(lines[place], 2))) for place in chosen]
        return are_upside_down([contents[place] for place in chosen], self._recognize(spec, turned, call))

    def _detect(self, spec: VersionSpec, page: PreparedPage, call: Call) -> Floats:
        file, name = self._file(spec, "detection"), _name(spec, "detection")
        with self._host.session(file, _warm_up_detector, call=call, name=name, on_cpu=True) as session:
            inked = inked_part(page.image)
            boxes = self._first_boxes(spec, session, page.image, inked, call)
            pieces = missed_pieces(page.image, boxes)
            found = self._boxes_on(spec, session, [piece.picture for piece in pieces], call)
        for piece, boxes_on_piece in zip(pieces, found, strict=True):
            boxes = piece.add(boxes_on_piece, boxes)
        return in_reading_order(part_joined_lines(boxes, inked.mask, inked.scale))

    def _first_boxes(self, spec: VersionSpec, session: Session, image: Pixels, inked: Inked, call: Call) -> Floats:
        """Look for lines where there is ink: coarsely, then closely if print may have been missed."""
        coarse, close = coarse_scale(image), close_scale(image)
        part, first = inked.cut(image), coarse if coarse < 1 else close
        boxes = inked.on_image(self._boxes_on(spec, session, [part], call, scale=first)[0])
        if first < close and needs_closer_look(boxes, inked, first):
            boxes = inked.on_image(self._boxes_on(spec, session, [part], call, scale=close)[0])
        return boxes

    def _boxes_on(
        self,
        spec: VersionSpec,
        session: Session,
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

    def _recognize(self, spec: VersionSpec, scaled: Sequence[ScaledLine], call: Call) -> list[RecognizedText]:
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
        self, session: Session, scaled: Sequence[ScaledLine], width: int, control: RunControl
    ) -> list[RecognizedText]:
        chances = _run_single_input(session, recognizer_input(scaled, width), control)[: len(scaled)]
        characters, teller = self._characters_of(session)
        contents = characters.decode(chances, width, scaled)
        return [
            replace(content, leanings=teller.probabilities(steps[: own_steps(line, width, len(steps))]))
            for content, steps, line in zip(contents, chances, scaled, strict=True)
        ]

    def _recognizer(self, spec: VersionSpec, call: Call | None = None) -> AbstractContextManager[Session]:
        return self._host.session(
            self._file(spec, "recognition"),
            _warm_up_recognizer,
            call=call,
            name=_name(spec, "recognition"),
            on_cpu=True,
        )

    def _file(self, spec: VersionSpec, role: str) -> str:
        return artifact(spec, role, on_gpu=self.may_use_gpu)

    def _characters_of(self, session: Session) -> tuple[CharacterSet, ScriptTeller]:
        found = self._characters.get(session.path)
        if found is None:
            listed = session.metadata.get("character")
            if listed is None:
                raise ModelFailed("model_load_failed", "the recognition model lists no characters in its metadata")
            characters = CharacterSet(listed)
            found = self._characters[session.path] = (characters, ScriptTeller(characters))
        return found


def _name(spec: VersionSpec, role: str) -> str:
    return str(Part(spec.key, role))


def _detect_batch(session: Session, pictures: Sequence[Floats], _length: int, control: RunControl) -> list[Floats]:
    chances = _run_single_input(session, np.concatenate(pictures), control)
    if not np.isfinite(chances).all():
        raise ModelFailed("model_output_not_finite", "text detection answered with NaN or infinity")
    return list(chances[:, 0])


def _run_single_input(session: Session, tensor: Floats, control: RunControl | None = None) -> Floats:
    answer: Floats = session.run({session.inputs[0].name: tensor}, control=control)[0]
    return answer


def _warm_up_detector(session: Session) -> None:
    _run_single_input(session, np.zeros((1, 3, STRIDE * 2, STRIDE * 2), np.float32))


def _warm_up_recognizer(session: Session) -> None:
    _run_single_input(session, np.zeros((1, 3, LINE_HEIGHT, MIN_WIDTH), np.float32))


def _as_result(found: list[FoundLine], page: PreparedPage, min_confidence: float) -> Mapping[str, Json]:
    read = [line for line in found if line.is_read(min_confidence)]
    return {
        "text": "\n".join(line.content.text for line in read),
        "lines": [
            {
                "text": line.content.text,
                "box": _as_json(line.box),
                "confidence": line.content.confidence,
                "words": line.content.words,
            }
            for line in read
        ],
        "unread": [
            {"box": _as_json(line.box), "script": line.script if is_unknown(line.script) else None}
            for line in found
            if is_unknown(line.script) or not line.is_read(min_confidence)
        ],
        "width": page.width,
        "height": page.height,
    }


def _as_json(box: Floats) -> Json:
    return box.astype(np.float64).round(1).tolist()
