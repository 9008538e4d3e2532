from pathlib import Path

import onnx
import pytest

from inference.core.calls import Call
from inference.factory.golden import GoldenSet
from inference.factory.measures.pairs import Kind
from inference.factory.measuring import Conditions, generated_golden, measure_variant
from inference.factory.pruning.errors import PruningImpossible
from inference.factory.pruning.variant import prune_variant, share_of_bounds
from inference.factory.sessions import open_here
from tests.inference.factory.pruning.graphs import redundant_mlp

QUICK = Conditions(performance_s=0, compare_s=5)


def _ignore(_share: float, _text: str) -> None:
    pass


def test_pruned_variant_of_a_redundant_model_passes_the_gate(tmp_path: Path) -> None:
    source, into = tmp_path / "source.onnx", tmp_path / "pruned.onnx"
    onnx.save(redundant_mlp(), source)
    golden = generated_golden(source, open_session=open_here, seed=1, call=Call())
    found = prune_variant(
        source,
        golden,
        {},
        Kind.TENSOR,
        into=into,
        open_session=open_here,
        progress=_ignore,
        call=Call(),
        conditions=QUICK,
    )
    report = measure_variant(
        source, into, golden, {}, Kind.TENSOR, open_session=open_here, progress=_ignore, call=Call(), conditions=QUICK
    )

    assert report.verdict.admitted
    assert 0 <= share_of_bounds(report) <= 1
    assert found.work < 0.3


def test_golden_set_without_calibration_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "source.onnx"
    onnx.save(redundant_mlp(8), source)
    empty = GoldenSet((), (), False, 0, "")

    with pytest.raises(PruningImpossible, match="give more samples"):
        prune_variant(
            source, empty, {}, into=tmp_path / "p.onnx", open_session=open_here, progress=_ignore, call=Call()
        )
