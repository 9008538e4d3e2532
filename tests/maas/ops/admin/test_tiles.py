"""Tests of what the tiles of the operator's home say about workers, known and unknown."""

from dataclasses import replace

import pytest

from inference.workers.heartbeats import HeldModel, WorkerReport
from maas.ops.admin.day import CacheRedis, RequestsOfMinute
from maas.ops.admin.home import Home
from maas.ops.admin.queues import Queue
from maas.ops.admin.tiles import Tile, tiles

WORKER = WorkerReport(name="w", pid=1, provider="CPU", threads=2, seen_at=0.0)
QUIET = Home([0, 60], {}, {}, [], [WORKER], None, None, None, [])
BUSY = replace(QUIET, queues=[Queue(1, 1, "ocr@1", "active", 3, 5.0, 0)])


def tile(home: Home, key: str) -> Tile:
    return next(tile for tile in tiles(home) if tile.key == key)


@pytest.mark.parametrize("key", ["running", "batches", "workers"])
def test_what_nobody_knows_is_not_said_to_be_nothing(key: str) -> None:
    note = tile(replace(BUSY, workers=None), key).note
    assert "nknown: the durable Redis does not answer." in note


def test_waiting_pages_that_no_worker_takes_are_an_alarm() -> None:
    alone = replace(BUSY, workers=[replace(WORKER, draining=True)])
    assert [tile(alone, key).mood for key in ("waiting", "workers")] == ["bad", "bad"]
    assert "No worker accepts pages." in tile(alone, "waiting").note
    assert [tile(BUSY, key).mood for key in ("waiting", "workers")] == ["", "good"]


def test_all_workers_draining_while_nothing_waits_is_to_be_watched() -> None:
    assert tile(replace(QUIET, workers=[replace(WORKER, draining=True)]), "workers").mood == "watch"


def test_known_results_are_told_with_what_they_take_and_lead_to_their_uses() -> None:
    minutes = {0: RequestsOfMinute(hits=5, misses=2), 60: RequestsOfMinute(shared=1)}
    known = tile(replace(QUIET, requests=minutes, cache=CacheRedis(2_000_000, 7)), "known")
    assert known.number == "75 %"
    assert "5 hits, 1 shared, 2 misses" in known.note
    assert "7 evicted" in known.note
    assert "source_kind__exact=cache" in known.url
    assert tile(QUIET, "known").number == "–"
    assert tile(replace(QUIET, requests=None), "known").mood == "watch"


def test_runs_that_models_share_count_once() -> None:
    shared = (HeldModel("ocr@1", runs=10, rows=20), HeldModel("parse@1", runs=10, rows=20))
    worker = replace(WORKER, models=shared, runs=10, rows=20, run_s=0.1)
    assert "10 runs" in tile(replace(QUIET, workers=[worker]), "batches").note


@pytest.mark.parametrize(("key", "field"), [("jobs", "created_at"), ("failed", "finished_at")])
def test_a_tile_of_the_day_leads_to_the_rows_of_the_day(key: str, field: str) -> None:
    assert f"{field}_from_0=" in tile(QUIET, key).url
