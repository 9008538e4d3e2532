"""Tests of requests that wait for their job, with a stand-in for the API and real notifications from Redis."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from django.conf import settings

from jobs.events.changes import announce
from jobs.streaming.hub import Hub
from jobs.streaming.waits import Waits
from tenants.core.asgi.protocol import Receive, Scope, Send, body_chunks

TENANT = uuid4()


@dataclass
class Application:
    """An application with one job, which ends when the test says so."""

    job_id: UUID = field(default_factory=uuid4)
    state: str = "queued"
    may_read: bool = True
    times: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    asked_twice: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        query = scope["query_string"].decode()
        self.asked.append(f"{scope['method']} {scope['path']}{'?' if query else ''}{query}")
        if len(self.asked) == 2:
            self.asked_twice.set()
        self.bodies.append(b"".join([chunk async for chunk in body_chunks(receive)]))
        body: dict[str, Any] = {"id": str(self.job_id), "state": self.state, **self.times}
        headers = [(b"content-type", b"application/json"), (b"x-seen", scope["method"].encode())]
        status = 200
        if scope["method"] == "POST":
            status, body["posted"] = 202, True
            headers += [(b"location", f"/v1/jobs/{self.job_id}".encode()), (b"retry-after", b"1")]
        elif not self.may_read:
            status, body = 403, {"code": "insufficient_scope"}
        elif query == "include=result":
            body["result"] = {"pages": []}
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(body).encode()})

    def end(self) -> None:
        self.state = "succeeded"
        announce(TENANT, self.job_id, ended=True)


def _with_waits(application: Application, check: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
    async def run() -> None:
        hub = Hub(settings.MAAS_REDIS_URL)
        transport = httpx.ASGITransport(Waits(application, hub))
        try:
            async with httpx.AsyncClient(transport=transport, base_url="http://web") as client:
                await check(client)
        finally:
            hub.close()

    asyncio.run(run())


def _announce_pages(job_id: UUID, pages: int) -> None:
    for _ in range(pages):
        announce(TENANT, job_id)


def _prefer(seconds: int) -> dict[str, str]:
    return {"Prefer": f"wait={seconds}"}


def test_without_a_wait_the_answer_is_passed_on() -> None:
    application = Application()

    async def check(client: httpx.AsyncClient) -> None:
        answer = await client.post("/v1/jobs", content=b"{}", headers={"Prefer": "respond-async"})
        assert answer.status_code == 202
        assert "preference-applied" not in answer.headers
        assert len(application.asked) == 1

    _with_waits(application, check)


def test_what_happens_to_a_job_before_it_ends_asks_nobody_again() -> None:
    application = Application()

    async def check(client: httpx.AsyncClient) -> None:
        waiting = asyncio.ensure_future(client.post("/v1/jobs", content=b"{}", headers=_prefer(30)))
        await application.asked_twice.wait()
        await asyncio.to_thread(_announce_pages, application.job_id, 2000)
        await asyncio.to_thread(application.end)
        await asyncio.wait_for(waiting, 4)  # Less than the time after which it would look unasked.
        # The requests are one to submit, one to close the gap, perhaps one when the listener connects, one to see the
        # end, and one for the result.
        assert len(application.asked) <= 5

    _with_waits(application, check)


def test_a_submission_is_answered_with_the_result_once_the_job_is_done() -> None:
    application = Application()

    async def check(client: httpx.AsyncClient) -> None:
        waiting = asyncio.ensure_future(client.post("/v1/jobs", content=b"{}", headers=_prefer(30)))
        await application.asked_twice.wait()
        await asyncio.to_thread(application.end)
        answer = await asyncio.wait_for(waiting, 4)  # Less than the time after which it would look unasked.
        assert answer.status_code == 200
        assert answer.json() == {"id": str(application.job_id), "state": "succeeded", "result": {"pages": []}}
        assert answer.headers["location"] == f"/v1/jobs/{application.job_id}"
        assert answer.headers["preference-applied"] == "wait=30"
        assert "retry-after" not in answer.headers
        assert application.asked[-1] == f"GET /v1/jobs/{application.job_id}?include=result"
        assert application.bodies[0] == b"{}"

    _with_waits(application, check)


def test_a_submission_that_waited_says_how_long_and_until_when_nobody_had_begun() -> None:
    application = Application()

    async def check(client: httpx.AsyncClient) -> None:
        asking = asyncio.create_task(client.post("/v1/jobs", content=b"{}", headers=_prefer(30)))
        await application.asked_twice.wait()
        application.times = {
            "created_at": "2026-11-22T23:59:59.500000Z",
            "started_at": "2026-11-22T23:59:59.500020Z",
        }
        application.end()
        answer = await asking
        said = dict(one.split(";dur=") for one in answer.headers["server-timing"].split(", "))
        assert (list(said), said["queue"]) == (["queue", "total"], "0.02")
        assert 0 < float(said["total"]) < answer.elapsed.total_seconds() * 1000

    _with_waits(application, check)


@pytest.mark.parametrize(
    "job",
    [
        {"started_at": "2026-11-23T00:00:42.000000Z"},
        {"started_at": "2026-11-22T23:59:59.500020Z", "pages_cached": 3, "pages_total": 3},
    ],
    ids=["it began before, or after, this wait", "no worker has begun anything"],
)
def test_a_queue_that_was_no_part_of_the_wait_is_left_out(job: dict[str, Any]) -> None:
    application = Application(times={"created_at": "2026-11-22T23:59:59.500000Z", **job})

    async def check(client: httpx.AsyncClient) -> None:
        answer = await client.post("/v1/jobs", content=b"{}", headers=_prefer(0))
        assert answer.headers["server-timing"].startswith("total;dur=")

    _with_waits(application, check)


def test_what_is_not_known_of_a_job_that_nobody_has_begun_is_left_out() -> None:
    application = Application(times={"created_at": "2026-11-22T23:59:59.500000Z"})

    async def check(client: httpx.AsyncClient) -> None:
        answer = await client.post("/v1/jobs", content=b"{}", headers=_prefer(0))
        (said,) = answer.headers.get_list("server-timing")
        assert said.startswith("total;dur=")
        assert "queue" not in said
        looked = await client.get(f"/v1/jobs/{application.job_id}", headers=_prefer(0))
        assert "server-timing" not in looked.headers

    _with_waits(application, check)


def test_at_the_deadline_the_job_is_shown_as_it_stands() -> None:
    application = Application()

    async def check(client: httpx.AsyncClient) -> None:
        for method, path, status in (
            ("POST", "/v1/jobs", 202),
            ("GET", f"/v1/jobs/{application.job_id}", 200),
        ):
            answer = await client.request(method, path, headers=_prefer(1))
            assert (answer.status_code, answer.json()["state"]) == (status, "queued")
            assert answer.headers["retry-after"] == "1"
            assert answer.headers["preference-applied"] == "wait=1"

    _with_waits(application, check)


def test_a_job_that_is_done_already_is_answered_at_once_with_its_result() -> None:
    application = Application(state="failed")

    async def check(client: httpx.AsyncClient) -> None:
        answer = await client.get(f"/v1/jobs/{application.job_id}", headers=_prefer(60))
        assert (answer.status_code, "result" in answer.json()) == (200, True)

    _with_waits(application, check)


def test_a_job_that_may_not_be_read_is_not_waited_for() -> None:
    application = Application(may_read=False)

    async def check(client: httpx.AsyncClient) -> None:
        answer = await client.post("/v1/jobs", headers=_prefer(60))
        assert (answer.status_code, answer.json()["posted"]) == (202, True)
        assert (await client.get(f"/v1/jobs/{application.job_id}", headers=_prefer(60))).status_code == 403

    _with_waits(application, check)


def test_questions_carry_none_of_the_first_requests_conditions() -> None:
    application = Application()
    seen: list[set[bytes]] = []

    async def spying(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append({name for name, _ in scope["headers"]})
        await application(scope, receive, send)

    async def check() -> None:
        hub = Hub(settings.MAAS_REDIS_URL)
        transport = httpx.ASGITransport(Waits(spying, hub))
        async with httpx.AsyncClient(transport=transport, base_url="http://web") as client:
            headers = {
                "If-None-Match": '"x"',
                "Idempotency-Key": "k",
                "Authorization": "Bearer x",
                **_prefer(1),
            }
            await client.post("/v1/jobs", content=b"{}", headers=headers)
        hub.close()

    asyncio.run(check())
    assert b"if-none-match" in seen[0]
    for names in seen[1:]:
        assert names.isdisjoint({b"if-none-match", b"idempotency-key", b"prefer", b"content-length"})
        assert b"authorization" in names


def test_nobody_waits_for_a_client_that_hung_up() -> None:
    application = Application()

    async def check() -> None:
        hub = Hub(settings.MAAS_REDIS_URL)
        gone = asyncio.Event()
        sent: list[object] = []

        async def receive() -> dict[str, Any]:
            if not application.bodies:
                return {"type": "http.request", "body": b"{}"}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: object) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": "/v1/jobs",
            "query_string": b"",
            "headers": [(b"prefer", b"wait=60"), (b"content-length", b"2")],
        }
        waiting = asyncio.ensure_future(Waits(application, hub)(scope, receive, send))
        await application.asked_twice.wait()
        gone.set()
        await asyncio.wait_for(waiting, 2)
        assert sent == []
        hub.close()

    asyncio.run(check())
