"""Tests of the header `Idempotency-Key` of every request that creates something, through Django itself."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import Client

from jobs.batches.ids import FILE, shown
from jobs.batches.services import store_file
from jobs.documents.reader.contents import Inspection, PageSize
from jobs.documents.uploads import Upload
from jobs.idempotency.keys import Sent
from jobs.submission.cancellations import cancel_job
from tenants.core.db.unit_of_work import APP
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.jobs.api.conftest import form_of, send_job
from tests.jobs.conftest import Desk

Post = Callable[..., Any]


@pytest.fixture
def post(desk: Desk) -> Post:
    def send(key: str | None, text: str = "hello", upload: Upload | None = None) -> Any:
        return send_job(desk, {} if key is None else {"Idempotency-Key": key}, upload, input=text)

    return send


@pytest.fixture
def upload(desk: Desk, tmp_path: Path) -> Upload:
    return form_of(desk, tmp_path)


@dataclass(frozen=True)
class Wanted:
    """A request that creates something, and another request to the same URL."""

    path: str
    status: int
    body: Any = None
    other_body: Any = None
    other_path: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    other_meta: dict[str, Any] = field(default_factory=dict)
    reused: int = 422

    def sent(self, key: str) -> Any:
        return self._send(self.path, self.body, self.meta, key)

    def another_sent(self, key: str) -> Any:
        return self._send(self.other_path or self.path, self.other_body, self.other_meta or self.meta, key)

    def _send(self, path: str, body: Any, meta: dict[str, Any], key: str) -> Any:
        headers = {"Idempotency-Key": key}
        if body is None:
            return Client().post(path, headers=headers, **meta)
        return Client().post(path, body, "application/json", headers=headers, **meta)


class Requests:
    """The requests of each kind that creates something. Each of them has a new document."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self._desk = desk
        self._folder = folder
        self._meta = {"maas.identity": desk.identity}

    def job(self) -> Wanted:
        name = self._desk.version.served_model.name
        body, other = ({"model": name, "input": text} for text in ("one", "two"))
        return Wanted("/v1/jobs", 202, body, other, meta=self._meta)

    def job_with_file(self) -> Wanted:
        return self._form("/v1/jobs", 202, {"model": self._desk.version.served_model.name})

    def document(self) -> Wanted:
        return self._form("/v1/documents", 201, {})

    def file(self) -> Wanted:
        return self._form("/v1/files", 200, {"purpose": "batch"}, reused=400)

    def batch(self) -> Wanted:
        given = store_file(identity=self._desk.identity, upload=self._upload({}))
        body = {
            "input_file_id": shown(FILE, given.id),
            "endpoint": "/v1/embeddings",
            "completion_window": "24h",
        }
        other = {**body, "metadata": {"a": "b"}}
        return Wanted("/v1/batches", 200, body, other, meta=self._meta, reused=400)

    def retry(self) -> Wanted:
        one, two = (f"/v1/jobs/{self._canceled()}/retry" for _ in range(2))
        return Wanted(one, 202, other_path=two, meta=self._meta)

    def _canceled(self) -> str:
        return str(cancel_job(identity=self._desk.identity, job_id=self._desk.submit().id).id)

    def _form(self, path: str, status: int, fields: dict[str, str], reused: int = 422) -> Wanted:
        one, two = ({**self._meta, "maas.upload": self._upload(fields)} for _ in range(2))
        return Wanted(path, status, meta=one, other_meta=two, reused=reused)

    def _upload(self, fields: dict[str, str]) -> Upload:
        path = self._folder / unique("text")
        path.write_text("hello")
        inspection = Inspection("text/plain", "text", (PageSize(0, 0),))
        return Upload(path, unique("sha"), 5, "a.txt", "text/plain", fields, inspection)


@pytest.fixture(params=["job", "job_with_file", "document", "file", "batch", "retry"])
def wanted(request: pytest.FixtureRequest, desk: Desk, tmp_path: Path) -> Wanted:
    made: Wanted = getattr(Requests(desk, tmp_path), request.param)()
    return made


def test_a_replay_has_the_status_and_the_id_of_the_first_and_says_what_it_is(wanted: Wanted) -> None:
    first, again = wanted.sent("one"), wanted.sent("one")
    assert (first.status_code, again.status_code) == (wanted.status, wanted.status), first.content
    assert "Idempotent-Replay" not in first.headers
    assert again.headers["Idempotent-Replay"] == "true"
    assert again.headers.get("Location") == first.headers.get("Location")
    assert again.json() == first.json()


def test_another_request_under_the_key_is_not_processable(wanted: Wanted) -> None:
    wanted.sent("one")
    refused = wanted.another_sent("one")
    problem = refused.json().get("error", refused.json())
    assert (refused.status_code, problem["code"]) == (wanted.reused, "idempotency_key_reused")
    assert wanted.another_sent("two").json()["id"] != wanted.sent("one").json()["id"]


def test_while_the_first_is_at_work_the_next_is_told_when_to_come_again(desk: Desk, wanted: Wanted) -> None:
    def told() -> Any:
        try:
            return wanted.sent("one")
        finally:
            connections.close_all()

    lock = Sent(desk.identity.tenant_id, "submit_job", "one", "").lock_id
    with connections[APP].cursor() as cursor, ThreadPoolExecutor(1) as threads:
        cursor.execute("SELECT pg_advisory_lock(%s)", [lock])
        try:
            answer = threads.submit(told).result()
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [lock])
    problem = answer.json().get("error", answer.json())
    assert (answer.status_code, problem["code"]) == (409, "request_in_progress")
    assert answer.headers["Retry-After"] == "1"
    assert "Idempotent-Replay" not in wanted.sent("one").headers


def test_a_key_that_was_sent_to_one_address_is_refused_at_another(desk: Desk, tmp_path: Path) -> None:
    requests = Requests(desk, tmp_path)
    requests.document().sent("one")
    refused = requests.job().sent("one")
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_key_reused")
    assert "upload_document" in refused.json()["detail"]


def test_a_document_that_was_here_already_is_a_duplicate_in_every_answer(desk: Desk, tmp_path: Path) -> None:
    wanted = Requests(desk, tmp_path).document()
    wanted.sent("one")
    assert [wanted.sent("two").json()["duplicate"] for _ in range(2)] == [True, True]
    assert wanted.sent("one").json()["duplicate"] is False


@pytest.mark.parametrize("kind", ["document", "file"])
def test_what_was_made_and_deleted_since_is_gone(desk: Desk, tmp_path: Path, kind: str) -> None:
    wanted: Wanted = getattr(Requests(desk, tmp_path), kind)()
    made = wanted.sent("one").json()["id"]
    deleted = Client().delete(f"{wanted.path}/{made}", **wanted.meta)
    assert deleted.status_code in {200, 204}
    gone = wanted.sent("one")
    problem = gone.json().get("error", gone.json())
    assert (gone.status_code, problem["code"]) == (410, "idempotent_result_gone")


@pytest.mark.parametrize("key", ["", "k" * 256], ids=["none", "long"])
def test_every_address_checks_its_keys(wanted: Wanted, key: str) -> None:
    refused = wanted.sent(key)
    assert refused.status_code == 400
    assert "Idempotency-Key" in refused.content.decode()


@pytest.mark.parametrize("key", ["", "k" * 256, "ключ".encode().decode("latin-1")], ids=["none", "long", "odd"])
def test_a_key_that_is_none_is_refused_before_any_work(post: Post, key: str) -> None:
    refused = post(key)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert "Idempotency-Key" in refused.json()["detail"]


def test_a_file_that_is_sent_again_is_the_same_job_also_when_its_document_is_gone(
    post: Post, upload: Upload, identity: Identity
) -> None:
    first = post("one", upload=upload).json()
    deleted = Client().delete(f"/v1/documents/{first['document']}", **{"maas.identity": identity})  # type: ignore[arg-type]
    assert deleted.status_code == 204
    again = post("one", upload=upload)
    assert again.headers["Idempotent-Replay"] == "true"
    assert (again.json()["id"], again.json()["state"]) == (first["id"], "canceled")
    listed = Client().get("/v1/documents", **{"maas.identity": identity})  # type: ignore[arg-type]
    assert listed.json()["data"] == []
