"""Tests of the tenant's events in pages of JSON, and of requests that are held until something happens."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from django.db import connections

from jobs.events import log as events
from jobs.events.log import append_event
from tenants.api_keys.services import create_key, revoke_key
from tenants.core.db.unit_of_work import APP, operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tests.event_source import events_in, said_in
from tests.jobs.conftest import Desk
from tests.jobs.streaming.conftest import append
from tests.maas.granian_server import GranianServer
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("web_server")

Look = Callable[..., httpx.Response]
TIMEOUT_S = 60.0


@pytest.fixture
def look(web_server: GranianServer, tenant: CreatedTenant) -> Iterator[Look]:
    headers = {"Authorization": f"Bearer {tenant.key.text}"}
    with httpx.Client(base_url=web_server.url, headers=headers, timeout=60) as client:

        def ask(wait_s: int | None = None, **query: Any) -> httpx.Response:
            prefer = {} if wait_s is None else {"Prefer": f"wait={wait_s}"}
            known = {name: value for name, value in query.items() if value is not None}
            return client.get("/v1/events", params=known, headers=prefer)

        yield ask


@pytest.fixture
def held(look: Look, web_server: GranianServer) -> Iterator[Callable[..., "Future[httpx.Response]"]]:
    """Yield a function that sends a request that waits, and returns once the web process holds it.

    The web process counts the request before its first response. A first response without a cursor covers only what
    happens after it, so the request has a cursor.
    """
    with ThreadPoolExecutor(4) as others:

        def ask(**query: Any) -> "Future[httpx.Response]":
            place = look().json()["next"]
            before = _held_by(web_server)
            answer = others.submit(look, 30, **{"after": place, **query})
            deadline = time.monotonic() + TIMEOUT_S
            while _held_by(web_server) <= before:
                assert time.monotonic() < deadline, "the look was not held"
            return answer

        yield ask


def _held_by(web_server: GranianServer) -> float:
    metrics = httpx.get(f"{web_server.url}/metrics").text
    lines = [line for line in metrics.splitlines() if line.startswith('maas_streaming_connections{kind="wait"}')]
    return float(lines[0].split()[-1]) if lines else 0.0


def _types(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [event["type"] for event in answer.json()["events"]]


def _told(look: Look, place: str, how_many: int) -> None:
    """Wait for that many events. An open transaction of another test holds back the events that began after it."""
    eventually(lambda: len(look(after=place).json()["events"]) == how_many, f"{how_many} events")


def test_all_that_happens_is_read_in_pages_without_gaps(look: Look, desk: Desk) -> None:
    begun = look().json()
    assert begun["events"] == []
    assert not begun["has_more"]
    job = desk.submit()
    append(job, *(f"e{number}" for number in range(5)))
    _told(look, begun["next"], 6)
    seen, place, more = [], begun["next"], True
    while more:
        page = look(after=place, limit=2).json()
        seen += [event["seq"] for event in page["events"]]
        place, more = page["next"], page["has_more"]
    assert seen == [1, 2, 3, 4, 5, 6]
    assert look(after=place).json() == {"events": [], "next": place, "has_more": False}


def test_a_page_that_is_just_full_says_that_there_is_no_more(look: Look, desk: Desk) -> None:
    place = look().json()["next"]
    append(desk.submit(), "one")
    _told(look, place, 2)
    assert not look(after=place, limit=2).json()["has_more"]
    assert look(after=place, limit=1).json()["has_more"]


def test_one_can_go_on_after_any_event_here_and_in_a_stream(
    look: Look, web_server: GranianServer, tenant: CreatedTenant, desk: Desk
) -> None:
    place = look().json()["next"]
    append(desk.submit(), "one", "two", "three")
    _told(look, place, 4)
    page = look(after=place).json()
    assert page["next"] == page["events"][-1]["cursor"]
    assert _types(look(after=page["events"][1]["cursor"])) == ["two", "three"]
    headers = {
        "Authorization": f"Bearer {tenant.key.text}",
        "Accept": "text/event-stream",
        "Last-Event-ID": page["events"][2]["cursor"],
    }
    with (
        httpx.Client(base_url=web_server.url, timeout=30) as client,
        client.stream("GET", "/v1/events", headers=headers) as answer,
    ):
        said = events_in(said_in(answer.iter_lines()))
        assert next(said).name == "ready"
        three = next(said)
    assert (three.name, three.id) == ("three", page["next"])


def test_a_look_without_a_place_is_held_until_something_happens(
    look: Look, held: Callable[..., "Future[httpx.Response]"], desk: Desk
) -> None:
    waiting = held(after=None)

    def submitted_until_done() -> bool:
        desk.submit()
        return waiting.done()

    eventually(submitted_until_done, "the end of the wait")
    assert _types(waiting.result())[0] == "job.queued"


@pytest.mark.parametrize("query", [{}, {"limit": 7}])
def test_a_look_is_held_until_something_happens(
    look: Look, held: Callable[..., "Future[httpx.Response]"], desk: Desk, query: dict[str, Any]
) -> None:
    waiting = held(**query)
    job = desk.submit()
    answer = waiting.result(TIMEOUT_S)
    assert [event["job"] for event in answer.json()["events"]] == [str(job.id)]
    assert answer.headers["preference-applied"] == "wait=30"
    append(job, "later")
    assert _types(look(30, after=answer.json()["next"])) == ["later"]


def test_what_happened_before_is_told_without_a_wait(look: Look, desk: Desk) -> None:
    place = look().json()["next"]
    desk.submit()
    began_s = time.monotonic()
    assert _types(look(30, after=place)) == ["job.queued"]
    assert time.monotonic() - began_s < 15


def test_a_wait_that_nothing_ends_is_answered_in_its_time(look: Look) -> None:
    answer = look(1)
    assert answer.json()["events"] == []
    assert look(after=answer.json()["next"]).json()["events"] == []


def test_a_look_whose_hint_was_lost_is_answered_by_the_next_round(
    held: Callable[..., "Future[httpx.Response]"], desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = held()
    monkeypatch.setattr(events, "announce", lambda *_, **__: None)
    desk.submit()
    assert _types(waiting.result(TIMEOUT_S)) == ["job.queued"]


def test_an_event_that_commits_late_is_waited_for_and_not_passed(
    look: Look, held: Callable[..., "Future[httpx.Response]"], desk: Desk
) -> None:
    early, late = desk.submit(), desk.submit()
    place = look().json()["next"]
    may_commit, written = threading.Event(), threading.Event()

    def slow() -> None:
        with unit_of_work(desk.identity.tenant_id), connections[APP].cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            append_event(early.id, "early", {})
            written.set()
            may_commit.wait(TIMEOUT_S)
        connections.close_all()

    thread = threading.Thread(target=slow)
    thread.start()
    assert written.wait(TIMEOUT_S)
    append(late, "late")
    waiting = held(after=place)
    assert not waiting.done()
    may_commit.set()
    thread.join()
    told = _types(waiting.result(TIMEOUT_S))
    assert (told + _types(look(after=waiting.result().json()["next"])))[-2:] == ["early", "late"]


def test_revoking_the_key_ends_its_waits(held: Callable[..., "Future[httpx.Response]"], tenant: CreatedTenant) -> None:
    waiting = held()
    with unit_of_work(tenant.tenant.id):
        revoke_key(key_id=tenant.key.key.id)
    answer = waiting.result(TIMEOUT_S)
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")


@pytest.mark.parametrize("wait_s", [None, 10])
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"after": "x"}, "invalid_cursor"),
        ({"after": ""}, "invalid_cursor"),
        ({"after": "99999999999999999-1"}, "invalid_cursor"),
        ({"limit": "0"}, "invalid_request"),
        ({"limit": "201"}, "invalid_request"),
        ({"cursor": "1-1"}, "invalid_request"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(
    look: Look, wait_s: int | None, query: dict[str, str], code: str
) -> None:
    answer = look(wait_s, **query)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


@pytest.mark.parametrize("wait_s", [None, 10])
def test_a_key_without_the_scope_learns_nothing(
    web_server: GranianServer, tenant: CreatedTenant, wait_s: int | None
) -> None:
    with operator_work():
        narrow = create_key(tenant_id=tenant.tenant.id, name="narrow", scopes=["jobs:read"])
    headers = {"Authorization": f"Bearer {narrow.text}"}
    prefer = {} if wait_s is None else {"Prefer": f"wait={wait_s}"}
    answer = httpx.get(f"{web_server.url}/v1/events", headers={**headers, **prefer})
    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")


def test_nothing_is_told_of_another_tenant(
    look: Look, held: Callable[..., "Future[httpx.Response]"], desk: Desk, other_identity: Identity
) -> None:
    place = look().json()["next"]
    waiting = held(after=place)
    Desk(other_identity, desk.version).submit()
    own = desk.submit()
    told = waiting.result(TIMEOUT_S).json()["events"]
    assert {event["job"] for event in told} == {str(own.id)}
    assert {event["job"] for event in look(after=place).json()["events"]} == {str(own.id)}
