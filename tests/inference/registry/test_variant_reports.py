"""Tests of the report of variants as people see it: figures, bounds, and places in the plot."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

from inference.factory.gate import Reason, Verdict
from inference.factory.measures.measured import Measured
from inference.factory.measures.pairs import Kind, Measure
from inference.factory.report import GoldenFacts, Performance, VariantReport
from inference.registry.models import ModelVariant
from inference.registry.variant_reports import HEIGHT, WIDTH, report_of

SOURCE = Performance(4_000_000, 0.02, 40_000_000, 2.0, 3.0, 20.0, 30.0, 3_000.0, "a batch of 64 rows")


def measured(*, alone_ms: float = 1.0, memory_bytes: int = 20_000_000, changed: float = 0.01) -> VariantReport:
    admitted = changed <= 0.02
    reason = Reason("changed_classes", f"changed_classes is {changed}, and must be at most 0.02")
    return VariantReport(
        source_sha256="0" * 64,
        variant_sha256="1" * 64,
        measured=Measured(Kind.CLASSIFIER, 1000, (), (Measure("changed_classes", changed, "label"),)),
        bounds={"changed_classes": 0.02},
        verdict=Verdict(admitted, () if admitted else (reason,)),
        golden=GoldenFacts("d", generated=True, seed=7, calibration_rows=10, held_out_rows=1000),
        device="CPU",
        onnx_runtime="1.31.1",
        measured_at="2026-03-03T14:03:00Z",
        source=SOURCE,
        variant=replace(SOURCE, alone_p50_ms=alone_ms, memory_bytes=memory_bytes),
    )


def variant(report: VariantReport | dict[str, Any], name: str = "optimize") -> ModelVariant:
    content = report.to_json() if isinstance(report, VariantReport) else report
    admitted = content.get("verdict", {}).get("admitted", False)
    return ModelVariant(
        precision="fp32", transformation=name, report=content, state="admitted" if admitted else "refused"
    )


def test_a_variant_has_its_figures_and_each_measure_with_its_bound() -> None:
    report = report_of([variant(measured())])
    (view,) = report.variants
    assert view.figures is not None
    assert (view.figures.speedup, view.error, view.figures.alone) == ("2.00 ×", "50 %", "1.00 / 3.00 ms")
    (row,) = view.measures
    assert (row.name, row.value, row.bound, row.within, row.where) == (
        "changed classes",
        "0.01",
        "≤ 0.02",
        True,
        "label",
    )
    assert "1,000 rows of generated inputs (seed 7)" in view.conditions
    assert report.company == "a batch of 64 rows"


def test_a_refused_variant_says_why_and_is_never_among_the_best() -> None:
    (view,) = report_of([variant(measured(changed=0.05))]).variants
    assert not view.admitted
    assert not view.on_front
    assert view.reasons == ("changed_classes is 0.05, and must be at most 0.02",)
    assert not view.measures[0].within


def test_a_variant_that_another_one_surpasses_in_everything_is_not_on_the_front() -> None:
    best, worse, small = (
        variant(measured()),
        variant(measured(alone_ms=1.5, memory_bytes=30_000_000, changed=0.015)),
        variant(measured(alone_ms=1.9, memory_bytes=10_000_000, changed=0.015)),
    )
    assert [view.on_front for view in report_of([best, worse, small]).variants] == [True, False, True]


def test_variants_of_several_runs_stand_beside_their_own_measurement_of_the_version() -> None:
    slow = replace(SOURCE, rows_per_s=1_000.0)
    earlier = replace(measured(), source=slow, variant=replace(slow, rows_per_s=2_000.0))
    newer = replace(measured(), measured_at="2026-03-04T09:00:00Z")
    report = report_of([variant(newer, "dynamic-int8"), variant(earlier), variant({"refused": {"detail": "No."}})])
    shown = [(view.source_rows_per_s, view.measured_at and view.measured_at.day) for view in report.variants]
    assert shown == [("3,000", 4), ("1,000", 3), ("", None)]
    assert report.source is not None
    assert report.source.rows_per_s == "3,000"


def test_every_dot_lies_in_the_plot_and_the_largest_is_drawn_first() -> None:
    reports = [measured(alone_ms=0.01), measured(changed=5.0), measured(memory_bytes=0), measured(alone_ms=9.0)]
    plot = report_of([variant(report) for report in reports]).plot
    assert plot is not None
    assert all(0 <= dot.x <= WIDTH and 0 <= dot.y <= HEIGHT for dot in plot.dots)
    assert all(first.radius >= second.radius for first, second in pairwise(plot.dots))
    assert len(plot.dots) == len(reports) + 1
    assert len(plot.speeds) <= 8


def test_a_variant_that_was_refused_before_it_was_measured_has_no_place_in_the_plot() -> None:
    refused = {
        "refused": {"code": "model_corrupt", "detail": "Not a valid ONNX file.", "what_to_do": "Export it again."}
    }
    report = report_of([variant(refused)])
    assert report.plot is None
    assert report.variants[0].reasons == ("Not a valid ONNX file. Export it again.",)
    assert report_of([]).variants == ()
