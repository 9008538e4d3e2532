"""Tests of limits at real web processes: who is counted, what answers say about it, and how soon a change applies."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import openai
import pytest
from django.conf import settings

from inference.registry.models import ModelVersion, ServedModel
from jobs.core.models import Document
from tenants.accounts.models import Tenant
from tenants.api_keys.format import new_key
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import create_key, revoke_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import make_current, unique
from tests.inference.rpc.mortal import MortalRedis
from tests.maas.granian_server import GranianServer
from tests.maas.raw_http import RawRequest
from tests.samples.pdfs import scanned_pdf
from tests.waiting import eventually


@pytest.fixture
def servers(two_webs: tuple[GranianServer, GranianServer]) -> tuple[GranianServer, GranianServer]:
    return two_webs


@pytest.fixture
def server(servers: tuple[GranianServer, GranianServer]) -> GranianServer:
    return servers[0]


def limit(tenant: CreatedTenant, **limits: int | None) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(**limits)


def client_of(server: GranianServer, tenant: CreatedTenant) -> httpx.Client:
    key = {"Authorization": f"Bearer {tenant.key.text}"}
    return httpx.Client(base_url=server.url, headers=key, timeout=30)


def test_a_refusal_says_what_was_met_and_when_to_come_again(server: GranianServer, tenant: CreatedTenant) -> None:
    limit(tenant, requests_per_minute=2)
    with client_of(server, tenant) as client:
        first, second, third = (client.get("/v1/models") for _ in range(3))
    assert [first.status_code, second.status_code, third.status_code] == [200, 200, 429]
    for answer in (first, third):
        assert answer.headers["ratelimit-policy"] == '"requests";q=2;w=60'
    assert first.headers["ratelimit"].startswith('"requests";r=1;t=')
    assert third.headers["ratelimit"].startswith('"requests";r=0;t=')
    body = third.json()
    assert body["code"] == "rate_limited"
    assert body["limit"] == {"scope": "tenant", "name": "requests", "amount": 2, "window_s": 60}
    assert body["violated-policies"] == ["requests"]
    assert 25 < int(third.headers["retry-after"]) <= 30
    assert body["retry_after_s"] == int(third.headers["retry-after"])
    assert body["error"]["type"] == "rate_limit_error"


def test_a_keys_own_limit_holds_beside_its_tenants(server: GranianServer, tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.filter(id=tenant.key.key.id).update(requests_per_minute=1)
        other = create_key(tenant_id=tenant.tenant.id, name="another")
    with client_of(server, tenant) as client:
        client.get("/v1/models")
        refused = client.get("/v1/models")
        free = client.get("/v1/models", headers={"Authorization": f"Bearer {other.text}"})
    assert refused.status_code == 429
    assert refused.json()["limit"]["scope"] == "key"
    assert '"key-requests";q=1;w=60' in refused.headers["ratelimit-policy"]
    assert free.status_code == 200
    assert "key-requests" not in free.headers["ratelimit"]


def test_what_fails_counts_too_and_what_is_refused_does_not(server: GranianServer, tenant: CreatedTenant) -> None:
    limit(tenant, requests_per_minute=5)
    with client_of(server, tenant) as client:
        wrong = [
            client.get("/v1/nothing"),
            client.post("/v1/jobs", content=b"{", headers={"Content-Type": "application/json"}),
            client.post("/v1/embeddings", json={"model": "nothing", "input": "a"}),
            client.post("/v2/models/nothing/infer", json={}),
            client.request("DELETE", "/v2/models/nothing"),
        ]
        assert [answer.status_code for answer in wrong][:2] == [404, 400]
        assert all(answer.status_code in (400, 404, 405) for answer in wrong)
        refused = [client.get("/v1/models") for _ in range(5)]
    assert {answer.status_code for answer in refused} == {429}
    assert len({answer.headers["ratelimit"].split(";t=")[0] for answer in refused}) == 1


def test_who_is_over_the_limit_is_refused_before_the_body_is_read(server: GranianServer, tenant: CreatedTenant) -> None:
    limit(tenant, requests_per_minute=1)
    with client_of(server, tenant) as client:
        client.get("/v1/models")
    head = (
        "POST /v1/documents HTTP/1.1\nTransfer-Encoding: chunked\nContent-Type: multipart/form-data; boundary=b\n"
        f"Authorization: Bearer {tenant.key.text}"
    )
    with RawRequest(server.port, head) as request:
        answer = request.answer()
        assert answer.status == 429
        assert "connection: close" in answer.head
        assert request.send_until_refused(b"x" * 65_536, 100 * 2**20) < 16 * 2**20


def test_each_protocol_refuses_in_its_own_shape(server: GranianServer, tenant: CreatedTenant) -> None:
    limit(tenant, requests_per_minute=1)
    with client_of(server, tenant) as client:
        client.get("/v1/models")
        tensors = client.post("/v2/models/embed/infer", json={})
        texts = client.post("/v1/embeddings", json={})
        told = client.get("/v1/jobs")
    assert {tensors.status_code, texts.status_code, told.status_code} == {429}
    assert tensors.json()["code"] == "rate_limited"
    assert "1 requests a minute" in tensors.json()["error"]
    assert texts.json()["error"]["type"] == "rate_limit_error"
    assert told.headers["content-type"] == "application/problem+json"
    assert all("retry-after" in answer.headers for answer in (tensors, texts, told))


def test_health_is_never_limited(server: GranianServer, tenant: CreatedTenant) -> None:
    limit(tenant, requests_per_minute=1)
    with client_of(server, tenant) as client:
        client.get("/v1/models")
        for path in ("/livez", "/readyz", "/v2/health/live"):
            assert [client.get(path).status_code for _ in range(3)] == [200] * 3


def test_a_changed_limit_and_a_revoked_key_are_there_within_a_second(
    servers: tuple[GranianServer, GranianServer], tenant: CreatedTenant
) -> None:
    with client_of(servers[0], tenant) as one, client_of(servers[1], tenant) as two:
        assert "q=600000" in one.get("/v1/models").headers["ratelimit-policy"]
        assert two.get("/v1/models").status_code == 200
        limit(tenant, requests_per_minute=60)
        deadline = time.monotonic() + 1.0
        while not all("q=60;" in client.get("/v1/models").headers["ratelimit-policy"] for client in (one, two)):
            assert time.monotonic() < deadline
        with unit_of_work(tenant.tenant.id):
            assert revoke_key(key_id=tenant.key.key.id)
        deadline = time.monotonic() + 1.0
        while not all(client.get("/v1/models").status_code == 401 for client in (one, two)):
            assert time.monotonic() < deadline


def use_up(client: openai.OpenAI) -> None:
    while True:
        client.models.list()


def test_openais_client_waits_as_it_is_told_and_tries_again(server: GranianServer, tenant: CreatedTenant) -> None:
    """The limit is one request a second. The second request waits for a second and is then admitted."""
    limit(tenant, requests_per_minute=60)
    with client_of(server, tenant) as client:
        while client.get("/v1/nothing").status_code != 429:
            pass
    base_url = f"{server.url}/v1"
    impatient = openai.OpenAI(base_url=base_url, api_key=tenant.key.text, max_retries=0)
    patient = openai.OpenAI(base_url=base_url, api_key=tenant.key.text, max_retries=3)
    with impatient, patient:
        with pytest.raises(openai.RateLimitError) as refused:
            use_up(impatient)
        assert refused.value.code == "rate_limited"
        assert "60 requests a minute" in str(refused.value)
        patient.models.list()
        with pytest.raises(openai.NotFoundError):
            patient.embeddings.create(model="nothing", input="a")


def test_embeddings_say_it_as_openai_does(server: GranianServer, tenant: CreatedTenant) -> None:
    limit(tenant, requests_per_minute=100, tokens_per_minute=5_000)
    with client_of(server, tenant) as client:
        headers = client.post("/v1/embeddings", json={"model": "nothing", "input": "a"}).headers
        others = client.get("/v1/jobs").headers
    assert headers["x-ratelimit-limit-requests"] == "100"
    assert headers["x-ratelimit-remaining-requests"] == "99"
    assert headers["x-ratelimit-reset-requests"].endswith(("ms", "s"))
    assert headers["x-ratelimit-limit-tokens"] == headers["x-ratelimit-remaining-tokens"] == "5000"
    assert headers["ratelimit-policy"] == '"requests";q=100;w=60, "tokens";q=5000;w=60'
    assert "x-ratelimit-limit-requests" not in others
    assert "tokens" not in others["ratelimit"]


def test_openais_client_reads_what_is_wrong_with_a_model(server: GranianServer, tenant: CreatedTenant) -> None:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=tenant.key.text, max_retries=0) as client:
        with pytest.raises(openai.NotFoundError) as missing:
            client.models.retrieve("nothing")
        assert missing.value.code == "model_not_found"
        assert missing.value.type == "invalid_request_error"
        assert missing.value.body["message"]  # type: ignore[index]
    whole = httpx.get(f"{server.url}/v1/models/nothing", headers={"Authorization": f"Bearer {tenant.key.text}"})
    assert whole.headers["content-type"] == "application/problem+json"
    assert whole.json()["detail"] == whole.json()["error"]["message"]
    refused = httpx.get(f"{server.url}/v1/models", headers={"Authorization": "Bearer wrong"}).json()
    assert refused["error"]["message"] == refused["detail"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/embeddings", "POST"),
        ("POST", "/v2/health/live", "GET, HEAD"),
        ("GET", "/v2/models/embed/infer", "POST"),
        ("GET", "/v2/repository/index", "POST"),
        ("DELETE", "/v1/models", "GET, POST, HEAD, OPTIONS"),
    ],
)
def test_a_method_that_is_not_allowed_is_told_which_is(
    server: GranianServer, tenant: CreatedTenant, method: str, path: str, allowed: str
) -> None:
    with client_of(server, tenant) as client:
        answer = client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def unknown(client: httpx.Client) -> httpx.Response:
    return client.get("/v1/models", headers={"Authorization": f"Bearer {new_key(livemode=True).text}"})


def test_unknown_keys_from_one_place_are_looked_up_only_so_often_and_good_ones_always(
    server: GranianServer, tenant: CreatedTenant
) -> None:
    with client_of(server, tenant) as client:
        assert client.get("/v1/models").status_code == 200
        with ThreadPoolExecutor(16) as pool:
            seen = list(pool.map(lambda _: unknown(client), range(450)))
        assert {answer.status_code for answer in seen} == {401, 429}
        assert [answer.status_code for answer in seen].count(401) >= 300
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in seen if answer.status_code == 429)
        assert client.get("/v1/models").status_code == 200


def test_a_suspended_tenant_is_told_so_and_not_that_it_is_over_a_limit(
    server: GranianServer, tenant: CreatedTenant
) -> None:
    limit(tenant, requests_per_minute=1)
    with client_of(server, tenant) as client:
        client.get("/v1/models")
        assert client.get("/v1/models").status_code == 429
        with operator_work():
            Tenant.objects.filter(id=tenant.tenant.id).update(state=Tenant.State.SUSPENDED)
        deadline = time.monotonic() + 1.0
        while client.get("/v1/models").status_code != 403:
            assert time.monotonic() < deadline


def test_a_document_whose_job_is_refused_is_not_stored(server: GranianServer, tenant: CreatedTenant) -> None:
    limit(tenant, pages_per_minute=1)
    with operator_work():
        model = ServedModel.objects.create(
            name=unique("model"), accepts=["document"], price_meter="page", price_micros=1
        )
        make_current(ModelVersion.objects.create(served_model=model, number=1, runtime="ocr", digest="0" * 64))
    taken = 0
    with client_of(server, tenant) as client:
        # Redis may answer late while this machine does other things, and each process then keeps a limit of its own.
        while (answer := client.post("/v1/jobs", data={"model": model.name}, files=a_page())).status_code == 202:
            taken += 1
            assert taken < 5
    assert answer.status_code == 429, answer.text
    assert answer.json()["limit"]["name"] == "pages"
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    with unit_of_work(tenant.tenant.id):
        assert Document.objects.count() == taken > 0


def a_page() -> dict[str, tuple[str, bytes]]:
    return {"file": ("page.pdf", scanned_pdf(unique("word")))}


def test_without_redis_requests_go_on_and_each_process_keeps_the_limit(tenant: CreatedTenant) -> None:
    assert settings.MAAS_REDIS_URL
    redis = MortalRedis()
    try:
        with GranianServer("maas.asgi:application", {"MAAS_REDIS_URL": redis.url}) as server:
            limit(tenant, requests_per_minute=60)
            with client_of(server, tenant) as client:
                assert client.get("/v1/models").status_code == 200
                redis.kill()
                killed_at, taken = time.monotonic(), 0
                while (answer := client.get("/v1/models")).status_code == 200:
                    taken += 1
                    # Each second allows one more.
                    assert taken < 110 + time.monotonic() - killed_at
                assert answer.status_code == 429
                assert taken >= 50
            eventually(lambda: "limits_redis_unavailable" in server.log_path.read_text(), "it is said in the log")
    finally:
        redis.kill()
