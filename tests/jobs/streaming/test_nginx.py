"""Tests of streams, sockets and uploads through nginx, configured as docs/operating.md describes."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from jobs.events.log import append_event
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.event_source import events_in, said_in
from tests.jobs.conftest import Desk
from tests.jobs.streaming.nginx import PROGRAM, Nginx
from tests.maas.granian_server import GranianServer
from tests.maas.raw_http import RawRequest
from tests.samples.pdfs import scanned_pdf

pytestmark = [
    pytest.mark.xdist_group("web_server"),
    pytest.mark.skipif(PROGRAM is None, reason="no nginx (apt-get install nginx-light)"),
]
LARGE = scanned_pdf("large") + b"\n%" + b"x" * 2 * 2**20
"""A file that is larger than nginx accepts or keeps in memory by default."""


@pytest.fixture(scope="module")
def nginx(web_server: GranianServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    folder: Path = tmp_path_factory.mktemp("nginx")
    folder.chmod(0o755)
    with Nginx(folder, web_server.port) as nginx:
        yield nginx


@pytest.fixture
def key(tenant: CreatedTenant) -> dict[str, str]:
    return {"Authorization": f"Bearer {tenant.key.text}"}


def test_each_event_comes_through_before_the_next_has_happened(nginx: Nginx, key: dict[str, str], desk: Desk) -> None:
    job = desk.submit()
    headers = {**key, "Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    with (
        httpx.Client(base_url=nginx.url, headers=headers, timeout=30) as client,
        client.stream("GET", f"/v1/jobs/{job.id}/events") as answer,
    ):
        assert "nginx" in answer.headers["server"]
        events = events_in(said_in(answer.iter_lines()))
        assert next(events).name == "job.queued"
        for number in range(5):
            with unit_of_work(job.tenant_id):
                append_event(job.id, f"event.{number}", {})
            assert next(events).name == f"event.{number}"
        desk.finish(desk.pages(job)[0])
        assert [one.name for one in events][-1] == "end"


def test_a_socket_opens_and_tells_what_happens(nginx: Nginx, key: dict[str, str], desk: Desk) -> None:
    with connect(f"ws://127.0.0.1:{nginx.port}/ws/v1/events", additional_headers=key) as socket:
        assert json.loads(socket.recv(timeout=20))["type"] == "ready"
        desk.submit()
        assert json.loads(socket.recv(timeout=20))["event"]["type"] == "job.queued"


def test_a_file_comes_through_and_a_wait_is_held(nginx: Nginx, key: dict[str, str], desk: Desk) -> None:
    with httpx.Client(base_url=nginx.url, headers=key, timeout=30) as client:
        stored = client.post("/v1/documents", files={"file": ("a.pdf", LARGE)})
        assert (stored.status_code, stored.json()["size_bytes"]) == (201, len(LARGE)), stored.text
        waited = client.get(f"/v1/jobs/{desk.submit().id}", headers={"Prefer": "wait=1"})
        assert waited.headers["preference-applied"] == "wait=1"


def test_a_body_of_a_stranger_is_refused_before_it_is_sent(nginx: Nginx) -> None:
    head = "POST /v1/documents HTTP/1.1\nContent-Length: 400000000\nContent-Type: multipart/form-data; boundary=b"
    with RawRequest(nginx.port, head) as request:
        assert request.answer().status == 401
