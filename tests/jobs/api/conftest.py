"""Submissions through Django itself, in the form in which the request guard hands them over."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.test import Client

from jobs.documents.reader.contents import Inspection, PageSize
from jobs.documents.uploads import Upload
from tests.fixtures import unique
from tests.jobs.conftest import Desk


def send_job(desk: Desk, headers: Mapping[str, str], upload: Upload | None = None, **fields: Any) -> Any:
    given: dict[str, Any] = {"maas.identity": desk.identity}
    if upload:
        given["maas.upload"] = upload
    body = {"model": desk.version.served_model.name, "input": "hello", **fields}
    return Client().post("/v1/jobs", body, "application/json", headers=dict(headers), **given)


def form_of(desk: Desk, folder: Path, **fields: str) -> Upload:
    """Return an upload that is on disk, hashed and inspected."""
    path = folder / "text"
    path.write_text("hello")
    return Upload(
        path=path,
        sha256=unique("sha"),
        size_bytes=5,
        filename="a.txt",
        content_type="text/plain",
        fields={"model": desk.version.served_model.name, **fields},
        inspection=Inspection("text/plain", "text", (PageSize(0, 0),)),
    )
