"""The product as production runs it, on one machine: two of each of its processes, and their services."""

import asyncio
import os
import random
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil  # type: ignore[import-untyped]
import redis

from maas.local.embedded.folders import ScratchFolders, private_folder
from maas.local.launch import children
from maas.local.launch.options import LaunchOptions
from maas.local.launch.readiness import ask_ready
from maas.local.launch.services import start_services
from maas.local.launch.state_files import keep_secrets, read_map, write_map
from maas.local.supervisor.children import ChildSpec
from maas.local.supervisor.console import Console
from maas.local.supervisor.policy import RestartPolicy
from maas.local.supervisor.ports import free_port
from maas.local.supervisor.supervisor import Supervisor
from tests.kept_cluster import give_if_kept
from tests.services import without_product

from .clocks import Clocks
from .control import remove_outbox
from .disks import Disks
from .line import to_nowhere
from .options import Options
from .picky import MODEL
from .plan import first_shifts
from .rabbitmq import OwnRabbitmq
from .standby import STANDBY, Standby, archive_in
from .wires import TO_POSTGRES, Wires, way_to

WEBS = ("web-1", "web-2")
WORKERS = ("worker-1", "worker-2")
SCHEDULERS = ("scheduler-1", "scheduler-2")
PROCESSES = (*WEBS, *WORKERS, *SCHEDULERS)
BACKEND = "postgres backend"
"""The process of one connection. If it dies, PostgreSQL ends all others and recovers; if it is suspended, its locks
stay held.
"""
_HOST = "127.0.0.1"
_LOOK_EVERY_S = 0.1
_START_S = 240.0
_RESTARTS = RestartPolicy(first_delay_s=0.2, longest_delay_s=2.0)


class Cluster:
    """The processes of the product. Only the product's own supervisor restarts what ends."""

    def __init__(self, home: Path, options: Options, console: Console) -> None:
        self.home = home
        self._options = options
        self._console = console
        self._scratch = ScratchFolders(private_folder(private_folder(home) / "run") / "scratch.json")
        self._supervisor = Supervisor(console, _RESTARTS)
        self.disks = Disks(home) if options.fills else None
        self.clocks = Clocks(home / "clocks") if options.jumps else None
        self.ports = {name: free_port() for name in PROCESSES}
        self._rabbitmq = OwnRabbitmq(home) if options.broker == "rabbitmq" else None
        self.services: dict[str, str] = {}
        self.wires = Wires()
        self.standby: Standby | None = None
        self._database = "postgres"
        """The process of the PostgreSQL that accepts writes."""

    async def __aenter__(self) -> Self:
        await self._supervisor.__aenter__()
        try:
            await self._start()
        except BaseException:
            await self._supervisor.stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._supervisor.__aexit__(kind, error, trace)
        self.wires.close()
        if self.standby is not None:
            self.standby.close()
        self._scratch.remove_all()

    @property
    def killed(self) -> tuple[str, ...]:
        """Return the targets of a kill -9."""
        broker = ("rabbitmq",) if self._rabbitmq else ()
        return (*WEBS, *WORKERS, *SCHEDULERS, "postgres", BACKEND, "redis", "cache", *broker)

    @property
    def frozen(self) -> tuple[str, ...]:
        broker = "rabbitmq" if self._rabbitmq else "redis"
        return (*WORKERS, *WEBS, *SCHEDULERS, broker, "postgres", BACKEND)

    async def _start(self) -> None:
        give_if_kept(self.home)
        is_migrated = (self.home / "postgres" / "data").exists()
        archive = archive_in(self.home) if self._options.promotes else None
        options = LaunchOptions(self.home, _HOST, 0, variables={}, wal_archive=archive)
        self.services = await start_services(options, self._scratch, self._supervisor, self._console)
        if self._rabbitmq is not None:
            self._supervisor.start(self._rabbitmq.spec())
            await _until(self._rabbitmq.is_ready, "RabbitMQ")
            self.services["MAAS_BROKER_URL"] = self._rabbitmq.url
        if self._options.breaks or self._options.promotes:
            await self.wires.open(self.services)
        env = self._environment()
        self._write_services()
        if not is_migrated:
            migrate = ("migrate", "--database=owner", "--skip-checks", "--noinput", "-v0")
            await self._supervisor.run(children.manage("migrate", *migrate, env=env))
        if self._options.control:
            remove_outbox(self.services["MAAS_DATABASE_URL"])
        word = self.home / "world.json"
        make = f"from tests.chaos.world import make_world; make_world({str(word)!r})"
        # The usual lease is used. What is created here is not under test, and it stalls for seconds on a busy machine.
        unhurried = {name: text for name, text in env.items() if name != "MAAS_LEASE_S"}
        await self._supervisor.run(children.manage("world", "shell", "-v0", "-c", make, env=unhurried))
        self.world = read_map(word)
        if self._options.promotes:
            self.standby = Standby(self.home, self.services["MAAS_DATABASE_URL"], self._scratch, self._supervisor)
            await self.standby.start()
        for spec in self._product(env):
            self._supervisor.start(self._with_clock(spec))
        await self.until_ready(_START_S)

    def _write_services(self) -> None:
        """Let a person inspect a run that was kept: `manage.py` with this MAAS_HOME finds the services."""
        write_map(self.home / "run" / "services.json", self.services)

    def _environment(self) -> dict[str, str]:
        return {
            **without_product(os.environ),
            **keep_secrets(self.home),
            **self.services,
            **self.wires.urls,
            "PYTHONUNBUFFERED": "1",
            "MAAS_HOME": str(self.home),
            "MAAS_HOST": _HOST,
            "MAAS_LEASE_S": str(self._options.lease_s),
            "MAAS_WORKER_POOLS": MODEL,
            "MAAS_LOG_LEVEL": "INFO",
            "MAAS_EGRESS_LOOPBACK": "1",
        }

    def _product(self, env: Mapping[str, str]) -> Iterator[ChildSpec]:
        for name in WEBS:
            # Each of them is one process, since faults strike a process.
            own = {**env, "MAAS_PORT": str(self.ports[name]), "MAAS_WEB_PROCESSES": "1"}
            yield replace(children.web(own), name=name)
        for name in (*WORKERS, *SCHEDULERS):
            own = {**env, "MAAS_METRICS_PORT": str(self.ports[name])}
            yield children.manage(name, name.partition("-")[0], env=own)

    def _with_clock(self, spec: ChildSpec) -> ChildSpec:
        if self.clocks is None:
            return spec
        spec = replace(spec, env={**spec.env, **self.clocks.variables(spec.name)})
        self.clocks.shift(spec.name, first_shifts(self._options.seed, PROCESSES)[spec.name])
        return spec

    async def until_ready(self, timeout_s: float) -> None:
        """Wait until every process of the product reports that it is ready."""
        deadline = time.monotonic() + timeout_s
        for name, port in self.ports.items():
            while not (answer := await ask_ready(_HOST, port)).ready:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{name} is not ready after {timeout_s:g} s: {answer.missing}")
                await asyncio.sleep(_LOOK_EVERY_S)

    async def process(self, name: str) -> psutil.Process:
        """Return the process as soon as it runs. If it was just killed, wait for its restart."""
        while True:
            if (pid := self._supervisor.pid(self._database if name == "postgres" else name)) is not None:
                with suppress(psutil.Error):
                    return psutil.Process(pid)
            await asyncio.sleep(_LOOK_EVERY_S)

    async def kill(self, name: str) -> int:
        """Kill the process, and return its ID."""
        process = await self._backend() if name == BACKEND else await self.process(name)
        with suppress(psutil.Error):
            process.send_signal(signal.SIGKILL)
        return int(process.pid)

    async def _backend(self) -> psutil.Process:
        while True:
            with suppress(psutil.Error):
                family = (await self.process("postgres")).children()
                found = [one for one in family if "maas" in " ".join(one.cmdline())]
                if found:
                    return random.choice(found)
            await asyncio.sleep(_LOOK_EVERY_S)

    async def freeze(self, name: str) -> list[psutil.Process]:
        """Suspend a process and all its children. For PostgreSQL's connections, suspend one of them."""
        leader = await self._backend() if name == BACKEND else await self.process(name)
        frozen = [leader]
        with suppress(psutil.Error):
            frozen += leader.children(recursive=True)
        for process in frozen:
            with suppress(psutil.Error):
                process.suspend()
        return frozen

    async def promote(self) -> float:
        """Kill PostgreSQL for good, let its standby take over at the same address, and return the seconds between."""
        assert self.standby is not None
        line = self.wires.lines[TO_POSTGRES]
        await self.standby.until_in_sync()
        self.standby.fence_primary()
        await self.kill("postgres")
        killed_s = time.monotonic()
        line.lead(to_nowhere)
        self.services["MAAS_DATABASE_URL"] = await self.standby.promote()
        self._database = STANDBY
        self._write_services()
        line.lead(way_to(self.services["MAAS_DATABASE_URL"]))
        return time.monotonic() - killed_s

    def wipe(self) -> None:
        """Make the broker lose every message."""
        if self._rabbitmq is not None:
            self._rabbitmq.delete(f"infer.{MODEL}@1")
            return
        with redis.Redis.from_url(self.services["MAAS_REDIS_URL"], socket_timeout=2.0) as client:
            client.flushall()


def thaw(frozen: list[psutil.Process]) -> None:
    for process in frozen:
        with suppress(psutil.Error):
            process.resume()


def worker_name(pid: int) -> str:
    """Return the name that the worker writes on the pages that it takes."""
    return f"{socket.gethostname()}-{pid}"


async def _until(ready: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _START_S
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} does not answer after {_START_S:g} s")
        await asyncio.sleep(_LOOK_EVERY_S)
