"""The embedded services that no URL replaces: prepared, started, and waited for."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from maas.embedded.folders import ScratchFolders
from maas.embedded.postgres import PostgresServer
from maas.embedded.redis import RedisRole, RedisServer
from maas.launch.options import LaunchOptions
from maas.supervisor.children import ChildSpec
from maas.supervisor.console import Console, progress
from maas.supervisor.supervisor import Supervisor

_LOOK_EVERY_S = 0.05


class EmbeddedServer(Protocol):
    """What PostgreSQL and Redis have in common here."""

    @property
    def url(self) -> str: ...
    def prepare(self) -> ChildSpec: ...
    def is_ready(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Service:
    variable: str
    title: str
    make: Callable[[Path, ScratchFolders], EmbeddedServer]


_SERVICES = (
    _Service("MAAS_DATABASE_URL", "PostgreSQL", PostgresServer),
    _Service("MAAS_REDIS_URL", "Redis", lambda home, scratch: RedisServer(home, RedisRole.DURABLE, scratch)),
    _Service("MAAS_CACHE_URL", "cache", lambda home, scratch: RedisServer(home, RedisRole.CACHE, scratch)),
)


async def start_services(
    options: LaunchOptions, scratch: ScratchFolders, supervisor: Supervisor, console: Console
) -> dict[str, str]:
    """Start what is needed and return the URLs to find it at, by variable."""
    urls = {}
    for service in _SERVICES:
        if options.replaces(service.variable):
            continue
        async with progress(console, f"starting {service.title}"):
            # Let the first line appear before initdb holds the loop for a moment.
            await asyncio.sleep(0)
            server = service.make(options.home, scratch)
            await _start(server, supervisor)
        urls[service.variable] = server.url
    return urls


async def _start(server: EmbeddedServer, supervisor: Supervisor) -> None:
    spec = server.prepare()
    supervisor.start(spec)
    while not server.is_ready():
        supervisor.require_alive(spec.name)
        await asyncio.sleep(_LOOK_EVERY_S)
    if isinstance(server, PostgresServer):
        server.provision()
