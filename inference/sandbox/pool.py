"""Keeps sandboxed children warm, lends each to one request at a time, and replaces what dies."""

import logging
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence, Set
from pathlib import Path
from typing import TypeVar

from inference.calls import Call

from .child import Child
from .errors import ChildDied, ChildMisbehaved, LayersMissing, SandboxError, SandboxUnavailable
from .inside.channel import Json
from .isolation import Isolation, find_bubblewrap
from .limits import ChildLimits, RequestLimits
from .program import Program

_log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0


class SandboxPool:
    """Make it in the process that uses it: neither its threads nor its children survive a fork."""

    def __init__(
        self,
        program: Program,
        limits: ChildLimits,
        *,
        children: int = 2,
        requests_per_child: int = 200,
        use_bubblewrap: bool = True,
        needs: Set[str] = frozenset(),
    ) -> None:
        """A child that lacks a layer of `needs` is refused, whenever it is started."""
        self._needs = needs
        self._program = program
        self._limits = limits
        self._children = children
        self._requests_per_child = requests_per_child
        self._bubblewrap = find_bubblewrap() if use_bubblewrap else None
        self._cwd = tempfile.TemporaryDirectory(prefix="sandbox-")
        self._changed = threading.Condition()
        self._idle: deque[Child] = deque()
        self._alive: set[Child] = set()
        self._isolation: Isolation | None = None
        self._last_failure: SandboxError | OSError | None = None
        self._closed = False
        # One thread starts all children and outlives them: the kernel kills a child when its starter ends.
        self._starter = threading.Thread(target=self._keep_children, name="sandbox-starter", daemon=True)
        self._starter.start()

    @property
    def isolation(self) -> Isolation | None:
        """What the last child reported to be in force; None until one has."""
        return self._isolation

    def pids(self) -> list[int]:
        with self._changed:
            return sorted(child.pid for child in self._alive)

    def wait_until_warm(self, wait_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: len(self._alive) == self._children, wait_s)

    def wait_until_usable(self, wait_s: float) -> None:
        """Return when a child is ready; raise with the reason where none is, LayersMissing at once."""

        def lacks_layers() -> bool:
            return isinstance(self._last_failure, LayersMissing)

        with self._changed:
            self._changed.wait_for(lambda: self._alive or lacks_layers(), wait_s)
            if self._last_failure is not None and (lacks_layers() or not self._alive):
                raise self._last_failure
            if not self._alive:
                raise SandboxUnavailable(f"no sandboxed child was ready within {wait_s:g} s")

    def ask(
        self,
        request: Json,
        files: Sequence[int] = (),
        *,
        accept: Callable[[Json], Answer],
        limits: RequestLimits,
        wait_s: float,
        call: Call | None = None,
    ) -> Answer:
        """Runs a request in a free child; waits `wait_s` for one. A canceled call ends both, and the child.

        `accept` turns the untrusted answer into a checked one or raises ChildMisbehaved. A child that a
        request crashed or took over is replaced: the request has seen where everything lies in its memory,
        and the next fork would have it all in the same place.
        """
        call = call or Call()
        child = self._take(wait_s, call)
        try:
            return accept(child.ask(request, files, limits, call))
        except (ChildDied, ChildMisbehaved):
            child.kill()
            raise
        finally:
            (self._give_back if child.is_ready() else self._retire)(child)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._starter.join()
        for child in list(self._alive):
            self._retire(child)
        self._cwd.cleanup()

    def _take(self, wait_s: float, call: Call) -> Child:
        withdraw = call.on_cancel(self._look_again)
        try:
            return self._wait_for_child(wait_s, call)
        finally:
            withdraw()

    def _look_again(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _wait_for_child(self, wait_s: float, call: Call) -> Child:
        deadline = time.monotonic() + wait_s
        if call.deadline_s is not None:
            deadline = min(deadline, call.deadline_s)
        while True:
            with self._changed:
                ready = self._changed.wait_for(
                    lambda: self._closed or call.canceled or self._idle, deadline - time.monotonic()
                )
                call.check()
                if self._closed:
                    raise SandboxUnavailable("the sandbox is closed")
                if not ready:
                    raise SandboxUnavailable(self._why_none(wait_s))
                child = self._idle.popleft()
            if child.is_ready():
                return child
            self._retire(child)

    def _why_none(self, wait_s: float) -> str:
        if self._alive or self._last_failure is None:
            return f"all {self._children} children were busy for {wait_s} s"
        return f"no child can be started: {self._last_failure}"

    def _give_back(self, child: Child) -> None:
        if child.served >= self._requests_per_child:
            self._retire(child)
            return
        with self._changed:
            self._idle.append(child)
            # All of them: the one that is woken may have been canceled, and take no child.
            self._changed.notify_all()

    def _retire(self, child: Child) -> None:
        child.kill()
        with self._changed:
            self._alive.discard(child)
            self._changed.notify_all()

    def _keep_children(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while self._wait_for_vacancy():
            try:
                cwd = Path(self._cwd.name)
                child = Child(self._program, self._limits, self._bubblewrap, cwd, self._needs)
            except (SandboxError, OSError) as error:
                _log.error("a sandboxed child could not be started: %s", error)
                self._fail(error)
                self._pause(pause_s)
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
                continue
            pause_s = _FIRST_PAUSE_S
            self._admit(child)

    def _wait_for_vacancy(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._alive) < self._children)
            return not self._closed

    def _fail(self, error: SandboxError | OSError) -> None:
        with self._changed:
            self._last_failure = error
            if isinstance(error, LayersMissing):
                self._isolation = error.isolation
            self._changed.notify_all()

    def _pause(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed, seconds)

    def _admit(self, child: Child) -> None:
        if child.isolation != self._isolation:
            _log.info("hostile input is opened in child processes under: %s", child.isolation)
        with self._changed:
            self._isolation = child.isolation
            self._last_failure = None
            self._alive.add(child)
            self._idle.append(child)
            self._changed.notify_all()
