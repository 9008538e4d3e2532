"""Takes an empty folder to a running product in order, and stops it again."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine

from maas.local.embedded.folders import ScratchFolders, private_folder
from maas.local.launch import children
from maas.local.launch.options import LaunchOptions
from maas.local.launch.prepared import fingerprint, is_prepared, note_prepared
from maas.local.launch.readiness import ask_ready, welcome
from maas.local.launch.services import start_services
from maas.local.launch.state_files import keep_secrets, read_env_file, write_map
from maas.local.supervisor.console import Console, progress
from maas.local.supervisor.ports import free_port, require_free
from maas.local.supervisor.processes import HomeLock
from maas.local.supervisor.supervisor import Supervisor

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LOOPBACK = "127.0.0.1"
_LOOK_EVERY_S = 0.2
_ECHO_S = 1.0


async def launch(options: LaunchOptions, console: Console) -> None:
    """Run the product until a signal tells it to stop. The state folder is locked for this process meanwhile."""
    os.umask(0o077)
    run = private_folder(private_folder(options.home) / "run")
    lock = HomeLock(run / "lock")
    scratch = ScratchFolders(run / "scratch.json")
    try:
        require_free(options.host, options.port)
        if options.grpc_port:
            require_free(options.host, options.grpc_port, "MAAS_GRPC_PORT")
        async with Supervisor(console) as supervisor:
            work = _Launch(options, console, supervisor, scratch).run()
            await _until_signalled(work, console, on_impatience=supervisor.kill)
        console.say("stopped")
    finally:
        (run / "services.json").unlink(missing_ok=True)
        scratch.remove_all()
        lock.release()


async def _until_signalled(
    work: Coroutine[None, None, None], console: Console, *, on_impatience: Callable[[], None]
) -> None:
    """Run `work` until it fails or a signal arrives. A second Ctrl-C does not wait for an orderly stop.

    A single request to stop may arrive twice: to the whole process group, and again through make. That does not count
    as a second Ctrl-C.
    """
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    requested_at: list[float] = []

    def stop(number: int) -> None:
        if not requested_at:
            console.say("stopping; Ctrl-C once more to stop at once")
            requested_at.append(loop.time())
            task.cancel()
        elif number == signal.SIGINT and loop.time() - requested_at[0] > _ECHO_S:
            on_impatience()

    for number in _STOP_SIGNALS:
        # Under nohup, a closed terminal must be ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop, number)
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()


class _Launch:
    """A single launch. The supervisor outlives it and stops the processes that it started."""

    def __init__(
        self, options: LaunchOptions, console: Console, supervisor: Supervisor, scratch: ScratchFolders
    ) -> None:
        self._options = options
        self._console = console
        self._supervisor = supervisor
        self._scratch = scratch
        self._metrics_ports = {name: free_port() for name in ("worker", "scheduler")}

    async def run(self) -> None:
        started = time.monotonic()
        secrets = keep_secrets(self._options.home)
        urls = await start_services(self._options, self._scratch, self._supervisor, self._console)
        env = self._environment(secrets | urls)
        await self._fetch_languages(env)
        await self._prepare(env)
        self._start_serving(env)
        self._announce(urls)
        await self._wait_until_ready()
        self._console.say(f"ready after {time.monotonic() - started:.1f} s")
        for line in self._welcome():
            self._console.plain(line)
        await asyncio.Event().wait()

    def _environment(self, found: dict[str, str]) -> dict[str, str]:
        """Return the processes' variables: generated ones, then the caller's, then the home folder, host and port."""
        given = {name: value for name, value in self._options.variables.items() if value}
        address = {
            "MAAS_HOME": str(self._options.home),
            "MAAS_HOST": self._options.host,
            "MAAS_PORT": str(self._options.port),
        }
        return {"PYTHONUNBUFFERED": "1", **found, **given, **address}

    async def _prepare(self, env: dict[str, str]) -> None:
        """Run the steps that precede serving, unless the database was already prepared by exactly these."""
        expected = fingerprint(env, secret=env["MAAS_SECRET_KEY"])
        files = (self._options.home / name for name in ("demo.env", "sample.pdf"))
        if all(file.exists() for file in files) and is_prepared(env["MAAS_DATABASE_URL"], expected):
            return
        migrate = ("migrate", "--database=owner", "--skip-checks", "--noinput", "-v0")
        await self._step("preparing the database", *migrate, env=env)
        await self._step("preparing models and the demo tenant", "seed", env=env)
        note_prepared(env["MAAS_DATABASE_URL"], expected)

    async def _fetch_languages(self, env: dict[str, str]) -> None:
        if self._options.ocr_languages:
            async with progress(self._console, "fetching language data"):
                await self._supervisor.run(children.languages(env))

    async def _step(self, what: str, *arguments: str, env: dict[str, str]) -> None:
        async with progress(self._console, what):
            await self._supervisor.run(children.manage(arguments[0], *arguments, env=env))

    def _start_serving(self, env: dict[str, str]) -> None:
        self._supervisor.start(children.web(env))
        for name, port in self._metrics_ports.items():
            own = env | children.STOPS | {"MAAS_METRICS_PORT": str(port), "MAAS_HOST": _LOOPBACK}
            self._supervisor.start(children.manage(name, name, env=own))

    def _announce(self, urls: dict[str, str]) -> None:
        """Write the addresses for other commands of this MAAS_HOME (`maas.settings.env` reads them) and for metrics
        scrapers.

        The variables given to this process are written as well. A command that lacked them would work on another
        database.
        """
        given = {name: value for name, value in self._options.variables.items() if name.startswith("MAAS_") and value}
        addresses = {f"MAAS_{name.upper()}_METRICS_URL": url for name, url in self._metrics_urls().items()}
        address = {"MAAS_HOST": self._options.host, "MAAS_PORT": str(self._options.port)}
        write_map(self._options.home / "run" / "services.json", urls | given | address | addresses)

    def _metrics_urls(self) -> dict[str, str]:
        return {name: f"http://{_LOOPBACK}:{port}/metrics" for name, port in self._metrics_ports.items()}

    async def _wait_until_ready(self) -> None:
        web_host = self._options.url.partition("://")[2].rpartition(":")[0].strip("[]")
        addresses = {"web": (web_host, self._options.port)}
        addresses |= {name: (_LOOPBACK, port) for name, port in self._metrics_ports.items()}
        async with progress(self._console, "waiting until everything is ready"):
            for name, (host, port) in addresses.items():
                await self._wait_until_one_is_ready(name, host, port)

    async def _wait_until_one_is_ready(self, name: str, host: str, port: int) -> None:
        reported = ""
        while not (answer := await ask_ready(host, port)).ready:
            if answer.missing not in {"", reported}:
                reported = answer.missing
                self._console.say(f"{name} is not ready yet: {reported}")
            for child in ("web", *self._metrics_ports):
                self._supervisor.require_alive(child)
            await asyncio.sleep(_LOOK_EVERY_S)

    def _welcome(self) -> list[str]:
        demo = read_env_file(self._options.home / "demo.env")
        return welcome(self._options.url, self._options.home, demo, self._metrics_urls())
