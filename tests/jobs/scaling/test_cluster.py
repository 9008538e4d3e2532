"""Test what the scheduler writes on pods, with a server that speaks HTTPS as the Kubernetes API does."""

import json
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from inference.scaling.deletion import DRAINING, deletion_costs
from inference.scaling.signal import Costs, WorkerNow
from jobs.scaling.cluster import ANNOTATION, Cluster, own_cluster
from tests.tenants.core.http_client.conftest import certificate


@dataclass
class Api:
    """What was written, and what is answered."""

    port: int = 0
    status: int = 200
    written: list[tuple[str, str]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)


@pytest.fixture
def account(tmp_path: Path) -> Path:
    certificate(tmp_path, "localhost").rename(tmp_path / "ca.crt")
    (tmp_path / "token").write_text("first\n")
    (tmp_path / "namespace").write_text("maas")
    return tmp_path


@pytest.fixture
def api(account: Path) -> Iterator[Api]:
    found = Api()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PATCH(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found.tokens.add(str(self.headers["Authorization"]))
            found.types.add(str(self.headers["Content-Type"]))
            if found.status < 300:
                found.written.append((self.path, body["metadata"]["annotations"][ANNOTATION]))
            self.send_response(found.status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(account / "ca.crt")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    found.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield found
    server.shutdown()


@dataclass
class Clock:
    now_s: float = 0.0

    def __call__(self) -> float:
        self.now_s += 11
        return self.now_s


def test_the_cost_is_the_work_that_was_begun() -> None:
    costs = Costs()
    costs.learn([WorkerNow("a", "1", slots=4, running={"ocr@1": 4}, service_s={"ocr@1": 6.0})])
    found = deletion_costs(
        [
            WorkerNow("busy", "1", running={"ocr@1": 3}),
            WorkerNow("idle", "2"),
            WorkerNow("draining", "3", ready=False, running={"ocr@1": 4}),
        ],
        costs,
    )
    assert found == {"busy": 5, "idle": 0, "draining": DRAINING}


def test_changed_costs_are_written_on_the_pods(api: Api, account: Path) -> None:
    cluster = Cluster("localhost", api.port, account, Clock())
    cluster.write({"worker-7d4-x1-8": 5, "worker-7d4-x2-8": 0})
    cluster.write({"worker-7d4-x1-8": 5, "worker-7d4-x2-8": 0})
    assert api.written == [
        ("/api/v1/namespaces/maas/pods/worker-7d4-x1", "5"),
        ("/api/v1/namespaces/maas/pods/worker-7d4-x2", "0"),
    ]
    (account / "token").write_text("second")
    cluster.write({"worker-7d4-x1-8": 0, "worker-7d4-x2-8": -100})
    assert api.written[2:] == [
        ("/api/v1/namespaces/maas/pods/worker-7d4-x2", "-100"),
        ("/api/v1/namespaces/maas/pods/worker-7d4-x1", "0"),
    ]
    assert api.tokens == {"Bearer first", "Bearer second"}
    assert api.types == {"application/merge-patch+json"}


def test_it_is_written_at_most_every_ten_seconds(api: Api, account: Path) -> None:
    cluster = Cluster("localhost", api.port, account, lambda: 100.0)
    cluster.write({"a-1": 5})
    cluster.write({"a-1": 9})
    assert [cost for _, cost in api.written] == ["5"]


@pytest.mark.parametrize("status", [403, 500])
def test_what_was_refused_is_written_later(api: Api, account: Path, status: int) -> None:
    cluster = Cluster("localhost", api.port, account, Clock())
    api.status = status
    cluster.write({"a-1": 5})
    api.status = 200
    cluster.write({"a-1": 5})
    assert [cost for _, cost in api.written] == ["5"]


def test_a_pod_that_is_gone_is_not_written_again(api: Api, account: Path) -> None:
    cluster = Cluster("localhost", api.port, account, Clock())
    api.status = 404
    cluster.write({"a-1": 5})
    api.status = 200
    cluster.write({"a-1": 5})
    assert api.written == []


def test_a_cluster_with_another_certificate_gets_no_token(api: Api, account: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    certificate(tmp_path / "other", "localhost").rename(account / "ca.crt")
    Cluster("localhost", api.port, account, Clock()).write({"a-1": 5})
    assert api.tokens == set()


def test_a_cluster_that_does_not_answer_ends_no_decision(account: Path) -> None:
    cluster = Cluster("localhost", 9, account, Clock())
    cluster.write({"a-1": 5})
    assert cluster._written == {}


def test_another_scheduler_writes_over_what_an_earlier_one_wrote(api: Api, account: Path) -> None:
    Cluster("localhost", api.port, account, Clock()).write({"a-1": 5})
    Cluster("localhost", api.port, account, Clock()).write({"a-1": 0})
    assert [cost for _, cost in api.written] == ["5", "0"]


def test_outside_of_a_cluster_nothing_is_written(account: Path, tmp_path: Path) -> None:
    assert own_cluster({}, account) is None
    assert own_cluster({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, tmp_path / "nowhere") is None
    found = own_cluster({"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT_HTTPS": "6443"}, account)
    assert found is not None
    assert (found.host, found.port) == ("10.0.0.1", 6443)
