"""Tests of uploads in pieces, or directly to the storage, with S3 as storage (a stand-in on this machine)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from jobs.uploads.layout import PART_BYTES
from tenants.api_keys.services import create_key
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.jobs.intake.test_resumable import (
    PDF,
    code_of,
    other,
    test_a_connection_that_breaks_off_costs_nothing_that_arrived,
    test_a_file_that_came_in_pieces_is_one_document_with_its_last_byte,
    test_an_upload_given_up_while_bytes_arrive_keeps_none_of_them,
    test_an_upload_that_was_given_up_is_gone_and_its_bytes_are_erased,
    test_of_many_at_once_each_byte_is_counted_once,
    tus,
)
from tests.jobs.intake.tus import Tus
from tests.maas.granian_server import GranianServer
from tests.stand_in_s3 import Bucket, new_bucket, stand_in_s3
from tests.waiting import eventually

# These are the same cases as with a folder, on the server below. More of them are in `test_resumable_s3_more`.
__all__ = [
    "other",
    "test_a_connection_that_breaks_off_costs_nothing_that_arrived",
    "test_a_file_that_came_in_pieces_is_one_document_with_its_last_byte",
    "test_an_upload_given_up_while_bytes_arrive_keeps_none_of_them",
    "test_an_upload_that_was_given_up_is_gone_and_its_bytes_are_erased",
    "test_of_many_at_once_each_byte_is_counted_once",
    "tus",
]
pytestmark = pytest.mark.xdist_group("resumable_s3")
LARGE = PDF[:9] + b"%" + b" " * PART_BYTES + b"\n" + PDF[9:]
"""The same document with a long comment, so that it has two parts."""


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    with stand_in_s3() as address:
        yield new_bucket(address)


@pytest.fixture(scope="module")
def web_server(bucket: Bucket) -> Iterator[GranianServer]:
    env = {"MAAS_STORAGE_URL": bucket.url, "MAAS_MAX_OPEN_UPLOADS": "10"}
    with GranianServer("maas.asgi:application", env) as server:
        yield server


def begin(tus: Tus, size: int, **more: object) -> httpx.Response:
    headers = {"Tus-Resumable": None, "Idempotency-Key": more.pop("key", None)}
    return tus.ask("POST", json={"direct": True, "name": "scan.pdf", "size": size, **more}, headers=headers)


def urls(tus: Tus, path: str, *numbers: int) -> list[dict[str, Any]]:
    answer = tus.ask("POST", f"{path}/parts", json={"numbers": list(numbers)})
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


def send(tus: Tus, path: str, content: bytes, *numbers: int) -> None:
    for part in urls(tus, path, *numbers):
        start = (part["number"] - 1) * PART_BYTES
        body = content[start : start + part["bytes"]]
        assert httpx.put(part["url"], content=body, timeout=60).status_code == 200


def test_a_file_that_was_sent_to_the_storage_is_a_document_when_its_sender_says_so(
    tus: Tus, bucket: Bucket, tenant: CreatedTenant
) -> None:
    made = begin(tus, len(LARGE))
    assert made.status_code == 201, made.text
    path, parts = made.headers["location"], made.json()["parts"]
    assert parts == {"total": 2, "bytes": PART_BYTES}
    send(tus, path, LARGE, 2)
    shown = tus.ask("GET", f"{path}/parts").json()
    assert [(one["number"], one["bytes"]) for one in shown["data"]] == [(2, len(PDF) + 2)]
    early = tus.ask("POST", f"{path}/complete")
    assert code_of(early) == (409, "parts_missing")
    assert (early.json()["missing"], early.json()["missing_total"]) == ([1], 1)
    send(tus, path, LARGE, 1)
    done = tus.ask("POST", f"{path}/complete")
    assert (done.status_code, done.json()["state"]) == (200, "ready"), done.text
    document = tus.ask("GET", f"/v1/documents/{done.json()['document']}").json()
    assert (document["pages_total"], document["size_bytes"], document["name"]) == (39, len(LARGE), "scan.pdf")
    again = tus.ask("POST", f"{path}/complete")
    assert (again.status_code, again.json()["document"]) == (200, document["id"])
    below = f"tenants/{tenant.tenant.id}"
    eventually(lambda: len(bucket.objects(below)) == 1, "the end of what was sent")
    assert bucket.begun(below) == []


def test_completing_at_once_many_times_makes_one_document(tus: Tus) -> None:
    path = begin(tus, len(PDF)).headers["location"]
    send(tus, path, PDF, 1)
    with ThreadPoolExecutor(6) as pool:
        answers = pool.map(lambda _: tus.ask("POST", f"{path}/complete"), range(6))
    assert {answer.status_code for answer in answers} <= {200, 202, 423}
    eventually(lambda: tus.shown(path)["state"] == "ready", "the document")


def test_a_file_that_is_no_document_is_refused_as_an_upload_is(tus: Tus) -> None:
    path = begin(tus, 5).headers["location"]
    send(tus, path, b"GIF89", 1)
    assert code_of(tus.ask("POST", f"{path}/complete")) == (415, "unsupported_type")
    assert tus.shown(path)["error"]["code"] == "unsupported_type"


def test_a_direct_upload_is_made_once_for_a_key_of_its_callers(tus: Tus) -> None:
    first, second = begin(tus, 10, key="scan-1"), begin(tus, 10, key="scan-1")
    assert first.headers["location"] == second.headers["location"]
    assert second.headers["idempotent-replay"] == "true"
    assert code_of(begin(tus, 11, key="scan-1")) == (422, "idempotency_key_reused")


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"size": 0}, 422, "document_empty"),
        ({"size": 5 * 2**30 + 1}, 413, "document_too_large"),
        ({"size": "10"}, 400, "invalid_request"),
        ({"size": True}, 400, "invalid_request"),
        ({"size": -1}, 400, "invalid_request"),
        ({"direct": False}, 400, "invalid_request"),
        ({"key_in_storage": "elsewhere"}, 400, "invalid_request"),
        ({"name": 7}, 400, "invalid_request"),
    ],
)
def test_a_request_that_is_no_good_makes_no_upload(
    tus: Tus, asked: dict[str, object], status: int, code: str
) -> None:
    sent = {"direct": True, "name": "scan.pdf", "size": 10, **asked}
    assert code_of(tus.ask("POST", json=sent, headers={"Tus-Resumable": None})) == (status, code)
    assert tus.ask("GET").json()["data"] == []


def test_bytes_of_a_direct_upload_are_not_taken_by_the_service_nor_parts_of_another(tus: Tus) -> None:
    path = begin(tus, 10).headers["location"]
    assert code_of(tus.send(path, 0, b"x")) == (409, "upload_method_differs")
    assert tus.ask("HEAD", path).status_code == 409
    plain = tus.begin(10)
    assert code_of(tus.ask("POST", f"{plain}/parts", json={"numbers": [1]})) == (409, "upload_method_differs")
    assert code_of(tus.ask("POST", f"{plain}/complete")) == (409, "upload_method_differs")
    assert tus.shown(plain)["parts"] is None


def test_who_gave_a_direct_upload_up_gets_no_more_urls(
    tus: Tus, bucket: Bucket, tenant: CreatedTenant
) -> None:
    path = begin(tus, len(PDF)).headers["location"]
    send(tus, path, PDF, 1)
    assert tus.ask("DELETE", path).status_code == 204
    assert code_of(tus.ask("POST", f"{path}/parts", json={"numbers": [1]})) == (410, "upload_gone")
    assert code_of(tus.ask("POST", f"{path}/complete")) == (410, "upload_gone")
    assert bucket.begun(f"tenants/{tenant.tenant.id}") == []


def test_direct_uploads_are_bounded_like_the_others(tus: Tus) -> None:
    for _ in range(10):
        assert begin(tus, 10).status_code == 201
    assert code_of(begin(tus, 10)) == (429, "too_many_uploads")


def test_anothers_direct_upload_is_answered_like_one_that_never_was(tus: Tus, other: Tus) -> None:
    path = begin(tus, 10).headers["location"]
    assert other.ask("GET", f"{path}/parts").status_code == 404
    assert other.ask("POST", f"{path}/parts", json={"numbers": [1]}).status_code == 404
    assert other.ask("POST", f"{path}/complete").status_code == 404


def test_a_key_that_may_only_read_gets_no_urls(tus: Tus, tenant: CreatedTenant) -> None:
    with operator_work():
        reading = create_key(tenant_id=tenant.tenant.id, name="reads", scopes=["documents:read"])
    path, reader = begin(tus, 10).headers["location"], Tus(tus.url, reading.text)
    answer = reader.ask("POST", f"{path}/parts", json={"numbers": [1]})
    assert code_of(answer) == (403, "insufficient_scope")
    assert code_of(reader.ask("POST", f"{path}/complete")) == (403, "insufficient_scope")
    assert reader.ask("GET", f"{path}/parts").status_code == 200
