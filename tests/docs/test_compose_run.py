"""Runs the containers' commands as processes in a folder with the content of an image, against their own servers.

No container engine is needed. Only the building of the images cannot be tested this way.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from maas.local.embedded.redis import RedisRole, RedisServer
from maas.local.launch.state_files import read_env_file
from maas.local.supervisor.ports import free_port
from tests.docs.containers import DOCKERFILES, default_command, image_folder, make_roles, services, variables
from tests.maas.local.embedded.running import postgres_in, running, scratch_of
from tests.services import without_product

PASSWORD = "of-the-owner_1"
TIMEOUT_S = 120.0
STOP_S = 15.0
"""The seconds that compose.yaml gives a process to stop."""
SERVING = ("web", "worker", "scheduler")

DEFAULT = re.compile(r"\$\{\w+:-([^}]*)\}")
"""The default of a variable that maas.env does not set."""

pytestmark = [pytest.mark.xdist_group("composed"), pytest.mark.long]


@dataclass
class Composed:
    """The services of the compose file as processes, with ports and addresses of this machine."""

    image: Path
    home: Path
    addresses: dict[str, str]
    ports: dict[str, str] = field(default_factory=lambda: {name: str(free_port()) for name in SERVING})

    def here(self, name: str, words: list[str]) -> list[str]:
        declared = "8000" if name == "web" else "9100"
        return [word.replace(declared, self.ports.get(name, declared)) for word in words]

    def environment(self, name: str) -> dict[str, str]:
        declared = {one: DEFAULT.sub(r"\1", value) for one, value in services()[name]["environment"].items()}
        given = (
            variables(DOCKERFILES[0])
            | declared
            | self.addresses
            | {"MAAS_HOME": str(self.home), "MAAS_HOST": "127.0.0.1"}
        )
        if name == "web":
            given["MAAS_PORT"] = self.ports[name]
        if "MAAS_METRICS_PORT" in given:
            given["MAAS_METRICS_PORT"] = self.ports[name]
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return without_product(os.environ) | given | {"PATH": programs}

    def run(self, name: str, command: list[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.here(name, command),
            env=self.environment(name),
            cwd=self.image,
            capture_output=True,
            text=True,
            check=False,
        )

    def start(self, name: str) -> "subprocess.Popen[bytes]":
        command = self.here(name, services()[name].get("command") or default_command(DOCKERFILES[0]))
        with (self.home / f"{name}.log").open("wb") as log:
            return subprocess.Popen(command, env=self.environment(name), cwd=self.image, stdout=log, stderr=log)

    def wait_until_healthy(self, name: str) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        check = services()[name]["healthcheck"]["test"][1:]
        while (last := self.run(name, check)).returncode != 0:
            if time.monotonic() > deadline:
                log = (self.home / f"{name}.log").read_text()[-4000:]
                raise AssertionError(f"{name} is not healthy: {last.stderr[-500:]}\n{log}")


@pytest.fixture(scope="module")
def composed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composed]:
    folder = tmp_path_factory.mktemp("composed")
    (folder / "servers").mkdir(mode=0o700)
    image = image_folder(folder / "image")
    scratch = scratch_of(folder / "servers")
    with ExitStack() as stack:
        database = postgres_in(folder / "servers")
        stack.enter_context(running(database, folder / "postgres.log"))
        make_roles(database, PASSWORD)
        durable = RedisServer(folder / "servers", RedisRole.DURABLE, scratch)
        cache = RedisServer(folder / "servers", RedisRole.CACHE, scratch)
        for server in (durable, cache):
            stack.enter_context(running(server, folder / "redis.log"))
        stack.callback(scratch.remove_all)
        (folder / "home").mkdir(mode=0o700)
        addresses = {
            "MAAS_DATABASE_URL": f"postgres://maas:{PASSWORD}@/maas?{urlsplit(database.url).query}",
            "MAAS_REDIS_URL": durable.url,
            "MAAS_CACHE_URL": cache.url,
            "MAAS_BROKER_URL": durable.url,
            "MAAS_SECRET_KEY": "s" * 60,
            "MAAS_KEY_PEPPER": "p" * 60,
            "MAAS_PUBLIC_URL": "http://127.0.0.1",
            "MAAS_ALLOWED_HOSTS": "127.0.0.1",
            "MAAS_SECURE": "0",
        }
        yield _started(Composed(image, folder / "home", addresses), stack)


def _started(composed: Composed, stack: ExitStack) -> Composed:
    migrated = composed.run("migrate", services()["migrate"]["command"])
    assert migrated.returncode == 0, migrated.stderr
    for name in SERVING:
        process = composed.start(name)
        stack.callback(process.wait, STOP_S)
        stack.callback(process.send_signal, signal.SIGTERM)
    for name in SERVING:
        composed.wait_until_healthy(name)
    return composed


def test_document_is_read_by_the_composed_processes(composed: Composed) -> None:
    demo = read_env_file(composed.home / "demo.env")
    request = urllib.request.Request(
        f"http://127.0.0.1:{composed.ports['web']}/v1/jobs",
        data=json.dumps({"model": "parse", "input": "Invoice 17, total amount due 858.50"}).encode(),
        headers={
            "Authorization": f"Bearer {demo['MAAS_API_KEY']}",
            "Content-Type": "application/json",
            "Prefer": "wait=30",
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        job = json.load(answer)
    assert job["state"] == "succeeded"
    assert job["result"]["pages"][0]["class"]["label"] == "invoice"


def test_dashboard_is_served_with_its_static_files(composed: Composed) -> None:
    url = f"http://127.0.0.1:{composed.ports['web']}/static/admin/css/base.css"
    with urllib.request.urlopen(url, timeout=10) as answer:
        assert answer.status == 200


@pytest.mark.parametrize("name", SERVING)
def test_process_tells_its_metrics_where_prometheus_asks(composed: Composed, name: str) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{composed.ports[name]}/metrics", timeout=10) as answer:
        assert b"# TYPE process_cpu_seconds_total" in answer.read()
