"""Runs the lines of one slice. Several lines run at the same time, each by itself, and their responses are written in
order.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import structlog
from django.conf import settings

from jobs.batches import blobs
from jobs.batches.blobs import Scratch
from jobs.batches.claims import TaskClaim, note_line
from jobs.batches.ids import line_id
from jobs.batches.line_calls import LineCall, SliceAsker
from jobs.batches.line_parsing import BatchLine, LineFault, read_line, weight_of
from jobs.batches.results import answer_line, error_line
from jobs.batches.selectors import kept_bytes
from jobs.batches.settlement import Done
from jobs.batches.states import NOT_RUN, SUSPENDED
from jobs.batches.tries import give_place_s, max_tries, pause_s
from jobs.core.errors import LeaseLost
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
MAX_LINES = 8
ROOM_EVERY_BYTES = 32 << 20
"""The bytes of responses after which it is checked whether the account may keep as many."""
MAX_HELD_BYTES = 32 << 20
"""The bytes of responses of one slice that are held for others until they are paid for."""
MAX_WEIGHT = 256
"""The texts, or their equivalent, that are requested at the same time. Their responses are held until the earlier ones
are there.
"""
CAREFUL_AFTER = 2
"""The number of attempts that ended with the death of a worker, after which the lines run one by one, each recorded
before it runs.
"""
DEADLY = ("worker_lost", "Every worker that ran this request stopped before it was answered.")


@dataclass(slots=True)
class Held:
    """The state that the work of a claim has to know while it lasts. It is set in the event loop of the work."""

    claim: TaskClaim
    ending: str
    ends: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self, ending: str) -> None:
        """Begin no further line. Lines under way are still answered."""
        if ending:
            self.ending = ending
            self.ends.set()

    async def ends_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self.ends.wait()
        except TimeoutError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Unanswered:
    code: str
    message: str
    failed: bool
    """Set unless the line was never run."""


@dataclass(frozen=True, slots=True)
class _Pending:
    line: BatchLine
    weight: int
    outcome: "asyncio.Task[LineCall | Unanswered]"


class _Postponed(Exception):
    """The run pauses: no line is begun for this time, and lines without a response are left for later."""

    def __init__(self, pause_s: float) -> None:
        super().__init__()
        self.pause_s = pause_s


class SliceRun:
    """A run of a slice. It continues after the lines that earlier claims have answered."""

    def __init__(self, held: Held, asker: SliceAsker, threads: DatabaseThreads) -> None:
        self._held = held
        self._claim = held.claim
        self._asker = asker
        self._threads = threads
        self._careful = held.claim.attempt > CAREFUL_AFTER
        self._done = Done()
        self._answered_s = time.monotonic()
        self._looks_at_bytes = ROOM_EVERY_BYTES
        self._held_bytes = 0
        self._before_bytes = 0
        self._pending: deque[_Pending] = deque()

    async def run(self) -> Done:
        """Run the lines. Raises LineFault if the next line cannot be read and all lines before it are done."""
        try:
            return await self._until_done()
        except BaseException:
            self._done.tell(recorded=False)
            raise

    async def _until_done(self) -> Done:
        lines = await self._threads.run(read_slice, self._claim)
        with blobs.scratch() as output, blobs.scratch() as errors:
            await self._threads.run(_gone_before, self._claim, output, errors)
            self._before_bytes = output.size_bytes + errors.size_bytes
            try:
                await self._run(lines, output, errors)
            except _Postponed as postponed:
                self._done.rests_s = postponed.pause_s
            except LineFault:
                if not self._done.lines:
                    raise
                self._done.rests_s = 0.0
            finally:
                await self._leave_pending()
            if self._done.lines:
                self._done.output = await self._threads.run(_saved, self._claim, "output", output)
                self._done.errors = await self._threads.run(_saved, self._claim, "errors", errors)
                self._done.made_bytes = self._made_bytes(output, errors)
        return self._done

    async def _leave_pending(self) -> None:
        outcomes = [pending.outcome for pending in self._pending]
        for outcome in outcomes:
            outcome.cancel()
        for left in await asyncio.gather(*outcomes, return_exceptions=True):
            if isinstance(left, LineCall):
                left.tell(False)

    async def _run(self, lines: Iterator[tuple[BatchLine, int]], output: Scratch, errors: Scratch) -> None:
        fault = None
        try:
            await self._begin(lines, output, errors)
        except LineFault as error:
            fault = error
        while self._pending:
            await self._write_first(output, errors)
        if fault is not None:
            raise fault

    async def _begin(self, lines: Iterator[tuple[BatchLine, int]], output: Scratch, errors: Scratch) -> None:
        for position, (line, size_bytes) in enumerate(lines):
            if position < self._claim.answered:
                continue
            weight = weight_of(line, size_bytes)
            while self._pending and not self._has_room_for(weight):
                await self._write_first(output, errors)
            if self._careful:
                await self._note(line.number)
            self._pending.append(_Pending(line, weight, asyncio.create_task(self._outcome(line))))

    def _has_room_for(self, weight: int) -> bool:
        most = 1 if self._careful else MAX_LINES
        return len(self._pending) < most and weight + sum(pending.weight for pending in self._pending) <= MAX_WEIGHT

    async def _note(self, number: int) -> None:
        if not await self._threads.run(note_line, self._claim, number):
            raise LeaseLost(f"task {self._claim.task_id} is no longer held")

    async def _outcome(self, line: BatchLine) -> LineCall | Unanswered:
        if line.number in self._claim.crashing_lines:
            return Unanswered(*DEADLY, failed=True)
        tries = 0
        while not self._held.ends.is_set():
            try:
                return await self._asker.ask(line)
            except DomainError as error:
                tries += 1
                most = max_tries(error)
                if most is not None and tries >= most:
                    return self._asker.refused(line, error)
                if most is None:
                    self._give_place(error)
                log.info("batch_line_postponed", code=error.code, line=line.number, tries=tries)
                await self._held.ends_within(pause_s(tries, error, random.random()))  # noqa: S311  # jitter
            except Exception:
                log.exception("batch_line_failed", line=line.number)
                return self._asker.refused(line, _OURS)
        if self._held.ending == SUSPENDED:
            raise _Postponed(0.0)
        return Unanswered(*NOT_RUN[self._held.ending], failed=False)

    def _give_place(self, error: DomainError) -> None:
        rests_s = give_place_s(error, time.monotonic() - self._answered_s)
        if rests_s is not None:
            raise _Postponed(rests_s)

    async def _write_first(self, output: Scratch, errors: Scratch) -> None:
        first = self._pending[0]
        outcome = await first.outcome
        self._pending.popleft()
        if isinstance(outcome, LineCall):
            # This comes before the response is written, because the write may fail.
            self._hold(outcome)
        name, custom_id = line_id(self._claim.batch_id, first.line.number), first.line.custom_id
        match outcome:
            case LineCall(status=200):
                output.write(answer_line(name, custom_id, outcome.status, outcome.body))
                self._done.completed += 1
            case LineCall():
                errors.write(answer_line(name, custom_id, outcome.status, outcome.body))
                self._done.failed += 1
            case Unanswered():
                errors.write(error_line(name, custom_id, outcome.code, outcome.message))
                self._done.failed += outcome.failed
                self._done.not_run += not outcome.failed
        if isinstance(outcome, LineCall):
            self._answered_s = time.monotonic()
            self._done.uses.extend(outcome.uses)
            self._done.tokens += outcome.tokens
        await self._look_for_room(self._made_bytes(output, errors))

    def _hold(self, answered: LineCall) -> None:
        """Hold a response until it is recorded, if there is memory for it."""
        size_bytes = max(answered.held_bytes, len(answered.body))
        if self._held_bytes + size_bytes <= MAX_HELD_BYTES:
            self._held_bytes += size_bytes
            self._done.tellers.append(answered.tell)
        else:
            answered.tell(False)

    def _made_bytes(self, output: Scratch, errors: Scratch) -> int:
        """Return the bytes that this claim has produced. Those of earlier claims are counted already."""
        return output.size_bytes + errors.size_bytes - self._before_bytes

    async def _look_for_room(self, made_bytes: int) -> None:
        """Check the storage limit of the account. If it is exceeded, the run is settled at once, and the batch ends."""
        if made_bytes < self._looks_at_bytes:
            return
        self._looks_at_bytes = made_bytes + ROOM_EVERY_BYTES
        if await self._threads.run(_is_over, self._claim, made_bytes):
            raise _Postponed(0.0)


_OURS = DomainError("An internal error occurred. Try again, or contact the operator.", code="internal_error")


def numbered(number: int, raw: bytes) -> bytes:
    """Return a line as it is stored in a slice."""
    return b"%d\t%b\n" % (number, raw)


def read_slice(claim: TaskClaim) -> Iterator[tuple[BatchLine, int]]:
    """Return the lines and their sizes. A slice is small enough to be read whole."""
    with blobs.opened(claim.input) as stream:
        content = stream.read()
    return lines_of(content, claim.endpoint)


def lines_of(content: bytes, endpoint: str) -> Iterator[tuple[BatchLine, int]]:
    for written in content.split(b"\n"):
        if not written:
            continue
        number, _, raw = written.partition(b"\t")
        yield read_line(raw, int(number), endpoint), len(raw)


def _gone_before(claim: TaskClaim, output: Scratch, errors: Scratch) -> None:
    for made, name in ((output, claim.output), (errors, claim.errors)):
        if name:
            blobs.copy_into(made, name)


def _is_over(claim: TaskClaim, made_bytes: int) -> bool:
    with unit_of_work(claim.tenant_id):
        return kept_bytes() + made_bytes > settings.MAAS_MAX_FILES_BYTES


def _saved(claim: TaskClaim, what: str, made: Scratch) -> str:
    """Store a file and return its name, or an empty name for an empty file."""
    if not made.size_bytes:
        return ""
    made.finish()
    name = blobs.part_name(claim.tenant_id, claim.batch_id, what)
    blobs.save(claim.tenant_id, name, made.path)
    return name
