"""Describes the product's own processes and one-off steps as child processes to run."""

import sys
from collections.abc import Mapping
from pathlib import Path

from maas.local.launch.options import LaunchOptions
from maas.local.supervisor.children import ChildSpec

PROJECT = Path(__file__).resolve().parents[3]
_WEB_STOP_S = 4
"""Seconds that the web process has to stop, within the supervisor's grace period, so that open streams end first."""
STOPS = {"MAAS_DRAIN_S": "0", "MAAS_FINISH_S": "2", "MAAS_WORKER_STOP_S": "3"}
"""Settings that shorten the stop of the processes. The rest of the grace period is for notices to calls that are cut
off, and for consumers, which need up to two seconds to notice the stop.

No load balancer is in front, so none has to learn in advance that a web process is about to stop.
"""
_WEB_CONNECTIONS = 16384
"""The most requests in progress. Waits, streams and sockets count while they last. The guard has its own limits."""


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
    arguments = [word for flag in flags.items() for word in flag]
    argv = (sys.executable, "-m", "maas.web.run_granian", *arguments, "--ws", "maas.asgi:application")
    stops = {**STOPS, "GRANIAN_WORKERS_KILL_TIMEOUT": str(_WEB_STOP_S)}
    return ChildSpec("web", argv, {**env, **stops}, cwd=str(PROJECT))
