"""Tests of models whose files come as resumable uploads, at the product's own web process."""

import secrets
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import httpx
import pytest

from inference.registry.models import ModelVersion
from jobs.uploads.models import ResumableUpload, UploadPiece
from jobs.uploads.upkeep import expire_uploads
from tenants.api_keys.services import create_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.limits.quota.models import StoredBytes
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.jobs.uploads.tus import Tus
from tests.maas.granian_server import GranianServer

pytestmark = pytest.mark.xdist_group("web_server")
ONNX = secrets.token_bytes(9 * 2**20)
HALF = len(ONNX) // 2


def of_model(purpose: str = "model") -> str:
    return f"filename {b64encode(b'm.onnx').decode()},purpose {b64encode(purpose.encode()).decode()}"


@pytest.fixture
def tus(web_server: GranianServer, tenant: CreatedTenant) -> Tus:
    return Tus(web_server.url, tenant.key.text)


@pytest.fixture
def other(web_server: GranianServer, other_tenant: CreatedTenant) -> Tus:
    return Tus(web_server.url, other_tenant.key.text)


def begun(tus: Tus, size: int = len(ONNX)) -> str:
    answer = tus.create(size, **{"Upload-Metadata": of_model()})
    assert answer.status_code == 201, answer.text
    return answer.headers["location"]


def uploaded(tus: Tus) -> str:
    path = begun(tus)
    assert tus.send(path, 0, ONNX[:HALF]).headers["upload-state"] == "receiving"
    assert tus.send(path, HALF, ONNX[HALF:]).headers["upload-state"] == "ready"
    return path


def used(tus: Tus, path: str, name: str, key: str | None = None) -> httpx.Response:
    body = {"name": name, "license": "MIT", "upload": path.rsplit("/", 1)[1]}
    return tus.ask("POST", "/v1/models", json=body, headers={"Idempotency-Key": key})


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def stored_bytes(tenant: CreatedTenant) -> int:
    with unit_of_work(tenant.tenant.id):
        return sum(StoredBytes.objects.values_list("size_bytes", flat=True))


def test_a_finished_upload_becomes_a_version_and_its_pieces_go(tus: Tus, tenant: CreatedTenant) -> None:
    path = uploaded(tus)
    shown = tus.shown(path)
    assert (shown["state"], shown["purpose"], shown["document"]) == ("ready", "model", None)
    assert stored_bytes(tenant) == len(ONNX)
    made = used(tus, path, unique("model"))
    assert (made.status_code, made.json()["version"], made.json()["state"]) == (202, 1, "validating"), made.text
    assert made.json()["lineage"]["file"] == {"sha256": sha256(ONNX).hexdigest(), "bytes": len(ONNX)}
    assert tus.shown(path)["state"] == "ready"
    assert stored_bytes(tenant) == 0
    with unit_of_work(tenant.tenant.id):
        assert not UploadPiece.objects.exists()
        assert ResumableUpload.objects.get().name == ""


def test_a_form_names_an_upload_too_and_another_version_takes_one(tus: Tus) -> None:
    name = unique("model")
    fields = {"name": name, "license": "MIT", "upload": uploaded(tus).rsplit("/", 1)[1]}
    made = tus.ask("POST", "/v1/models", files={field: (None, value) for field, value in fields.items()})
    assert (made.status_code, made.json()["version"]) == (202, 1), made.text
    body = {"license": "MIT", "upload": uploaded(tus).rsplit("/", 1)[1]}
    second = tus.ask("POST", f"/v1/models/{name}/versions", json=body)
    assert (second.status_code, second.json()["version"]) == (202, 2), second.text


def test_an_upload_makes_one_version_also_for_requests_at_once(tus: Tus, tenant: CreatedTenant) -> None:
    path, name = uploaded(tus), unique("model")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: used(tus, path, name), range(4)))
    assert sorted(answer.status_code for answer in answers) == [202, 409, 409, 409]
    assert code_of(used(tus, path, name)) == (409, "upload_used")
    with operator_work():
        assert ModelVersion.objects.filter(tenant=tenant.tenant.id).count() == 1


def test_the_same_key_gets_the_version_again(tus: Tus) -> None:
    path, name, key = uploaded(tus), unique("model"), secrets.token_hex(8)
    first, again = (used(tus, path, name, key) for _ in range(2))
    assert (first.status_code, again.status_code, again.headers["idempotent-replay"]) == (202, 202, "true")
    assert again.json()["version"] == first.json()["version"] == 1
    assert code_of(used(tus, path, unique("model"), key)) == (422, "idempotency_key_reused")


def test_a_refused_model_leaves_the_upload_for_another_try(tus: Tus) -> None:
    path, name = uploaded(tus), unique("model")
    body = {"name": name, "license": " ", "upload": path.rsplit("/", 1)[1]}
    assert code_of(tus.ask("POST", "/v1/models", json=body)) == (400, "invalid_request")
    assert used(tus, path, name).status_code == 202


def test_an_upload_that_is_not_there_or_not_whole_makes_no_model(tus: Tus, other: Tus) -> None:
    theirs, unknown = uploaded(other), f"/v1/uploads/{'0' * 8}-0000-7000-8000-{'0' * 12}"
    answers = [used(tus, path, "m") for path in (theirs, unknown, "/v1/uploads/x")]
    assert {code_of(answer) for answer in answers} == {(404, "not_found")}
    path = begun(tus)
    tus.send(path, 0, ONNX[:HALF])
    part = used(tus, path, "m")
    assert (code_of(part), part.json()["offset"]) == ((409, "upload_incomplete"), HALF)
    assert code_of(used(tus, tus.begin(100), "m")) == (400, "invalid_request")
    assert tus.ask("DELETE", path).status_code == 204
    assert code_of(used(tus, path, "m")) == (410, "upload_gone")


def test_what_nobody_uses_expires_with_its_bytes(tus: Tus, tenant: CreatedTenant) -> None:
    path = uploaded(tus)
    with unit_of_work(tenant.tenant.id):
        row = ResumableUpload.objects.get()
        ResumableUpload.objects.update(expires_at=row.created_at)
    assert tus.shown(path)["state"] == "expired"
    assert code_of(used(tus, path, "m")) == (410, "upload_gone")
    expire_uploads()
    assert stored_bytes(tenant) == 0
    with unit_of_work(tenant.tenant.id):
        assert ResumableUpload.objects.get().state == "expired"
        assert not UploadPiece.objects.exists()


def test_a_model_needs_its_own_scopes_at_every_step(tus: Tus, tenant: CreatedTenant) -> None:
    path = begun(tus)
    with operator_work():
        papers = create_key(tenant_id=tenant.tenant.id, name="papers", scopes=["documents:read", "documents:write"])
        models = create_key(tenant_id=tenant.tenant.id, name="models", scopes=["models:read", "models:write"])
    without, only = Tus(tus.url, papers.text), Tus(tus.url, models.text)
    refused = [
        without.create(100, **{"Upload-Metadata": of_model()}),
        without.send(path, 0, ONNX),
        without.ask("GET", path),
        without.ask("DELETE", path),
        only.create(100),
        only.send(tus.begin(100), 0, b"x"),
    ]
    assert {code_of(answer) for answer in refused} == {(403, "insufficient_scope")}
    assert without.ask("HEAD", path).status_code == 403
    assert path.rsplit("/", 1)[1] not in without.ask("GET").text
    assert only.send(path, 0, ONNX).headers["upload-state"] == "ready"
    assert used(only, path, unique("model")).status_code == 202


def test_a_model_is_bound_by_its_own_size(tus: Tus) -> None:
    answer = tus.create(513_000_000, **{"Upload-Metadata": of_model()})
    assert code_of(answer) == (413, "document_too_large")
    assert "512000000" in answer.json()["detail"]
    assert tus.create(513_000_000).status_code == 201
    assert code_of(tus.create(100, **{"Upload-Metadata": of_model("picture")})) == (400, "invalid_request")
