"""Tests of the download of a document as it was uploaded."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from jobs.core.models import Document
from jobs.documents import files
from jobs.retention.documents import delete_document
from tenants.api.authentication import IDENTITY
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity

CONTENT = b"%PDF-1.7 " + uuid7().bytes * 9_000


def stored(identity: Identity, name: str = "a.pdf", content_type: str = "application/pdf") -> Document:
    document_id, digest = uuid7(), sha256(CONTENT).hexdigest()
    file = files.original_name(identity.tenant_id, document_id, digest)
    files.save_bytes(file, CONTENT)
    with unit_of_work(identity.tenant_id):
        return Document.objects.create(
            id=document_id,
            tenant_id=identity.tenant_id,
            name=name,
            sha256=digest,
            size_bytes=len(CONTENT),
            content_type=content_type,
            kind="pdf",
            pages_total=1,
            file=file,
        )


@pytest.fixture
def document(identity: Identity) -> Document:
    return stored(identity)


def sent(identity: Identity, document_id: object, method: str = "GET", query: str = "", **headers: str) -> Any:
    path = f"/v1/documents/{document_id}/content{query}"
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return Client().generic(method, path, headers=given, **{IDENTITY: identity})  # type: ignore[arg-type]


def test_a_document_comes_back_byte_for_byte(identity: Identity, document: Document) -> None:
    response = sent(identity, document.id)
    assert (response.status_code, b"".join(response)) == (200, CONTENT)
    assert response["Content-Type"] == "application/pdf"
    assert response["Content-Length"] == str(len(CONTENT))
    assert response["ETag"] == f'"{document.sha256}"'


@pytest.mark.parametrize("content_type", ["text/html", "image/svg+xml", "text/plain"])
def test_a_browser_saves_a_document_and_never_runs_it(identity: Identity, content_type: str) -> None:
    response = sent(identity, stored(identity, "a.html", content_type).id)
    assert response["Content-Type"] == content_type
    assert response["Content-Disposition"] == 'attachment; filename="a.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ('say "hi".pdf', 'filename="say \\"hi\\".pdf"'),
        ("back\\slash.pdf", 'filename="slash.pdf"'),
        ("a\r\nSet-Cookie: x=1.pdf", 'filename="aSet-Cookie: x=1.pdf"'),
        ("invoice\u202efdp.exe", 'filename="invoicefdp.exe"'),
        ("../../etc/passwd", 'filename="passwd"'),
        ("März; a=b 发票.pdf", "filename*=utf-8''M%C3%A4rz%3B%20a%3Db%20%E5%8F%91%E7%A5%A8.pdf"),
        ("\u200f\u202e", 'filename="document"'),
        (f"{'x' * 255}", f'filename="{"x" * 255}"'),
    ],
)
def test_a_hostile_name_is_made_harmless(identity: Identity, name: str, expected: str) -> None:
    response = sent(identity, stored(identity, name).id)
    assert response["Content-Disposition"] == f"attachment; {expected}"


def test_the_longest_name_of_large_letters_is_a_header_that_servers_take(identity: Identity) -> None:
    response = sent(identity, stored(identity, "\U0001f4c4" * 251 + ".pdf").id)
    assert response.status_code == 200
    assert response["Content-Disposition"].endswith("%F0%9F%93%84.pdf")
    assert len(response["Content-Disposition"]) < 4_096


def test_a_client_that_has_the_file_is_not_sent_it_again(identity: Identity, document: Document) -> None:
    etag = f'"{document.sha256}"'
    again = sent(identity, document.id, if_none_match=etag)
    assert (again.status_code, again["ETag"], again.content) == (304, etag, b"")
    assert again["Cache-Control"] == "private, no-cache"
    assert sent(identity, document.id, if_none_match='"another"').status_code == 200
    assert sent(identity, document.id, if_match='"another"').status_code == 412


@pytest.mark.parametrize(("wanted", "first", "last"), [("0-99", 0, 99), ("70000-", 70_000, None), ("-10", -10, None)])
def test_a_part_of_the_file_is_sent(
    identity: Identity, document: Document, wanted: str, first: int, last: int | None
) -> None:
    response = sent(identity, document.id, range=f"bytes={wanted}", if_range=f'"{document.sha256}"')
    expected = CONTENT[first : None if last is None else last + 1]
    assert (response.status_code, b"".join(response)) == (206, expected)
    begin = first % len(CONTENT)
    assert response["Content-Range"] == f"bytes {begin}-{begin + len(expected) - 1}/{len(CONTENT)}"
    assert (response["Content-Length"], response["Accept-Ranges"]) == (str(len(expected)), "bytes")
    assert response["Content-Disposition"] == 'attachment; filename="a.pdf"'
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_a_part_behind_the_end_of_the_file_is_refused(identity: Identity, document: Document) -> None:
    response = sent(identity, document.id, range=f"bytes={len(CONTENT)}-")
    assert (response.status_code, response.json()["code"]) == (416, "range_not_satisfiable")
    assert response["Content-Range"] == f"bytes */{len(CONTENT)}"


def test_the_whole_file_is_sent_where_no_part_of_this_file_is_wanted(identity: Identity, document: Document) -> None:
    for headers in ({"if_range": '"another"'}, {"range": "bytes=0-1,4-5"}, {"range": "lines=1-2"}):
        response = sent(identity, document.id, **{"range": "bytes=0-9", **headers})
        assert (response.status_code, b"".join(response)) == (200, CONTENT)
    assert sent(identity, document.id, "HEAD", range="bytes=0-9").status_code == 200
    assert sent(identity, document.id, range="bytes=0-9", if_none_match=f'"{document.sha256}"').status_code == 304


def test_head_describes_the_file_without_its_bytes(identity: Identity, document: Document) -> None:
    response = sent(identity, document.id, "HEAD")
    assert (response.status_code, b"".join(response)) == (200, b"")
    assert response["Content-Length"] == str(len(CONTENT))
    assert response["ETag"] == f'"{document.sha256}"'


@pytest.mark.parametrize("document_id", [uuid7(), "no-id"])
def test_an_unknown_document_is_not_found(identity: Identity, document_id: object) -> None:
    response = sent(identity, document_id)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_a_document_of_another_tenant_is_not_found(
    identity: Identity, other_identity: Identity, document: Document
) -> None:
    etag = f'"{document.sha256}"'
    for response in (sent(other_identity, document.id), sent(other_identity, document.id, if_none_match=etag)):
        assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_an_erased_document_is_gone_also_for_a_client_that_has_it(identity: Identity, document: Document) -> None:
    delete_document(identity=identity, document_id=document.id)
    for response in (sent(identity, document.id), sent(identity, document.id, if_none_match=f'"{document.sha256}"')):
        assert response.status_code == 410
        assert response["Content-Type"] == "application/problem+json"
        assert (response.json()["code"], response.json()["erased_reason"]) == ("document_deleted", "request")


def test_a_file_that_storage_has_lost_is_said_to_be_missing(identity: Identity, document: Document) -> None:
    files.erase(document.file)
    response = sent(identity, document.id)
    assert (response.status_code, response.json()["code"]) == (500, "file_missing")


def test_the_scope_for_documents_is_needed(identity: Identity, document: Document) -> None:
    reader = replace(identity, scopes=frozenset({"jobs:read"}))
    response = sent(reader, document.id)
    assert (response.status_code, response.json()["code"]) == (403, "insufficient_scope")


def test_an_unknown_query_parameter_is_refused(identity: Identity, document: Document) -> None:
    response = sent(identity, document.id, query="?page=1")
    assert response.status_code == 400
    assert response.json()["detail"] == "Unknown query parameter 'page'. This request has none."
