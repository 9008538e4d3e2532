from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto

from inference.factory.pruning.errors import PruningImpossible
from inference.factory.pruning.search import Pruned, prune_to_bound
from tests.inference.factory.pruning.graphs import (
    Builder,
    answers,
    error_against,
    feeds,
    redundant_cnn,
    redundant_mlp,
    redundant_transformer,
    relative_error,
    run,
)


def _prune(model: ModelProto, shape: tuple[int, ...], folder: Path, bound: float = 1e-3, count: int = 16) -> Pruned:
    source = folder / "source.onnx"
    onnx.save(model, source)
    inputs = feeds(shape, count)
    return prune_to_bound(
        source, inputs, into=folder / "pruned.onnx", run=run, error_of=error_against(model, inputs), bound=bound
    )


@pytest.mark.parametrize(
    ("make", "shape", "work"),
    [
        (redundant_mlp, (48, 24), 0.2),
        (redundant_cnn, (6, 3, 16, 16), 0.3),
        (redundant_transformer, (3, 20, 32), 0.5),
    ],
    ids=["mlp", "cnn", "transformer"],
)
def test_redundancy_goes_without_loss(
    make: Callable[[], ModelProto], shape: tuple[int, ...], work: float, tmp_path: Path
) -> None:
    model = make()
    found = _prune(model, shape, tmp_path)
    pruned, unseen = onnx.load(found.path), feeds(shape, 4, seed=99)

    assert found.work < work
    assert relative_error(answers(model, unseen), answers(pruned, unseen)) < 1e-3
    onnx.checker.check_model(pruned)
    assert [value.SerializeToString() for value in pruned.graph.input] == [
        value.SerializeToString() for value in model.graph.input
    ]
    assert list(pruned.graph.output) == list(model.graph.output)
    assert found.path.stat().st_size < 0.7 * len(model.SerializeToString())
    lineage = found.lineage()
    assert lineage["calibration_inputs"] == 16
    assert lineage["groups"]


def test_same_inputs_give_the_same_file(tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        files.append(_prune(redundant_mlp(12), (20, 24), tmp_path / name).path.read_bytes())

    assert files[0] == files[1]


def test_error_stays_within_the_bound_where_nothing_is_redundant(tmp_path: Path) -> None:
    made = Builder(5)
    hidden = made.node("Relu", made.dense("x", made.random(16, 64), made.random(64)))
    model = made.model(["n", 16], made.dense(hidden, made.random(64, 4), made.random(4)))
    found = _prune(model, (64, 16), tmp_path, bound=0.2)

    assert 0 < found.error <= 0.2
    assert any(not one.within for one in found.tried)
    with pytest.raises(PruningImpossible, match="the bound is 1e-09"):
        _prune(model, (64, 16), tmp_path, bound=1e-9)


def test_model_without_groups_is_refused_with_the_reasons(tmp_path: Path) -> None:
    made = Builder(6)
    model = made.model(["n", 5], made.node("Softmax", made.dense("x", made.random(5, 3)), axis=-1))

    with pytest.raises(PruningImpossible, match="Softmax"):
        _prune(model, (4, 5), tmp_path)


def test_values_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    made = Builder(7)
    hidden = made.node("Log", made.dense("x", made.random(5, 9)))
    model = made.model(["n", 5], made.dense(hidden, made.random(9, 2)))

    with pytest.raises(PruningImpossible, match="not finite"):
        _prune(model, (4, 5), tmp_path)


def test_progress_may_stop_the_search(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(share: float, text: str) -> None:
        assert 0 <= share <= 1
        assert text
        raise Stop

    onnx.save(redundant_mlp(12), tmp_path / "source.onnx")
    with pytest.raises(Stop):
        prune_to_bound(
            tmp_path / "source.onnx",
            feeds((8, 24), 4),
            into=tmp_path / "pruned.onnx",
            run=run,
            error_of=lambda path: float(np.inf),
            bound=1.0,
            progress=stop,
        )
    assert [path.name for path in tmp_path.iterdir()] == ["source.onnx"]
