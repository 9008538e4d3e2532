"""Tests of what a worker reports about a real engine: batches, loads and evictions. Nothing is lost while Redis is
away.
"""

import time
from dataclasses import replace

import pytest
import redis

from inference.core.calls import Call
from inference.core.contracts import TextInput, VersionSpec
from inference.engine.engine import local_engine
from inference.workers import figures as store
from inference.workers.figures import SPAN_S, last_spans, told_by
from jobs.worker.figures import TELL_EVERY_S, WorkerNews
from jobs.worker.metrics import PAGE_WAIT_SECONDS
from tests.fixtures import unique
from tests.inference.registry.builtin.served import builtin_specs
from tests.inference.workers.placement.clocks import Clock


@pytest.fixture
def spec() -> VersionSpec:
    return replace(builtin_specs()["embed"], model=unique("embed"))


def test_batches_loads_and_waits_are_told_by_version(spec: VersionSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, worker, clock = local_engine(), unique("worker"), Clock()
    started_s = time.time()
    news = WorkerNews(engine, worker, clock, lambda: started_s)
    engine.run(spec, TextInput(("one",), single=True), {}, Call())
    PAGE_WAIT_SECONDS.labels(model=spec.key).observe(0.5)
    away = redis.Redis(port=1, socket_connect_timeout=0.2)
    with monkeypatch.context() as broken:
        broken.setattr(store, "_connection", lambda: away)
        news.look()
    clock.now_s += TELL_EVERY_S
    news.look()
    parts = {part.role: part for part in told_by([worker])[worker].parts if part.key == spec.key}
    whole, weights = parts[""], parts["weights"]
    assert (whole.sums.loads, whole.sums.pages, whole.sums.page_wait_s) == (1, 1, 0.5)
    assert whole.sums.load_s > 0
    assert whole.held_bytes > 0
    assert (weights.sums.batches, weights.sums.rows) == (1, 1)
    (path,) = engine.session_paths(spec)
    engine.host.evict(path)
    clock.now_s += TELL_EVERY_S
    news.look()
    parts = {part.role: part for part in told_by([worker])[worker].parts if part.key == spec.key}
    assert (parts[""].sums.evictions, parts[""].held_bytes, parts["weights"].sums.rows) == (1, 0, 1)
    spent = last_spans(started_s + SPAN_S)[-1].of(spec.key)
    assert (spent.loads, spent.evictions, spent.rows, spent.pages) == (1, 1, 1, 1)
