"""Tests of event streams on the product's own web process."""

import json
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest

from jobs.core.models import Job
from jobs.events import log as events
from jobs.submission.cancellations import cancel_job
from tenants.accounts.session_store import SessionStore
from tenants.api_keys.services import create_key, revoke_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tests.event_source import Said, events_in, said_in
from tests.jobs.conftest import Desk
from tests.jobs.streaming.conftest import append
from tests.jobs.streaming.proxy import Proxy
from tests.maas.granian_server import GranianServer

pytestmark = pytest.mark.xdist_group("web_server")

STREAM = {"Accept": "text/event-stream"}
Open = Callable[..., AbstractContextManager["Stream"]]


class Stream:
    """A response that does not end, read one event after another."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._events = events_in(said_in(answer.iter_lines()))

    def next(self) -> Said:
        return next(self._events)

    def take(self, number: int) -> list[Said]:
        return [self.next() for _ in range(number)]

    def rest(self) -> list[Said]:
        return list(self._events)


@pytest.fixture
def open_stream(web_server: GranianServer, tenant: CreatedTenant) -> Open:
    @contextmanager
    def open_one(path: str, method: str = "GET", url: str = web_server.url, **asked: Any) -> Iterator[Stream]:
        headers = {"Authorization": f"Bearer {tenant.key.text}", **STREAM, **asked.pop("headers", {})}
        with (
            httpx.Client(base_url=url, timeout=30) as client,
            client.stream(method, path, headers=headers, **asked) as answer,
        ):
            if not answer.is_success:
                answer.read()
            yield Stream(answer)

    return open_one


def _events_of(job: Job) -> str:
    return f"/v1/jobs/{job.id}/events"


def _numbers(said: list[Said]) -> list[int]:
    return [int(one.id or -1) for one in said]


def _assert_refused(stream: Stream, status: int, code: str) -> None:
    assert (stream.answer.status_code, stream.answer.json()["code"]) == (status, code)


@pytest.mark.parametrize("end_of_path", ["", "/events"])
def test_a_jobs_events_are_told_as_they_happen_and_then_the_job(
    open_stream: Open, desk: Desk, end_of_path: str
) -> None:
    job = desk.submit()
    with open_stream(f"/v1/jobs/{job.id}{end_of_path}") as stream:
        assert stream.answer.headers["content-type"] == "text/event-stream"
        first = stream.next()
        assert (first.name, first.id, first.data["seq"]) == ("job.queued", "1", 1)
        assert set(first.data) == {"job", "seq", "type", "data", "created_at"}
        append(job, "one")
        assert stream.next().data["type"] == "one"
        desk.finish(desk.pages(job)[0])
        rest = stream.rest()
    *events, end = rest
    assert events[-1].name == "job.succeeded"
    assert _numbers(events) == list(range(3, 3 + len(events)))
    assert (end.name, end.id, end.data["id"], end.data["state"]) == ("end", None, str(job.id), "succeeded")
    assert end.data["last_seq"] == int(events[-1].id or 0)
    assert "result" not in end.data


def test_a_job_is_created_with_the_request_and_streamed(open_stream: Open, desk: Desk) -> None:
    content = {"model": desk.version.served_model.name, "input": "hello"}
    with open_stream("/v1/jobs?include=result", "POST", json=content) as stream:
        assert stream.answer.status_code == 200
        first = stream.next()
        assert stream.answer.headers["location"] == f"/v1/jobs/{first.data['job']}"
        with unit_of_work(desk.identity.tenant_id):
            job = Job.objects.get(id=first.data["job"])
        desk.finish(desk.pages(job)[0])
        end = stream.rest()[-1]
    assert (end.name, end.data["state"]) == ("end", "succeeded")
    assert end.data["result"]["text"] == "read"


def test_a_retry_is_streamed_as_well(open_stream: Open, desk: Desk) -> None:
    old = desk.submit()
    cancel_job(identity=desk.identity, job_id=old.id)
    with open_stream(f"/v1/jobs/{old.id}/retry", "POST") as stream:
        first = stream.next()
        assert stream.answer.headers["content-type"] == "text/event-stream"
        assert first.data["job"] != str(old.id)
        with unit_of_work(desk.identity.tenant_id):
            job = Job.objects.get(id=first.data["job"])
        desk.finish(desk.pages(job)[0])
        end = stream.rest()[-1]
    assert (end.data["retry_of"], end.data["state"]) == (str(old.id), "succeeded")


def test_a_retry_that_is_refused_is_refused_as_without_a_stream(open_stream: Open, desk: Desk) -> None:
    job = desk.submit()
    with open_stream(f"/v1/jobs/{job.id}/retry", "POST") as stream:
        assert stream.answer.status_code == 409
        assert stream.answer.headers["content-type"] == "application/problem+json"


def test_an_upload_is_streamed_as_well(open_stream: Open, desk: Desk) -> None:
    files = {"file": ("a.txt", b"a few words of plain text")}
    data = {"model": desk.version.served_model.name}
    with open_stream("/v1/jobs", "POST", files=files, data=data) as stream:
        assert stream.next().name == "job.queued"


def test_what_is_refused_is_refused_as_without_a_stream(open_stream: Open) -> None:
    with open_stream("/v1/jobs", "POST", json={"model": "no such model", "input": "x"}) as stream:
        _assert_refused(stream, 404, "model_not_found")


def test_a_submission_that_is_sent_again_goes_on_where_it_was_cut_off(open_stream: Open, desk: Desk) -> None:
    content = {"model": desk.version.served_model.name, "input": "hello"}
    key = {"Idempotency-Key": str(uuid4())}
    with open_stream("/v1/jobs", "POST", json=content, headers=key) as stream:
        first = stream.next()
    with unit_of_work(desk.identity.tenant_id):
        job = Job.objects.get(id=first.data["job"])
    append(job, "while nobody listened")
    again = {**key, "Last-Event-ID": "1"}
    with open_stream("/v1/jobs", "POST", json=content, headers=again) as stream:
        assert stream.answer.headers["idempotent-replay"] == "true"
        assert (stream.next().id) == "2"


def test_a_new_job_is_told_from_its_first_event_whatever_was_heard_of_another(open_stream: Open, desk: Desk) -> None:
    content = {"model": desk.version.served_model.name, "input": "hello"}
    with open_stream("/v1/jobs", "POST", json=content, headers={"Last-Event-ID": "7"}) as stream:
        assert stream.next().id == "1"


def test_a_stream_goes_on_after_any_event(open_stream: Open, desk: Desk) -> None:
    job = desk.submit()
    append(job, *(f"e{n}" for n in range(300)))
    with open_stream(_events_of(job), headers={"Last-Event-ID": "17"}) as stream:
        assert _numbers(stream.take(284)) == list(range(18, 302))
        append(job, "last")
        assert stream.next().id == "302"
    with open_stream(f"{_events_of(job)}?after=299") as stream:
        assert _numbers(stream.take(3)) == [300, 301, 302]
    # A browser connects again to the same address.
    with open_stream(f"{_events_of(job)}?after=2", headers={"Last-Event-ID": "300"}) as stream:
        assert stream.next().id == "301"


def test_nothing_is_missed_and_nothing_comes_twice_however_often_a_stream_is_cut(open_stream: Open, desk: Desk) -> None:
    job, seen = desk.submit(), [0]
    with ThreadPoolExecutor(1) as other:
        writing = other.submit(append, job, *(f"e{n}" for n in range(120)))
        while seen[-1] < 121:
            with open_stream(_events_of(job), headers={"Last-Event-ID": str(seen[-1])}) as stream:
                seen += _numbers(stream.take(min(7, 121 - seen[-1])))
        writing.result()
    assert seen == list(range(122))


def test_of_a_job_that_has_ended_all_is_told_at_once(open_stream: Open, desk: Desk) -> None:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    with open_stream(_events_of(job)) as stream:
        *events, end = stream.rest()
    assert _numbers(events) == list(range(1, desk.again(job).last_seq + 1))
    assert end.name == "end"
    with open_stream(_events_of(job), headers={"Last-Event-ID": events[-1].id}) as stream:
        (only,) = stream.rest()
    assert only.name == "end"
    assert (only.retry_ms or 0) > 60_000


def test_a_canceled_job_ends_its_stream(open_stream: Open, desk: Desk, identity: Identity) -> None:
    job = desk.submit()
    with open_stream(_events_of(job)) as stream:
        stream.next()
        cancel_job(identity=identity, job_id=job.id)
        assert [one.name for one in stream.rest()] == ["job.canceled", "end"]


@pytest.mark.parametrize("place", ["x", "-1", "1.5", "999", "99999999999999999999", "1-2", "\u00b2"])
def test_a_place_that_is_none_is_refused_with_words(open_stream: Open, desk: Desk, place: str) -> None:
    job = desk.submit()
    with open_stream(_events_of(job), headers={"Last-Event-ID": place.encode("latin-1")}) as stream:
        _assert_refused(stream, 400, "invalid_cursor")
        assert "Last-Event-ID" in stream.answer.json()["detail"]
    with open_stream(_events_of(job), params={"after": place}) as stream:
        _assert_refused(stream, 400, "invalid_cursor")


@pytest.mark.parametrize("query", ["limit=2", "after=1&after=2", "include=everything", "lastEventId=1"])
def test_a_parameter_that_a_stream_does_not_know_is_refused(open_stream: Open, desk: Desk, query: str) -> None:
    with open_stream(f"{_events_of(desk.submit())}?{query}") as stream:
        _assert_refused(stream, 400, "invalid_request")


@pytest.mark.parametrize("end_of_path", ["", "/events"])
def test_anothers_job_is_answered_like_one_that_never_was(
    open_stream: Open, desk: Desk, other_identity: Identity, end_of_path: str
) -> None:
    foreign = Desk(other_identity, desk.version).submit()
    for job_id in (foreign.id, uuid4()):
        with open_stream(f"/v1/jobs/{job_id}{end_of_path}") as stream:
            _assert_refused(stream, 404, "not_found")


def test_without_credentials_or_with_a_key_in_the_address_there_is_no_stream(
    web_server: GranianServer, desk: Desk, tenant: CreatedTenant
) -> None:
    for path in (_events_of(desk.submit()), "/v1/events"):
        answer = httpx.get(web_server.url + path, headers=STREAM)
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
        answer = httpx.get(f"{web_server.url}{path}?api_key={tenant.key.text}", headers=STREAM)
        assert (answer.status_code, answer.json()["code"]) == (400, "key_in_query")


@pytest.mark.parametrize(("scope", "path"), [("events:read", "job"), ("jobs:read", "tenant")])
def test_a_key_without_the_scope_gets_no_stream(
    open_stream: Open, tenant: CreatedTenant, desk: Desk, scope: str, path: str
) -> None:
    with operator_work():
        created = create_key(tenant_id=tenant.tenant.id, name="narrow", scopes=[scope])
    headers = {"Authorization": f"Bearer {created.text}"}
    address = _events_of(desk.submit()) if path == "job" else "/v1/events"
    with open_stream(address, headers=headers) as stream:
        _assert_refused(stream, 403, "insufficient_scope")


def test_who_may_submit_and_not_look_makes_no_job_by_asking_for_a_stream(
    open_stream: Open, tenant: CreatedTenant, desk: Desk
) -> None:
    with operator_work():
        created = create_key(tenant_id=tenant.tenant.id, name="writes", scopes=["jobs:write"])
    headers = {"Authorization": f"Bearer {created.text}"}
    content = {"model": desk.version.served_model.name, "input": "hello"}
    with open_stream("/v1/jobs", "POST", json=content, headers=headers) as stream:
        _assert_refused(stream, 403, "insufficient_scope")
    with unit_of_work(tenant.tenant.id):
        assert not Job.objects.exists()


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/json, text/event-stream;q=0.5"])
def test_who_does_not_prefer_a_stream_gets_the_list(open_stream: Open, desk: Desk, accept: str) -> None:
    with open_stream(_events_of(desk.submit()), headers={"Accept": accept}) as stream:
        assert json.loads(stream.answer.read())["object"] == "list"


@pytest.mark.parametrize("accept", ["*/*", "application/json"])
def test_who_does_not_prefer_a_stream_of_everything_gets_a_page(open_stream: Open, accept: str) -> None:
    with open_stream("/v1/events", headers={"Accept": accept}) as stream:
        assert set(json.loads(stream.answer.read())) == {"events", "next", "has_more"}


def test_who_takes_neither_stream_nor_json_is_told_so(open_stream: Open) -> None:
    with open_stream("/v1/events", headers={"Accept": "text/html"}) as stream:
        _assert_refused(stream, 406, "not_acceptable")


def test_a_head_request_is_answered_with_the_head_alone(open_stream: Open, desk: Desk) -> None:
    for path in (_events_of(desk.submit()), "/v1/events"):
        with open_stream(path, "HEAD") as stream:
            assert stream.answer.headers["content-type"] == "text/event-stream"
            assert stream.answer.read() == b""
    with open_stream(f"/v1/jobs/{uuid4()}", "HEAD") as stream:
        assert stream.answer.status_code == 404


@pytest.mark.parametrize("address", ["job", "tenant"])
def test_revoking_a_key_ends_its_streams(open_stream: Open, tenant: CreatedTenant, desk: Desk, address: str) -> None:
    path = _events_of(desk.submit()) if address == "job" else "/v1/events"
    with open_stream(path) as stream:
        stream.next()
        with unit_of_work(tenant.tenant.id):
            revoke_key(key_id=tenant.key.key.id)
        end = stream.rest()[-1]
    assert (end.name, end.data["code"]) == ("close", "not_authenticated")


@pytest.mark.parametrize("address", ["job", "tenant"])
def test_a_browser_reads_with_its_session_until_it_signs_out(
    web_server: GranianServer, session: SessionStore, desk: Desk, address: str
) -> None:
    path = _events_of(desk.submit()) if address == "job" else "/v1/events"
    cookies = {"sessionid": str(session.session_key)}
    with (
        httpx.Client(base_url=web_server.url, cookies=cookies, timeout=30) as client,
        client.stream("GET", path, headers=STREAM) as answer,
    ):
        stream = Stream(answer)
        assert stream.next().name == ("job.queued" if address == "job" else "ready")
        session.delete()
        assert stream.rest()[-1].data["code"] == "not_authenticated"


def test_all_of_a_tenants_events_are_told_and_nothing_of_another(
    open_stream: Open, desk: Desk, other_identity: Identity
) -> None:
    with open_stream("/v1/events") as stream:
        ready = stream.next()
        assert (ready.name, ready.data) == ("ready", {"cursor": ready.id})
        Desk(other_identity, desk.version).submit()
        own = desk.submit()
        told = stream.next()
    assert (told.name, told.data["job"]) == ("job.queued", str(own.id))
    append(own, "later")
    with open_stream("/v1/events", headers={"Last-Event-ID": told.id}) as stream:
        assert [stream.next().name for _ in range(2)] == ["ready", "later"]
    with open_stream("/v1/events", params={"after": ready.id}) as stream:
        assert [stream.next().name for _ in range(3)] == ["ready", "job.queued", "later"]


@pytest.mark.parametrize("address", ["job", "tenant"])
def test_an_event_whose_hint_was_lost_is_told_by_the_next_round(
    open_stream: Open, desk: Desk, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    job = desk.submit()
    with open_stream(_events_of(job) if address == "job" else "/v1/events") as stream:
        stream.next()
        monkeypatch.setattr(events, "announce", lambda *_, **__: None)
        append(job, "unheard")
        # A stream that begins "now" may begin before the latest events if another transaction still writes.
        while stream.next().name != "unheard":
            pass


@pytest.mark.parametrize("place", ["x", "1", "99999999999999999-1"])
def test_a_cursor_that_is_none_is_refused(open_stream: Open, place: str) -> None:
    with open_stream("/v1/events", headers={"Last-Event-ID": place}) as stream:
        _assert_refused(stream, 400, "invalid_cursor")


def test_a_stream_works_through_a_proxy(open_stream: Open, web_server: GranianServer, desk: Desk) -> None:
    job = desk.submit()
    with Proxy(web_server.port) as proxy, open_stream(_events_of(job), url=proxy.url) as stream:
        assert stream.next().id == "1"
        append(job, "one")
        assert stream.next().id == "2"
        assert stream.answer.headers["x-accel-buffering"] == "no"
        assert stream.answer.headers["cache-control"] == "no-cache, no-transform"
        assert "content-encoding" not in stream.answer.headers
        desk.finish(desk.pages(job)[0])
        assert stream.rest()[-1].name == "end"


def test_curl_shows_each_event_when_it_happens(web_server: GranianServer, tenant: CreatedTenant, desk: Desk) -> None:
    job = desk.submit()
    command = ["curl", "-sN", "-H", "Accept: text/event-stream", "--max-time", "30"]
    command += ["-H", f"Authorization: Bearer {tenant.key.text}", web_server.url + _events_of(job)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as curl:
        assert curl.stdout is not None
        said = events_in(said_in(line.rstrip("\n") for line in curl.stdout))
        assert next(said).id == "1"
        append(job, "one")
        assert next(said).id == "2"
        desk.finish(desk.pages(job)[0])
        assert list(said)[-1].name == "end"
        assert curl.wait(10) == 0
