"""Tests of the event socket on the product's own web process."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.db import transaction
from django.http import HttpRequest
from django.middleware.csrf import get_token
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from jobs.core.models import Job
from jobs.events.log import append_event
from jobs.streaming.credentials import Credential
from jobs.streaming.tickets import issue_ticket
from tenants.accounts.models import User
from tenants.accounts.session_store import SessionStore
from tenants.api_keys.services import create_key, revoke_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tests.jobs.conftest import Desk
from tests.jobs.streaming.conftest import append
from tests.maas.granian_server import GranianServer

pytestmark = pytest.mark.xdist_group("web_server")

Connect = Callable[..., ClientConnection]


@pytest.fixture
def open_socket(web_server: GranianServer) -> Connect:
    def open_one(query: str = "", **headers: str) -> ClientConnection:
        url = f"ws://127.0.0.1:{web_server.port}/ws/v1/events{query}"
        return connect(url, additional_headers=headers, open_timeout=20)

    return open_one


def _bearer(tenant: CreatedTenant) -> dict[str, str]:
    return {"Authorization": f"Bearer {tenant.key.text}"}


def _next(socket: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(socket.recv(timeout=20))
    return message


def _events(socket: ClientConnection, number: int) -> list[dict[str, Any]]:
    messages = [_next(socket) for _ in range(number)]
    assert {message["type"] for message in messages} == {"event"}
    return [message["event"] for message in messages]


def _ready(socket: ClientConnection) -> str:
    message = _next(socket)
    assert message["type"] == "ready"
    return str(message["cursor"])


def test_what_happens_to_a_tenant_is_told_as_it_happens(
    open_socket: Connect, tenant: CreatedTenant, desk: Desk
) -> None:
    with open_socket(**_bearer(tenant)) as socket:
        _ready(socket)
        job = desk.submit()
        (event,) = _events(socket, 1)
        assert (event["job"], event["seq"]) == (str(job.id), 1)
        assert set(event) == {"job", "seq", "type", "data", "created_at"}
        append(job, "one", "two")
        assert [event["type"] for event in _events(socket, 2)] == ["one", "two"]


def test_nothing_of_another_tenant_is_told(
    open_socket: Connect,
    other_tenant: CreatedTenant,
    tenant: CreatedTenant,
    desk: Desk,
    other_identity: Identity,
) -> None:
    with open_socket(**_bearer(other_tenant)) as socket:
        _ready(socket)
        foreign = desk.submit()
        own = Desk(other_identity, desk.version).submit()
        (event,) = _events(socket, 1)
        assert event["job"] == str(own.id)
        for subject in (str(foreign.id), str(uuid4()), f"tenant.{tenant.tenant.id}"):
            socket.send(json.dumps({"subscribe": subject}))
            answer = _next(socket)
            assert answer == {"type": "error", "code": "not_found", "detail": f"There is no job {subject!r}."}


def test_a_jobs_events_are_told_from_any_number_on(open_socket: Connect, tenant: CreatedTenant, desk: Desk) -> None:
    job = desk.submit()
    append(job, *(f"e{n}" for n in range(300)))
    with open_socket(**_bearer(tenant)) as socket:
        _ready(socket)
        socket.send(json.dumps({"subscribe": str(job.id), "after": 17}))
        assert _next(socket) == {"type": "subscribed", "subscribe": str(job.id), "cursor": 17}
        assert [event["seq"] for event in _events(socket, 284)] == list(range(18, 302))
        append(job, "last")
        assert [event["seq"] for event in _events(socket, 1)] == [302]


def test_events_that_are_erased_are_said_to_be_with_where_to_go_on(
    open_socket: Connect, tenant: CreatedTenant, desk: Desk
) -> None:
    job = desk.submit()
    append(job, "one", "two", "three")
    desk.sql("DELETE FROM jobs_event WHERE job_id = %s AND seq < 3", job.id)
    with open_socket(**_bearer(tenant)) as socket:
        _ready(socket)
        socket.send(json.dumps({"subscribe": str(job.id), "after": 0}))
        refused = _next(socket)
        assert (refused["code"], refused["after"]) == ("events_erased", 2)
        socket.send(json.dumps({"subscribe": str(job.id), "after": refused["after"]}))
        assert _next(socket)["cursor"] == 2
        assert [event["seq"] for event in _events(socket, 2)] == [3, 4]


def test_a_tenants_events_are_told_from_any_cursor_on(open_socket: Connect, tenant: CreatedTenant, desk: Desk) -> None:
    with open_socket(**_bearer(tenant)) as socket:
        cursor = _ready(socket)
    job = desk.submit()
    with open_socket(**_bearer(tenant)) as socket:
        _ready(socket)
        socket.send(json.dumps({"subscribe": "all", "after": cursor}))
        assert _next(socket) == {"type": "subscribed", "subscribe": "all", "cursor": cursor}
        message = _next(socket)
        assert message["event"]["job"] == str(job.id)
        socket.send(json.dumps({"subscribe": "all", "after": message["cursor"]}))
        assert _next(socket)["type"] == "subscribed"
        append(job, "later")
        assert [event["type"] for event in _events(socket, 1)] == ["later"]


def test_an_event_of_a_slow_transaction_is_not_skipped(
    open_socket: Connect, tenant: CreatedTenant, desk: Desk, identity: Identity
) -> None:
    slow, quick = desk.submit(), desk.submit()
    with open_socket(**_bearer(tenant)) as socket, ThreadPoolExecutor(1) as other_thread:
        _ready(socket)
        with transaction.atomic(), unit_of_work(identity.tenant_id):
            append_event(slow.id, "slow", {})
            other_thread.submit(append, quick, "quick").result()
        seen = {event["type"] for event in _events(socket, 2)}
        # A stream that begins "now" begins a little earlier if any transaction of the server is open.
        while not {"slow", "quick"} <= seen:
            seen |= {event["type"] for event in _events(socket, 1)}


def test_whoever_asks_whether_it_is_still_there_is_answered(open_socket: Connect, tenant: CreatedTenant) -> None:
    with open_socket(**_bearer(tenant)) as socket:
        _ready(socket)
        socket.send(json.dumps({"ping": True}))
        assert _next(socket) == {"type": "pong"}


def test_garbage_is_answered_with_an_error_and_the_socket_stays_open(
    open_socket: Connect, tenant: CreatedTenant, desk: Desk
) -> None:
    with open_socket(**_bearer(tenant)) as socket:
        _ready(socket)
        for garbage in (
            "nonsense",
            "{}",
            b"\x00",
            "x" * 100_000,
            '{"subscribe": "all", "after": "no cursor"}',
        ):
            socket.send(garbage)
            assert _next(socket)["type"] == "error"
        desk.submit()
        assert len(_events(socket, 1)) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer maas_live_nonsense"}, 401),
        ({"Cookie": "sessionid=nonsense", "Origin": "http://127.0.0.1"}, 403),
    ],
)
def test_without_good_credentials_no_socket_is_opened(
    open_socket: Connect, headers: dict[str, str], status: int
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        open_socket(**headers)
    assert refused.value.response.status_code == status
    assert json.loads(refused.value.response.body or b"")["status"] == status


def test_a_page_of_another_host_opens_no_socket(open_socket: Connect, tenant: CreatedTenant) -> None:
    with pytest.raises(InvalidStatus) as refused:
        open_socket(**_bearer(tenant), Origin="https://evil.example")
    assert refused.value.response.status_code == 403


def test_a_key_without_the_scope_opens_no_socket(open_socket: Connect, tenant: CreatedTenant) -> None:
    with operator_work():
        created = create_key(tenant_id=tenant.tenant.id, name="jobs only", scopes=["jobs:read"])
    with pytest.raises(InvalidStatus) as refused:
        open_socket(Authorization=f"Bearer {created.text}")
    assert refused.value.response.status_code == 403


def test_a_ticket_opens_one_socket(open_socket: Connect, identity: Identity, desk: Desk) -> None:
    ticket = issue_ticket(Credential(identity))
    with open_socket(f"?ticket={ticket}") as socket:
        _ready(socket)
        desk.submit()
        assert len(_events(socket, 1)) == 1
    with pytest.raises(InvalidStatus):
        open_socket(f"?ticket={ticket}")


def test_a_ticket_of_a_key_revoked_since_opens_none(
    open_socket: Connect, tenant: CreatedTenant, identity: Identity
) -> None:
    ticket = issue_ticket(Credential(identity))
    with unit_of_work(tenant.tenant.id):
        revoke_key(key_id=tenant.key.key.id)
    with pytest.raises(InvalidStatus) as refused:
        open_socket(f"?ticket={ticket}")
    assert refused.value.response.status_code == 401


def _ticket_of_the_session(web_server: GranianServer, session: SessionStore) -> str:
    token = get_token(HttpRequest())
    cookies = {"sessionid": str(session.session_key), "csrftoken": token}
    headers = {"X-CSRFToken": token, "Origin": web_server.url}
    with httpx.Client(base_url=web_server.url, cookies=cookies) as client:
        answer = client.post("/v1/tickets", headers=headers)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["ticket"])


def _deactivate(person: User) -> None:
    with operator_work():
        User.objects.filter(pk=person.pk).update(is_active=False)


def test_a_session_opens_a_socket_and_signing_out_closes_it(
    open_socket: Connect, web_server: GranianServer, session: SessionStore
) -> None:
    with open_socket(Cookie=f"a=b; sessionid={session.session_key}", Origin=web_server.url) as socket:
        _ready(socket)
        session.delete()
        _closed_as_not_signed_in(socket)


def test_signing_out_closes_the_sockets_of_the_sessions_tickets_and_ends_the_tickets(
    open_socket: Connect, web_server: GranianServer, session: SessionStore
) -> None:
    unused = _ticket_of_the_session(web_server, session)
    with open_socket(f"?ticket={_ticket_of_the_session(web_server, session)}") as socket:
        _ready(socket)
        session.delete()
        _closed_as_not_signed_in(socket)
    with pytest.raises(InvalidStatus) as refused:
        open_socket(f"?ticket={unused}")
    assert refused.value.response.status_code == 401


def test_a_person_who_was_deactivated_loses_every_socket(
    open_socket: Connect, web_server: GranianServer, session: SessionStore, tenant: CreatedTenant
) -> None:
    by_ticket = f"?ticket={_ticket_of_the_session(web_server, session)}"
    by_cookie = {"Cookie": f"sessionid={session.session_key}", "Origin": web_server.url}
    with open_socket(by_ticket) as one, open_socket(**by_cookie) as other:
        _ready(one)
        _ready(other)
        _deactivate(tenant.owner)
        _closed_as_not_signed_in(one)
        _closed_as_not_signed_in(other)


def test_revoking_a_key_closes_its_open_sockets(open_socket: Connect, tenant: CreatedTenant) -> None:
    with open_socket(**_bearer(tenant)) as socket:
        _ready(socket)
        with unit_of_work(tenant.tenant.id):
            revoke_key(key_id=tenant.key.key.id)
        _closed_as_not_signed_in(socket)


def _closed_as_not_signed_in(socket: ClientConnection) -> None:
    message = json.loads(socket.recv(timeout=5))
    assert (message["type"], message["code"]) == ("error", "not_authenticated")
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=1)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


def test_there_is_no_socket_elsewhere(web_server: GranianServer, tenant: CreatedTenant) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{web_server.port}/ws/v1/other", additional_headers=_bearer(tenant))
    assert refused.value.response.status_code == 404


def test_a_submission_that_waits_is_answered_when_the_job_ends(
    web_server: GranianServer, tenant: CreatedTenant, desk: Desk
) -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        httpx.Client(base_url=web_server.url, headers=_bearer(tenant)) as client,
    ):
        content = {"model": desk.version.served_model.name, "input": {"text": "hello"}}
        waiting = pool.submit(client.post, "/v1/jobs", json=content, headers={"Prefer": "wait=20"}, timeout=30)
        while not (found := client.get("/v1/jobs").json()["data"]):
            pass
        with unit_of_work(tenant.tenant.id):
            job = Job.objects.get(id=found[0]["id"])
        desk.finish(desk.pages(job)[0])
        answer = waiting.result(timeout=4)
    assert answer.status_code == 200
    assert answer.json()["state"] == "succeeded"
    assert answer.headers["preference-applied"] == "wait=20"
    assert "result" in answer.json()
