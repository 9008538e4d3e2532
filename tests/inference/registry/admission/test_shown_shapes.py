"""Test which shapes count when a file declares others than its runs have."""

import pytest

from inference.registry.admission.shown_shapes import Shape, corrected, corrections
from inference.registry.admission.signature import Signature, TensorSpec

ROWS = TensorSpec("x", "FP32", (-1, 2))


def signature(*shapes: Shape | None) -> Signature:
    return Signature((ROWS,), tuple(TensorSpec(f"y{number}", "FP32", shape) for number, shape in enumerate(shapes)))


@pytest.mark.parametrize(
    ("declared", "runs", "counts"),
    [
        pytest.param((-1, 1), [(1, 2), (3, 2)], (-1, 2), id="more numbers for each row"),
        pytest.param((1,), [(1,), (3,)], (-1,), id="one label declared"),
        pytest.param((-1,), [(1, 1), (3, 1)], (-1, 1), id="another number of dimensions"),
        pytest.param((-1, 1), [(1,), (1,)], (1,), id="one number for all rows"),
        pytest.param((-1, 4), [(1, 1), (3, 3)], (-1, -1), id="both vary"),
        pytest.param((5, 4), [(1, 4), (3, 4)], (-1, 4), id="the right size stays"),
        pytest.param((-1, 3), [(1, 0), (3, 0)], (-1, -1), id="nothing found in these inputs"),
        pytest.param((-1, 1), [(1, 2)], (-1, -1), id="a single run shows no size"),
        pytest.param((-1, 1), [(1, 2), (3,)], None, id="no common number of dimensions"),
    ],
)
def test_the_shape_of_the_runs_counts_where_it_is_not_the_declared_one(
    declared: Shape, runs: list[Shape], counts: Shape | None
) -> None:
    described = signature((-1, 2), declared)
    found = corrections(described, [((len(shape), 2), shape) for shape in runs])
    assert [each.output for each in found] == ["y1"]
    assert [output.shape for output in corrected(described, found).outputs] == [(-1, 2), counts]


@pytest.mark.parametrize("declared", [(-1, 2), (-1, -1), None])
def test_a_shape_that_fits_stays_as_the_file_declares_it(declared: Shape | None) -> None:
    assert corrections(signature(declared), [((1, 2),), ((3, 2),)]) == ()


def test_a_correction_names_both_shapes() -> None:
    (found,) = corrections(signature((-1, 1)), [((1, 2),), ((3, 2),)])
    assert str(found) == "Output 'y0' is declared as [-1, 1], but the trial gave [-1, 2]."
