"""Tests that the websocket delivers every event of the tenant in order, and no event of another tenant."""

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.samples.pdfs import scanned_pdf
from tests.waiting import eventually

from .caller import Caller, Json
from .event_socket import EventSocket, ends
from .product import Account, Product
from .signing_in import signed_in


def refusal(url: str, **how: object) -> int:
    """Return the status of a handshake that fails."""
    with pytest.raises(InvalidStatus) as refused:
        EventSocket(url, **how)  # type: ignore[arg-type]
    return int(refused.value.response.status_code)


def test_a_key_hears_every_event_of_its_jobs_in_order_and_nothing_of_another_tenant(
    caller: Caller, other_caller: Caller
) -> None:
    with EventSocket.with_key(caller.url, caller.key) as socket:
        assert socket.receive()["type"] == "ready"
        foreign = other_caller.submit_file(scanned_pdf("Foreign one", "Foreign two", dpi=400)).json()
        job = caller.submit_file(scanned_pdf("Mine one", "Mine two", "Mine three", dpi=400)).json()
        heard = socket.events_until(ends(job["id"]))
        other_caller.ended(foreign["id"])
        last = caller.submit("parse", input="Something to hear after the other tenant's end")
        heard += socket.events_until(ends(last["id"]))
    assert foreign["id"] not in {event["job"] for event in heard}
    mine = [event for event in heard if event["job"] == job["id"]]
    assert [event["seq"] for event in mine] == list(range(1, len(mine) + 1))
    types = [event["type"] for event in mine]
    assert types[0] == "job.queued"
    assert types[-1] == "job.succeeded"
    assert types.count("page.running") == types.count("page.succeeded") == 3
    assert mine == caller.events(job["id"])


def test_subscribing_after_a_number_gives_the_rest_without_a_gap(caller: Caller, three_pages: bytes) -> None:
    job_id = caller.submit_file(three_pages, model="ocr").json()["id"]
    eventually(lambda: len(caller.events(job_id)) >= 2, "a number that may be named")
    with EventSocket.with_key(caller.url, caller.key) as socket:
        socket.send(subscribe=job_id, after=2)
        heard: list[Json] = []
        while not (heard and ends(job_id)(heard[-1])):
            message = socket.receive()
            if message["type"] == "event" and message["event"]["job"] == job_id:
                heard.append(message["event"])
            elif message["type"] == "subscribed":
                heard.clear()
    everything = caller.events(job_id)
    assert heard == everything[2:]
    assert [event["seq"] for event in everything] == list(range(1, len(everything) + 1))


def test_a_cursor_resumes_the_tenants_stream_after_a_lost_connection(caller: Caller) -> None:
    with EventSocket.with_key(caller.url, caller.key) as socket:
        cursor = socket.receive()["cursor"]
    missed = caller.submit("parse", input="Nobody listened to this")
    caller.ended(missed["id"])
    with EventSocket.with_key(caller.url, caller.key) as socket:
        socket.receive()
        socket.send(subscribe="all", after=cursor)
        assert socket.receive()["type"] == "subscribed"
        heard = socket.events_until(ends(missed["id"]))
    assert [event for event in heard if event["job"] == missed["id"]] == caller.events(missed["id"])


def test_a_ticket_opens_one_socket_once(caller: Caller) -> None:
    issued = caller.http.post("/v1/tickets").json()
    query = issued["url"].removeprefix("/ws/v1/events")
    with EventSocket(caller.url, query=query) as socket:
        assert socket.receive()["type"] == "ready"
        job = caller.submit("parse", input="Heard through a ticket")
        assert socket.events_until(ends(job["id"]))
    assert refusal(caller.url, query=query) in {401, 403}


def test_a_signed_in_person_listens_with_their_cookie_from_our_pages_only(
    product: Product, account: Account, caller: Caller
) -> None:
    with signed_in(product, account) as browser:
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    headers = {"Cookie": cookies}
    with EventSocket(caller.url, headers=headers, origin=caller.url) as socket:
        assert socket.receive()["type"] == "ready"
        job = caller.submit("parse", input="Heard in a browser")
        assert socket.events_until(ends(job["id"]))
    assert refusal(caller.url, headers=headers, origin="http://evil.example") == 403
    assert refusal(caller.url, headers=headers) in {401, 403}


@pytest.mark.parametrize("key", ["", "nonsense", "maas_live_000000000000_" + "0" * 38])
def test_a_bad_key_opens_nothing(caller: Caller, key: str) -> None:
    assert refusal(caller.url, headers={"Authorization": f"Bearer {key}"}) in {401, 403}
    assert refusal(caller.url, query=f"?ticket={key}") in {400, 401, 403}


def test_a_key_in_the_address_is_refused_even_if_it_is_good(caller: Caller) -> None:
    assert refusal(caller.url, query=f"?api_key={caller.key}") in {400, 403}
    assert httpx.get(f"{caller.url}/v1/models?key={caller.key}").json()["code"] == "key_in_query"


def test_nonsense_is_answered_and_the_socket_goes_on(caller: Caller) -> None:
    with EventSocket.with_key(caller.url, caller.key) as socket:
        socket.receive()
        for wrong in ({}, {"subscribe": 1}, {"subscribe": "x" * 5000}, {"subscribe": "all", "after": 1}):
            socket.send(**wrong)
            answer = socket.receive()
            assert (answer["type"], answer["code"]) == ("error", "invalid_request")
        job = caller.submit("parse", input="Still listening")
        assert socket.events_until(ends(job["id"]))


def test_a_revoked_keys_socket_is_closed(product: Product) -> None:
    gone = product.create_account("Gone")
    with EventSocket.with_key(product.running.url, gone.key) as socket:
        assert socket.receive()["type"] == "ready"
        with product.start_revoking_keys(gone):
            assert socket.receive()["code"] == "not_authenticated"
        with pytest.raises(ConnectionClosed) as closed:
            socket.receive(timeout_s=10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401
