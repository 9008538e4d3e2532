"""Tests of uploads that arrive in pieces, at the product's own web process."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from jobs.core.models import FileToErase
from jobs.uploads.models import UploadPiece
from jobs.uploads.upkeep import expire_uploads
from tenants.api_keys.services import create_key, revoke_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.jobs.conftest import Desk
from tests.jobs.uploads.tus import BYTES, Tus, checksum, metadata
from tests.maas.granian_server import GranianServer
from tests.maas.raw_http import RawRequest
from tests.samples.pdfs import text_pdf
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("web_server")

PDF = text_pdf(*(f"Page {number}" for number in range(1, 40)))
HALF = len(PDF) // 2


@pytest.fixture
def tus(web_server: GranianServer, tenant: CreatedTenant) -> Tus:
    return Tus(web_server.url, tenant.key.text)


@pytest.fixture
def other(web_server: GranianServer, other_tenant: CreatedTenant) -> Tus:
    return Tus(web_server.url, other_tenant.key.text)


@pytest.fixture(scope="module")
def small_server() -> Iterator[GranianServer]:
    """Run a web process that accepts only small uploads, and few of them. Its time limits are not shortened."""
    limits = {"MAAS_MAX_RESUMABLE_BYTES": "100000", "MAAS_MAX_OPEN_UPLOADS": "3"}
    with GranianServer("maas.asgi:application", {**limits, "MAAS_MAX_OPEN_UPLOADS_BYTES": "150000"}) as server:
        yield server


def raw_patch(tus: Tus, server: GranianServer, path: str, offset: int, length: int | None) -> RawRequest:
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    head = (
        f"PATCH {path} HTTP/1.1\n{size}\nContent-Type: {BYTES}\nUpload-Offset: {offset}\n"
        f"Tus-Resumable: 1.0.0\nAuthorization: Bearer {tus.key}\nConnection: close"
    )
    return RawRequest(server.port, head)


def wait_until_taken(tus: Tus, path: str) -> None:
    """Wait until another request holds the upload. This request is too long to get it."""
    too_long = b"x" * (len(PDF) + 1)
    eventually(lambda: tus.send(path, 0, too_long).status_code == 423, "the first request's turn")


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_what_the_server_can_do_is_told_to_anybody(web_server: GranianServer) -> None:
    answer = httpx.options(f"{web_server.url}/v1/uploads")
    assert answer.status_code == 204
    assert answer.headers["tus-version"] == answer.headers["tus-resumable"] == "1.0.0"
    assert answer.headers["tus-max-size"] == str(5 * 2**30)
    extensions = set(answer.headers["tus-extension"].split(","))
    assert extensions == {"creation", "creation-with-upload", "termination", "expiration", "checksum"}
    assert "sha256" in answer.headers["tus-checksum-algorithm"].split(",")


def test_a_file_that_came_in_pieces_is_one_document_with_its_last_byte(tus: Tus) -> None:
    path = tus.begin(len(PDF))
    first = tus.send(path, 0, PDF[:HALF])
    assert (first.status_code, first.headers["upload-offset"]) == (204, str(HALF))
    assert first.headers["upload-state"] == "receiving"
    last = tus.send(path, HALF, PDF[HALF:])
    assert (last.status_code, last.headers["upload-state"]) == (204, "ready")
    document = tus.ask("GET", f"/v1/documents/{last.headers['upload-document']}").json()
    assert (document["name"], document["pages_total"], document["size_bytes"]) == ("scan.pdf", 39, len(PDF))
    shown = tus.shown(path)
    assert (shown["state"], shown["document"], shown["offset"]) == ("ready", document["id"], len(PDF))
    assert [one["id"] for one in tus.ask("GET").json()["data"]] == [shown["id"]]


def test_no_piece_outlives_its_upload(tus: Tus, tenant: CreatedTenant, web_server: GranianServer) -> None:
    path = tus.begin(len(PDF))
    tus.send(path, 0, PDF[:HALF])
    folder = web_server.home / f"files/tenants/{tenant.tenant.id}/uploads" / path.rsplit("/", 1)[1]
    assert [piece.stat().st_size for piece in folder.iterdir()] == [HALF]
    tus.send(path, HALF, PDF[HALF:])
    eventually(lambda: not folder.exists(), "the end of the pieces and of their folder")
    with unit_of_work(tenant.tenant.id):
        assert not UploadPiece.objects.exists()
        assert not FileToErase.objects.exists()


def test_a_file_may_come_with_the_request_that_announces_it(tus: Tus) -> None:
    headers = {
        "Upload-Length": str(len(PDF)),
        "Upload-Metadata": metadata("ümlaut.pdf"),
        "Content-Type": BYTES,
    }
    answer = tus.ask("POST", headers=headers, content=PDF)
    assert (answer.status_code, answer.headers["upload-offset"]) == (201, str(len(PDF)))
    assert answer.headers["upload-state"] == "ready"
    assert tus.shown(answer.headers["location"])["document"] == answer.headers["upload-document"]


def test_the_same_bytes_are_one_document_however_they_came(tus: Tus) -> None:
    ids = set()
    for _ in range(2):
        path = tus.begin(len(PDF))
        ids.add(tus.send(path, 0, PDF).headers["upload-document"])
    assert tus.shown(path)["duplicate"] is True
    files = {"file": ("other.pdf", PDF)}
    ids.add(tus.ask("POST", "/v1/documents", files=files).json()["id"])
    assert len(ids) == 1


def test_a_connection_that_breaks_off_costs_nothing_that_arrived(tus: Tus, web_server: GranianServer) -> None:
    path = tus.begin(len(PDF))
    with raw_patch(tus, web_server, path, 0, len(PDF)) as request:
        request.send(PDF[:1000])
    eventually(lambda: tus.offset(path) == 1000, "the bytes before the cut")
    assert tus.send(path, 1000, PDF[1000:]).headers["upload-state"] == "ready"


def test_many_pieces_and_cuts_make_the_same_file(tus: Tus, web_server: GranianServer) -> None:
    content = b"%PDF-1.7" + bytes(20 * 2**20)
    path = tus.begin(len(content))
    with raw_patch(tus, web_server, path, 0, None) as request:
        request.send_chunk(content[: 9 * 2**20])
        request.send(b"500\r\nhalf of a chunk")
    eventually(lambda: tus.offset(path) >= 9 * 2**20, "the bytes before the cut")
    offset = tus.offset(path)
    assert offset <= 9 * 2**20 + len("half of a chunk")
    # The half chunk was no part of the file, but it arrived nevertheless.
    rest = (content[: 9 * 2**20] + b"half of a chunk")[offset:] if offset < 9 * 2**20 else b""
    answer = tus.send(path, offset, rest + bytes(len(content) - offset - len(rest)))
    assert code_of(answer) == (422, "document_corrupt"), "all of it was read, and is no PDF"
    assert tus.shown(path)["error"]["code"] == "document_corrupt"
    assert tus.shown(path)["state"] == "rejected"


def test_bytes_at_a_wrong_place_are_refused_and_told_the_right_one(tus: Tus) -> None:
    path = tus.begin(len(PDF))
    tus.send(path, 0, PDF[:1000])
    for offset in (0, 999, 1001, len(PDF)):
        answer = tus.send(path, offset, b"x")
        assert code_of(answer) == (409, "offset_mismatch")
        assert answer.json()["offset"] == 1000
    assert tus.offset(path) == 1000


@pytest.mark.parametrize("announced", [True, False])
def test_more_bytes_than_were_declared_are_never_kept(tus: Tus, web_server: GranianServer, announced: bool) -> None:
    path = tus.begin(1000)
    with raw_patch(tus, web_server, path, 0, 1001 if announced else None) as request:
        if not announced:
            request.send_chunk(b"x" * 1000)
            request.send_chunk(b"x")
        answer = request.answer()
    assert answer.status == 413
    assert b"upload_too_long" in answer.body
    assert tus.offset(path) == 0


@pytest.mark.parametrize(
    ("length", "status", "code"),
    [
        (None, 400, "invalid_request"),
        ("-1", 400, "invalid_request"),
        ("1.5", 400, "invalid_request"),
        ("", 400, "invalid_request"),
        ("²", 400, "invalid_request"),
        ("9" * 40, 400, "invalid_request"),
        ("0", 422, "document_empty"),
        (str(5 * 2**30 + 1), 413, "document_too_large"),
    ],
)
def test_a_length_that_is_no_good_makes_no_upload(tus: Tus, length: str | None, status: int, code: str) -> None:
    headers = {"Upload-Length": length.encode() if length is not None else None}
    assert code_of(tus.ask("POST", headers=headers)) == (status, code)
    assert tus.ask("GET").json()["data"] == []


@pytest.mark.parametrize("sent", ["filename not-base64!", "filename /w==", "a YQ==,a YQ==", ",", "x " + "A" * 5000])
def test_metadata_that_cannot_be_read_makes_no_upload(tus: Tus, sent: str) -> None:
    assert code_of(tus.create(10, **{"Upload-Metadata": sent})) == (400, "invalid_request")
    assert tus.ask("GET").json()["data"] == []


def test_a_name_from_metadata_is_shown_and_no_path(tus: Tus) -> None:
    path = tus.create(10, **{"Upload-Metadata": metadata("../../etc/pass\0wd.pdf")}).headers["location"]
    assert tus.shown(path)["name"] == "passwd.pdf"


def test_a_chunk_with_a_wrong_checksum_leaves_nothing_and_can_be_sent_again(tus: Tus, tenant: CreatedTenant) -> None:
    path = tus.begin(len(PDF))
    tus.send(path, 0, PDF[:1000])
    wrong = tus.send(path, 1000, PDF[1000:], **{"Upload-Checksum": checksum(b"other")})
    assert code_of(wrong) == (460, "checksum_mismatch")
    assert tus.offset(path) == 1000
    with unit_of_work(tenant.tenant.id):
        assert not FileToErase.objects.exists(), "what was stored of it is erased"
    right = tus.send(path, 1000, PDF[1000:], **{"Upload-Checksum": checksum(PDF[1000:])})
    assert (right.status_code, right.headers["upload-state"]) == (204, "ready")


def test_a_chunk_that_was_to_be_checked_and_broke_off_is_not_kept(tus: Tus, web_server: GranianServer) -> None:
    path = tus.begin(len(PDF))
    head = (
        f"PATCH {path} HTTP/1.1\nContent-Length: {len(PDF)}\nContent-Type: {BYTES}\nUpload-Offset: 0\n"
        f"Tus-Resumable: 1.0.0\nAuthorization: Bearer {tus.key}\nUpload-Checksum: {checksum(PDF)}"
    )
    with RawRequest(web_server.port, head) as request:
        request.send(PDF[:1000])
    eventually(lambda: tus.send(path, 0, PDF[:10]).status_code == 204, "the end of the lock")
    assert tus.offset(path) == 10


@pytest.mark.parametrize(
    ("wrong", "refused"),
    [
        ({"Upload-Checksum": checksum(b"other")}, (460, "checksum_mismatch")),
        ({"Upload-Length": "1000"}, (413, "upload_too_long")),
    ],
    ids=["checksum", "too long"],
)
def test_an_upload_whose_first_bytes_are_refused_was_never_made(
    tus: Tus, tenant: CreatedTenant, wrong: dict[str, str], refused: tuple[int, str]
) -> None:
    headers = {"Upload-Length": str(len(PDF)), "Content-Type": BYTES, "Idempotency-Key": "scan-2"}

    def pieces() -> Iterator[bytes]:
        yield PDF[:1000]
        yield PDF[1000:]

    assert code_of(tus.ask("POST", headers={**headers, **wrong}, content=pieces())) == refused
    assert tus.ask("GET").json()["data"] == []
    with unit_of_work(tenant.tenant.id):
        assert not FileToErase.objects.exists()
    made = tus.ask("POST", headers=headers, content=PDF)
    assert (made.status_code, made.headers["upload-state"]) == (201, "ready")
    assert "idempotent-replay" not in made.headers


@pytest.mark.parametrize("key", [None, "scan-3"], ids=["without a key", "under a key"])
def test_an_upload_whose_sender_hung_up_is_there_for_whoever_can_find_it(
    tus: Tus, web_server: GranianServer, key: str | None
) -> None:
    head = (
        f"POST /v1/uploads HTTP/1.1\nContent-Length: {len(PDF)}\nContent-Type: {BYTES}\nUpload-Length: {len(PDF)}\n"
        f"Tus-Resumable: 1.0.0\nAuthorization: Bearer {tus.key}\nUpload-Checksum: {checksum(PDF)}"
    )
    with RawRequest(web_server.port, head + (f"\nIdempotency-Key: {key}" if key else "")) as request:
        request.send(PDF[:1000])
        eventually(lambda: tus.ask("GET").json()["data"], "the upload")
    if key is None:
        eventually(lambda: not tus.ask("GET").json()["data"], "its end")
        return
    again = tus.create(len(PDF), **{"Idempotency-Key": key, "Upload-Metadata": None})
    assert (again.status_code, again.headers["idempotent-replay"]) == (201, "true")
    path = again.headers["location"]
    eventually(lambda: tus.send(path, 0, PDF).status_code == 204, "the end of the lock")


@pytest.mark.parametrize("sent", ["md5 " + "A" * 24, "sha256 !!", "sha256 AAAA", "sha256", ""])
def test_a_checksum_that_is_none_is_refused(tus: Tus, sent: str) -> None:
    path = tus.begin(10)
    assert code_of(tus.send(path, 0, b"x", **{"Upload-Checksum": sent})) == (400, "invalid_request")
    assert tus.offset(path) == 0


@pytest.mark.parametrize("version", [None, "0.2.2", "1.0.1", ""])
def test_another_version_of_the_protocol_is_refused(tus: Tus, version: str | None) -> None:
    path = tus.begin(10)
    for answer in (
        tus.create(10, **{"Tus-Resumable": version}),
        tus.send(path, 0, b"x", **{"Tus-Resumable": version}),
    ):
        assert code_of(answer) == (412, "tus_version_not_supported")
        assert answer.headers["tus-version"] == "1.0.0"
    assert tus.ask("HEAD", path, headers={"Tus-Resumable": version}).status_code == 412


def test_bytes_of_another_type_are_refused(tus: Tus) -> None:
    path = tus.begin(10)
    answer = tus.send(path, 0, b"x", **{"Content-Type": "application/octet-stream"})
    assert code_of(answer) == (415, "unsupported_media_type")


def test_of_two_requests_for_one_upload_the_second_is_refused_at_once(tus: Tus, web_server: GranianServer) -> None:
    path = tus.begin(len(PDF))
    with raw_patch(tus, web_server, path, 0, HALF) as first:
        first.send(PDF[:100])
        wait_until_taken(tus, path)
        second = tus.send(path, 0, PDF)
        assert code_of(second) == (423, "upload_locked")
        assert int(second.headers["retry-after"]) >= 1
        first.send(PDF[100:HALF])
        assert first.answer().status == 204
    assert tus.send(path, HALF, PDF[HALF:]).headers["upload-state"] == "ready"


def test_of_many_at_once_each_byte_is_counted_once(tus: Tus) -> None:
    path = tus.begin(len(PDF))
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: tus.send(path, 0, PDF).status_code, range(6)))
    assert answers.count(204) == 1
    assert set(answers) <= {204, 409, 423, 413}
    assert tus.shown(path)["state"] == "ready"


def test_an_upload_that_was_given_up_is_gone_and_its_bytes_are_erased(tus: Tus, tenant: CreatedTenant) -> None:
    path = tus.begin(len(PDF))
    tus.send(path, 0, PDF[:HALF])
    assert tus.ask("DELETE", path).status_code == 204
    assert code_of(tus.send(path, HALF, PDF[HALF:])) == (410, "upload_gone")
    assert tus.ask("HEAD", path).status_code == 410
    assert code_of(tus.ask("DELETE", path)) == (410, "upload_gone")
    assert tus.shown(path)["state"] == "terminated"
    with unit_of_work(tenant.tenant.id):
        assert not UploadPiece.objects.exists()


def test_an_upload_given_up_while_bytes_arrive_keeps_none_of_them(
    tus: Tus, tenant: CreatedTenant, web_server: GranianServer
) -> None:
    path = tus.begin(len(PDF))
    with raw_patch(tus, web_server, path, 0, HALF) as request:
        request.send(PDF[:100])
        wait_until_taken(tus, path)
        assert tus.ask("DELETE", path).status_code == 204
        request.send(PDF[100:HALF])
        assert request.answer().status == 410
    with unit_of_work(tenant.tenant.id):
        assert not UploadPiece.objects.exists()
        assert not FileToErase.objects.exists()


def test_an_upload_nobody_goes_on_with_expires(tus: Tus, tenant: CreatedTenant, desk: Desk) -> None:
    path = tus.begin(len(PDF))
    tus.send(path, 0, PDF[:HALF])
    upload_id = path.rsplit("/", 1)[1]
    desk.sql(f"UPDATE jobs_resumableupload SET expires_at = now() - interval '1 s' WHERE id = '{upload_id}'")
    assert code_of(tus.send(path, HALF, PDF[HALF:])) == (410, "upload_gone")
    assert tus.shown(path)["state"] == "expired"
    expire_uploads()
    assert tus.shown(path)["state"] == "expired"
    assert tus.ask("HEAD", path).status_code == 410
    with unit_of_work(tenant.tenant.id):
        assert not UploadPiece.objects.exists()


def test_anothers_upload_is_answered_like_one_that_never_was(tus: Tus, other: Tus) -> None:
    path = tus.begin(10)
    unknown = "/v1/uploads/018f0000-0000-7000-8000-000000000000"
    for method in ("GET", "DELETE", "PATCH"):
        headers = {"Content-Type": BYTES, "Upload-Offset": "0"} if method == "PATCH" else {}
        content = {"content": b"x"} if method == "PATCH" else {}
        foreign = other.ask(method, path, headers=headers, **content)
        never = other.ask(method, unknown, headers=headers, **content)
        assert foreign.status_code == never.status_code == 404
        bodies = [
            answer.text.replace(asked, "ID").replace(answer.json()["request_id"], "")
            for answer, asked in ((foreign, path.rsplit("/", 1)[1]), (never, unknown.rsplit("/", 1)[1]))
        ]
        assert bodies[0] == bodies[1]
    assert other.ask("HEAD", path).status_code == 404
    assert (tus.offset(path), other.ask("GET").json()["data"]) == (0, [])


def test_a_key_that_is_revoked_between_two_chunks_sends_no_more(
    web_server: GranianServer, tenant: CreatedTenant, tus: Tus
) -> None:
    with operator_work():
        short = create_key(tenant_id=tenant.tenant.id, name="short", scopes=["documents:write"])
    mine = Tus(web_server.url, short.text)
    path = mine.begin(len(PDF))
    assert mine.send(path, 0, PDF[:1000]).status_code == 204
    with operator_work():
        revoke_key(key_id=short.key.id)
    eventually(lambda: mine.send(path, 1000, b"").status_code == 401, "the key's end")
    assert code_of(mine.send(path, 1000, PDF[1000:])) == (401, "api_key_revoked")
    assert tus.offset(path) == 1000


def test_a_key_that_may_only_read_sends_nothing(web_server: GranianServer, tenant: CreatedTenant, tus: Tus) -> None:
    with operator_work():
        reading = create_key(tenant_id=tenant.tenant.id, name="reads", scopes=["documents:read"])
    path, reader = tus.begin(10), Tus(web_server.url, reading.text)
    assert code_of(reader.create(10)) == (403, "insufficient_scope")
    assert code_of(reader.send(path, 0, b"x")) == (403, "insufficient_scope")
    assert reader.shown(path)["offset"] == 0


def test_who_sends_no_key_is_refused_before_a_byte_is_read(web_server: GranianServer) -> None:
    head = f"POST /v1/uploads HTTP/1.1\nContent-Length: {2**30}\nContent-Type: {BYTES}\nTus-Resumable: 1.0.0"
    with RawRequest(web_server.port, head) as request:
        assert request.answer().status == 401


def test_an_upload_is_made_once_for_a_key_of_its_callers(tus: Tus) -> None:
    key = {"Idempotency-Key": "scan-1"}
    first, second = tus.create(len(PDF), **key), tus.create(len(PDF), **key)
    assert first.headers["location"] == second.headers["location"]
    assert second.headers["idempotent-replay"] == "true"
    assert code_of(tus.create(len(PDF) + 1, **key)) == (422, "idempotency_key_reused")


def test_a_method_that_cannot_be_sent_may_be_named(tus: Tus) -> None:
    path = tus.begin(len(PDF))
    headers = {"X-HTTP-Method-Override": "PATCH", "Upload-Offset": "0", "Content-Type": BYTES}
    answer = tus.ask("POST", path, headers=headers, content=PDF[:HALF])
    assert (answer.status_code, answer.headers["upload-offset"]) == (204, str(HALF))


def test_what_one_tenant_may_have_under_way_is_bounded(small_server: GranianServer, tenant: CreatedTenant) -> None:
    tus = Tus(small_server.url, tenant.key.text)
    assert code_of(tus.create(100_001)) == (413, "document_too_large")
    paths = [tus.begin(50_000), tus.begin(99_000)]
    assert code_of(tus.create(1_001)) == (429, "too_many_uploads")
    paths.append(tus.begin(1_000))
    assert code_of(tus.create(1)) == (429, "too_many_uploads")
    tus.ask("DELETE", paths[1])
    assert tus.create(99_000).status_code == 201
