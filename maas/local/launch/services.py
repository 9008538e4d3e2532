"""Prepares and starts the embedded services that no URL replaces, and waits for them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from maas.local.embedded.folders import ScratchFolders
from maas.local.embedded.postgres import PostgresServer
from maas.local.embedded.redis import RedisRole, RedisServer
from maas.local.launch.options import LaunchOptions
from maas.local.supervisor.children import ChildSpec
from maas.local.supervisor.console import Console, progress
from maas.local.supervisor.supervisor import Supervisor

_LOOK_EVERY_S = 0.05


class EmbeddedServer(Protocol):
    @property
    def url(self) -> str: ...
    def prepare(self) -> ChildSpec: ...
    def is_ready(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Service:
    variable: str
    title: str
    make: Callable[[LaunchOptions, ScratchFolders], EmbeddedServer]


def _postgres(options: LaunchOptions, scratch: ScratchFolders) -> PostgresServer:
    return PostgresServer(options.home, scratch, archive=options.wal_archive)


_SERVICES = (
    _Service("MAAS_DATABASE_URL", "PostgreSQL", _postgres),
    _Service(
        "MAAS_REDIS_URL", "Valkey", lambda options, scratch: RedisServer(options.home, RedisRole.DURABLE, scratch)
    ),
    _Service("MAAS_CACHE_URL", "cache", lambda options, scratch: RedisServer(options.home, RedisRole.CACHE, scratch)),
)


async def start_services(
    options: LaunchOptions, scratch: ScratchFolders, supervisor: Supervisor, console: Console
) -> dict[str, str]:
    """Start the needed services at the same time, and return their URLs by variable."""
    needed = [service for service in _SERVICES if not options.replaces(service.variable)]
    try:
        async with asyncio.TaskGroup() as group:
            starts = {
                service.variable: group.create_task(_start(service, options, scratch, supervisor, console))
                for service in needed
            }
    except ExceptionGroup as failed:
        # The other starts are canceled, and the error of the first failure is raised.
        raise failed.exceptions[0] from None
    return {variable: start.result() for variable, start in starts.items()}


async def _start(
    service: _Service, options: LaunchOptions, scratch: ScratchFolders, supervisor: Supervisor, console: Console
) -> str:
    async with progress(console, f"starting {service.title}"):
        # Let the first text line appear before initdb blocks the loop for a moment.
        await asyncio.sleep(0)
        server = service.make(options, scratch)
        spec = server.prepare()
        supervisor.start(spec)
        while not server.is_ready():
            supervisor.require_alive(spec.name)
            await asyncio.sleep(_LOOK_EVERY_S)
        if isinstance(server, PostgresServer):
            server.provision()
        return server.url
