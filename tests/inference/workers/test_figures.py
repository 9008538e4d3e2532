"""Test the figures that workers report and the admin reads, through a real Redis."""

import time

from inference.workers.figures import (
    NOTHING,
    SPAN_S,
    SPANS,
    ModelSums,
    PartNow,
    WorkerFigures,
    last_spans,
    sums_of,
    tell,
    told_by,
)
from tests.fixtures import unique


def test_what_a_worker_tells_is_read_as_it_was_told() -> None:
    worker, key = unique("worker"), f"{unique('model')}@1"
    sums = ModelSums(batches=2, rows=7, padded=10, useful=8, run_s=0.5)
    figures = WorkerFigures(
        (PartNow(key, "", ModelSums(loads=1, load_s=0.25), held_bytes=5), PartNow(key, "weights", sums, 3)),
        {key: {"spare_memory": 1}},
    )
    tell(worker, figures, {}, time.time())
    assert told_by([worker, unique("nobody")]) == {worker: figures}


def test_what_two_workers_did_in_a_span_is_added_up() -> None:
    key, now_s = f"{unique('model')}@1", time.time()
    for rows in (3, 4):
        part = PartNow(key, "weights", ModelSums(rows=rows, batches=1))
        tell(unique("worker"), WorkerFigures((part,)), {part.name: part.sums.since(NOTHING)}, now_s)
    spans = last_spans(now_s + SPAN_S)
    assert len(spans) == SPANS
    assert spans[-1].of(key) == ModelSums(rows=7, batches=2)
    assert spans[-2].of(key) == NOTHING
    assert last_spans(now_s)[-1].of(key) == NOTHING, "the span that runs now is never whole"


def test_figures_of_a_newer_worker_are_read_as_far_as_they_are_known() -> None:
    assert sums_of({"rows": 2, "dreams": 5}) == ModelSums(rows=2)


def test_means_of_nothing_are_none_and_not_zero() -> None:
    assert (NOTHING.run_ms, NOTHING.queue_wait_ms, NOTHING.padding_percent) == (None, None, None)
    assert ModelSums(padded=10, useful=8).padding_percent == 20
