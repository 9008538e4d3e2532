"""Tests of the operator's home: its tiles lead to their lists, and it still works if a part is away."""

import re

import pytest
import redis
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from inference.workers import heartbeats
from inference.workers.heartbeats import Beat, Heartbeat, HeldModel
from maas.ops.admin import day
from tenants.core.db.unit_of_work import OPERATOR
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.jobs.conftest import Desk
from tests.waiting import eventually

MAX_QUERIES = 4
"""The queries are for session, person, queues and audit log. Everything else is counted beside the request."""


def live(operator: Client) -> str:
    return operator.get(reverse("admin-live")).content.decode()


def counted(operator: Client) -> str | None:
    page = live(operator)
    return None if "Counting" in page else page


def test_the_home_is_few_queries_whatever_there_is(operator: Client, desk: Desk) -> None:
    for _ in range(2):
        desk.submit(pages=3)
        with CaptureQueriesContext(connections[OPERATOR]) as captured:
            assert operator.get("/admin/").status_code == 200
        assert len(captured) == MAX_QUERIES, [query["sql"][:100] for query in captured]


def test_every_tile_bar_and_queue_leads_to_a_list_that_opens(operator: Client, desk: Desk) -> None:
    desk.submit()
    desk.document(1)
    page = eventually(lambda: counted(operator), "all figures")
    # The list of operators' actions is left out: their objects may be gone by now, and Django then says so at the link.
    page, actions, _ = page.partition('data-zone="actions"')
    assert actions
    links = {link.replace("&amp;", "&") for link in re.findall(r'href="(/admin/[^"]+)"', page)}
    # Links that differ in an id alone lead to the same list.
    kinds = {re.sub(r"[0-9a-f-]{36}|\d+", "#", link): link for link in sorted(links)}
    assert len(kinds) > 10
    for link in kinds.values():
        answer = operator.get(link)
        assert answer.status_code == 200, (link, answer)


def test_a_queue_shows_its_pages_and_a_worker_its_models(operator: Client, desk: Desk) -> None:
    desk.submit(pages=2)
    heart = Heartbeat(unique("worker"), "CPU")
    heart.beat(Beat(models=(HeldModel("ocr@1", 5, 2, 7, 0.1),), pages_held=1, draining=True))
    page = live(operator)
    heart.end()
    assert desk.version.key in page
    assert heart.name in page
    assert "draining" in page
    assert "3.5" in page


def test_a_redis_that_is_away_is_said_in_words(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    away = redis.Redis(port=1, socket_connect_timeout=0.2)
    monkeypatch.setattr(day, "cache_redis", lambda: away)
    monkeypatch.setattr(heartbeats, "_connection", lambda: away)
    page = live(operator)
    assert "The cache Redis does not answer" in page
    assert "Unknown: the durable Redis does not answer" in page
    assert "does not answer" in operator.get(reverse("admin:jobs_workers")).content.decode()


def test_the_live_part_is_an_operators_alone(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert client.get(reverse("admin-live")).status_code == 302
