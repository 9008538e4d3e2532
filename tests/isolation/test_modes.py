"""Test that what a tenant's live keys made and what its test keys made are as separate as two tenants."""

import re
from pathlib import Path

import httpx
import pytest

from tests.flows.caller import Caller
from tests.flows.event_socket import EventSocket

from .belongings import Belongings
from .test_routes import Operation, headers_of, operations, state_of, with_ids, without_echo
from .test_streams import jobs_told_to

__all__ = ["operations"]

ROOT = Path(__file__).parents[2]
BY_TENANT_ALONE = re.compile(r"unit_of_work\((self\.)?_?(identity|caller|asker)\.tenant_id\)")


@pytest.fixture(params=["a test key asks for what is live", "a live key asks for what is a test's"])
def apart(
    request: pytest.FixtureRequest,
    caller: Caller,
    tests_caller: Caller,
    mine: Belongings,
    of_tests: Belongings,
) -> tuple[Caller, Caller, Belongings]:
    """Return the caller who asks, the owner, and what the owner has."""
    if request.param.startswith("a test"):
        return tests_caller, caller, mine
    return caller, tests_caller, of_tests


def test_an_id_of_the_other_mode_is_answered_like_one_that_never_was(
    apart: tuple[Caller, Caller, Belongings], operations: list[Operation]
) -> None:
    asker, owner, theirs = apart
    before, nobodys = state_of(owner, theirs), Belongings.of_nobody()
    for operation in with_ids(operations):
        if operation.path.startswith("/v1/models"):
            continue  # A model is for both modes, as its prices and aliases are.
        foreign = asker.http.request(operation.method, operation.at(name="total", **theirs.values()))
        unknown = asker.http.request(operation.method, operation.at(name="total", **nobodys.values()))
        assert foreign.status_code == unknown.status_code == 404, operation
        assert without_echo(foreign, theirs) == without_echo(unknown, nobodys), operation
        assert headers_of(foreign) == headers_of(unknown), operation
    assert state_of(owner, theirs) == before


def test_no_list_shows_what_is_of_the_other_mode(
    apart: tuple[Caller, Caller, Belongings], operations: list[Operation], tests_caller: Caller
) -> None:
    """The audit log is an exception: it belongs to the whole account, and only live keys read it."""
    asker, owner, theirs = apart
    whole = {"/v1/openapi.json"} | ({"/v1/audit"} if owner is tests_caller else set())
    shown = set()
    for operation in operations:
        if operation.method != "GET" or "{" in operation.path or operation.path in whole:
            continue
        answer, own = (one.http.get(operation.path, params={"limit": 100}) for one in (asker, owner))
        apart_ids = set(theirs.ids) - {theirs.model}  # A model is for both modes.
        shown |= {found for found in apart_ids if found in own.text}
        assert not [found for found in apart_ids if found in answer.text], operation
    assert {theirs.document_id, theirs.job_id, theirs.file_id, theirs.batch_id} <= shown


@pytest.mark.parametrize("words", ["Alpha", "tests"])
def test_no_search_finds_what_is_of_the_other_mode(apart: tuple[Caller, Caller, Belongings], words: str) -> None:
    asker, _, theirs = apart
    assert theirs.job_id not in asker.http.get("/v1/jobs", params={"q": words}).text
    assert asker.get("/v1/jobs", document=theirs.document_id)["data"] == []


def test_nothing_new_is_made_of_what_is_of_the_other_mode(apart: tuple[Caller, Caller, Belongings]) -> None:
    asker, _, theirs = apart
    nobodys = Belongings.of_nobody()

    def made_of(things: Belongings) -> list[httpx.Response]:
        batch = {"endpoint": "/v1/embeddings", "completion_window": "24h", "input_file_id": things.file_id}
        return [
            asker.http.post("/v1/jobs", json={"model": "parse", "document": things.document_id}),
            asker.http.post("/v1/batches", json=batch),
            asker.http.get("/v1/webhooks/deliveries", params={"endpoint": things.endpoint_id}),
        ]

    for foreign, unknown in zip(made_of(theirs), made_of(nobodys), strict=True):
        assert foreign.status_code == unknown.status_code == 404
        assert without_echo(foreign, theirs) == without_echo(unknown, nobodys)


def test_no_stream_and_no_socket_tells_of_the_other_mode(apart: tuple[Caller, Caller, Belongings]) -> None:
    asker, owner, theirs = apart
    told = jobs_told_to(owner)
    assert theirs.job_id in told
    assert not told & jobs_told_to(asker)
    stream = {"Accept": "text/event-stream"}
    assert asker.http.get(f"/v1/jobs/{theirs.job_id}/events", headers=stream).status_code == 404
    ticket = asker.http.post("/v1/tickets").json()["ticket"]
    for socket in (
        EventSocket.with_key(asker.url, asker.key),
        EventSocket(asker.url, query=f"?ticket={ticket}"),
    ):
        with socket:
            socket.receive()
            socket.send(subscribe=theirs.job_id, after=0)
            while (answer := socket.receive())["type"] == "event":
                pass
            assert (answer["type"], answer["code"]) == ("error", "not_found")


def test_the_same_file_is_a_document_of_each_mode(caller: Caller, tests_caller: Caller) -> None:
    content = b"Sent by a live key and by a test key."
    live, test = caller.upload(content, "alike.txt"), tests_caller.upload(content, "alike.txt")
    assert live["id"] != test["id"]
    assert tests_caller.http.delete(f"/v1/documents/{test['id']}").status_code == 204
    read = caller.ended(caller.submit("parse", document=live["id"])["id"])
    assert read["state"] == "succeeded", "the bytes of the other are still there"


def test_whoever_asks_is_told_to_the_unit_of_work() -> None:
    """A unit of work for the tenant's id alone contains both modes. That is for work that no caller has requested."""
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("jobs", "inference")
        for path in (ROOT / folder).rglob("*.py")
        for line in path.read_text().splitlines()
        if BY_TENANT_ALONE.search(line)
    ]
    assert not found, "write unit_of_work(identity)"
