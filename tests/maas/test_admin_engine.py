"""The operator's page on the engine: one row for each model version, charts of the last minutes, few queries."""

import html
import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from inference.models import ModelVersion
from inference.workers import heartbeats
from inference.workers.figures import NOTHING, SPAN_S, ModelSums, PartNow, WorkerFigures, tell
from inference.workers.heartbeats import Beat, Heartbeat, HeldModel
from tenants.core.db.unit_of_work import OPERATOR
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.jobs.conftest import Desk
from tests.waiting import eventually

MAX_QUERIES = 3
"""The queries are for session, person and queues. Everything else comes from Redis."""


@pytest.fixture(autouse=True)
def _all_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the number of shown versions, since other tests leave more work behind than is shown."""
    monkeypatch.setattr("maas.ops.admin.queues.MAX_VERSIONS", 100_000)


@pytest.fixture
def worker(version: ModelVersion) -> Iterator[Heartbeat]:
    """Yield a heartbeat of a worker that holds the model, and that ran some of it a moment ago."""
    heart = Heartbeat(unique("worker"), "CPU")
    tell_of(version, heart.name)
    beat(heart, version)
    yield heart
    heart.end()


def beat(heart: Heartbeat, version: ModelVersion) -> None:
    """Send a heartbeat of the worker, which counts for seconds that may be over before a page is requested."""
    heart.beat(Beat(models=(HeldModel(version.key, 5),)))
    tell_of(version, heart.name, grown=False)


def tell_of(version: ModelVersion, worker: str, *, grown: bool = True) -> None:
    whole = ModelSums(pages=2, page_wait_s=0.5, loads=3, load_s=3.75, evictions=2)
    ran = ModelSums(batches=4, pieces=26, rows=26, padded=100, useful=83, batch_wait_s=0.052, run_s=0.6)
    parts = (PartNow(version.key, "", whole, held_bytes=7_000_000), PartNow(version.key, "weights", ran, 9))
    more = {part.name: part.sums.since(NOTHING) for part in parts} if grown else {}
    reasons = {version.key: {"second_worker": 1, "spare_memory": 2}}
    tell(worker, WorkerFigures(parts, reasons), more, time.time() - SPAN_S)


def live(operator: Client) -> str:
    answer = operator.get(reverse("admin-engine-live"))
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def row_of(page: str, version: ModelVersion) -> str:
    return next((row for row in page.split("<tr>") if f">{version.key}</a>" in row), "")


def file_row_of(page: str, version: ModelVersion) -> str:
    return next((row for row in page.split("<tr>") if f">{version.key} weights</th>" in row), "")


def words_of(row: str) -> str:
    return re.sub(r"<[^>]+>", " ", row)


def charts_in(page: str) -> dict[str, Any]:
    found = re.search(r'<script id="chart-numbers"[^>]*>(.*?)</script>', page)
    assert found is not None
    numbers: dict[str, Any] = json.loads(found[1])
    return numbers


def test_a_row_says_where_a_version_is_held_and_how_it_runs(
    operator: Client, version: ModelVersion, worker: Heartbeat
) -> None:
    def look() -> str | None:
        beat(worker, version)
        page = live(operator)
        row = row_of(page, version)
        return page if worker.name in row and "second worker for the load" in row else None

    page = eventually(look, "a row of a worker that is heard of")
    row, files = words_of(row_of(page, version)), words_of(file_row_of(page, version))
    for figure in ("7 MB", "250 ms", "1.25 s", " 3 ", " 2 "):
        assert figure in row, (figure, row)
    for figure in (" 9 ", "2.0 ms", "6.5", "25", "17 %", "150 ms"):
        assert figure in files, (figure, files)


def test_the_memory_that_processes_use_stands_beside_what_is_set_aside(
    operator: Client, version: ModelVersion, worker: Heartbeat
) -> None:
    """The two figures differ: more may be set aside than a process has in use."""

    def look() -> str | None:
        beat(worker, version)
        page = live(operator)
        return page if worker.name in row_of(page, version) else None

    page = eventually(look, "a row of a worker that is heard of")
    assert "Reserved memory" in page
    assert re.search(rf"In use now: .*{worker.name} [\d.]+\s[MG]B", page)


def test_charts_draw_the_models_that_ran_most(operator: Client, version: ModelVersion, worker: Heartbeat) -> None:
    charts = charts_in(operator.get(reverse("admin-engine")).content.decode())
    assert set(charts) == {"rows", "waits", "batch-rows", "batch-padding", "run-time", "loads"}
    assert all(len(line["values"]) == 60 for chart in charts.values() for line in chart["lines"])
    assert sum(charts["loads"]["lines"][0]["values"]) >= 3


def test_the_page_is_few_queries_whatever_there_is(
    operator: Client, make_version: Callable[[], ModelVersion], worker: Heartbeat
) -> None:
    others = []
    for _ in range(2):
        with CaptureQueriesContext(connections[OPERATOR]) as captured:
            assert operator.get(reverse("admin-engine")).status_code == 200
        assert len(captured) == MAX_QUERIES, [query["sql"][:100] for query in captured]
        others.append(Heartbeat(unique("worker"), "CPU"))
        version = make_version()
        others[-1].beat(Beat(models=(HeldModel(version.key, 5),)))
        tell_of(version, others[-1].name)
    for other in others:
        other.end()


def test_a_pool_that_no_worker_serves_is_said_in_words(
    operator: Client, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    heart = Heartbeat(unique("worker"), "CPU")
    for page in ("engine", "home"):
        monkeypatch.setattr(
            f"maas.ops.admin.{page}.live_workers_with_long_timeout",
            lambda: [worker for worker in heartbeats.live_workers() if worker.name == heart.name],
        )
    desk.submit()
    words = "no worker serves pool default"

    def is_said(pools: tuple[str, ...]) -> bool:
        heart.beat(Beat(pools=pools))
        return words in row_of(live(operator), desk.version)

    def is_said_at_home() -> bool:
        heart.beat(Beat(pools=("elsewhere",)))
        return words in operator.get(reverse("admin-live")).content.decode()

    eventually(lambda: is_said(("elsewhere",)), "the words of the engine")
    eventually(is_said_at_home, "the words of the home")
    eventually(lambda: not is_said(("elsewhere", "default")), "the end of them")
    heart.end()


def test_no_worker_is_said_in_words(operator: Client, version: ModelVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maas.ops.admin.engine.live_workers_with_long_timeout", list)
    page = live(operator)
    assert "No heartbeat from any worker" in page
    assert "not loaded" in row_of(page, version)


def test_a_redis_that_is_away_is_said_in_words(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    away = redis.Redis(port=1, socket_connect_timeout=0.2)
    monkeypatch.setattr(heartbeats, "_connection", lambda: away)
    page = live(operator)
    assert "does not answer" in page
    assert all("does not answer" in chart["empty"] for chart in charts_in(page).values())


def test_the_page_is_an_operators_alone(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    for name in ("admin-engine", "admin-engine-live"):
        assert client.get(reverse(name)).status_code == 302


def test_the_home_and_the_workers_lead_here(operator: Client) -> None:
    for name in ("admin:index", "admin:jobs_workers"):
        assert reverse("admin-engine") in operator.get(reverse(name)).content.decode()
