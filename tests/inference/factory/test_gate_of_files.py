"""Check on real files that broken variants are refused and honest ones admitted, with generated inputs alone."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from inference.core.calls import Call
from inference.factory.golden import GoldenSet
from inference.factory.measuring import Conditions, generated_golden, measure_variant
from inference.factory.report import VariantReport
from inference.factory.sessions import open_here
from tests.inference.factory.broken_files import ANY_OUTPUT, BY_MODEL, NEEDS_MANY_ROWS, right_on_zeros_only
from tests.inference.factory.honest_files import MAKERS, NOT_MADE
from tests.inference.factory.model_files import SAVERS
from tests.inference.runtime.graphs import save_adder

CONDITIONS = Conditions(performance_s=0)
SLOW = ("transformer", "conv")
FAULTS = [(model, fault) for model in SAVERS for fault in (*ANY_OUTPUT, *BY_MODEL[model])]
QUICK = [(model, fault) for model, fault in FAULTS if model not in SLOW or fault not in ANY_OUTPUT]
ALL_SEEDS = {
    name: ANY_OUTPUT[name]
    for name in (
        "adds one",
        "NaN in one of 1000 rows",
        "drops the last row",
        "reverses rows",
        "right for one row alone",
        "constant",
    )
} | {"right on zeros only": right_on_zeros_only}

Files = Mapping[str, tuple[Path, GoldenSet]]


def golden_of(source: Path, seed: int, max_rows: int) -> GoldenSet:
    return generated_golden(source, open_session=open_here, seed=seed, call=Call(), max_rows=max_rows)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("models")
    paths = {name: save(folder / f"{name}.onnx") for name, save in SAVERS.items()}
    return {
        name: (path, golden_of(path, seed=11, max_rows=2_000 if name in SLOW else 24_000))
        for name, path in paths.items()
    }


def judge(source: Path, variant: Path, golden: GoldenSet) -> VariantReport:
    return measure_variant(
        source,
        variant,
        golden,
        {},
        open_session=open_here,
        progress=lambda _share, _text: None,
        call=Call(),
        conditions=CONDITIONS,
    )


@pytest.mark.parametrize(("model", "fault"), QUICK)
def test_a_broken_variant_is_refused(model: str, fault: str, files: Files, tmp_path: Path) -> None:
    source, golden = files[model]
    broken = {**ANY_OUTPUT, **BY_MODEL[model]}[fault](source, tmp_path / "broken.onnx")
    found = judge(source, broken, golden)
    assert not found.verdict.admitted, found.measured.measures
    assert found.verdict.reasons[0].code != "does_not_load", found.verdict.reasons


@pytest.mark.parametrize(
    ("model", "name"), [(model, name) for model in SAVERS for name in MAKERS if (model, name) not in NOT_MADE]
)
def test_an_honest_variant_is_admitted(model: str, name: str, files: Files, tmp_path: Path) -> None:
    source, golden = files[model]
    found = judge(source, MAKERS[name](source, tmp_path / "honest.onnx"), golden)
    assert found.verdict.admitted, found.verdict.reasons


@pytest.mark.long
@pytest.mark.parametrize(("model", "fault"), [pair for pair in FAULTS if pair not in QUICK])
def test_a_broken_variant_of_a_slow_model_is_refused(model: str, fault: str, tmp_path: Path) -> None:
    source = SAVERS[model](tmp_path / "model.onnx")
    golden = golden_of(source, seed=12, max_rows=24_000 if fault in NEEDS_MANY_ROWS else 4_000)
    found = judge(source, ANY_OUTPUT[fault](source, tmp_path / "broken.onnx"), golden)
    assert not found.verdict.admitted, found.measured.measures


@pytest.mark.parametrize("fault", ALL_SEEDS)
@pytest.mark.parametrize("seed", [0, pytest.param(100, marks=pytest.mark.long)])
def test_the_seed_does_not_matter(fault: str, seed: int, tmp_path: Path) -> None:
    source = save_adder(tmp_path / "adder.onnx")
    broken = ALL_SEEDS[fault](source, tmp_path / "broken.onnx")
    admitted = [
        number
        for number in range(seed, seed + (100 if seed else 2))
        if judge(source, broken, golden_of(source, number, 24_000)).verdict.admitted
    ]
    assert admitted == []
