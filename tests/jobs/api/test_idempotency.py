"""The header `Idempotency-Key` of `POST /v1/jobs`, through Django itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from jobs.documents.reader.contents import Inspection, PageSize
from jobs.documents.uploads import Upload
from tenants.identity import Identity
from tests.fixtures import unique
from tests.jobs.conftest import Desk

Post = Callable[..., Any]


@pytest.fixture
def post(desk: Desk) -> Post:
    def send(key: str | None, text: str = "hello", upload: Upload | None = None) -> Any:
        given: dict[str, Any] = {"maas.identity": desk.identity}
        if upload:
            given["maas.upload"] = upload
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {"model": desk.version.served_model.name, "input": text}
        return Client().post("/v1/jobs", body, "application/json", headers=headers, **given)

    return send


@pytest.fixture
def upload(desk: Desk, tmp_path: Path) -> Upload:
    """A form as the edge hands it over: on disk, hashed and looked at."""
    path = tmp_path / "text"
    path.write_text("hello")
    return Upload(
        path=path,
        sha256=unique("sha"),
        size_bytes=5,
        filename="a.txt",
        content_type="text/plain",
        fields={"model": desk.version.served_model.name},
        inspection=Inspection("text/plain", "text", (PageSize(0, 0),)),
    )


def test_a_replay_says_that_it_is_one(post: Post) -> None:
    first, again = post("one"), post("one")
    assert (first.status_code, again.status_code) == (202, 202)
    assert "Idempotent-Replay" not in first.headers
    assert again.headers["Idempotent-Replay"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    assert again.json()["id"] == first.json()["id"]


def test_another_body_under_the_key_is_not_processable(post: Post) -> None:
    post("one")
    refused = post("one", text="another")
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_key_reused")


@pytest.mark.parametrize(
    "key", ["", "k" * 256, "ключ".encode().decode("latin-1")], ids=["none", "long", "odd"]
)
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
