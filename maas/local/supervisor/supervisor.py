"""Keeps children running until it is told to stop, then stops them in order."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from maas.local.supervisor import processes
from maas.local.supervisor.children import ChildSpec, StopPhase, spawn
from maas.local.supervisor.console import Console, LineSplitter
from maas.local.supervisor.policy import RestartPolicy, after_exit
from maas.process.errors import ChildKeepsFailing, StepFailed

FAILURES_BEFORE_GIVING_UP = 3
KILL_GRACE_S = 0.3
_ORPHAN_ROUNDS = 10


@dataclass(slots=True)
class _Running:
    spec: ChildSpec
    process: subprocess.Popen[bytes]
    output: int
    restarts: bool
    started: float = field(default_factory=time.monotonic)
    lines: LineSplitter = field(default_factory=LineSplitter)
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Supervisor:
    """The supervisor that applies the restart policy. It owns the processes, pipes and timers of one event loop."""

    def __init__(self, console: Console, policy: RestartPolicy | None = None) -> None:
        self._console = console
        self._policy = policy or RestartPolicy()
        self._running: dict[str, _Running] = {}
        self._failures: dict[str, int] = {}
        self._pending: dict[str, asyncio.TimerHandle] = {}
        self._stopping = False

    async def __aenter__(self) -> Self:
        processes.adopt_orphans(True)
        self._unknown_callers = {stat.pid for stat in processes.children_of(os.getpid())}
        self._loop = asyncio.get_running_loop()
        self._loop.add_signal_handler(signal.SIGCHLD, self._reap)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
        self._loop.remove_signal_handler(signal.SIGCHLD)
        processes.adopt_orphans(False)

    def start(self, spec: ChildSpec) -> None:
        """Run `spec` from now on, and start it again whenever it ends."""
        self._spawn(spec, restarts=True)

    async def run(self, spec: ChildSpec) -> None:
        """Run `spec` once until it ends. Raises StepFailed."""
        child = self._spawn(spec, restarts=False)
        await child.ended.wait()
        if child.process.returncode != 0:
            raise StepFailed(f"{spec.name} {_describe_end(child.process.returncode)}; its last lines are above")

    def pid(self, name: str) -> int | None:
        child = self._running.get(name)
        return None if child is None else child.process.pid

    def require_alive(self, name: str) -> None:
        """Raise ChildKeepsFailing if a child cannot stay up, so that the caller does not keep waiting for it."""
        if self._failures.get(name, 0) >= FAILURES_BEFORE_GIVING_UP:
            raise ChildKeepsFailing(f"{name} ended {self._failures[name]} times in a row; its last lines are above")

    async def stop(self) -> None:
        """Stop everything: first the processes that serve, then the queue, then the database."""
        self._stopping = True
        for timer in self._pending.values():
            timer.cancel()
        for phase in StopPhase:
            await self._stop_phase([child for child in self._running.values() if child.spec.stop_phase is phase], phase)
        await self._end_orphans()

    def kill(self) -> None:
        """Kill every child at once, without an orderly stop."""
        for child in self._running.values():
            processes.signal_group(child.process.pid, signal.SIGKILL)

    async def _end_orphans(self) -> None:
        """Kill processes that left their parent's group. Each round may make this process their children's parent."""
        for _ in range(_ORPHAN_ROUNDS):
            orphans = self._orphans()
            if not orphans:
                return
            for orphan in orphans:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(orphan.pid, signal.SIGKILL)
            await asyncio.sleep(0.02)
            self._reap()

    async def _stop_phase(self, children: list[_Running], phase: StopPhase) -> None:
        if not children:
            return
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                child.process.send_signal(child.spec.stop_signal)
        waits = [asyncio.ensure_future(child.ended.wait()) for child in children]
        _, late = await asyncio.wait(waits, timeout=phase.value)
        if not late:
            return
        for child in children:
            if not child.ended.is_set():
                self._console.say(f"{child.spec.name} did not stop within {phase.value:g} s: killed")
                processes.signal_group(child.process.pid, signal.SIGKILL)
        await asyncio.wait(late, timeout=KILL_GRACE_S)

    def _spawn(self, spec: ChildSpec, *, restarts: bool) -> _Running:
        self._pending.pop(spec.name, None)
        read_end, write_end = os.pipe()
        os.set_blocking(read_end, False)
        try:
            process = spawn(spec, write_end)
        except (OSError, subprocess.SubprocessError) as error:
            os.close(read_end)
            raise StepFailed(f"{spec.name} cannot be started: {error}") from error
        finally:
            os.close(write_end)
        child = _Running(spec, process, read_end, restarts)
        self._running[spec.name] = child
        self._loop.add_reader(read_end, self._read, child)
        return child

    def _read(self, child: _Running) -> None:
        try:
            chunk = os.read(child.output, 65536)
        except BlockingIOError:
            return
        self._show(child, child.lines.feed(chunk))
        if not chunk:
            self._loop.remove_reader(child.output)

    def _show(self, child: _Running, lines: list[str]) -> None:
        for line in lines:
            if child.spec.chatter is None or not child.spec.chatter.search(line):
                self._console.line(child.spec.name, line)

    def _reap(self) -> None:
        """Handle children that have ended, and reap ended orphans that this process inherited."""
        for child in list(self._running.values()):
            # The group is killed before its leader is reaped. Until then no other process can have the same ID.
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if os.waitid(os.P_PID, child.process.pid, options) is not None:
                processes.signal_group(child.process.pid, signal.SIGKILL)
                child.process.wait()
                self._after_end(child)
        for orphan in self._orphans():
            if orphan.state == "Z":
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(orphan.pid, os.WNOHANG)

    def _orphans(self) -> list[processes.ProcessStat]:
        """Return the children that this process inherited, without those started here or elsewhere."""
        known_pids = self._unknown_callers | {child.process.pid for child in self._running.values()}
        return [stat for stat in processes.children_of(os.getpid()) if stat.pid not in known_pids]

    def _after_end(self, child: _Running) -> None:
        self._drain(child)
        del self._running[child.spec.name]
        child.ended.set()
        if child.restarts and not self._stopping:
            ran_s = time.monotonic() - child.started
            what = f"{child.spec.name} (process {child.process.pid}) {_describe_end(child.process.returncode)}"
            self._schedule_restart(child.spec, f"{what} after {ran_s:.1f} s", ran_s)

    def _drain(self, child: _Running) -> None:
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(child.output, 65536):
                self._show(child, child.lines.feed(chunk))
        self._show(child, child.lines.finish())
        self._loop.remove_reader(child.output)
        os.close(child.output)

    def _schedule_restart(self, spec: ChildSpec, what_happened: str, ran_s: float) -> None:
        restart = after_exit(self._policy, self._failures.get(spec.name, 0), ran_s)
        self._failures[spec.name] = restart.failures
        self._console.say(f"{what_happened}; starting it again in {restart.delay_s:g} s")
        self._pending[spec.name] = self._loop.call_later(restart.delay_s, self._restart, spec)

    def _restart(self, spec: ChildSpec) -> None:
        try:
            child = self._spawn(spec, restarts=True)
        except StepFailed as error:
            self._schedule_restart(spec, str(error), ran_s=0)
        else:
            self._console.say(f"{spec.name} is started again (process {child.process.pid})")


def _describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit status {code}"
