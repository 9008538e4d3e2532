"""Tests of the manifests' own commands, variables, probes, grace periods and rolling updates, as local processes."""

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from maas.local.demo.sample import write_sample
from maas.local.embedded.postgres import create_database
from maas.local.embedded.redis import RedisRole, RedisServer
from tests.deploy.kubernetes.cluster import TIMEOUT_S, Cluster, JobFailed
from tests.deploy.kubernetes.kustomize import BASE, Resource, render
from tests.deploy.kubernetes.pods import Pod
from tests.docs.containers import image_folder, make_roles
from tests.maas.local.embedded.running import postgres_in, running, scratch_of
from tests.stand_in_s3 import PREFIX, REGION, new_bucket, stand_in_s3
from tests.waiting import eventually

PASSWORD = "of-the-owner_1"
TOKEN = "t" * 40
HOST = "maas.example.com"
PROXY = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
"""What the ingress controller adds."""
CALLERS = 3
ALIKE_S = 5.0
"""Seconds within which pods that are started together become ready one after the other, if they do."""

pytestmark = pytest.mark.xdist_group("kubernetes")


@dataclass
class Played:
    cluster: Cluster
    superuser_url: str
    key: str = ""
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def call(self, path: str, body: object = None, files: Any = None, **headers: str) -> httpx.Response:
        """Call through the service, over a new connection, as a proxy does."""
        endpoints = self.cluster.endpoints("web", "http")
        if not endpoints:
            raise httpx.ConnectError("no pod of web is ready")
        url = f"http://{endpoints[next(self.numbers) % len(endpoints)]}{path}"
        return httpx.post(
            url, json=body, files=files, headers={**PROXY, "Authorization": f"Bearer {self.key}", **headers}, timeout=60
        )

    def embed(self) -> httpx.Response:
        return self.call("/v1/embeddings", {"model": "embed", "input": f"invoice number {next(self.numbers)}"})


@pytest.fixture(scope="module")
def secrets_and_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, str], Path]]:
    """Yield the Secret `maas`, of servers that are started for it, and a folder."""
    folder = tmp_path_factory.mktemp("kubernetes")
    servers = folder / "servers"
    servers.mkdir(mode=0o700)
    scratch = scratch_of(servers)
    with ExitStack() as stack:
        database = postgres_in(servers)
        stack.enter_context(running(database, folder / "postgres.log"))
        make_roles(database, PASSWORD)
        durable, cache = (RedisServer(servers, role, scratch) for role in (RedisRole.DURABLE, RedisRole.CACHE))
        for server in (durable, cache):
            stack.enter_context(running(server, folder / "redis.log"))
        stack.callback(scratch.remove_all)
        endpoint = stack.enter_context(stand_in_s3())
        url = f"postgres://maas:{PASSWORD}@/maas?{urlsplit(database.url).query}"
        yield (
            {
                "database-url": url,
                "direct-database-url": url,
                "redis-url": durable.url,
                "cache-url": cache.url,
                "broker-url": durable.url,
                "storage-url": f"s3://{new_bucket(endpoint).name}/{PREFIX}?endpoint={endpoint}&region={REGION}",
                "storage-access-key": "stand-in",
                "storage-secret-key": "stand-in",
                # Not for the product.
                "superuser-url": database.superuser_url(),
                "secret-key": "s" * 60,
                "key-pepper": "p" * 60,
            },
            folder,
        )


@pytest.fixture(scope="module")
def played(secrets_and_folder: tuple[dict[str, str], Path]) -> Iterator[Played]:
    """Yield the base, applied all at once, as soon as everything is ready."""
    secrets, folder = secrets_and_folder
    image = image_folder(folder / "image")
    with Cluster(
        render(BASE), secrets={"maas": secrets, "maas-scaling": {"token": TOKEN}}, image=image, folder=folder
    ) as cluster:
        for name in ("web", "scheduler", "worker"):
            cluster.deploy(name)
        cluster.run_job("migrate")
        cluster.wait_until_ready("web", "scheduler", "worker")
        played = Played(cluster, secrets["superuser-url"])
        made = cluster.execute(
            "web", "python", "manage.py", "tenant_create", "--name", "Acme", "--email", "owner@acme.example"
        )
        assert made.returncode == 0, made.stderr
        played.key = json.loads(made.stdout)["api_key"]
        yield played


def test_call_and_job_succeed(played: Played) -> None:
    answer = played.embed()
    assert answer.status_code == 200, answer.text
    body = {"model": "parse", "input": "Invoice 17, total amount due 858.50"}
    job = played.call("/v1/jobs", body, Prefer="wait=60").json()
    assert job["state"] == "succeeded", job
    assert job["result"]["pages"][0]["class"]["label"] == "invoice"


def test_document_is_received_and_opened_in_the_volumes_that_there_are(played: Played, tmp_path: Path) -> None:
    write_sample(tmp_path / "sample.pdf")
    content = {"file": ("sample.pdf", (tmp_path / "sample.pdf").read_bytes(), "application/pdf")}
    answer = played.call("/v1/documents", files=content)
    assert answer.status_code == 201, answer.text
    assert answer.json()["pages_total"] == 3


def test_metrics_are_for_the_cluster_alone(played: Played) -> None:
    endpoint, *_ = played.cluster.endpoints("web", "http")
    assert httpx.get(f"http://{endpoint}/metrics").status_code == 200
    assert httpx.get(f"http://{endpoint}/metrics", headers=PROXY).status_code == 404


def test_keda_is_told_how_many_workers_are_wanted(played: Played) -> None:
    """It calls by the name of the Service, without a proxy: that host is answered, and not redirected to HTTPS."""
    (scaled,) = (one for one in render(BASE) if one["kind"] == "ScaledObject")
    trigger = scaled["spec"]["triggers"][0]["metadata"]
    url = urlsplit(trigger["url"])
    endpoint, *_ = played.cluster.endpoints("web", "http")

    def ask(token: str) -> httpx.Response:
        headers = {"Host": url.netloc, "Authorization": f"Bearer {token}"}
        return httpx.get(f"http://{endpoint}{url.path}", headers=headers)

    answer = eventually(lambda: answer if (answer := ask(TOKEN)).status_code == 200 else None, "a decision", 30)
    assert answer.json()[trigger["valueLocation"]] == 1
    assert ask("another" * 6).status_code == 401
    assert httpx.get(f"http://{endpoint}/v1/models", headers={"Host": "other.example"}).status_code == 400


@pytest.mark.long
def test_upgrade_of_tables_and_web_loses_no_call(played: Played) -> None:
    over = threading.Event()
    answers: list[int] = []
    errors: list[Exception] = []

    def go_on() -> None:
        while not over.is_set():
            try:
                answers.append(played.embed().status_code)
            except httpx.HTTPError as error:
                errors.append(error)
            time.sleep(0.05)

    callers = [threading.Thread(target=go_on) for _ in range(CALLERS)]
    for caller in callers:
        caller.start()
    try:
        played.cluster.run_job("migrate")
        old = played.cluster.roll("web")
    finally:
        over.set()
        for caller in callers:
            caller.join()
    assert errors == []
    assert set(answers) == {200}
    assert len(answers) > CALLERS
    assert not any(pod.killed for pod in old)


def test_scheduler_and_worker_end_within_their_grace_period(played: Played) -> None:
    pods = [*played.cluster.pods["scheduler"], *played.cluster.pods["worker"]]
    assert [pod.restarts for pod in pods] == [[], [], []]
    for pod in pods:
        pod.delete()
    for pod in pods:
        pod.wait_until_gone()
    assert not any(pod.killed for pod in pods)


def container(resources: list[Resource], deployment: str) -> dict[str, Any]:
    (found,) = (one for one in resources if (one["kind"], one["metadata"]["name"]) == ("Deployment", deployment))
    found["spec"]["replicas"] = 1
    (declared,) = found["spec"]["template"]["spec"]["containers"]
    return declared  # type: ignore[no-any-return]


def wrong_command(scheduler: dict[str, Any]) -> None:
    scheduler["command"][-1] = "schedule"


def wrong_port(scheduler: dict[str, Any]) -> None:
    scheduler["ports"][0]["containerPort"] = 9101


def wrong_probe(scheduler: dict[str, Any]) -> None:
    scheduler["startupProbe"]["httpGet"]["path"] = "/healthz"


def missing_server(scheduler: dict[str, Any]) -> None:
    scheduler["env"] = [one for one in scheduler["env"] if one["name"] != "MAAS_CACHE_URL"]


MISTAKES = (wrong_command, wrong_port, wrong_probe, missing_server)


def test_mistake_in_a_manifest_is_found(played: Played, secrets_and_folder: tuple[dict[str, str], Path]) -> None:
    secrets, folder = secrets_and_folder
    with ExitStack() as stack:

        def play(name: str, change: Callable[[dict[str, Any]], None]) -> Pod:
            resources = render(BASE)
            change(container(resources, "scheduler"))
            own = folder / name
            own.mkdir()
            cluster = Cluster(resources, secrets={"maas": secrets}, image=folder / "image", folder=own)
            stack.enter_context(cluster).deploy("scheduler")
            (pod,) = cluster.pods["scheduler"]
            return pod

        mistaken = [play(change.__name__, change) for change in MISTAKES]
        right = play("right", lambda _: None)
        eventually(lambda: right.ready, "readiness", TIMEOUT_S)
        time.sleep(ALIKE_S)
        assert [pod.ready for pod in mistaken] == [False] * len(MISTAKES)


def test_order_of_the_job_matters_and_all_wait_for_it(
    played: Played, secrets_and_folder: tuple[dict[str, str], Path]
) -> None:
    secrets, folder = secrets_and_folder
    own = folder / "order"
    own.mkdir()
    with psycopg.connect(played.superuser_url, autocommit=True) as connection:
        create_database(connection, "empty", template="template1")
    url = secrets["database-url"].replace("@/maas?", "@/empty?")
    elsewhere = {**secrets, "database-url": url, "direct-database-url": url}
    resources = render(BASE)
    container(resources, "web")
    (job,) = (one["spec"] for one in resources if one["kind"] == "Job")
    job["backoffLimit"] = 0
    template = job["template"]["spec"]
    template["initContainers"], template["containers"] = template["containers"], template["initContainers"]
    with Cluster(resources, secrets={"maas": elsewhere}, image=folder / "image", folder=own) as cluster:
        for name in ("web", "scheduler", "worker"):
            cluster.deploy(name)
        with pytest.raises(JobFailed, match="does not exist"):
            cluster.run_job("migrate")
        for pod in (*cluster.pods["scheduler"], *cluster.pods["worker"]):
            assert_waits(pod)
        (pod,) = cluster.pods["web"]
        url = f"http://{pod.ip}:8000/readyz"
        answer = eventually(lambda: answered(url), "an answer")
        assert (answer.status_code, answer.json()["not_ready"]) == (503, ["migrations"])
        assert not pod.ready


def assert_waits(pod: Pod) -> None:
    """Assert that the scheduler or worker lives, and waits for migrations before it does anything."""
    eventually(lambda: "waiting_for_migrations" in pod.output, "the reason in the log")
    assert (pod.restarts, pod.ready) == ([], False)
    port = f"http://{pod.ip}:9100"
    assert httpx.get(f"{port}/livez", timeout=10).status_code == 200
    assert httpx.get(f"{port}/readyz", timeout=10).status_code == 503


def answered(url: str) -> httpx.Response | None:
    with suppress(httpx.TransportError):
        return httpx.get(url, timeout=10)
    return None
