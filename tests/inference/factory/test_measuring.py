import json
import threading
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from inference.core.calls import Call
from inference.core.errors import CallCanceled
from inference.factory.golden import GoldenSet, of_samples
from inference.factory.measures.pairs import Answers, Kind
from inference.factory.measuring import Conditions, generated_golden, measure_variant
from inference.factory.report import VariantReport
from inference.factory.samples import SampleInvalid
from inference.factory.sessions import open_here
from tests.inference.runtime.graphs import save_adder, save_graph, save_graph_text, save_patient

QUICK = Conditions(compare_s=5, performance_s=0)


def golden_of(source: Path, seed: int = 1) -> GoldenSet:
    return generated_golden(source, open_session=open_here, seed=seed, call=Call())


def report(
    source: Path,
    variant: Path,
    golden: GoldenSet | None = None,
    bounds: Mapping[str, object] | None = None,
    *,
    kind: Kind | None = None,
    conditions: Conditions = QUICK,
    call: Call | None = None,
) -> VariantReport:
    return measure_variant(
        source,
        variant,
        golden or golden_of(source),
        bounds or {},
        kind,
        open_session=open_here,
        progress=lambda _share, _text: None,
        call=call or Call(),
        conditions=conditions,
    )


@pytest.fixture
def adder(tmp_path: Path) -> Path:
    return save_adder(tmp_path / "adder.onnx")


def test_a_copy_is_admitted_with_all_figures(adder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.onnx"
    copy.write_bytes(adder.read_bytes())
    steps: list[tuple[float, str]] = []
    found = measure_variant(
        adder,
        copy,
        golden_of(adder),
        {},
        open_session=open_here,
        progress=lambda share, text: steps.append((share, text)),
        call=Call(),
        conditions=Conditions(compare_s=5, performance_s=1),
    )
    assert found.verdict.admitted
    assert found.measured.rows > 10_000
    assert found.source is not None
    assert found.variant is not None
    assert found.variant.file_bytes == copy.stat().st_size
    assert found.variant.alone_p50_ms > 0
    assert found.variant.company == "a batch of 64 rows"
    assert found.variant.rows_per_s > 0
    assert VariantReport.from_json(json.loads(json.dumps(found.to_json()))) == found
    shares = [share for share, _ in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_variant_that_adds_two_for_one_is_refused(adder: Path, tmp_path: Path) -> None:
    add = helper.make_node("Add", ["x", "one"], ["y"])
    broken = save_graph(tmp_path / "two.onnx", add, ["rows", 4], one=np.full(4, 2, np.float32))
    found = report(adder, broken)
    assert not found.verdict.admitted
    assert {reason.output for reason in found.verdict.reasons} == {"y"}


def test_a_variant_that_does_not_load_or_run_is_refused(adder: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes(adder.read_bytes()[:50])
    assert [reason.code for reason in report(adder, damaged).verdict.reasons] == ["does_not_load"]
    single = save_graph_text(
        tmp_path / "single.onnx", "g (float[1,4] x) => (float[1,4] y) <float one={1.0}> { y=Add(x,one) }"
    )
    found = report(adder, single)
    assert [reason.code for reason in found.verdict.reasons] == ["does_not_run"]
    assert "2 rows" in found.verdict.reasons[0].sample


def test_a_variant_with_another_signature_is_refused(adder: Path, tmp_path: Path) -> None:
    other = save_graph_text(
        tmp_path / "other.onnx", "g (double[n,4] x) => (double[n,4] y) <double one={1.0}> { y=Add(x,one) }"
    )
    found = report(adder, other)
    assert [reason.code for reason in found.verdict.reasons] == ["signature_differs"]
    assert "x (tensor(double))" in found.verdict.reasons[0].detail


def test_a_variant_that_answers_at_random_is_refused(adder: Path, tmp_path: Path) -> None:
    noisy = save_graph_text(
        tmp_path / "noisy.onnx",
        "g (float[n,4] x) => (float[n,4] y) <float one={1.0}>"
        " { r=RandomUniformLike<high=0.02, low=0.0>(x) s=Add(x,one) y=Add(s,r) }",
    )
    assert "not_repeatable" in {reason.code for reason in report(adder, noisy).verdict.reasons}


def test_a_model_that_ignores_its_inputs_needs_samples(tmp_path: Path) -> None:
    constant = save_graph_text(
        tmp_path / "c.onnx", "g (float[n,4] x) => (float[n,4] y) <float zero={0.0}> { y=Mul(x,zero) }"
    )
    found = report(constant, constant)
    assert found.verdict.reasons[0].detail == "not comparable: outputs do not depend on the inputs (output 'y')"
    samples = [{"x": np.full((1, 4), number, np.float32)} for number in range(10)]
    from_owner = of_samples(samples, open_here(constant).inputs)
    assert report(constant, constant, from_owner).verdict.admitted


def test_the_owners_bounds_decide(adder: Path, tmp_path: Path) -> None:
    add = helper.make_node("Add", ["x", "one"], ["y"])
    near = save_graph(tmp_path / "near.onnx", add, ["rows", 4], one=np.full(4, 1.004, np.float32))
    assert report(adder, near).verdict.admitted
    refused = report(adder, near, bounds={"relative_error_mean": 0.001})
    assert [reason.bound for reason in refused.verdict.reasons] == [0.001]
    assert report(adder, near, bounds={"cosine_mean": 1.0}).verdict.admitted, "a bound of another kind does not count"


def test_samples_that_the_source_refuses_are_reported_to_the_owner(tmp_path: Path) -> None:
    table = save_graph_text(
        tmp_path / "t.onnx",
        "g (int64[n] x) => (float[n] y) <float[4] t={1.0,2.0,3.0,4.0}> { y=Gather(t,x) }",
    )
    samples = of_samples([{"x": np.array([number], np.int64)} for number in range(10)], open_here(table).inputs)
    with pytest.raises(SampleInvalid, match="does not run on sample"):
        report(table, table, samples)
    assert report(table, table).verdict.admitted


def test_texts_that_a_function_reads_from_the_answers_are_compared(adder: Path, tmp_path: Path) -> None:
    def read(answers: Answers) -> list[str]:
        return ["".join(chr(97 + int(value) % 26) for value in row) for row in 10 * answers["y"]]

    add = helper.make_node("Add", ["x", "one"], ["y"])
    near = save_graph(tmp_path / "near.onnx", add, ["rows", 4], one=np.full(4, 1.02, np.float32))
    conditions = Conditions(compare_s=5, performance_s=0, read_texts=read)
    found = report(
        adder, near, generated_golden(adder, open_session=open_here, seed=1, call=Call()), conditions=conditions
    )
    assert found.measured.kind is Kind.TEXT
    assert [reason.code for reason in found.verdict.reasons] == ["character_error_rate"]


def test_a_canceled_call_ends_the_measurement(tmp_path: Path) -> None:
    slow = save_patient(tmp_path / "slow.onnx", turns=20_000_000)
    samples = of_samples([{"x": np.ones((1, 8), np.float32)}], open_here(slow).inputs)
    call = Call()
    timer = threading.Timer(0.5, call.cancel)
    timer.start()
    with pytest.raises(CallCanceled):
        report(slow, slow, samples, call=call)
    timer.join()


@pytest.mark.parametrize("seed", range(3))
def test_another_seed_gives_the_same_verdict(adder: Path, seed: int) -> None:
    assert report(adder, adder, golden_of(adder, seed)).verdict.admitted


ODD = {
    "a number": "g (float x) => (float y) { y=Sin(x) }",
    "fixed sizes": "g (float[1,3,8,8] x) => (float[1,3,8,8] y) { y=Sigmoid(x) }",
    "pairs of rows": "g (float[n,4] a, float[m,4] b) => (float[n,m] y) { t=Transpose<perm=[1,0]>(b) y=MatMul(a,t) }",
    "half precision": "g (float16[n,4] x) => (float16[n,4] y) { y=Tanh(x) }",
    "bytes": "g (uint8[n,4] x) => (float[n,4] y) { y=Cast<to=1>(x) }",
    "one answer for all rows": "g (float[n,4] x) => (float y) { y=ReduceMean<keepdims=0>(x) }",
    "NaN for some": "g (float[n,4] x) => (float[n,4] y) { y=Log(x) }",
    "open sizes": "g (float[n,c,h,w] x) => (float[n,c,h,w] y) { y=Relu(x) }",
    "answers of any number": "g (float[n] x) => (int64[k,m] y) { y=NonZero(x) }",
    "the sizes of its input": "g (float[n,4] x) => (float[n,4] y, int64[2] s) { y=Relu(x) s=Shape(x) }",
}


@pytest.mark.parametrize("graph", ODD)
def test_a_model_of_odd_shape_is_as_good_as_itself(graph: str, tmp_path: Path) -> None:
    source = save_graph_text(tmp_path / "odd.onnx", ODD[graph])
    golden = generated_golden(source, open_session=open_here, seed=1, call=Call(), max_rows=400)
    assert report(source, source, golden, conditions=Conditions(performance_s=0.1)).verdict.admitted


def test_a_model_with_empty_answers_is_not_comparable(tmp_path: Path) -> None:
    empty = save_graph_text(
        tmp_path / "e.onnx",
        "g (float[n,4] x) => (float[k,4] y) <int64[1] a={0}, int64[1] b={0}> { y=Slice(x,a,b,a) }",
    )
    assert [reason.code for reason in report(empty, empty).verdict.reasons] == ["not_comparable"]
