"""Test every API address that takes an id, taken from the API's own description: what belongs to another tenant does
not exist.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.flows.caller import Caller
from tests.flows.product import Account

from .belongings import Belongings

METHODS = {"get", "post", "put", "patch", "delete"}
PARAMETER = re.compile(r"\{(\w+)\}")
PUBLIC = {"/v1/openapi.json", "/v1/docs", "/v1/schemas/result-1.json", "/v2/health/live", "/v2/health/ready"}
QUERIES = {
    "/v1/jobs/results.zip": "?jobs={job_id}",
    "/v1/jobs/fields.csv": "?jobs={job_id}",
    "/v1/jobs/fields.xlsx": "?jobs={job_id}",
    "/v1/search": "?q=words",
}
"""The queries of addresses that take ids there, or that need a parameter."""
SHARED_PARAMETERS = {"name", "version"}
"""The parameters of models, which belong to the operator and are the same for all tenants."""


THERE_ALL_THE_SAME = {"insufficient_scope", "no_tables"}
"""The errors of addresses that do exist: some require a scope that a key has only if it was chosen."""


@dataclass(frozen=True)
class Operation:
    method: str
    path: str

    def at(self, **values: object) -> str:
        return self.path.format(**values)


@pytest.fixture(scope="module")
def operations(caller: Caller) -> list[Operation]:
    described = httpx.get(f"{caller.url}/v1/openapi.json").json()["paths"]
    return [
        Operation(method.upper(), path + QUERIES.get(path, ""))
        for path, methods in described.items()
        for method in methods
        if method in METHODS
    ]


def with_ids(operations: list[Operation]) -> Iterator[Operation]:
    for operation in operations:
        if set(PARAMETER.findall(operation.path)) - SHARED_PARAMETERS:
            yield operation


def without_echo(answer: httpx.Response, belongings: Belongings) -> dict[str, Any]:
    """Return the body without the request's own id, and with the requested ids replaced."""
    text = answer.text
    for echoed in belongings.ids:
        text = text.replace(echoed, "ID")
    body: dict[str, Any] = httpx.Response(200, text=text).json()
    named = [part for part in (body, body.get("error")) if isinstance(part, dict) and part.pop("request_id", None)]
    assert named
    return body


def test_every_parameter_of_the_api_is_known_to_this_walk(operations: list[Operation]) -> None:
    known = set(Belongings.of_nobody().values()) | SHARED_PARAMETERS
    found = {name for operation in operations for name in PARAMETER.findall(operation.path)}
    assert found == known, "a new parameter: give both tenants one of its kind in Belongings"
    assert len(list(with_ids(operations))) >= 10


def test_another_tenants_id_is_answered_like_one_that_never_was(
    caller: Caller, other_caller: Caller, theirs: Belongings, operations: list[Operation]
) -> None:
    before = state_of(other_caller, theirs)
    nobodys = Belongings.of_nobody()
    for operation in with_ids(operations):
        foreign = caller.http.request(operation.method, operation.at(name="total", **theirs.values()))
        unknown = caller.http.request(operation.method, operation.at(name="total", **nobodys.values()))
        assert foreign.status_code == unknown.status_code == 404, operation
        assert without_echo(foreign, theirs) == without_echo(unknown, nobodys), operation
        assert headers_of(foreign) == headers_of(unknown), operation
    assert state_of(other_caller, theirs) == before


def headers_of(answer: httpx.Response) -> dict[str, str]:
    """Return the headers without those that differ in every answer."""
    passing = {"x-request-id", "date", "ratelimit"}
    return {name: value for name, value in answer.headers.items() if name not in passing}


def state_of(caller: Caller, belongings: Belongings) -> list[dict[str, Any]]:
    """Return the state, which must remain the same whatever other tenants tried."""
    return [
        caller.job(belongings.job_id),
        caller.get(f"/v1/documents/{belongings.document_id}"),
        caller.get("/v1/jobs", limit=100),
        caller.get("/v1/documents", limit=100),
        caller.get(f"/v1/batches/{belongings.batch_id}"),
        caller.get("/v1/batches", limit=100),
        caller.get("/v1/files", limit=100),
        caller.get("/v1/uploads", limit=100),
        caller.get(f"/v1/archives/{belongings.archive_id}"),
        caller.get(f"/v1/archives/{belongings.archive_id}/entries"),
        caller.get("/v1/archives", limit=100),
        caller.get(f"/v1/class-sets/{belongings.class_set}"),
        caller.get(f"/v1/class-sets/{belongings.class_set}/examples"),
        caller.get("/v1/class-sets", limit=100),
        caller.get("/v1/models"),
        caller.get(f"/v1/models/{belongings.model}/aliases"),
        caller.get(f"/v1/models/{belongings.model}/aliases/champion/history"),
        # Only what a caller can change is compared, because each delivery attempt changes the rest.
        *({name: one[name] for name in ("id", "url", "state")} for one in _listed(caller, "endpoints")),
        *({name: one[name] for name in ("id", "webhook_id")} for one in _listed(caller, "deliveries")),
        caller.get("/v1/webhooks/secret"),
        caller.get("/v1/payments", limit=100),
        caller.get("/v1/fields", limit=100),
    ]


def _listed(caller: Caller, what: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = caller.get(f"/v1/webhooks/{what}", limit=100)["data"]
    return listed


def test_no_address_answers_without_a_key(caller: Caller, mine: Belongings, operations: list[Operation]) -> None:
    for operation in operations:
        if operation.path not in PUBLIC:
            address = caller.url + operation.at(**mine.values(), name="parse", version=1)
            assert httpx.request(operation.method, address).status_code == 401, operation


def test_every_address_that_is_described_exists(caller: Caller, mine: Belongings, operations: list[Operation]) -> None:
    """This shows that the addresses exist, because a test of addresses that are all 404 would prove nothing."""
    for operation in operations:
        if operation.method == "GET":
            # Only the headers are read, because an event stream has no end.
            with caller.http.stream("GET", operation.at(**mine.values(), name="parse", version=1)) as answer:
                if answer.status_code != 200:
                    answer.read()
                    assert answer.json()["code"] in THERE_ALL_THE_SAME, operation


@pytest.mark.parametrize("header", ["X-Tenant", "X-Tenant-Id", "X-Maas-Tenant", "X-Forwarded-User", "maas.identity"])
def test_no_header_makes_a_caller_another_tenant(
    caller: Caller, other_account: Account, theirs: Belongings, header: str
) -> None:
    headers = {header: other_account.tenant_id}
    assert caller.http.get(f"/v1/jobs/{theirs.job_id}", headers=headers).status_code == 404
    listed = caller.http.get("/v1/jobs", headers=headers, params={"tenant": other_account.tenant_id})
    assert theirs.job_id not in listed.text
