"""Forks web processes from a process that has imported everything, replaces those that end or all of them, and stops
them all.
"""

import os
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog

from maas.local.supervisor.policy import RestartPolicy, after_exit
from maas.local.supervisor.processes import die_with_parent

log = structlog.get_logger(__name__)
STOPS = frozenset({signal.SIGTERM, signal.SIGINT})
RENEWS = signal.SIGHUP
"""To the group: replace all processes. To a process: end as soon as its requests have ended."""
SERVES = signal.SIGUSR1
"""The signal of a process to the group as soon as it serves."""
SIGNALS = STOPS | {RENEWS, SERVES, signal.SIGCHLD}
POLICY = RestartPolicy(first_delay_s=0.1, longest_delay_s=10.0, healthy_after_s=5.0)


@dataclass(slots=True)
class _Place:
    """The place of one process in the group, which keeps its number when it is replaced."""

    number: int
    starts_at_s: float = 0.0
    started_s: float = 0.0
    failures: int = 0


class ProcessGroup:
    """The parent of the web processes. It has one thread and no connections, and sleeps until a signal arrives."""

    def __init__(
        self,
        serve: Callable[[int], int],
        close: Callable[[], None],
        renew: Callable[[Iterable[int]], None],
        *,
        processes: int,
        stop_within_s: float,
        replaced: Iterable[int] = (),
    ) -> None:
        """`serve` runs in a forked process, with its number, and returns its exit status. `close` is called in the
        parent when the group is told to stop. `renew` starts the parent's program anew in the same process, with the
        IDs of the running ones, which that program is given as `replaced`. It returns only if that is not possible.
        """
        self._serve = serve
        self._close = close
        self._renew_with = renew
        self._replaced = set(replaced)
        self._stop_within_s = stop_within_s
        self._waiting = [_Place(number) for number in range(processes)]
        self._running: dict[int, _Place] = {}
        self._kills_at_s: float | None = None
        self._kills_replaced_at_s: float | None = None
        self._status = 0

    def run(self) -> int:
        """Run the group until a signal has stopped it, or no process can start. Returns the exit status."""
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        while self._running or self._waiting or self._replaced:
            self._start_due()
            received = signal.sigtimedwait(SIGNALS, self._idle_s())
            if received is not None:
                self._hear(received.si_signo)
            self._reap()
            self._kill_late()
        return self._status

    def _hear(self, number: int) -> None:
        if number in STOPS:
            self._stop(number)
        elif number == SERVES and self._replaced:
            self._kills_replaced_at_s = self._kills_replaced_at_s or time.monotonic() + self._stop_within_s
            for pid in self._replaced:
                os.kill(pid, RENEWS)
        elif number == RENEWS and self._kills_at_s is None and not self._replaced:
            self._renew_with(self._running)

    def _idle_s(self) -> float:
        times = [place.starts_at_s for place in self._waiting]
        if self._replaced and self._kills_replaced_at_s is not None:
            times.append(self._kills_replaced_at_s)
        if self._kills_at_s is not None:
            times.append(self._kills_at_s)
        return max(0.0, min(times) - time.monotonic()) if times else 3600.0

    def _start_due(self) -> None:
        now_s = time.monotonic()
        for place in [place for place in self._waiting if place.starts_at_s <= now_s]:
            self._waiting.remove(place)
            place.started_s = now_s
            self._running[self._fork(place.number)] = place

    def _fork(self, number: int) -> int:
        parent = os.getpid()
        pid = os.fork()
        if pid:
            return pid
        die_with_parent(parent, signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        raise SystemExit(self._serve(number))

    def _reap(self) -> None:
        while self._running or self._replaced:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._replaced.discard(pid)
            place = self._running.pop(pid, None)
            if place is not None and self._kills_at_s is None:
                self._replace(place, pid, os.waitstatus_to_exitcode(status))

    def _replace(self, place: _Place, pid: int, code: int) -> None:
        if code > 0 and not self._running and not self._replaced:
            # The application cannot start. The parent's supervisor waits longer each time.
            self._status = code
            self._waiting.clear()
            return
        now_s = time.monotonic()
        restart = after_exit(POLICY, place.failures, now_s - place.started_s)
        log.warning("web_process_ended", process=place.number, pid=pid, status=code, next_in_s=restart.delay_s)
        self._waiting.append(_Place(place.number, starts_at_s=now_s + restart.delay_s, failures=restart.failures))

    def _stop(self, number: int) -> None:
        """Pass on the signal. Each further signal hurries the processes, and is passed on too."""
        if self._kills_at_s is None:
            self._kills_at_s = time.monotonic() + self._stop_within_s
            self._waiting.clear()
            self._close()
        for pid in self._all():
            os.kill(pid, number)

    def _kill_late(self) -> None:
        now_s = time.monotonic()
        if self._kills_replaced_at_s is not None and now_s >= self._kills_replaced_at_s:
            self._kills_replaced_at_s = now_s + self._stop_within_s
            self._kill(self._replaced)
        if self._kills_at_s is not None and now_s >= self._kills_at_s:
            self._kills_at_s = now_s + self._stop_within_s
            self._kill(self._all())

    def _kill(self, pids: Iterable[int]) -> None:
        for pid in pids:
            log.warning("web_process_killed", pid=pid, after_s=self._stop_within_s)
            os.kill(pid, signal.SIGKILL)

    def _all(self) -> set[int]:
        return {*self._running, *self._replaced}
