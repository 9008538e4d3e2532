"""The process of edge mode: it loads its models, serves until it is told to stop, and stops within seconds."""

import asyncio
import contextlib
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import structlog
import uvloop
from granian.constants import Interfaces
from granian.server.embed import Server
from prometheus_client import generate_latest

from inference.core.contracts import Json
from inference.engine.engine import Engine, loads_of
from inference.runtime.metrics import LoadMeter
from jobs.documents.reader import DocumentReader
from maas.edge_mode.app import EdgeApp, EdgeLimits
from maas.edge_mode.authorizer import Authorizer
from maas.edge_mode.options import EdgeOptions
from maas.edge_mode.runs import CallSlots, Runs
from maas.edge_mode.served_models import ShelfModel
from maas.local.embedded.folders import private_folder
from maas.local.supervisor.ports import require_free
from maas.process.collector import settle_collector
from tenants.core.asgi.stopping import Stop


class EdgeMetrics:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._meter = LoadMeter()
        self._lock = threading.Lock()

    def text(self) -> bytes:
        with self._lock:
            self._meter.count(loads_of(self._engine))
        return generate_latest()


log = structlog.get_logger(__name__)
GRACE_S = 3.0
"""Seconds that calls in progress may take when the process is told to stop."""
LEAVE_S = 2.0
"""Seconds that responses may take after that to reach their callers."""
ABANDONED_S = 4 * 3600.0
"""The age at which a spooled file counts as abandoned. It is longer than any call takes to arrive and to be served."""
BACKLOG, CONNECTIONS = 1024, 1024


class OneProcess:
    """The process as one object. `run` returns, after a stop or a failed load, whether all models were loaded."""

    def __init__(
        self,
        options: EdgeOptions,
        models: Mapping[str, ShelfModel],
        runs: Runs,
        limits: EdgeLimits,
        home: Path,
        *,
        sandbox: Callable[[], Json],
    ) -> None:
        self._options = options
        self._models = models
        self._runs = runs
        self._stop = Stop()
        self._places = CallSlots(options.at_once)
        self._ready = self._leaving = self._failed = False
        self._ended = asyncio.Event()
        self.app = EdgeApp(
            models=models,
            runs=runs,
            places=self._places,
            authorizer=Authorizer(options.key, options.host),
            stop=self._stop,
            limits=limits,
            spool=_spool(home),
            metrics=EdgeMetrics(runs.engine).text,
            is_ready=lambda: self._ready and not self._leaving,
            is_leaving=lambda: self._leaving,
            sandbox=sandbox,
        )

    async def run(self) -> bool:
        require_free(self._options.host, self._options.port)
        self._hear_signals()
        server = Server(
            self.app,
            self._options.host,
            self._options.port,
            interface=Interfaces.ASGI,
            websockets=False,
            backlog=BACKLOG,
            backpressure=CONNECTIONS,
            log_enabled=False,
        )
        serving = asyncio.ensure_future(server.serve())
        threading.Thread(target=self._load, args=(asyncio.get_running_loop(),), daemon=True).start()
        ended = asyncio.ensure_future(self._ended.wait())
        await asyncio.wait({serving, ended}, return_when=asyncio.FIRST_COMPLETED)
        await self._leave()
        server.stop()  # type: ignore[no-untyped-call]
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(serving), LEAVE_S)
        return not self._failed

    def ask_to_stop(self) -> None:
        self._leaving = True
        self._ended.set()

    async def _leave(self) -> None:
        """Let calls go on for a few seconds, then end all of them so that the process can end."""
        self._leaving = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._places.wait_until_empty(), GRACE_S)
        self._stop.tell()

    def _hear_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.ask_to_stop)

    def _load(self, loop: asyncio.AbstractEventLoop) -> None:
        began_s = time.monotonic()
        for name, model in self._models.items():
            try:
                self._runs.engine.load(model.spec)
            except Exception as error:
                log.exception("edge_model_not_loaded", model=name, error=str(error))
                self._failed = True
                loop.call_soon_threadsafe(self.ask_to_stop)
                return
        self._ready = True
        log.info("edge_ready", models=",".join(self._models), seconds=round(time.monotonic() - began_s, 1))


def _spool(home: Path) -> Path:
    """Return the folder for documents in progress, and remove files that a killed process left in it."""
    folder = private_folder(home / "edge" / "spool")
    oldest_s = time.time() - ABANDONED_S
    for file in folder.iterdir():
        if file.stat().st_mtime < oldest_s:
            file.unlink(missing_ok=True)
    return folder


def serve(
    options: EdgeOptions,
    models: Mapping[str, ShelfModel],
    *,
    engine: Engine,
    reader: DocumentReader,
    limits: EdgeLimits,
    home: Path,
    sandbox: Callable[[], Json],
) -> bool:
    async def run() -> bool:
        return await OneProcess(options, models, Runs(engine, reader), limits, home, sandbox=sandbox).run()

    settle_collector()
    return uvloop.run(run())
