"""Test requests that are sent again, through a connection that loses answers and to a server that fails at first."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from maas.local.supervisor.ports import free_port
from maas_client import Client, ConnectionFailed, InvalidRequest, RateLimited, Unavailable
from tests.flows.product import Account, Product
from tests.samples.pdfs import one_broken_page_pdf

from .cable import Cable
from .stand_in import Answer, StandIn

KEY = "maas_live_of_nobody_in_particular"
BUSY = Answer.of(503, {"code": "overloaded", "detail": "Busy."}, Retry_After="0")
MODELS = Answer.of(200, {"object": "list", "data": []})


def test_a_submission_whose_answer_is_lost_makes_one_job(through_cable: Client, client: Client, cable: Cable) -> None:
    before = {job.id for job in client.jobs()}
    cable.lose_next_answer()
    job = through_cable.submit("embed", text="sent twice, done once")
    assert cable.answers_lost == 1
    assert {job.id for job in client.jobs()} - before == {job.id}


def test_an_upload_whose_answer_is_lost_begins_anew_and_makes_one_job(
    through_cable: Client, client: Client, cable: Cable
) -> None:
    cable.lose_next_answer()
    told: list[int] = []
    content = b"words " * 30_000
    result = through_cable.run("parse", content, name="long.txt", progress=lambda sent, total: told.append(sent))
    assert cable.answers_lost == 1
    assert told.count(len(content)) == 2
    assert [job.id for job in client.jobs(document=result.job.document)] == [result.id]


def test_twenty_uploads_at_once_under_one_key_are_one_job(client: Client) -> None:
    def send(_: int) -> str:
        return client.run("parse", b"sent by twenty", name="a.txt", idempotency_key="twenty").id

    with ThreadPoolExecutor(20) as threads:
        made = set(threads.map(send, range(20)))
    document = client.job(made.copy().pop()).document
    assert [job.id for job in client.jobs(document=document)] == list(made)


def test_a_replay_waits_like_the_first_and_says_what_it_is(product: Product, account: Account) -> None:
    headers = {"Authorization": f"Bearer {account.key}", "Prefer": "wait=60", "Idempotency-Key": "waited-for"}
    with httpx.Client(base_url=product.running.url, headers=headers, timeout=90) as http:
        first, again = (
            http.post("/v1/jobs", data={"model": "parse"}, files={"file": ("b.txt", b"waited for")}) for _ in range(2)
        )
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json() == first.json()
    assert (first.headers.get("Idempotent-Replay"), again.headers["Idempotent-Replay"]) == (None, "true")


def test_a_failing_server_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maas_client.retries.FIRST_S", 0.01)
    page = Answer(502, b"<html>Bad gateway</html>", {"Content-Type": "text/html"})
    with StandIn(BUSY, page, MODELS) as server, Client(server.url, KEY) as client:
        assert client.models() == []
        assert len(server.asked) == 3


def test_the_pause_that_the_server_asks_for_is_made() -> None:
    busy = Answer.of(429, {"code": "rate_limited", "detail": "Slowly."}, Retry_After="1")
    with StandIn(busy, MODELS) as server, Client(server.url, KEY) as client:
        began = time.monotonic()
        client.models()
        assert time.monotonic() - began >= 1


def test_it_is_given_up_after_so_many_attempts() -> None:
    with StandIn(BUSY) as server, Client(server.url, KEY, max_retries=2) as client:
        with pytest.raises(Unavailable, match="Busy"):
            client.models()
        assert len(server.asked) == 3


def test_a_pause_too_long_is_the_callers_to_make() -> None:
    busy = Answer.of(429, {"code": "rate_limited", "detail": "Tomorrow."}, Retry_After="3600")
    with StandIn(busy) as server, Client(server.url, KEY) as client, pytest.raises(RateLimited) as limited:
        client.models()
    assert limited.value.retry_after == 3600


def test_what_is_wrong_with_the_request_is_not_sent_again() -> None:
    wrong = Answer.of(422, {"code": "invalid_parameter", "detail": "No.", "request_id": "r"})
    with StandIn(wrong) as server, Client(server.url, KEY) as client:
        with pytest.raises(InvalidRequest, match=r"No\. \(invalid_parameter, request r\)"):
            client.submit("parse", text="a")
        assert len(server.asked) == 1


CREATING: dict[str, Callable[..., object]] = {
    "submit": lambda client, **own: client.submit("parse", b"file", **own),
    "upload": lambda client, **own: client.upload(b"file", **own),
    "retry": lambda client, **own: client.retry("job", **own),
}
creating = pytest.mark.parametrize("call", CREATING.values(), ids=CREATING.keys())


@creating
def test_every_attempt_carries_the_same_key(call: Callable[..., object]) -> None:
    wrong = Answer.of(422, {"code": "x", "detail": "No."})
    with StandIn(BUSY, wrong, BUSY, wrong) as server, Client(server.url, KEY) as client:
        for _ in range(2):
            with pytest.raises(InvalidRequest):
                call(client)
        keys = [asked.headers["Idempotency-Key"] for asked in server.asked]
    assert keys[0] == keys[1] != keys[2] == keys[3]


@creating
def test_a_key_of_ones_own_is_the_one_that_is_sent(call: Callable[..., object]) -> None:
    with StandIn(Answer.of(422, {})) as server, Client(server.url, KEY) as client:
        with pytest.raises(InvalidRequest):
            call(client, idempotency_key="mine")
        assert [asked.headers["Idempotency-Key"] for asked in server.asked] == ["mine"]


@creating
def test_who_is_told_that_an_earlier_attempt_is_at_work_comes_for_its_answer(
    call: Callable[..., object],
) -> None:
    at_work = Answer.of(409, {"code": "request_in_progress", "detail": "Later."}, Retry_After="0")
    with (
        StandIn(at_work, at_work, Answer.of(422, {})) as server,
        Client(server.url, KEY) as client,
        pytest.raises(InvalidRequest),
    ):
        call(client)
    assert len(server.asked) == 3


def test_a_document_whose_answer_is_lost_is_answered_as_the_first_time(through_cable: Client, cable: Cable) -> None:
    cable.lose_next_answer()
    document = through_cable.upload(b"sent twice, new once")
    assert cable.answers_lost == 1
    assert not document.duplicate


def test_a_retry_whose_answer_is_lost_makes_one_job(through_cable: Client, client: Client, cable: Cable) -> None:
    job = client.run("parse", one_broken_page_pdf()).job
    cable.lose_next_answer()
    again = through_cable.retry(job.id)
    assert cable.answers_lost == 1
    assert [one.id for one in client.jobs(document=job.document) if one.retry_of == job.id] == [again.id]


def test_an_address_that_is_some_other_websites_is_said_so() -> None:
    welcome = Answer(200, b"<html>Welcome</html>")
    with StandIn(welcome) as server, Client(server.url, KEY) as client:
        with pytest.raises(Unavailable, match="not the service"):
            client.models()
        assert len(server.asked) == 1


def test_nobody_there_is_said_with_the_address_and_without_the_key() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with Client(url, KEY, max_retries=0) as client, pytest.raises(ConnectionFailed) as failed:
        client.models()
    assert url in str(failed.value)
    assert KEY not in repr(failed.value) + str(failed.value.__cause__) + repr(client) + str(vars(client))


@pytest.fixture
def moved() -> Iterator[StandIn]:
    with StandIn(MODELS) as server:
        yield server


def test_a_redirect_takes_the_key_nowhere(moved: StandIn) -> None:
    away = Answer(302, b"", {"Location": f"{moved.url}/v1/models"})
    with StandIn(away) as server, Client(server.url, KEY) as client, pytest.raises(Unavailable, match="302"):
        client.models()
    assert moved.asked == []
