import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.factory.bounds import bounds_for
from inference.factory.gate import verdict
from inference.factory.measures.checks import Fault
from inference.factory.measures.measured import Measured
from inference.factory.measures.pairs import Kind, Measure
from inference.factory.report import (
    FactoryReport,
    GoldenFacts,
    Lineage,
    Performance,
    Point,
    VariantReport,
    as_text,
    pareto,
)

MEASURED = Measured(Kind.TENSOR, 100, (), (Measure("relative_error_mean", 0.025, "y", "normal"),))
BOUNDS = bounds_for(Kind.TENSOR, {})
SOURCE = Performance(1000, 0.1, 5000, 2.0, 3.0, 10.0, 12.0, 6400.0, "a batch of 64 rows")


def report(name: str = "int8", *, measured: Measured = MEASURED, p50_ms: float = 1.0) -> VariantReport:
    return VariantReport(
        source_sha256="a" * 64,
        variant_sha256="b" * 64,
        measured=measured,
        bounds=BOUNDS,
        verdict=verdict(measured, BOUNDS),
        golden=GoldenFacts("c" * 64, True, 7, 100, 100),
        device="a processor, 2 threads",
        onnx_runtime="1.31.1",
        measured_at="2026-11-28T12:00:00+00:00",
        source=SOURCE,
        variant=replace(SOURCE, alone_p50_ms=p50_ms, file_bytes=300),
        name=name,
        precision="int8",
        lineage=Lineage("a" * 64, "quantize dynamic", {"per_channel": True}, {"onnxruntime": "1.31.1"}),
    )


def test_a_report_is_the_same_after_json() -> None:
    broken = report(measured=Measured(Kind.TENSOR, 0, (Fault("does_not_load", "no such operator"),)))
    whole = FactoryReport("model.onnx", "a" * 64, (report(), replace(broken, source=None, variant=None)))
    assert FactoryReport.from_json(json.loads(json.dumps(whole.to_json()))) == whole


def test_a_report_of_a_newer_release_can_be_read() -> None:
    content = {**report().to_json(), "a new field": 1}
    assert VariantReport.from_json(content) == report()


@pytest.mark.parametrize("change", [{"bounds": "none"}, {"verdict": {}}, {"measured": {"kind": "poem", "rows": 1}}])
def test_a_damaged_report_cannot_be_read(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        VariantReport.from_json({**report().to_json(), **change})


def test_the_error_is_the_largest_share_of_a_bound() -> None:
    assert report().error == pytest.approx(0.25)
    assert report().speedup == pytest.approx(2.0)


def test_the_text_shows_each_variant_and_why_it_was_refused() -> None:
    bad = replace(MEASURED, measures=(Measure("relative_error_mean", 0.5, "y", "normal"),))
    text = as_text(FactoryReport("model.onnx", "a" * 64, (report(), report("broken", measured=bad))))
    assert "* int8" in text
    assert "2.00x alone (1.00 ms)" in text
    assert "relative_error_mean is 0.5, and must be at most 0.1 (output 'y'; sample normal)" in text


def test_refused_variants_are_on_no_front() -> None:
    bad = replace(MEASURED, measures=(Measure("relative_error_mean", 0.5, "y", "normal"),))
    found = FactoryReport("m", "a" * 64, (report("fast", measured=bad, p50_ms=0.1), report("slow", p50_ms=1.0)))
    assert found.front == {1}


POINTS = st.lists(st.builds(Point, *[st.integers(0, 4).map(float)] * 3), max_size=12)


@given(POINTS)
def test_a_point_is_on_the_front_unless_another_is_better(points: list[Point]) -> None:
    front = pareto(points)
    assert bool(front) == bool(points)
    for position, point in enumerate(points):
        values = (point.latency_ms, point.error, point.memory_bytes)
        better = any(
            all(one <= two for one, two in zip((o.latency_ms, o.error, o.memory_bytes), values, strict=True))
            and (o.latency_ms, o.error, o.memory_bytes) != values
            for o in points
        )
        assert (position in front) is not better
