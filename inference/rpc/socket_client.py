"""Send calls to the workers of the same machine by Unix sockets: those of a turn of the event loop in one frame."""

import asyncio
import random
import socket
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

import structlog

from inference.rpc.errors import MessageMalformed, WorkerGone
from inference.rpc.frames import Buffer
from inference.rpc.socket_choice import STICKY, Candidate, choose
from inference.rpc.socket_files import SUFFIX, connect
from inference.rpc.socket_frames import (
    FrameReader,
    Kind,
    call_parts,
    frame,
    number_parts,
    read_answers,
    read_numbers,
    read_serves,
)

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 0.5
WEIGHT = 0.2
"""The weight of the latest answer in an average."""
SILENT_S = 3.0
"""The time without any frame after which a worker gets no more calls, and those that it has are given up."""

Answer = asyncio.Future[Buffer | None]
"""A future for the answer's bytes. Its result is None if the worker has not run the call because it stops."""


class Worker(asyncio.Protocol):
    """The connection to a worker. It answers calls as long as it is open."""

    def __init__(self) -> None:
        self.closed = False
        self._transport: asyncio.Transport | None = None
        self._serves: Mapping[str, int] = {}
        self._waiting: dict[int, tuple[str, str, float, Answer]] = {}
        """The model, the tenant, the start and the future of each call that waits, by its number."""
        self._of_model: Counter[str] = Counter()
        self._of_tenant: Counter[tuple[str, str]] = Counter()
        self._service_s: dict[str, float] = {}
        """The recent time to the answer of a call, for the models whose pools choose by it."""
        self._numbers = 0
        self._unsent: list[Buffer] = []
        self._canceled: list[int] = []
        self._read = FrameReader()
        self._heard_s = time.monotonic()

    def room(self, model_key: str, tenant: str) -> int:
        """Return how many more calls of the model it takes from this tenant. A tenant may have as many calls here as it
        leaves to others: half of them if it is alone, a third each if there are two tenants.
        """
        free = self._serves.get(model_key, 0) - self._of_model[model_key]
        return free - self._of_tenant[model_key, tenant] - 1 if free > 0 else 0

    def send(
        self, model_key: str, payload: bytes, *, tenant: str, coalesce: str, deadline_s: float
    ) -> tuple[int, Answer]:
        self._numbers = number = self._numbers + 1
        loop, now_s = asyncio.get_running_loop(), time.monotonic()
        answer: Answer = loop.create_future()
        self._waiting[number] = model_key, tenant, now_s, answer
        self._of_model[model_key] += 1
        self._of_tenant[model_key, tenant] += 1
        if not self._unsent:
            loop.call_soon(self._flush)
        self._unsent += call_parts(number, now_s, deadline_s, (model_key, tenant, coalesce), payload)
        return number, answer

    def cancel(self, number: int) -> None:
        """Take a call back. Its answer is no longer waited for."""
        if self._end(number) is None:
            return
        if not self._canceled:
            asyncio.get_running_loop().call_soon(self._flush_cancels)
        self._canceled.append(number)

    def check(self, now_s: float) -> None:
        if now_s - self._heard_s > SILENT_S:
            self.close(f"nothing heard for {SILENT_S:g} s")

    def close(self, why: str) -> None:
        if self.closed:
            return
        self.closed = True
        if self._waiting:
            log.warning("rpc_worker_gone", error=why, calls=len(self._waiting))
        if self._transport is not None:
            self._transport.abort()
        for number, (model_key, _, _, answer) in list(self._waiting.items()):
            self._end(number)
            if not answer.done():
                answer.set_exception(WorkerGone(model_key))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, error: Exception | None) -> None:
        self.close(str(error or "the connection was closed"))

    def data_received(self, data: bytes) -> None:
        self._heard_s = time.monotonic()
        try:
            for kind, body in self._read.read(data):
                self._hear(kind, body)
        except MessageMalformed as error:
            self.close(str(error))

    def _hear(self, kind: Kind, body: memoryview) -> None:
        if kind is Kind.ANSWERS:
            for number, payload in read_answers(body):
                self._settle(number, payload)
        elif kind is Kind.RETURNED:
            for number in read_numbers(body):
                self._settle(number, None)
        elif kind is Kind.SERVES:
            self._serves = read_serves(body)

    def candidate(self, model_key: str, tenant: str) -> Candidate:
        """Return what the choice between workers needs to know. From now on, the model's answers are timed."""
        service_s = self._service_s.setdefault(model_key, 0.0)
        return Candidate(
            0 if self.closed else self.room(model_key, tenant),
            len(self._waiting),
            self._of_model[model_key],
            service_s,
        )

    def _settle(self, number: int, payload: Buffer | None) -> None:
        if payload is not None and self._service_s:
            self._time(number)
        answer = self._end(number)
        if answer is not None and not answer.done():
            answer.set_result(payload)

    def _time(self, number: int) -> None:
        model_key, _, since_s, _ = self._waiting.get(number, ("", "", 0.0, None))
        usual_s = self._service_s.get(model_key)
        if usual_s is not None:
            took_s = time.monotonic() - since_s
            self._service_s[model_key] = took_s if not usual_s else usual_s + WEIGHT * (took_s - usual_s)

    def _end(self, number: int) -> Answer | None:
        sent = self._waiting.pop(number, None)
        if sent is None:
            return None
        model_key, tenant, _, answer = sent
        self._of_model[model_key] -= 1
        of = (model_key, tenant)
        self._of_tenant[of] -= 1
        if not self._of_tenant[of]:
            del self._of_tenant[of]
        return answer

    def _flush(self) -> None:
        parts, self._unsent = self._unsent, []
        if self._transport is not None and not self.closed:
            self._transport.write(frame(Kind.CALLS, parts))

    def _flush_cancels(self) -> None:
        numbers, self._canceled = self._canceled, []
        if self._transport is not None and not self.closed:
            self._transport.write(frame(Kind.CANCELS, number_parts(numbers)))


class SocketWorkers:
    """The workers of this machine, for one event loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._workers: dict[str, Worker] = {}
        self._looked_s = time.monotonic()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._look_on())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        for worker in self._workers.values():
            worker.close("this process stops")

    def chosen(self, model_key: str, tenant: str, strategy: str) -> Worker | None:
        """Return the worker for the tenant's call, by the strategy, or None if the call must go by Redis."""
        if strategy == STICKY:
            return self.with_room(model_key, tenant)
        workers = list(self._workers.values())
        at = choose([worker.candidate(model_key, tenant) for worker in workers], strategy, random.random)
        return None if at is None else workers[at]

    def with_room(self, model_key: str, tenant: str) -> Worker | None:
        """Return the worker with the most room for the tenant's call, or None if the call must go by Redis."""
        best, most = None, 0
        for worker in self._workers.values():
            room = 0 if worker.closed else worker.room(model_key, tenant)
            if room > most:
                best, most = worker, room
        return best

    async def _look_on(self) -> None:
        while True:
            try:
                await self._look()
            except Exception:
                log.exception("rpc_failed")
            await asyncio.sleep(LOOK_EVERY_S)

    async def _look(self) -> None:
        now_s = time.monotonic()
        before_s, self._looked_s = self._looked_s, now_s
        # If this process was frozen itself, what the workers said meanwhile has yet to be read.
        if now_s - before_s < 2 * LOOK_EVERY_S:
            for worker in self._workers.values():
                worker.check(now_s)
        self._workers = {name: worker for name, worker in self._workers.items() if not worker.closed}
        with suppress(FileNotFoundError):
            for path in self._folder.glob(f"*{SUFFIX}"):
                if path.name not in self._workers:
                    await self._connect(path)

    async def _connect(self, path: Path) -> None:
        try:
            made: socket.socket = connect(path)
        except OSError:
            return  # It is gone, or cannot take connections now. The next look tries again.
        _, worker = await asyncio.get_running_loop().create_connection(Worker, sock=made)
        self._workers[path.name] = worker
