"""The heartbeat of this worker: it reports every second, and at once after a change, what the worker holds and does."""

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import structlog

from inference.workers.heartbeats import BEAT_S, Beat, Heartbeat, HeldModel, WorkerReport
from inference.workers.placement.loader import Loader
from inference.workers.placement.page_counts import QueueTally
from inference.workers.placement.resident_models import Shelf

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PagesNow:
    held: int
    done: int


class HeartbeatSender:
    """A thread that sends the worker's heartbeat. It is separate, so that an unresponsive database does not make a
    live worker look dead.
    """

    def __init__(
        self,
        heartbeat: Heartbeat,
        *,
        shelf: Shelf,
        loader: Loader,
        tally: QueueTally,
        pools: frozenset[str],
        pages: Callable[[], PagesNow],
        on_order: Callable[[], None] = lambda: None,
    ) -> None:
        self.draining = False
        self.serving: frozenset[str] = frozenset()
        self._heartbeat = heartbeat
        self._shelf, self._loader, self._tally = shelf, loader, tally
        self._pools = tuple(sorted(pools))
        self._pages = pages
        self._on_order = on_order
        self._looked_s: float | None = None
        self._said_stuck = False
        self._leaves = False
        self._held_since_s: dict[str, float] = {}
        self._lock = threading.Lock()
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self.beat()
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._due.set()
        self._thread.join(timeout=5)
        self._heartbeat.end()

    def leave(self) -> None:
        """Report from now on that the worker drains, because it is about to end."""
        self._leaves = self.draining = True
        self.beat()

    def soon(self) -> None:
        self._due.set()

    def looked(self) -> None:
        """Record the end of a look. From the first call on, the next look is expected."""
        self._looked_s = time.monotonic()

    def beat(self) -> None:
        self._hear_orders()
        now = self.now()
        self._heartbeat.beat(now)
        self._say_if_stuck(now)

    def report(self) -> WorkerReport:
        """Return the report as the other workers will read it."""
        return self._heartbeat.report(self.now())

    def now(self) -> Beat:
        # This is read before the resident models. A load that ends in between is then reported as both, never as
        # neither.
        loading, leaving = self._loader.loading, self._loader.leaving
        sessions = self._shelf.sessions()
        # The digest of a file names the folder of every artifact.
        files = {Path(session.path).parent.name: session.held_bytes for session in sessions}
        pages = self._pages()
        weight_bytes = sum(session.weight_bytes for session in sessions)
        return Beat(
            models=self._models(),
            pages_held=pages.held,
            pages_done=pages.done,
            weight_bytes=weight_bytes,
            runs=sum(session.runs for session in sessions),
            rows=sum(session.rows for session in sessions),
            run_s=sum(session.run_s for session in sessions),
            draining=self.draining,
            serving=tuple(sorted(self.serving)),
            loading=tuple(sorted(loading)),
            leaving=tuple(sorted(leaving)),
            failed=tuple(sorted(self._loader.failed)),
            pools=self._pools,
            budget_bytes=self._shelf.budget_bytes,
            free_bytes=self._shelf.budget_bytes - sum(files.values()),
            files=files,
            outstanding=max(pages.held, self._tally.running),
            service_s=self._tally.service_s(),
            running=self._tally.running_now(),
            done=self._tally.done(),
            hefts=self._tally.hefts.report(),
            look_age_s=0.0 if self._looked_s is None else time.monotonic() - self._looked_s,
        )

    def _models(self) -> tuple[HeldModel, ...]:
        resident, now_s = self._shelf.resident(), time.monotonic()
        with self._lock:
            since = {model.key: self._held_since_s.get(model.key, now_s) for model in resident}
            self._held_since_s = since
        return tuple(
            HeldModel(
                **asdict(model),
                held_s=now_s - since[model.key],
                idle_s=self._tally.idle_s(model.key, since_s=since[model.key]),
            )
            for model in resident
        )

    def _say_if_stuck(self, now: Beat) -> None:
        if now.stuck and not self._said_stuck:
            log.warning("placement_stuck", last_check_age_s=round(now.look_age_s), serving=now.serving)
        self._said_stuck = now.stuck

    def _hear_orders(self) -> None:
        draining = self._heartbeat.ordered_to_drain() or self._leaves
        if draining != self.draining:
            log.info("worker_draining" if draining else "worker_resumed", pages_in_flight=self._pages().held)
            self.draining = draining
            self._on_order()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._due.wait(BEAT_S)
            self._due.clear()
            if self._stopping.is_set():
                return
            try:
                self.beat()
            except Exception:
                log.exception("heartbeat_failed")
