"""A web process that is told to stop."""

import json
import signal
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from jobs.live.spool import LOCK
from tenants.services import CreatedTenant
from tests.jobs.conftest import Desk, desk
from tests.maas.granian_server import GranianServer

__all__ = ["desk"]


def test_waits_are_answered_and_sockets_closed_at_once(tenant: CreatedTenant, desk: Desk) -> None:
    key = {"Authorization": f"Bearer {tenant.key.text}"}
    content = {"model": desk.version.served_model.name, "input": {"text": "hello"}}
    with GranianServer("maas.asgi:application") as server, ThreadPoolExecutor(1) as pool:
        url = f"ws://127.0.0.1:{server.port}/ws/v1/events"
        with connect(url, additional_headers=key) as socket:
            assert json.loads(socket.recv(timeout=10))["type"] == "ready"
            headers = {**key, "Prefer": "wait=60"}
            waiting = pool.submit(
                httpx.post, f"{server.url}/v1/jobs", json=content, headers=headers, timeout=70
            )
            assert json.loads(socket.recv(timeout=10))["type"] == "event"  # The job was accepted.
            server.process.send_signal(signal.SIGTERM)
            answer = waiting.result(timeout=10)
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(timeout=10)
        assert (answer.status_code, answer.json()["state"]) == (202, "queued")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert server.process.wait(10) == 0
        assert "Killing" not in server.log_path.read_text()
        assert [path.name for path in (server.home / "spool").iterdir()] == [LOCK]
