"""Runs the lines of one slice: so many at once, answered in their order, each for itself."""

import asyncio
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import structlog

from jobs.batches import blobs
from jobs.batches.asking import Asked, SliceAsker
from jobs.batches.blobs import Scratch
from jobs.batches.claims import TaskClaim, note_line
from jobs.batches.ids import line_id
from jobs.batches.lines import BatchLine, read_line, weight_of
from jobs.batches.results import answer_line, error_line
from jobs.batches.settlement import Done
from jobs.batches.states import NOT_RUN
from jobs.batches.tries import most_tries, pause_s
from jobs.errors import Fenced
from tenants.asgi.threads import DatabaseThreads
from tenants.errors import DomainError

log = structlog.get_logger(__name__)
MOST_LINES = 8
MOST_WEIGHT = 256
"""Texts, or as much, that are asked for at once: their answers are held until those before them are there."""
CAREFUL_AFTER = 2
"""Attempts that ended with the worker's death: then the lines run one by one, each written down before."""
DEADLY = ("worker_lost", "Every worker that ran this request stopped before it was answered.")


@dataclass(slots=True)
class Held:
    """What a claim's work has to know while it lasts; set in its event loop."""

    claim: TaskClaim
    ending: str
    ends: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self, ending: str) -> None:
        """Nothing more is begun; what is under way is still answered."""
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
    """False of what was never run."""


@dataclass(frozen=True, slots=True)
class _Pending:
    line: BatchLine
    weight: int
    outcome: "asyncio.Task[Asked | Unanswered]"


class SliceRun:
    def __init__(self, held: Held, asker: SliceAsker, threads: DatabaseThreads) -> None:
        self._held = held
        self._claim = held.claim
        self._asker = asker
        self._threads = threads
        self._careful = held.claim.attempt > CAREFUL_AFTER
        self._done = Done()
        self._pending: deque[_Pending] = deque()

    async def run(self) -> Done:
        lines = await self._threads.run(read_slice, self._claim)
        with blobs.scratch() as output, blobs.scratch() as errors:
            try:
                await self._run(lines, output, errors)
            finally:
                for one in self._pending:
                    one.outcome.cancel()
            self._done.output = await self._threads.run(_saved, self._claim, "output", output)
            self._done.errors = await self._threads.run(_saved, self._claim, "errors", errors)
        return self._done

    async def _run(self, lines: Iterator[tuple[BatchLine, int]], output: Scratch, errors: Scratch) -> None:
        for line, size_bytes in lines:
            weight = weight_of(line, size_bytes)
            while self._pending and not self._has_room_for(weight):
                await self._write_first(output, errors)
            if self._careful:
                await self._note(line.number)
            self._pending.append(_Pending(line, weight, asyncio.create_task(self._outcome(line))))
        while self._pending:
            await self._write_first(output, errors)

    def _has_room_for(self, weight: int) -> bool:
        most = 1 if self._careful else MOST_LINES
        return len(self._pending) < most and weight + sum(one.weight for one in self._pending) <= MOST_WEIGHT

    async def _note(self, number: int) -> None:
        if not await self._threads.run(note_line, self._claim, number):
            raise Fenced(f"task {self._claim.task_id} is no longer held")

    async def _outcome(self, line: BatchLine) -> Asked | Unanswered:
        if line.number in self._claim.deadly_lines:
            return Unanswered(*DEADLY, failed=True)
        tries = 0
        while not self._held.ends.is_set():
            try:
                return await self._asker.ask(line)
            except DomainError as error:
                tries += 1
                most = most_tries(error)
                if most is not None and tries >= most:
                    return self._asker.refused(line, error)
                log.info("batch_line_waits", code=error.code, line=line.number, tries=tries)
                await self._held.ends_within(pause_s(tries, error, random.random()))  # noqa: S311  # jitter
            except Exception:
                log.exception("batch_line_failed", line=line.number)
                return self._asker.refused(line, _OURS)
        return Unanswered(*NOT_RUN[self._held.ending], failed=False)

    async def _write_first(self, output: Scratch, errors: Scratch) -> None:
        first = self._pending[0]
        outcome = await first.outcome
        self._pending.popleft()
        name, custom_id = line_id(self._claim.batch_id, first.line.number), first.line.custom_id
        match outcome:
            case Asked(status=200):
                output.write(answer_line(name, custom_id, outcome.status, outcome.body))
                self._done.completed += 1
            case Asked():
                errors.write(answer_line(name, custom_id, outcome.status, outcome.body))
                self._done.failed += 1
            case Unanswered():
                errors.write(error_line(name, custom_id, outcome.code, outcome.message))
                self._done.failed += outcome.failed
        if isinstance(outcome, Asked):
            self._done.uses.extend(outcome.uses)
            self._done.tokens += outcome.tokens


_OURS = DomainError(
    "Something went wrong on our side; the operator's log has the details.", code="internal_error"
)


def numbered(number: int, raw: bytes) -> bytes:
    """A line as it stands in a slice."""
    return b"%d\t%b\n" % (number, raw)


def read_slice(claim: TaskClaim) -> Iterator[tuple[BatchLine, int]]:
    """The lines and their sizes; the slice is read whole, as it is made small enough for that."""
    with blobs.opened(claim.input) as stream:
        content = stream.read()
    return lines_of(content, claim.endpoint)


def lines_of(content: bytes, endpoint: str) -> Iterator[tuple[BatchLine, int]]:
    for written in content.split(b"\n"):
        if not written:
            continue
        number, _, raw = written.partition(b"\t")
        yield read_line(raw, int(number), endpoint), len(raw)


def _saved(claim: TaskClaim, what: str, made: Scratch) -> str:
    """Its name; none for an empty one."""
    if not made.size_bytes:
        return ""
    made.finish()
    name = blobs.part_name(claim.tenant_id, claim.batch_id, what)
    blobs.save(claim.tenant_id, name, made.path)
    return name
