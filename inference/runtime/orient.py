"""The runtime for page orientation: the turn and the skew to take out of a page's picture before it is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inference.batching.batcher import Piece
from inference.core.calls import Call, RunControl
from inference.core.contracts import Json, Pixels, Quad, Units, VersionSpec, WorkInput, WorkOutput
from inference.core.errors import ModelFailed
from inference.pictures.ink import SmallPicture, ink_mask, small_picture
from inference.pictures.orientation import SQUARE, Floats, Orientation, classifier_input, decide
from inference.pictures.righting import Righting
from inference.pictures.sheet import find_sheet
from inference.pictures.skew import Skew, measure_skew, residual_skew, skew_along
from inference.runtime.batched import ORIENTATION_LIMITS, Part, SessionBatchers
from inference.runtime.page_pixels import page_pixels
from inference.runtime.precision import artifact
from inference.runtime.session import Session
from inference.runtime.session_host import SessionHost

MIN_ANGLE = 0.15
"""The skew in degrees below which a picture is left as it is."""
REMEASURED_ANGLE = 0.5
"""The skew from which what is left is measured once more, after it was taken out."""


@dataclass(frozen=True, slots=True)
class Turn:
    rotation: int
    angle: float
    sheet: Quad | None
    certainty: float


class OrientRuntime:
    session_roles = ("weights",)
    may_use_gpu = False
    """No GPU: a run takes some twenty milliseconds on a processor, and the picture would have to be copied."""

    def __init__(self, host: SessionHost, batchers: SessionBatchers) -> None:
        self._host = host
        self._batchers = batchers

    def load(self, spec: VersionSpec) -> None:
        self._host.load(artifact(spec, "weights"), _warm_up, name=spec.key, on_cpu=True)

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call) -> WorkOutput:
        pixels = page_pixels(work)
        call.check()
        turn = self._turn(spec, pixels, call)
        result = {"rotation": turn.rotation, "angle": turn.angle, "sheet": turn.sheet, "certainty": turn.certainty}
        return WorkOutput(result, Units(pages=1))

    def _turn(self, spec: VersionSpec, pixels: Pixels, call: Call) -> Turn:
        stored = small_picture(pixels)
        corners = find_sheet(stored)
        sheet = None if corners is None else _scaled(corners, stored.scale)
        small = stored if corners is None else _cut_out(stored, corners)
        mask = ink_mask(small.gray)
        skew = measure_skew(mask)
        leveled = Righting(small.gray.shape[1], small.gray.shape[0], angle=skew.degrees).apply(small.pixels)
        orientation = decide(self._classify(spec, leveled, call), skew)
        skew = _along_lines(mask, skew, orientation)
        angle = _exact_angle(small.pixels, skew, orientation.rotation)
        return Turn(orientation.rotation, angle, sheet, round(orientation.certainty, 4))

    def _classify(self, spec: VersionSpec, pixels: Pixels, call: Call) -> Floats:
        pieces = [Piece(square, length=1, group=None) for square in classifier_input(pixels)]
        file = artifact(spec, "weights")
        with self._host.session(file, _warm_up, call=call, name=spec.key, on_cpu=True) as session:
            answers = self._batchers.run(
                session, pieces, _classify_batch, of=Part(spec.key, "weights"), limits=ORIENTATION_LIMITS, call=call
            )
        return np.stack(answers)


def _scaled(corners: Quad, scale: float) -> Quad:
    return tuple((round(x * scale, 1), round(y * scale, 1)) for x, y in corners)  # type: ignore[return-value]


def _cut_out(small: SmallPicture, corners: Quad) -> SmallPicture:
    height, width = small.gray.shape
    return small_picture(Righting(width, height, sheet=corners).apply(small.pixels))


def _along_lines(mask: Pixels, skew: Skew, orientation: Orientation) -> Skew:
    """Return the skew along the lines of the page. Columns of letters may stand out more than rows."""
    vertical = orientation.rotation in (90, 270)
    return skew if skew.vertical == vertical else skew_along(mask, vertical=vertical)


def _exact_angle(pixels: Pixels, skew: Skew, rotation: int) -> float:
    angle = skew.degrees
    if abs(angle) >= REMEASURED_ANGLE:
        upright = Righting(pixels.shape[1], pixels.shape[0], rotation, angle).apply(pixels)
        angle += residual_skew(ink_mask(small_picture(upright).gray))
    return round(angle, 2) if abs(angle) >= MIN_ANGLE else 0.0


def _classify_batch(session: Session, squares: Sequence[Floats], _length: int, control: RunControl) -> list[Floats]:
    chances: Floats = session.run({session.inputs[0].name: np.stack(squares)}, control=control)[0]
    if not np.isfinite(chances).all():
        raise ModelFailed("model_output_not_finite", "page orientation answered with NaN or infinity")
    return list(chances)


def _warm_up(session: Session) -> None:
    session.run({session.inputs[0].name: np.zeros((1, 3, SQUARE, SQUARE), np.float32)})
