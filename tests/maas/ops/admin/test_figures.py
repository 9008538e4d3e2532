"""Tests of the figures of the operator's home, computed from the tables that they describe."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
import redis
from django.conf import settings

from inference.models import ModelPool, ModelVersion, ServedModel
from inference.workers.heartbeats import WorkerReport
from maas.ops.admin import day
from maas.ops.admin import queues as queues_module
from maas.ops.admin.day import failures_of_day, jobs_of_day, pages_of_hour, requests_by_minute
from maas.ops.admin.home import last_minutes, storage_now
from maas.ops.admin.queues import Queue, among, bounded, queues
from tenants.core.db.unit_of_work import operator_work
from tenants.request_log.minutes import minute_key
from tests.fixtures import unique
from tests.jobs.conftest import Desk


@pytest.fixture(autouse=True)
def _as_operator() -> Iterator[None]:
    with operator_work():
        yield


@pytest.fixture(autouse=True)
def _all_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the number of shown versions, since other tests leave more work behind than is shown."""
    monkeypatch.setattr(queues_module, "MAX_VERSIONS", 100_000)


def waiting_queues() -> int:
    return sum(queue.waiting > 0 for queue in queues())


def queue_of(version: ModelVersion) -> Queue:
    return next(queue for queue in queues() if queue.version_id == version.pk)


def test_a_queue_says_how_many_wait_since_when_and_how_many_run(desk: Desk) -> None:
    job = desk.submit(pages=3)
    desk.claimed(desk.pages(job)[0])
    desk.sql("UPDATE jobs_page SET created_at = now() - interval '100 seconds' WHERE job_id = %s", job.id)
    queue = queue_of(desk.version)
    assert (queue.waiting, queue.running) == (2, 1)
    assert 100 <= queue.longest_wait_s < 160
    assert queue.waits_long


def test_a_queue_that_nothing_waits_for_is_shown_where_it_is_asked_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queues_module, "MAX_VERSIONS", waiting_queues() + 1)
    assert desk.version.pk in [queue.version_id for queue in queues(first=[desk.version.key])]


def test_a_queue_that_no_living_worker_is_of_the_pool_of_says_so(desk: Desk) -> None:
    pool = ModelPool.objects.create(name=unique("pool"))
    ServedModel.objects.filter(id=desk.version.served_model_id).update(pool=pool)
    others, its = (
        WorkerReport(name="w", pid=1, provider="CPU", threads=2, seen_at=0.0, pools=(name,))
        for name in ("default", pool.name)
    )
    assert among([others], [queue_of(desk.version)])[0].served
    desk.submit()
    queue = queue_of(desk.version)
    assert queue.pool == pool.name
    assert [among([worker], [queue])[0].served for worker in (others, its, replace(its, draining=True))] == [
        False,
        True,
        False,
    ]


def test_counting_a_queue_stops_where_it_says_enough(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues_module, "COUNTED", 2)
    desk.submit(pages=4)
    waiting = queue_of(desk.version).waiting
    assert (waiting, bounded(waiting)) == (3, "2+")


def test_of_more_versions_than_are_shown_those_with_work_are_shown(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.submit()
    monkeypatch.setattr(queues_module, "MAX_VERSIONS", waiting_queues())
    assert queue_of(desk.version).waiting == 1


def test_the_busiest_queue_comes_first(desk: Desk) -> None:
    desk.submit(pages=5)
    assert [queue.waiting for queue in queues()] == sorted((queue.waiting for queue in queues()), reverse=True)


def test_jobs_of_the_day_are_counted_by_state_and_tenant(desk: Desk) -> None:
    before = jobs_of_day()
    desk.submit()
    after = jobs_of_day()
    assert after.by_state["queued"] - before.by_state.get("queued", 0) == 1
    assert (after.total - before.total, after.tenants - before.tenants) == (1, 1)


def test_failures_are_counted_by_their_code_for_a_day(desk: Desk) -> None:
    code, old_code = unique("code"), unique("code")
    for each, age in ((code, timedelta(hours=23)), (old_code, timedelta(hours=25))):
        page = desk.pages(desk.submit())[0]
        desk.sql(
            f"UPDATE jobs_page SET state = 'failed', error_code = '{each}',"
            f" finished_at = now() - interval '{age.total_seconds()} seconds' WHERE id = %s",
            page.id,
        )
    failures = failures_of_day()
    assert failures[code] == 1
    assert old_code not in failures


def test_pages_are_counted_by_the_minute_in_which_they_ended(desk: Desk) -> None:
    started = int(time.time()) // 60 * 60
    desk.finish(desk.pages(desk.submit())[0])
    ended = int(time.time()) // 60 * 60
    counted = pages_of_hour()
    assert any(counted[minute].succeeded for minute in {started, ended} if minute in counted)


def test_storage_is_what_documents_weigh_that_are_not_deleted(desk: Desk) -> None:
    before = storage_now()
    kept, deleted = desk.document(1), desk.document(1)
    desk.sql("UPDATE jobs_document SET size_bytes = 70000000000 WHERE id = %s", kept.id)
    desk.sql("UPDATE jobs_document SET deleted_at = now() WHERE id = %s", deleted.id)
    after = storage_now()
    assert after.total_bytes - before.total_bytes == 70_000_000_000
    assert after.by_tenant[0].tenant_id == desk.identity.tenant_id
    assert after.free_bytes


def test_requests_are_read_as_the_web_processes_count_them() -> None:
    client, minute = redis.Redis.from_url(settings.MAAS_CACHE_URL), last_minutes(time.time())[5]
    fields = {"2xx": 7, "4xx": 3, "429": 2, "5xx": 1, "count": 11, "ms_total": 110}
    for name, count in fields.items():
        client.hset(minute_key(minute // 60), name, str(count))
    found = requests_by_minute([minute, minute - 86_400])
    client.delete(minute_key(minute // 60))
    assert found is not None
    assert list(found) == [minute]
    one = found[minute]
    assert (one.succeeded, one.refused, one.limited, one.failed, one.mean_ms) == (7, 1, 2, 1, 10.0)


def test_a_cache_that_does_not_answer_is_told_apart_from_no_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(day, "cache_redis", lambda: redis.Redis(port=1, socket_connect_timeout=0.2))
    assert requests_by_minute([0]) is None


def test_the_last_minute_is_the_one_that_runs() -> None:
    minutes = last_minutes(7_259.9)
    assert (minutes[0], minutes[-1], len(minutes)) == (3_660, 7_200, 60)
