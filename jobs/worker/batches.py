"""Runs a worker's part in batches: takes up one task after another, some at the same time, and renews their leases.

The lines of a batch are sent as synchronous calls over RPC, like those of any caller. So they run where their model is
in memory, and a thread with an event loop is enough for all of them.
"""

import asyncio
import threading
import time
from collections.abc import Mapping
from contextlib import suppress

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError

from inference.cache.generations import Generations
from inference.cache.result_cache import ResultCache
from inference.gateway.known_results import KnownResults
from inference.gateway.targets import Targets
from inference.rpc import AsyncLaneClient
from jobs.batches import states
from jobs.batches.checking import Fault, batch_fault
from jobs.batches.checks import check_file
from jobs.batches.claims import TaskClaim, claim_task, put_off, renew_tasks
from jobs.batches.line_calls import Asker, Wording
from jobs.batches.line_parsing import LineFault
from jobs.batches.merges import keep_apart, merge_files
from jobs.batches.metrics import LINES
from jobs.batches.running import Held, SliceRun
from jobs.batches.settlement import Done, fail_batch, finish_run, give_up_lines
from jobs.batches.tries import MAX_TRIES, is_full, task_pause_s
from jobs.core.errors import FileMissing, LeaseLost, StorageUnavailable
from jobs.worker.database_outage import while_database_is_away
from tenants.billing.ledger.call_holds import CallHolds
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DatabaseUnavailable

log = structlog.get_logger(__name__)
AT_ONCE = 2
"""The number of tasks that run at the same time, so that the batches of two tenants proceed side by side."""
LOOK_EVERY_S = 1.0
REMEMBERED_BYTES = 8 << 20
PAUSE_S = 5.0
"""The pause before a task is tried again if its storage or database was unavailable."""
_OURS = batch_fault("internal_error", "An internal error occurred. Try again, or contact the operator.")
_LOST = batch_fault("worker_lost", "Every worker that processed a part of this batch stopped before it was finished.")
_FULL = batch_fault("storage_full", "The storage is full. Contact the operator and send this batch again.")
_AWAY = (StorageUnavailable, DatabaseUnavailable, OperationalError, InterfaceError, OSError)


class BatchWorker:
    """The batch thread of a worker process, which starts and stops it."""

    def __init__(self, url: str, *, worker: str, wording: Wording) -> None:
        self._url = url
        self._worker = worker
        self._wording = wording
        self._thread = threading.Thread(target=self._run, name="batches", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._bell = asyncio.Event()
        self._look = asyncio.Event()
        self._held: dict[int, tuple[Held, asyncio.Task[None]]] = {}
        self._begun = threading.Event()

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """Stop the thread and hand back the tasks under way. Another worker begins them again at once."""
        if not self._thread.is_alive() or not self._begun.wait(timeout_s):
            return
        assert self._loop is not None
        with suppress(RuntimeError):  # its loop has ended by itself
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(timeout_s)

    def hear(self, _about: Mapping[str, str]) -> None:
        """Handle the notification that there is something to do, or that something is to be ended."""
        if self._begun.is_set() and self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        self._bell.set()
        self._look.set()

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception:
            log.exception("batch_thread_crashed")

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._threads = DatabaseThreads("batches", AT_ONCE + 1)
        # Work that was given up may occupy its thread for a long time. No lease may wait for that.
        self._lease_threads = DatabaseThreads("batch-leases", 1)
        targets = DatabaseThreads("batch-models", 1)
        lane, cache, call_holds = AsyncLaneClient(self._url), _cache(), CallHolds(targets, self._url)
        known_results = KnownResults(lane, cache, Generations(targets))
        self._asker = Asker(Targets(targets), known_results, self._wording, call_holds)
        self._begun.set()
        work = [asyncio.create_task(self._serve()) for _ in range(AT_ONCE)]
        work.append(asyncio.create_task(self._renew_on()))
        await self._stopping.wait()
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await asyncio.gather(lane.close(), cache.close(), call_holds.close(), return_exceptions=True)
        for threads in (self._threads, self._lease_threads, targets):
            threads.close()

    async def _serve(self) -> None:
        while True:
            try:
                claim = await self._threads.run(claim_task, self._worker)
                if claim is None:
                    await _rung(self._bell, LOOK_EVERY_S)
                else:
                    await self._work(claim)
            except DatabaseUnavailable as error:
                log.warning("database_unavailable", error=str(error.__cause__ or error))
                await asyncio.sleep(LOOK_EVERY_S)
            except Exception:
                log.exception("batch_round_failed")
                await asyncio.sleep(LOOK_EVERY_S)

    async def _work(self, claim: TaskClaim) -> None:
        held = Held(claim, claim.ending)
        held.end(claim.ending)
        started_s = time.perf_counter()
        with structlog.contextvars.bound_contextvars(batch_id=str(claim.batch_id), task=claim.kind):
            task = asyncio.create_task(self._do(claim, held))
            self._held[claim.token] = held, task
            try:
                outcome = await self._outcome(claim, task)
            finally:
                del self._held[claim.token]
            ms = round((time.perf_counter() - started_s) * 1000)
            log.info("batch_task_done", outcome=outcome, ms=ms, attempt=claim.attempt)

    async def _outcome(self, claim: TaskClaim, task: "asyncio.Task[None]") -> str:
        """Return the outcome of a task. The row of the task is given back unless its own end was written."""
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            stops = not task.cancelled()
            task.cancel()
            await asyncio.wait([task])
            await asyncio.shield(self._threads.run(put_off, claim))
            if stops:
                raise
            return "lease_lost"
        except LeaseLost:
            return "lease_lost"
        except (FileMissing, LineFault) as error:
            message = error.detail if isinstance(error, FileMissing) else error.message
            await self._give_up(claim, batch_fault(error.code, message))
            return "failed"
        except _AWAY as error:
            log.warning("batch_task_postponed", error=str(error))
            if is_full(error):
                await self._try_again(claim, _FULL)
            else:
                await self._threads.run(put_off, claim, PAUSE_S)
            return "postponed"
        except Exception:
            log.exception("batch_task_crashed")
            # Another try does not help if a file cannot be checked.
            again = self._give_up if claim.kind == states.VALIDATE else self._try_again
            await again(claim, _OURS)
            return "crashed"
        return "done"

    async def _try_again(self, claim: TaskClaim, fault: Fault) -> None:
        if claim.tries < MAX_TRIES:
            pause_s = task_pause_s(claim.tries)
            await self._threads.run(lambda: put_off(claim, pause_s, counts=True))
        else:
            await self._give_up(claim, fault)

    async def _give_up(self, claim: TaskClaim, fault: Fault) -> None:
        """Give up a task. The batch fails unless something else ended it; lines that were run are kept."""
        log.error("batch_task_failed", code=fault["code"], tries=claim.tries)
        try:
            match claim.kind:
                case states.VALIDATE:
                    await self._threads.run(fail_batch, claim, [fault])
                case states.RUN:
                    await self._threads.run(give_up_lines, claim, fault)
                case states.MERGE:
                    await self._threads.run(keep_apart, claim, fault)
        except LeaseLost:
            return

    async def _do(self, claim: TaskClaim, held: Held) -> None:
        if claim.tries > MAX_TRIES:
            await self._give_up(claim, _LOST)
            return
        match claim.kind:
            case states.VALIDATE:
                await self._threads.run(check_file, claim)
            case states.RUN:
                done = await SliceRun(held, self._asker.of(claim), self._threads).run()
                try:
                    await self._threads.run(self._finish, claim, done)
                except BaseException:
                    done.tell(recorded=False)
                    raise
                done.tell(recorded=True)
                _count(claim, done)
            case states.MERGE:
                await self._threads.run(merge_files, claim)
        self._bell.set()

    def _finish(self, claim: TaskClaim, done: Done) -> None:
        """Write the end of a run. A restart of the database must not cost the work itself."""
        while_database_is_away(lambda: finish_run(claim, done), keep_trying=lambda: claim.token in self._held)

    async def _renew_on(self) -> None:
        """Renew the leases every third of a lease, and at once if something is to be ended."""
        while True:
            await _rung(self._look, settings.MAAS_LEASE_S / 3)
            claims = [held.claim for held, _ in self._held.values()]
            if not claims:
                continue
            try:
                good = await self._lease_threads.run(renew_tasks, claims)
            except Exception:
                # The database may be restarting. The lease outlives two missed renewals.
                log.exception("leases_not_renewed", tasks=len(claims))
                continue
            self._apply(claims, good)

    def _apply(self, claims: list[TaskClaim], good: Mapping[int, str]) -> None:
        for claim in claims:
            held_task = self._held.get(claim.token)
            if held_task is None:
                continue
            held, task = held_task
            if claim.token in good:
                held.end(good[claim.token])
            else:
                task.cancel()


def _cache() -> ResultCache:
    """Build the result cache, with little memory: most repeats were first sent by others, so Redis has them."""
    return ResultCache(
        settings.MAAS_CACHE_URL,
        secret=settings.MAAS_KEY_PEPPER or settings.SECRET_KEY,
        memory_bytes=min(REMEMBERED_BYTES, settings.MAAS_CACHE_MEMORY_BYTES),
        tenant_bytes=settings.MAAS_CACHE_TENANT_BYTES,
    )


async def _rung(bell: asyncio.Event, timeout_s: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await bell.wait()
    bell.clear()


def _count(claim: TaskClaim, done: Done) -> None:
    for outcome, lines in (("completed", done.completed), ("failed", done.failed)):
        LINES.labels(model=claim.model_key, outcome=outcome).inc(lines)
