"""Keeps sandboxed children warm, lends each to a request at a time (see `sharing`), and replaces those that die."""

import itertools
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import structlog

from inference.core.calls import Call, own_call
from inference.core.errors import CallCanceled

from .child import Child
from .errors import ChildDied, ChildMisbehaved, LayersMissing, SandboxError, SandboxUnavailable
from .inside.channel import Json
from .isolation import Isolation, find_bubblewrap
from .program import ChildLimits, Program, RequestLimits
from .sharing import Request, UsedTime, look_again_in_s, next_request, request_to_end

log = structlog.get_logger(__name__)

Answer = TypeVar("Answer")

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0


@dataclass(frozen=True, slots=True)
class _Lent:
    child: Child
    request: Request
    call: Call
    """The request's own call. It ends with the caller's, or to free the child for a tenant that used less."""


class SandboxPool:
    """A pool of children. Neither its threads nor its children survive a fork of the process that created it."""

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
        """Starts the pool. Every child that lacks a layer of `needs` is refused, whenever it is started."""
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
        self._numbers = itertools.count()
        self._waiting: dict[int, Request] = {}
        self._lent: dict[int, _Lent] = {}
        self._used = UsedTime()
        self._isolation: Isolation | None = None
        self._last_failure: SandboxError | OSError | None = None
        self._closed = False
        # One thread starts all children and outlives them: the kernel kills a child when its starter ends.
        self._starter = threading.Thread(target=self._keep_children, name="sandbox-starter", daemon=True)
        self._starter.start()

    @property
    def isolation(self) -> Isolation | None:
        """Returns the layers that the last child reported, or None until a child has reported."""
        return self._isolation

    def pids(self) -> list[int]:
        with self._changed:
            return sorted(child.pid for child in self._alive)

    def wait_until_warm(self, wait_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: len(self._alive) == self._children, wait_s)

    def wait_until_usable(self, wait_s: float) -> None:
        """Return when a child is ready. It raises the reason if none is in time, and LayersMissing at once."""

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
        """Runs a request in a free child, and waits `wait_s` for a child. A canceled call ends the request and the
        wait.

        `accept` turns the untrusted answer into a checked one or raises ChildMisbehaved. A child that a request crashed
        or took over is replaced, because the request has seen the layout of its memory, and the next fork would have
        the same layout.

        Tenants share the children fairly, and `call` gives the tenant of the request. A slow request is ended if a
        tenant that used less waits for a child.

        Raises SandboxUnavailable if the request was not run or was ended for being slow. It says nothing about the
        request itself.
        """
        call = call or Call()
        with own_call(call) as own, self._child_for(wait_s, own) as child:
            try:
                return accept(child.ask(request, files, limits, own))
            except (ChildDied, ChildMisbehaved):
                child.kill()
                raise
            except CallCanceled:
                call.check()
                raise SandboxUnavailable("it is slow, and others waited") from None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._starter.join()
        for child in list(self._alive):
            self._retire(child)
        self._cwd.cleanup()

    @contextmanager
    def _child_for(self, wait_s: float, call: Call) -> Iterator[Child]:
        lent = self._take(wait_s, call)
        try:
            yield lent.child
        finally:
            self._take_back(lent)
            (self._give_back if lent.child.is_ready() else self._retire)(lent.child)

    def _take(self, wait_s: float, call: Call) -> _Lent:
        request = Request(next(self._numbers), call.tenant, time.monotonic())
        withdraw = call.on_cancel(self._look_again)
        try:
            return self._wait_for_child(request, wait_s, call)
        finally:
            withdraw()
            call.spent.add(child_wait_s=time.monotonic() - request.since_s)

    def _look_again(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _wait_for_child(self, request: Request, wait_s: float, call: Call) -> _Lent:
        deadline = request.since_s + wait_s
        if call.deadline_s is not None:
            deadline = min(deadline, call.deadline_s)
        with self._changed:
            self._waiting[request.number] = request
            try:
                while True:
                    call.check()
                    if self._closed:
                        raise SandboxUnavailable("the sandbox is closed")
                    now_s = time.monotonic()
                    child = self._idle_child_for(request, now_s)
                    if child is not None:
                        return self._lend(child, request, call, now_s)
                    if now_s >= deadline:
                        raise SandboxUnavailable(self._why_none(wait_s))
                    self._changed.wait(self._until_a_look(now_s, deadline))
            finally:
                del self._waiting[request.number]
                # Another request may be next now, and another child may be idle.
                self._changed.notify_all()

    def _idle_child_for(self, request: Request, now_s: float) -> Child | None:
        """Returns an idle child if this request is next. If not, it may end a slow request to free a child."""
        held = [lent.request for lent in self._lent.values()]
        used, waiting = self._used.of(held, now_s), self._waiting.values()
        while self._idle and next_request(waiting, used) is request:
            child = self._idle.popleft()
            if child.is_ready():
                return child
            self._retire(child)
        last = request_to_end(waiting, held, used, children=self._children, now_s=now_s)
        if last is not None:
            self._lent[last.number].call.cancel()
        return None

    def _until_a_look(self, now_s: float, deadline: float) -> float:
        held = [lent.request for lent in self._lent.values()]
        again_s = look_again_in_s(held, children=self._children, now_s=now_s)
        return min(deadline, now_s + again_s) - now_s

    def _lend(self, child: Child, request: Request, call: Call, now_s: float) -> _Lent:
        lent = self._lent[request.number] = _Lent(child, replace(request, since_s=now_s), call)
        return lent

    def _take_back(self, lent: _Lent) -> None:
        with self._changed:
            now_s = time.monotonic()
            del self._lent[lent.request.number]
            self._used.add(lent.request.tenant, now_s - lent.request.since_s, now_s)

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
            # All waiting threads are notified, because a single one may have been canceled and take no child.
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
                log.error("sandbox_child_not_started", error=str(error))
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
            log.info("sandbox_ready", isolation=child.isolation)
        with self._changed:
            self._isolation = child.isolation
            self._last_failure = None
            self._alive.add(child)
            self._idle.append(child)
            self._changed.notify_all()
