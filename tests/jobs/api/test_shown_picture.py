"""Tests of the pictures of pages as they were read."""

import io
from typing import Any

import numpy as np
import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from PIL import Image

from inference.core.contracts import WorkOutput
from jobs.api.page_pictures import BEING_TURNED
from jobs.core.models import DocumentPage, Job
from jobs.documents import files
from jobs.queue.settlement import finish_page
from jobs.results.result_json import page_json
from jobs.retention.documents import delete_document, erase_document_and_jobs
from tenants.api.authentication import IDENTITY
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

TURNED = {"text": "x", "rotation": 90, "angle": 0.0, "sheet": None}


def stored(codec: str) -> bytes:
    """Return a picture of 60 x 40 pixels that is black at its bottom left, which a turn clockwise takes to the top."""
    picture = Image.new("RGB", (60, 40), "white")
    picture.paste("black", (0, 20, 20, 40))
    target = io.BytesIO()
    picture.save(target, codec)
    return target.getvalue()


def read_job(desk: Desk, result: dict[str, Any], content: bytes = b"", content_type: str = "image/png") -> Job:
    job = desk.submit_document(desk.document(1))
    finish_page(desk.claimed(desk.pages(job)[0]), WorkOutput(result))
    assert job.document_id is not None
    name = files.picture_name(job.tenant_id, job.document_id, 1, content_type)
    files.save_bytes(name, content or stored("PNG"))
    with unit_of_work(job.tenant_id):
        DocumentPage.objects.create(
            tenant_id=job.tenant_id,
            document_id=job.document_id,
            number=1,
            width_px=60,
            height_px=40,
            picture=name,
            picture_type=content_type,
        )
    return job


def seen(identity: Identity, job: Job, etag: str | None = None, number: int = 1) -> HttpResponseBase:
    headers = {"If-None-Match": etag} if etag else {}
    path = f"/v1/jobs/{job.id}/pages/{number}/picture"
    return Client().get(path, headers=headers, **{IDENTITY: identity})  # type: ignore[arg-type]


def content_of(answer: HttpResponseBase) -> bytes:
    return b"".join(answer)


@pytest.mark.parametrize(("codec", "content_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg")])
def test_a_turned_page_is_shown_upright(desk: Desk, codec: str, content_type: str) -> None:
    job = read_job(desk, TURNED, stored(codec), content_type)
    answer = seen(desk.identity, job)
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type)
    pixels = np.asarray(Image.open(io.BytesIO(content_of(answer))).convert("L"))
    assert pixels.shape == (60, 40)
    assert pixels[5, 5] < 30
    assert min(pixels[5, 35], pixels[35, 5], pixels[55, 35]) > 220


@pytest.mark.parametrize("values", [{"rotation": 0}, {"rotation": "90"}, {"sheet": [[50, 30]] * 4}])
def test_the_stored_file_is_shown_if_nothing_was_turned(desk: Desk, values: dict[str, object]) -> None:
    job = read_job(desk, {"text": "x", **values})
    assert content_of(seen(desk.identity, job)) == stored("PNG")


def test_who_has_the_picture_is_not_sent_it_again(desk: Desk) -> None:
    job = read_job(desk, TURNED)
    first = seen(desk.identity, job)
    again = seen(desk.identity, job, first["ETag"])
    assert (again.status_code, again["ETag"]) == (304, first["ETag"])
    assert (first["Cache-Control"], again["Cache-Control"]) == ("private, no-cache",) * 2


def test_the_result_names_the_picture_that_its_boxes_lie_on(desk: Desk) -> None:
    turned, plain = read_job(desk, TURNED), read_job(desk, {"text": "x", "rotation": 0})
    assert page_json(desk.pages(turned)[0], turned)["picture"] == f"/v1/jobs/{turned.id}/pages/1/picture"
    assert page_json(desk.pages(plain)[0], plain)["picture"] == f"/v1/documents/{plain.document_id}/pages/1/picture"


def test_what_is_not_there_is_404_and_what_was_erased_is_410(desk: Desk, other_identity: Identity) -> None:
    job = read_job(desk, TURNED)
    etag = seen(desk.identity, job)["ETag"]
    assert seen(other_identity, job, etag).status_code == 404
    assert seen(desk.identity, job, number=2).status_code == 404
    assert seen(desk.identity, desk.submit()).status_code == 404
    delete_document(identity=desk.identity, document_id=job.document_id)
    assert seen(desk.identity, job, etag).status_code == 410


def test_the_picture_of_an_erased_job_is_410(desk: Desk) -> None:
    job = read_job(desk, TURNED)
    erase_document_and_jobs(identity=desk.identity, document_id=job.document_id)
    assert seen(desk.identity, job).status_code == 410


def test_a_tenant_makes_few_pictures_at_once(desk: Desk) -> None:
    job = read_job(desk, TURNED)
    with BEING_TURNED.taken(job.tenant_id), BEING_TURNED.taken(job.tenant_id):
        refused = seen(desk.identity, job)
    assert (refused.status_code, refused["Retry-After"]) == (429, "2")
    assert seen(desk.identity, job).status_code == 200
