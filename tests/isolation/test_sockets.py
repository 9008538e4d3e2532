"""Test that the websocket sends nothing about another tenant's jobs."""

import json
from uuid import uuid4

import pytest

from tests.flows.caller import Caller
from tests.flows.event_socket import EventSocket, Json, ends
from tests.flows.product import Account, Product
from tests.flows.signing_in import signed_in

from .belongings import Belongings


@pytest.fixture(params=["key", "ticket", "cookie"])
def socket(request: pytest.FixtureRequest, product: Product, account: Account, caller: Caller) -> EventSocket:
    """Return a socket of Alpha, opened in each possible way."""
    if request.param == "key":
        return EventSocket.with_key(caller.url, caller.key)
    if request.param == "ticket":
        return EventSocket(caller.url, query=f"?ticket={caller.http.post('/v1/tickets').json()['ticket']}")
    with signed_in(product, account) as browser:
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    return EventSocket(caller.url, headers={"Cookie": cookies}, origin=caller.url)


def answer_to(socket: EventSocket, **message: object) -> Json:
    """Return the next message that is not an event."""
    socket.send(**message)
    while (answer := socket.receive())["type"] == "event":
        pass
    return answer


def test_another_tenants_job_is_like_one_that_never_was(socket: EventSocket, theirs: Belongings) -> None:
    with socket:
        socket.receive()
        unknown = str(uuid4())
        refused = answer_to(socket, subscribe=theirs.job_id, after=0)
        assert (refused["type"], refused["code"]) == ("error", "not_found")
        like = answer_to(socket, subscribe=unknown, after=0)
        assert json.dumps(refused).replace(theirs.job_id, unknown) == json.dumps(like)
        for injected in (f"maas:changes:{theirs.job_id}", f"{theirs.job_id}*", "*", "all*"):
            assert answer_to(socket, subscribe=injected)["code"] == "not_found"


def test_everything_from_the_beginning_is_ones_own_alone(
    socket: EventSocket, caller: Caller, tests_caller: Caller, theirs: Belongings
) -> None:
    with socket:
        socket.receive()
        last = caller.submit("parse", input="The end of what Alpha may hear")
        caller.ended(last["id"])
        assert answer_to(socket, subscribe="all", after="0-0")["type"] == "subscribed"
        heard = socket.events_until(ends(last["id"]))
    jobs = {event["job"] for event in heard}
    assert theirs.job_id not in jobs
    # People are also notified of test jobs.
    own = [job["id"] for one in (caller, tests_caller) for job in one.get("/v1/jobs", limit=100)["data"]]
    assert jobs <= set(own)
