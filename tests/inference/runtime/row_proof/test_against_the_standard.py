"""Test the proof with ONNX's example of every operator: if it holds, a row is the same alone and with others."""

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from inference.runtime.graph_outline import read_outline
from inference.runtime.row_proof import prove_rows

Array = npt.NDArray[Any]
ROWS = 3


def examples() -> Iterator[tuple[onnx.ModelProto, Sequence[Array]]]:
    from onnx.backend.test.case.node import collect_testcases  # noqa: PLC0415  # runs every example: seconds

    for case in collect_testcases(None):
        if case.model is None or not case.data_sets:
            continue
        given = case.data_sets[0][0]
        if len(given) == len(case.model.graph.input) and all(isinstance(one, np.ndarray) for one in given):
            for by_rows in sorted({1, len(given)}):
                inputs = case.model.graph.input[:by_rows]
                if given and all(len(one.type.tensor_type.shape.dim) for one in inputs):
                    yield with_free_rows(case.model, given, by_rows), given[:by_rows]


def with_free_rows(example: onnx.ModelProto, given: Sequence[Array], by_rows: int) -> onnx.ModelProto:
    """Return the model with a free number of rows in its first inputs, and the other inputs as weights."""
    model = copy.deepcopy(example)
    for value, weight in zip(model.graph.input[by_rows:], given[by_rows:], strict=True):
        model.graph.initializer.append(numpy_helper.from_array(weight, value.name))
    del model.graph.input[by_rows:]
    for value in model.graph.input:
        value.type.tensor_type.shape.dim[0].dim_param = "rows"
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    return model


def another(row: Array, generator: np.random.Generator) -> Array:
    if row.dtype.kind == "f":
        return (row * generator.uniform(0.5, 1.5, row.shape)).astype(row.dtype)
    return generator.permutation(row.ravel()).reshape(row.shape)


def run(session: Any, feeds: list[Array]) -> list[Any] | None:
    """Return the outputs, or None if the example does not accept these inputs."""
    try:
        answers: list[Any] = session.run(
            None, dict(zip([one.name for one in session.get_inputs()], feeds, strict=True))
        )
    except Exception:
        return None
    return answers


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_rows_of_proven_examples_leave_each_other_alone(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    compared: set[str] = set()
    for model, given in examples():
        path = tmp_path / "model.onnx"
        path.write_bytes(model.SerializeToString())
        if not prove_rows(read_outline(path)).holds:
            continue
        try:
            session = onnxruntime.InferenceSession(str(path), options)
        except Exception:
            continue
        rows = [[another(one[:1], generator) for one in given] for _ in range(ROWS)]
        together = run(session, [np.concatenate(column) for column in zip(*rows, strict=True)])
        for place, row in enumerate(rows):
            alone = run(session, row)
            if alone is None or together is None:
                continue
            compared.update(node.op_type for node in model.graph.node)
            for one, all_rows in zip(alone, together, strict=True):
                assert all_rows.shape[:1] == (ROWS,), model.graph.name
                # The last bits are not compared here, because the trial does that.
                np.testing.assert_allclose(one[0], all_rows[place], rtol=1e-3, atol=1e-4, err_msg=model.graph.name)
    assert len(compared) > 100
