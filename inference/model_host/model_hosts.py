"""Starts the hosts of models from a warm template, and pauses models whose hosts die again and again."""

import tempfile
import threading
from collections.abc import Callable, Set
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

import structlog

from inference.core.errors import ModelFailed
from inference.sandbox import ChildLimits, LayersMissing, Program, SandboxError, SandboxUnavailable
from inference.sandbox.fork_keeper import ForkKeeper, KeptFork
from inference.sandbox.isolation import find_bubblewrap

from .deaths import Deaths
from .errors import UNAVAILABLE, HostDied, ModelPaused, shown_name
from .host_process import HostProcess
from .host_program import HOST_PROGRAM
from .limits import HOST_NEEDS, HostLimits

log = structlog.get_logger(__name__)

OnPaused = Callable[[str, str, str], None]
"""A function that gets the path and the name of a paused model, and the reason of its last death."""
StaysPaused = Callable[[str], bool]
"""A function that gets the name of a paused model and returns whether it is still paused for everybody."""

_MAX_FILE_BYTES = 1 << 30
_OPEN_FILES = 32


class ModelHosts:
    """The hosts of a worker. Any thread may use it. Neither it nor its hosts survive a fork of this process."""

    def __init__(
        self,
        limits: HostLimits | None = None,
        *,
        use_bubblewrap: bool = True,
        needs: Set[str] = HOST_NEEDS,
        program: Program = HOST_PROGRAM,
    ) -> None:
        """Set it up without starting a process."""
        self._program = program
        self.limits = limits or HostLimits()
        self._use_bubblewrap = use_bubblewrap
        self._needs = needs
        self._keeper: ForkKeeper | None = None
        self._starting = threading.Lock()
        self._deaths: dict[str, Deaths] = {}
        self._counting = threading.Lock()
        self._paused: set[str] = set()
        """The paths whose pause every listener has noted."""
        self._listeners: list[OnPaused] = []
        self._stays_paused: StaysPaused = lambda _name: True

    def start(self, name: str) -> HostProcess:
        """Return a new host without a model. Raises ModelFailed if this machine cannot confine one."""
        try:
            with self._starting:
                return HostProcess(self._fork(), name, self.limits)
        except LayersMissing as error:
            missing = "; ".join(f"{layer}: {why}" for layer, why in error.isolation.lacking(self._needs).items())
            raise ModelFailed(
                UNAVAILABLE, f"{shown_name(name)} cannot be isolated on this machine ({missing})"
            ) from error
        except (SandboxError, OSError) as error:
            log.error("model_host_not_started", model=name, error=str(error))
            detail = f"{shown_name(name)}: no process could be started for it: {error}"
            raise ModelFailed("model_load_failed", detail, retryable=True) from error

    def check(self, path: str, name: str) -> bool:
        """Raise ModelPaused if the hosts of this model died too often in a row, unless it was resumed meanwhile.

        Return whether its pause has just ended.
        """
        deaths = self._deaths.get(path)
        if deaths is None or not deaths.too_many:
            return False
        if path not in self._paused or self._stays_paused(name):
            raise ModelPaused(name, deaths.reason)
        self.resume(path)
        log.info("model_resumed", model=name)
        return True

    def succeeded(self, path: str) -> None:
        if path in self._deaths:
            with self._counting:
                self._deaths.pop(path, None)

    def died(self, path: str, name: str, error: HostDied, *, alone: bool) -> None:
        """Count a death. `alone` says that the run was for a single caller, or that it was the load."""
        with self._counting:
            before = self._deaths.get(path, Deaths())
            after = self._deaths[path] = before.after(error.detail, alone=alone)
        log.warning("model_host_died", model=name, code=error.code, error=error.detail, in_a_row=after.together)
        if after.too_many and not before.too_many:
            log.error("model_paused", model=name, reason=error.detail)
            self._tell(path, name, error.detail)
            self._paused.add(path)

    def resume(self, path: str) -> None:
        """Let a paused model run again."""
        with self._counting:
            self._deaths.pop(path, None)
            self._paused.discard(path)

    def on_paused(self, listener: OnPaused) -> None:
        """Subscribe to pauses. The listener is called in the thread of the run that was the last straw."""
        self._listeners.append(listener)

    def pause_while(self, stays_paused: StaysPaused) -> None:
        """Ask before a call of a paused model is refused, so that it can be resumed outside of this process."""
        self._stays_paused = stays_paused

    def close(self) -> None:
        """Make no more hosts. Those that there are end with their sessions."""
        with self._starting:
            if self._keeper is not None:
                self._keeper.retire()
                self._keeper = None
        self._starter.shutdown(wait=False)

    def _fork(self) -> KeptFork:
        if self._keeper is not None and self._keeper.can_fork:
            try:
                return self._keeper.fork(self.limits.memory_bytes)
            except SandboxUnavailable as error:
                log.warning("model_host_template_lost", error=str(error))
        self._keeper = self._starter.submit(self._start_keeper).result()
        return self._keeper.fork(self.limits.memory_bytes)

    @cached_property
    def _starter(self) -> ThreadPoolExecutor:
        # One thread starts all templates and outlives them: the kernel kills a template when its starter ends.
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix="model-hosts")

    @cached_property
    def _cwd(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="model-hosts-")

    def _start_keeper(self) -> ForkKeeper:
        limits = ChildLimits(memory_bytes=self.limits.memory_bytes, file_bytes=_MAX_FILE_BYTES, open_files=_OPEN_FILES)
        bubblewrap = find_bubblewrap() if self._use_bubblewrap else None
        keeper = ForkKeeper(self._program, limits, bubblewrap, Path(self._cwd.name), self._needs, nice=self.limits.nice)
        log.info("model_hosts_ready", isolation=keeper.isolation)
        return keeper

    def _tell(self, path: str, name: str, reason: str) -> None:
        for listener in self._listeners:
            try:
                listener(path, name, reason)
            except Exception:
                log.exception("model_paused_listener_failed", model=name)
