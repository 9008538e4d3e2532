"""The shapes of outputs as a trial has shown them, for files that declare others. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inference.registry.admission.signature import DYNAMIC, Signature, TensorSpec
from tenants.core.messages import sizes_in_words

Shape = tuple[int, ...]
Run = tuple[Shape, ...]
"""The shapes of all outputs of a run, in their order."""


@dataclass(frozen=True, slots=True)
class Correction:
    output: str
    declared: Shape
    shown: Shape | None
    """The sizes that the runs had, or None if they had no common number of dimensions."""

    def __str__(self) -> str:
        shown = "several numbers of dimensions" if self.shown is None else sizes_in_words(self.shown)
        return f"Output '{self.output}' is declared as {sizes_in_words(self.declared)}, but the trial gave {shown}."


def corrections(signature: Signature, runs: Sequence[Run]) -> tuple[Correction, ...]:
    """Return the outputs whose declared shape is not that of the runs. The runs differ in all sizes that may vary."""
    found = []
    for position, output in enumerate(signature.outputs):
        shapes = [run[position] for run in runs]
        if output.shape is not None and not all(_fits(output.shape, shape) for shape in shapes):
            found.append(Correction(output.name, output.shape, _common(output.shape, shapes)))
    return tuple(found)


def corrected(signature: Signature, found: Sequence[Correction]) -> Signature:
    shapes = {each.output: each.shown for each in found}
    return replace(signature, outputs=tuple(_with_shape(output, shapes) for output in signature.outputs))


def _with_shape(output: TensorSpec, shapes: dict[str, Shape | None]) -> TensorSpec:
    return replace(output, shape=shapes[output.name]) if output.name in shapes else output


def _fits(declared: Shape, shape: Shape) -> bool:
    return len(declared) == len(shape) and all(
        size in (DYNAMIC, actual) for size, actual in zip(declared, shape, strict=True)
    )


def _common(declared: Shape, shapes: Sequence[Shape]) -> Shape | None:
    if len({len(shape) for shape in shapes}) > 1:
        return None
    kept = declared if len(declared) == len(shapes[0]) else (0,) * len(shapes[0])
    return tuple(
        _size(size, {shape[axis] for shape in shapes}, varied=len(shapes) > 1) for axis, size in enumerate(kept)
    )


def _size(declared: int, sizes: set[int], *, varied: bool) -> int:
    """Return the size of a dimension. An empty one is empty for these inputs alone, and a single run shows no size."""
    if declared == DYNAMIC or sizes == {declared}:
        return declared
    (size, *others) = sizes
    return size if varied and not others and size else DYNAMIC
