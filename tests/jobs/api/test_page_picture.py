"""Tests of the pictures of pages, and of how long a browser may cache them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.http.response import HttpResponseBase
from django.test import Client

from jobs.api.documents import BEING_DRAWN
from jobs.core.models import Document, DocumentPage
from jobs.documents import files
from jobs.documents.pages import open_page
from jobs.documents.reading import reader
from jobs.documents.services import store_document
from jobs.retention.documents import delete_document
from tenants.api.authentication import IDENTITY
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.samples.pdfs import text_pdf
from tests.samples.uploads import arrived

PICTURE = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def document(identity: Identity) -> Document:
    with unit_of_work(identity.tenant_id):
        document = Document.objects.create(
            tenant_id=identity.tenant_id,
            name="a.pdf",
            sha256=unique("sha"),
            size_bytes=1,
            content_type="application/pdf",
            kind="pdf",
            pages_total=1,
            file="none",
        )
        name = files.picture_name(document.tenant_id, document.id, 1, "image/png")
        files.save_bytes(name, PICTURE)
        DocumentPage.objects.create(
            tenant_id=identity.tenant_id,
            document=document,
            number=1,
            width_px=1,
            height_px=1,
            picture=name,
            picture_type="image/png",
        )
    return document


def seen(identity: Identity, document: Document, etag: str | None = None) -> HttpResponseBase:
    headers = {"If-None-Match": etag} if etag else {}
    path = f"/v1/documents/{document.id}/pages/1/picture"
    return Client().get(path, headers=headers, **{IDENTITY: identity})  # type: ignore[arg-type]


def test_who_has_the_picture_is_not_sent_it_again(identity: Identity, document: Document) -> None:
    first = seen(identity, document)
    assert (first.status_code, b"".join(first)) == (200, PICTURE)
    again = seen(identity, document, first["ETag"])
    assert (again.status_code, again["ETag"]) == (304, first["ETag"])
    assert seen(identity, document, '"another"').status_code == 200


def test_a_kept_picture_is_never_shown_unasked(identity: Identity, document: Document) -> None:
    first = seen(identity, document)
    for answer in (first, seen(identity, document, first["ETag"])):
        assert answer["Cache-Control"] == "private, no-cache"


def test_an_erased_picture_is_not_confirmed_to_who_has_it(identity: Identity, document: Document) -> None:
    etag = seen(identity, document)["ETag"]
    delete_document(identity=identity, document_id=document.id)
    assert seen(identity, document, etag).status_code == 410


def test_a_stranger_who_knows_the_etag_learns_nothing(
    identity: Identity, other_identity: Identity, document: Document
) -> None:
    etag = seen(identity, document)["ETag"]
    assert seen(other_identity, document, etag).status_code == 404


def test_a_page_with_text_of_its_own_is_drawn_at_the_first_request(identity: Identity, tmp_path: Path) -> None:
    upload = arrived(text_pdf("A sentence that is part of the document itself."), tmp_path / "sent.pdf")
    document = store_document(identity=identity, upload=upload).document
    assert seen(identity, document).status_code == 404, "no job has read the page yet"
    open_page(document, 1)
    first = seen(identity, document)
    picture = b"".join(first)
    assert (first.status_code, first["Content-Type"], picture[:4]) == (200, "image/png", b"\x89PNG")
    again = seen(identity, document)
    assert (b"".join(again), again["ETag"]) == (picture, first["ETag"])


def test_a_page_that_cannot_be_drawn_has_no_picture_and_says_why(
    identity: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = arrived(text_pdf("A sentence that is part of the document itself."), tmp_path / "sent.pdf")
    document = store_document(identity=identity, upload=upload).document
    open_page(document, 1)
    monkeypatch.setattr(reader(), "limits", replace(reader().limits, max_page_points=100))
    answer = seen(identity, document)
    assert answer.status_code == 404
    assert "Page 1 cannot be drawn. Page 1 measures 595 x 842 points" in json.loads(b"".join(answer))["detail"]


def test_drawing_leaves_slots_to_others(identity: Identity, tmp_path: Path) -> None:
    upload = arrived(text_pdf("A sentence that is part of the document itself."), tmp_path / "sent.pdf")
    document = store_document(identity=identity, upload=upload).document
    open_page(document, 1)
    with BEING_DRAWN.taken(identity.tenant_id), BEING_DRAWN.taken(identity.tenant_id):
        with BEING_DRAWN.taken(identity.tenant_id):
            assert seen(identity, document).status_code == 429
        assert seen(identity, document).status_code == 200
