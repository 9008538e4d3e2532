"""Tests of which models the engine's charts draw, and with which numbers."""

from inference.workers.figures import ModelSums, Span
from maas.ops.admin.engine import EngineNow
from maas.ops.admin.engine_page import DRAWN, engine_charts


def ran(rows: float) -> ModelSums:
    return ModelSums(rows=rows, batches=1, padded=rows, useful=rows)


def test_the_busiest_have_lines_of_their_own_and_the_rest_shares_one() -> None:
    parts = {f"m{number}@1/weights": ran(number) for number in range(1, DRAWN + 4)}
    lines = engine_charts(EngineNow([], [], {}, [Span(0, parts)]))["rows"]["lines"]
    assert [line["name"] for line in lines] == ["m4@1", "m5@1", "m6@1", "m7@1", "3 others"]
    assert sum(value or 0 for line in lines for value in line["values"]) == sum(range(1, DRAWN + 4))


def test_a_span_without_runs_is_a_gap_in_a_mean_and_zero_in_a_sum() -> None:
    spans = [Span(0, {"m@1/weights": ran(4)}), Span(10, {})]
    charts = engine_charts(EngineNow([], [], {}, spans))
    assert charts["batch-rows"]["lines"][0]["values"] == [4, None]
    assert charts["rows"]["lines"][0]["values"] == [4, 0]


def test_a_chart_says_that_there_is_nothing_only_where_it_draws_nothing() -> None:
    """A mean of 0 is drawn, for example for padding if there was none."""
    charts = engine_charts(EngineNow([], [], {}, [Span(0, {"m@1/weights": ran(4)})]))
    assert charts["batch-padding"]["lines"][0]["values"] == [0]
    assert {name for name, chart in charts.items() if chart["empty"]} == {"loads", "waits"}
    assert all(chart["empty"] for chart in engine_charts(EngineNow([], [], {}, [Span(0, {})])).values())


def test_files_of_one_model_are_one_line() -> None:
    parts = {"ocr@1/detection": ran(1), "ocr@1/recognition": ran(9)}
    (line,) = engine_charts(EngineNow([], [], {}, [Span(0, parts)]))["rows"]["lines"]
    assert (line["name"], line["values"]) == ("ocr@1", [10])
