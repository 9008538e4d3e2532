"""Test how workers choose models, with real engines, registry and Redis. The queues from which they would take pages
are recorded.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import redis
from django.conf import settings
from django.db import connections

from inference.core.contracts import TensorInput
from inference.engine.engine import local_engine
from inference.registry.models import ModelPool, ModelVersion, ServedModel
from inference.registry.pipelines import PipelineUpload, add_pipeline
from inference.workers import heartbeats
from inference.workers.heartbeats import PREFIX, Heartbeat, WorkerReport, live_workers
from inference.workers.placement import catalog as patience
from inference.workers.placement import claims, peers
from inference.workers.placement.affinity import Affinity
from inference.workers.placement.demand import DemandSource
from inference.workers.placement.fleet import Demand
from inference.workers.placement.heartbeat import PagesNow
from inference.workers.placement.metrics import DECISIONS
from inference.workers.placement.page_counts import QueueTally
from inference.workers.placement.resident_models import Shelf
from jobs.worker.versions import VersionCatalog
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.plans.prices import Price
from tests.fixtures import unique
from tests.inference.workers.placement.models import INPUTS, SIGNATURE, PoolOfModels, pool_of_models, room_for
from tests.waiting import eventually

MB = 1_000_000
SIZE = 8 * MB


@dataclass
class Bench:
    """A set of workers of one pool, and the demand that all of them see."""

    pool: PoolOfModels
    demand: dict[str, Demand] = field(default_factory=dict)
    workers: list["Desk"] = field(default_factory=list)

    def room_for(self, models: float) -> int:
        return room_for(models, SIZE)

    def worker(self, memory_bytes: int, *demand: DemandSource) -> "Desk":
        self.workers.append(Desk(self, memory_bytes, demand))
        return self.workers[-1]

    def ask(self, *keys: str, oldest_s: float = 0.1, waiting: int = 1) -> None:
        self.demand.update(dict.fromkeys(keys, Demand(waiting, oldest_s)))
        for worker in self.workers:
            worker.affinity.wake()

    def homes(self, key: str) -> list["Desk"]:
        return [worker for worker in self.workers if key in worker.consumed]


class Desk:
    def __init__(self, bench: Bench, memory_bytes: int, more_demand: tuple[DemandSource, ...]) -> None:
        self.engine = local_engine(memory_bytes=memory_bytes)
        self.consumed: frozenset[str] = frozenset()
        self.calls: frozenset[str] = frozenset()
        self.served: list[tuple[frozenset[str], frozenset[str]]] = []
        """The models whose pages it took and whose calls it served, at every look."""
        self.told: list[tuple[frozenset[str], frozenset[str]]] = []
        """The queues from which it takes pages and the models that were being loaded, at every look."""
        self.heartbeat = Heartbeat(unique("worker"), "CPU")
        self.affinity = Affinity(
            self.heartbeat,
            shelf=Shelf(self.engine, VersionCatalog().get),
            tally=QueueTally(),
            pools=frozenset({bench.pool.name}),
            pages=lambda: PagesNow(0, 0),
            demand=[lambda _known: dict(bench.demand), *more_demand],
        )
        self.affinity.start()
        self.affinity.consume_with(self._consume)

    def _consume(self, keys: frozenset[str], calls: frozenset[str]) -> None:
        self.consumed, self.calls = keys, calls
        self.served.append((keys, calls))
        self.told.append((keys, self.affinity._loader.loading))

    def looks_again(self) -> None:
        before = len(self.told)
        self.affinity.wake()
        eventually(lambda: len(self.told) > before + 1, "another look, from its beginning to its end")

    @property
    def report(self) -> WorkerReport | None:
        return next((one for one in live_workers() if one.name == self.heartbeat.name), None)

    def stop(self) -> None:
        self.affinity.stop()
        self.affinity.end()

    def die(self) -> None:
        """Die without a notification, and let the last heartbeat expire."""
        self.affinity.stop()
        self.consumed = frozenset()
        self.affinity._heartbeat._stopping.set()
        forget(PREFIX + self.heartbeat.name)


def forget(*keys: str) -> None:
    redis.Redis.from_url(settings.MAAS_REDIS_URL).delete(*keys)


MakeBench = Callable[..., Bench]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[MakeBench]:
    made: list[Bench] = []

    def make(count: int, **options: object) -> Bench:
        made.append(Bench(pool_of_models(count, tmp_path, size_bytes=SIZE, **options)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        for worker in one.workers:
            worker.stop()


def decisions(keys: list[str]) -> Mapping[str, float]:
    """Return how often each reason was decisive for one of these models."""
    total: dict[str, float] = {}
    for metric in DECISIONS.collect():
        for sample in metric.samples:
            if sample.name.endswith("_total") and sample.labels["model"] in keys:
                total[sample.labels["reason"]] = total.get(sample.labels["reason"], 0) + sample.value
    return total


def test_a_worker_with_room_for_all_models_is_settled_with_all_of_them_warm(bench: MakeBench) -> None:
    work = bench(3)
    worker = work.worker(memory_bytes=500 * MB)
    assert worker.affinity.settled.wait(30)
    assert {model.key for model in worker.engine.resident()} == set(work.pool.keys)
    eventually(lambda: worker.consumed == set(work.pool.keys), "all queues taken from")
    assert decisions(work.pool.keys) == {"spare_memory": 3}


def test_of_many_models_only_those_are_loaded_that_fit_and_nothing_is_loaded_twice(bench: MakeBench) -> None:
    work = bench(8)
    worker = work.worker(memory_bytes=work.room_for(5.5))
    assert worker.affinity.settled.wait(30)
    # Other work in this process affects the measurement, so a model may seem a little larger or smaller.
    held = len(worker.engine.resident())
    assert 4 <= held <= 6
    assert decisions(work.pool.keys) == {"spare_memory": held}


def test_a_model_that_is_asked_for_takes_the_place_of_one_that_is_not(bench: MakeBench) -> None:
    work = bench(6)
    worker = work.worker(memory_bytes=work.room_for(3.5))
    assert worker.affinity.settled.wait(30)
    cold = next(key for key in work.pool.keys if key not in worker.consumed)
    work.ask(cold)
    held = len(worker.engine.resident())
    eventually(lambda: cold in worker.consumed, "the cold model taken up")
    assert len(worker.engine.resident()) <= held + 1 < len(work.pool.keys)


def test_a_worker_that_leaves_serves_calls_until_another_holds_its_models(bench: MakeBench) -> None:
    work = bench(1)
    (key,) = work.pool.keys
    first = work.worker(memory_bytes=500 * MB)
    eventually(lambda: key in first.consumed, "a home")
    second = work.worker(memory_bytes=500 * MB)
    eventually(lambda: second.report, "another worker")
    first.affinity.leave(30.0)
    assert first.consumed == frozenset()
    assert key in (second.report or first.report).resident  # type: ignore[union-attr]
    eventually(lambda: key in second.consumed and not first.calls, "the new home")
    assert (frozenset(), frozenset({key})) in first.served
    assert decisions([key])["handed_over"] == 1


def test_a_worker_that_leaves_alone_waits_for_nobody(bench: MakeBench) -> None:
    work = bench(1)
    (key,) = work.pool.keys
    only = work.worker(memory_bytes=500 * MB)
    eventually(lambda: key in only.consumed, "a home")
    began_s = time.monotonic()
    only.affinity.leave(30.0)
    assert time.monotonic() - began_s < 10
    eventually(lambda: not only.consumed | only.calls, "the end of its service")


def test_a_queue_is_left_before_its_model_has_to_leave(bench: MakeBench) -> None:
    work = bench(2)
    worker = work.worker(memory_bytes=work.room_for(1.5))
    assert worker.affinity.settled.wait(30)
    eventually(lambda: worker.consumed, "the model that it holds")
    (held,), worker.told = worker.consumed, []
    (cold,) = set(work.pool.keys) - {held}
    work.ask(cold)
    eventually(lambda: cold in worker.consumed, "the cold model taken up")
    left = next(loading for keys, loading in worker.told if held not in keys)
    assert left == frozenset()


@pytest.mark.long
def test_a_cold_model_that_only_impatient_callers_ask_for_is_loaded_in_the_end(bench: MakeBench) -> None:
    work = bench(2)
    worker = work.worker(memory_bytes=work.room_for(1.5))
    assert worker.affinity.settled.wait(30)
    work.ask(*work.pool.keys, oldest_s=0.2)
    eventually(lambda: worker.consumed, "the model that it holds")
    (cold,) = set(work.pool.keys) - worker.consumed
    eventually(lambda: cold in worker.consumed, "the cold model taken up")


def test_three_workers_share_the_models_and_each_has_one_home(bench: MakeBench) -> None:
    work = bench(6)
    for _ in range(3):
        # All workers measure the same process, so three simultaneous loads are counted for each other.
        work.worker(memory_bytes=work.room_for(18))
    eventually(lambda: all(work.homes(key) for key in work.pool.keys), "a home for every model")
    assert all(len(work.homes(key)) == 1 for key in work.pool.keys)
    assert sum(decisions(work.pool.keys).values()) == 6


def test_the_models_of_a_worker_that_died_find_another_home(bench: MakeBench) -> None:
    work = bench(2)
    first = work.worker(memory_bytes=500 * MB)
    assert first.affinity.settled.wait(30)
    second = work.worker(memory_bytes=500 * MB)
    assert second.affinity.settled.wait(30), "it has seen what the first one holds"
    assert not second.consumed
    first.die()
    eventually(lambda: second.consumed == set(work.pool.keys), "the dead one's models")
    assert decisions(work.pool.keys) == {"spare_memory": 2, "worker_lost": 2}


@pytest.mark.long
def test_a_hot_model_gets_a_second_home(bench: MakeBench) -> None:
    work = bench(1)
    first = work.worker(memory_bytes=500 * MB)
    assert first.affinity.settled.wait(30)
    work.worker(memory_bytes=500 * MB)
    work.ask(*work.pool.keys, waiting=30, oldest_s=20.0)
    eventually(lambda: len(work.homes(work.pool.keys[0])) == 2, "a second home")
    assert decisions(work.pool.keys) == {"spare_memory": 1, "second_worker": 1}


def test_a_retired_version_with_work_waiting_is_served_until_it_is_done(bench: MakeBench) -> None:
    work = bench(1)
    (version,) = work.pool.versions
    ModelVersion.objects.using("operator").filter(id=version.id).update(state="retired")
    worker = work.worker(memory_bytes=500 * MB)
    assert not worker.consumed
    work.ask(version.key)
    eventually(lambda: version.key in worker.consumed, "the retired version taken up")
    work.demand.clear()
    eventually(lambda: version.key not in worker.consumed, "the retired version left")


def test_a_model_that_cannot_be_loaded_is_taken_all_the_same_so_that_its_pages_fail(bench: MakeBench) -> None:
    work = bench(1)
    (version,) = work.pool.versions
    gone = {"weights": {"sha256": "0" * 64, "bytes": 1, "file": "models/none/none.onnx"}}
    ModelVersion.objects.using("operator").filter(id=version.id).update(artifacts=gone)
    worker = work.worker(memory_bytes=500 * MB)
    assert worker.affinity.settled.wait(30)
    assert not worker.consumed
    work.ask(version.key)
    eventually(lambda: version.key in worker.consumed, "somebody to tell why")
    assert "load_failed" in decisions(work.pool.keys)


def pipeline_of(pool: PoolOfModels) -> ModelVersion:
    """Register a pipeline that calls every model of the pool, in the pool."""
    names = [f"member{number}" for number in range(len(pool.versions))]
    declared = {
        "accepts": ["tensors"],
        "tensors": SIGNATURE["inputs"],
        "steps": [{"name": name, "kind": "model", "role": name, "inputs": {"x": "input.x"}} for name in names],
        "output": {name: f"{name}.y" for name in names},
    }
    members = {name: version.key for name, version in zip(names, pool.versions, strict=True)}
    price = Price(meter="page", amount_micros=0, per=1, currency="EUR")
    version = add_pipeline(PipelineUpload(declared, members, unique("pipeline"), "", "", price))
    with operator_work():
        of_pool = ModelPool.objects.get(name=pool.name)
        ServedModel.objects.filter(id=version.served_model_id).update(pool=of_pool)
    return version


def test_a_pipeline_whose_members_do_not_fit_together_is_taken_at_once_and_works(bench: MakeBench) -> None:
    work = bench(2)
    pipeline = pipeline_of(work.pool)
    worker = work.worker(memory_bytes=SIZE * 3 // 2)
    worker.affinity.settled.wait(30)
    work.ask(pipeline.key)
    eventually(lambda: pipeline.key in worker.consumed, "the queue taken from, without a wait")
    assert decisions([pipeline.key])["one_file_at_a_time"] >= 1
    row = TensorInput({"x": np.ones((1, INPUTS), np.float32)})
    answer = worker.engine.run(VersionCatalog().get(pipeline.id), row, {})
    assert set(answer.result) == {"member0", "member1"}


def test_a_worker_whose_redis_is_away_goes_on_with_what_it_holds(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = bench(3)
    worker = work.worker(memory_bytes=work.room_for(2.5))
    assert worker.affinity.settled.wait(30)
    held, looked = worker.consumed, threading.Event()

    def away() -> list[object]:
        looked.set()
        raise redis.ConnectionError("away")

    monkeypatch.setattr(peers, "live_workers_with_long_timeout", away)
    assert looked.wait(10)
    cold = next(key for key in work.pool.keys if key not in held)
    work.ask(cold, oldest_s=11.0)
    eventually(lambda: cold in worker.consumed, "the cold model taken up, since it has waited for long")
    assert "no_redis" in decisions(work.pool.keys)


def test_an_outage_of_redis_that_took_all_beats_makes_nobody_take_what_another_holds(
    bench: MakeBench,
) -> None:
    work = bench(2)
    first = work.worker(memory_bytes=500 * MB)
    assert first.affinity.settled.wait(30)
    second = work.worker(memory_bytes=500 * MB)
    eventually(lambda: first.report and second.report, "both alive")
    second.looks_again()
    forget(
        *(PREFIX + worker.heartbeat.name for worker in (first, second)),
        *(claims.PREFIX + key for key in work.pool.keys),
    )
    second.looks_again()
    eventually(lambda: first.report and second.report, "both alive again")
    second.looks_again()
    assert not second.consumed
    assert decisions(work.pool.keys) == {"spare_memory": 2}


def test_a_database_that_does_not_answer_holds_up_no_worker(bench: MakeBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "READ_S", 0.2)

    def hangs(_known: object) -> Mapping[str, Demand]:
        with operator_work(), connections[OPERATOR].cursor() as cursor:
            cursor.execute("SELECT pg_sleep(600)")
        return {}

    work = bench(1)
    worker = work.worker(500 * MB, hangs)
    eventually(lambda: worker.consumed == set(work.pool.keys), "the model loaded, whatever hangs")


def test_a_worker_that_does_not_look_any_more_says_so_in_its_beat_and_log(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    goes_on = threading.Event()

    def hangs(_known: object) -> Mapping[str, Demand]:
        goes_on.wait(60)
        return {}

    def is_stuck() -> bool:
        return worker.report is not None and worker.report.stuck

    monkeypatch.setattr(heartbeats, "STUCK_S", 2.0)
    worker = bench(1).worker(500 * MB, hangs)
    eventually(is_stuck, "a worker that is stuck")
    eventually(lambda: "placement_stuck" in caplog.text, "a line in the log")
    goes_on.set()
    eventually(lambda: not is_stuck(), "a worker that looks again")


def test_a_worker_whose_database_is_away_goes_on_with_what_it_holds(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = bench(1)
    worker = work.worker(memory_bytes=500 * MB)
    assert worker.affinity.settled.wait(30)
    looks = threading.Semaphore(0)

    def away(also: object) -> None:
        looks.release()
        raise OSError("away")

    monkeypatch.setattr(worker.affinity._catalog, "read", away)
    assert looks.acquire(timeout=10)
    assert looks.acquire(timeout=10)
    assert worker.consumed == set(work.pool.keys)


def test_a_worker_of_a_random_pool_loads_nothing_before_it_is_asked(bench: MakeBench) -> None:
    work = bench(2, strategy="random")
    worker = work.worker(memory_bytes=500 * MB)
    eventually(lambda: worker.consumed == set(work.pool.keys), "all queues taken from")
    assert worker.engine.resident() == ()
