"""Test that lists, filters and cursors show a tenant only its own data, whatever is requested."""

import httpx
import pytest

from tests.flows.caller import Caller

from .belongings import Belongings


@pytest.mark.parametrize(
    "path",
    [
        "/v1/jobs",
        "/v1/documents",
        "/v1/files",
        "/v1/batches",
        "/v1/archives",
        "/v1/invoices",
        "/v1/webhooks/endpoints",
        "/v1/webhooks/deliveries",
    ],
)
def test_lists_hold_ones_own_alone(
    caller: Caller, other_caller: Caller, mine: Belongings, theirs: Belongings, path: str
) -> None:
    assert everything(caller, path) & everything(other_caller, path) == set()
    assert id_in(path, mine) in everything(caller, path)
    assert id_in(path, theirs) in everything(other_caller, path)


def id_in(path: str, belongings: Belongings) -> str:
    return {
        "/v1/jobs": belongings.job_id,
        "/v1/documents": belongings.document_id,
        "/v1/files": belongings.file_id,
        "/v1/batches": belongings.batch_id,
        "/v1/archives": belongings.archive_id,
        "/v1/invoices": belongings.invoice_id,
        "/v1/webhooks/endpoints": belongings.endpoint_id,
        "/v1/webhooks/deliveries": belongings.delivery_id,
    }[path]


def everything(caller: Caller, path: str) -> set[str]:
    """Return the ids of a whole list, which is read two at a time."""
    found: set[str] = set()
    cursor: dict[str, str] = {}
    while True:
        part = caller.get(path, limit=2, **cursor)
        found |= {one["id"] for one in part["data"]}
        if not part["has_more"]:
            return found
        cursor = {"after": part["last_id"]} if "last_id" in part else {"cursor": part["next_cursor"]}


def test_a_cursor_of_another_tenant_opens_nothing(caller: Caller, theirs: Belongings) -> None:
    shown = caller.get("/v1/jobs", cursor=theirs.job_id, limit=100)["data"]
    assert theirs.job_id not in {job["id"] for job in shown}
    assert {job["id"] for job in shown} <= everything(caller, "/v1/jobs")


def test_a_batch_cannot_be_given_another_tenants_file(caller: Caller, theirs: Belongings) -> None:
    asked = {"endpoint": "/v1/embeddings", "completion_window": "24h"}
    nobodys = Belongings.of_nobody()
    answer = caller.http.post("/v1/batches", json={**asked, "input_file_id": theirs.file_id})
    unknown = caller.http.post("/v1/batches", json={**asked, "input_file_id": nobodys.file_id})
    assert answer.status_code == unknown.status_code == 404
    said, of_nobody = answer.json()["error"]["message"], unknown.json()["error"]["message"]
    assert said.replace(theirs.file_id, nobodys.file_id) == of_nobody


def test_filtering_by_another_tenants_document_finds_nothing(caller: Caller, theirs: Belongings) -> None:
    assert caller.get("/v1/jobs", document=theirs.document_id)["data"] == []


def test_words_on_another_tenants_page_find_nothing(caller: Caller, other_caller: Caller, theirs: Belongings) -> None:
    assert theirs.job_id in {job["id"] for job in other_caller.get("/v1/jobs", q="beta secret")["data"]}
    assert caller.get("/v1/jobs", q="beta secret")["data"] == []


def test_a_job_cannot_be_given_another_tenants_document(caller: Caller, theirs: Belongings) -> None:
    answer = caller.http.post("/v1/jobs", json={"model": "parse", "document": theirs.document_id})
    nobodys = Belongings.of_nobody()
    unknown = caller.http.post("/v1/jobs", json={"model": "parse", "document": nobodys.document_id})
    assert answer.status_code == unknown.status_code == 404
    assert answer.json()["detail"].replace(theirs.document_id, nobodys.document_id) == unknown.json()["detail"]


def test_the_same_bytes_of_two_tenants_are_two_documents(caller: Caller, other_caller: Caller) -> None:
    data = b"Both tenants have this very text"
    first, second = caller.upload(data, "a.txt"), other_caller.upload(data, "b.txt")
    assert not second["duplicate"]
    assert first["id"] != second["id"]
    assert caller.http.delete(f"/v1/documents/{first['id']}").status_code == 204
    job = other_caller.ended(other_caller.submit("parse", document=second["id"])["id"])
    assert job["state"] == "succeeded"
    assert job["cost"]["amount_micros"] > 0


def test_a_key_that_another_tenant_sent_is_not_known(caller: Caller, other_caller: Caller) -> None:
    """Nothing of the other tenant's request is visible, neither with the same request nor with another one."""
    same, other = ({"file": ("a.txt", data)} for data in (b"of both tenants", b"of one alone"))
    theirs = [sent_under(other_caller, key, same) for key in ("one", "two")]
    mine = [sent_under(caller, "one", same), sent_under(caller, "two", other)]
    assert [answer.status_code for answer in mine] == [201, 201]
    assert not [answer for answer in mine if "Idempotent-Replay" in answer.headers]
    assert not {answer.json()["id"] for answer in mine} & {answer.json()["id"] for answer in theirs}


def sent_under(caller: Caller, key: str, files: dict[str, tuple[str, bytes]]) -> httpx.Response:
    return caller.http.post("/v1/documents", files=files, headers={"Idempotency-Key": f"both tenants' {key}"})
