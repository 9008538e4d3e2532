"""The product's own processes and one-off steps, as children to run."""

import sys
from collections.abc import Mapping
from pathlib import Path

from maas.local.launch.options import LaunchOptions
from maas.local.supervisor.children import ChildSpec

PROJECT = Path(__file__).resolve().parents[3]
_WEB_STOP_S = 4
"""Less than the supervisor's own grace, so that open streams end before their process is killed."""
STOPS = {"MAAS_DRAIN_S": "0", "MAAS_FINISH_S": "2", "MAAS_WORKER_STOP_S": "3"}
"""What is left of the grace is for what is cut to be told so, and for consumers, who need up to two seconds to notice.

Nothing stands in front that would have to see the end of a web process coming.
"""
_WEB_CONNECTIONS = 16384
"""Waits, streams and sockets each count as a request while they last; the edge has its own limits."""


def manage(name: str, *arguments: str, env: Mapping[str, str]) -> ChildSpec:
    return ChildSpec(name, (sys.executable, str(PROJECT / "manage.py"), *arguments), env, cwd=str(PROJECT))


def web(options: LaunchOptions, env: Mapping[str, str]) -> ChildSpec:
    flags = {
        "--interface": "asgi",
        "--host": options.host,
        "--port": str(options.port),
        "--workers": "1",
        "--loop": "uvloop",
        "--backlog": "4096",
        "--backpressure": str(_WEB_CONNECTIONS),
        "--log-level": "warning",
    }
    words = [word for flag in flags.items() for word in flag]
    argv = (sys.executable, "-m", "maas.web.run_granian", *words, "--ws", "maas.asgi:application")
    stops = {**STOPS, "GRANIAN_WORKERS_KILL_TIMEOUT": str(_WEB_STOP_S)}
    return ChildSpec("web", argv, {**env, **stops}, cwd=str(PROJECT))
