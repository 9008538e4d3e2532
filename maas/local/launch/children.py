"""Describes the product's own processes and one-off steps as child processes to run."""

import sys
from collections.abc import Mapping
from pathlib import Path

from maas.local.supervisor.children import ChildSpec

PROJECT = Path(__file__).resolve().parents[3]
STOPS = {"MAAS_DRAIN_S": "0", "MAAS_FINISH_S": "2", "MAAS_WORKER_STOP_S": "3"}
"""Settings that shorten the stop of the processes. The rest of the grace period is for notices to calls that are cut
off, and for consumers, which need up to two seconds to notice the stop.

No load balancer is in front, so none has to learn in advance that a web process is about to stop.
"""


def manage(name: str, *arguments: str, env: Mapping[str, str]) -> ChildSpec:
    return ChildSpec(name, (sys.executable, str(PROJECT / "manage.py"), *arguments), env, cwd=str(PROJECT))


def languages(env: Mapping[str, str]) -> ChildSpec:
    return ChildSpec("languages", (sys.executable, "-m", "maas.local.languages"), env, cwd=str(PROJECT))


def web(env: Mapping[str, str]) -> ChildSpec:
    return ChildSpec("web", (sys.executable, "-m", "maas.web_processes"), {**env, **STOPS}, cwd=str(PROJECT))
