"""Health and metrics of processes without a web server."""

import httpx

from maas.local.supervisor.ports import free_port
from maas.process.side_port import serve_side_port


def test_it_tells_of_life_readiness_and_metrics() -> None:
    port, ready = free_port(), False
    with serve_side_port(port, ready=lambda: ready):
        url = f"http://127.0.0.1:{port}"
        assert httpx.get(f"{url}/livez").text == "alive\n"
        assert httpx.get(f"{url}/readyz").status_code == 503
        ready = True
        assert httpx.get(f"{url}/readyz?verbose").status_code == 200
        assert "python_info" in httpx.get(f"{url}/metrics").text
        assert httpx.get(f"{url}/other").status_code == 404
        assert httpx.post(f"{url}/livez").status_code == 501


def test_port_zero_means_none() -> None:
    with serve_side_port(0, ready=lambda: True):
        pass
