"""Call the workers from an event loop. The gateway uses this client."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import redis
import structlog

from inference.core.calls import Call
from inference.core.contracts import Json
from inference.core.errors import CallCanceled, DeadlinePassed
from inference.rpc.answers import LaneAnswer
from inference.rpc.async_lines import AsyncCommandLine
from inference.rpc.async_wires import AsyncWire
from inference.rpc.client import deadline_of, understood
from inference.rpc.commands import Outgoing, outgoing, read_claim
from inference.rpc.envelopes import ReplyEnvelope
from inference.rpc.errors import LaneUnavailable, NoWorker, WorkerGone
from inference.rpc.frames import Buffer
from inference.rpc.keys import replies_key
from inference.rpc.limits import LaneLimits
from inference.rpc.replies import nudge_command, reply_in
from inference.rpc.socket_choice import STICKY
from inference.rpc.socket_client import SocketWorkers, Worker
from inference.rpc.talk import LAST_WORD_S, LISTEN_S, MAX_MISSED
from inference.rpc.wires import TIMEOUT_S, Popped, pop
from inference.rpc.works import LaneWork, cost_of, write_work
from inference.tiers.routes import CallPool, version_of_queue

RECONNECT_S = 0.2
MAX_AT_ONCE = 64

log = structlog.get_logger(__name__)

TooFar = Callable[[Sequence[CallPool]], Awaitable[NoWorker | None]]
"""A function that returns why a call that no worker takes is not worth waiting for, or None if it is. It gets the pools
that may serve the call.
"""

Waiter = asyncio.Future[ReplyEnvelope | None]
"""A future for the reply. Its result is None if the call was canceled."""


@dataclass(slots=True)
class _Waiting:
    asked: Outgoing
    waiter: Waiter
    missed: int = 0


class AsyncLaneClient:
    """A client for one event loop. If a task is canceled while it waits, its request is canceled too."""

    def __init__(
        self,
        url: str,
        *,
        limits: LaneLimits | None = None,
        sockets: Path | None = None,
        too_far: TooFar | None = None,
    ) -> None:
        """Set up the client. Calls that a worker of this machine takes go by its socket in the folder `sockets`."""
        self._url = url
        self._too_far = too_far
        self._limits = limits or LaneLimits()
        self._sockets = None if sockets is None else SocketWorkers(sockets)
        self._replies = replies_key(uuid4().hex)
        self._line = AsyncCommandLine(url)
        self._waiting: dict[str, _Waiting] = {}
        self._looked_s = 0.0
        self._outages = 0
        self._closing = False
        self._listener: asyncio.Task[None] | None = None
        self._leaving: set[asyncio.Task[Any]] = set()

    async def call(
        self,
        model_key: str,
        work: LaneWork,
        parameters: Mapping[str, Json],
        call: Call,
        *,
        coalesce: str | None = None,
        pools: Sequence[CallPool] = (),
        strategy: str = STICKY,
    ) -> LaneAnswer:
        """Wait for the answer and return it, or raise the error that the model raised. Raises in the same cases as
        `LaneClient.call`, and `NoWorker` if no worker serves one of the `pools` and none will be there soon.
        """
        call.check()
        payload = write_work(work, parameters)
        worker = self.worker_for(model_key, len(payload), call.tenant, strategy)
        if worker is not None:
            answer = await self._by_socket(worker, model_key, payload, call, coalesce or "")
            if answer is not None:
                return understood(answer)
        asked = outgoing(
            model_key,
            payload,
            cost=cost_of(work),
            tenant=call.tenant,
            coalesce=coalesce,
            replies=self._replies,
            limits=self._limits,
        )
        if self._listener is None:
            self._listener = asyncio.create_task(self._hear_on())
        loop = asyncio.get_running_loop()
        waiter: Waiter = loop.create_future()
        self._waiting[asked.request_id] = _Waiting(asked, waiter)

        def give_up() -> None:
            loop.call_soon_threadsafe(_give_up, waiter)

        forget = call.on_cancel(give_up)
        try:
            return await self._ask(asked, waiter, deadline_of(call, self._limits), pools)
        finally:
            forget()
            del self._waiting[asked.request_id]
            if waiter.done() and not waiter.cancelled():
                # An outage may be set on the waiter as well as raised by the command. Nobody reads it here, so it is
                # marked as retrieved.
                waiter.exception()

    def worker_for(self, model_key: str, size: int, tenant: str, strategy: str = STICKY) -> Worker | None:
        """Return the worker of this machine that takes the tenant's call of this size, or None if it must go by Redis.
        The strategy of the pool chooses among several.
        """
        if self._sockets is None or size > self._limits.inline_bytes:
            return None
        self._sockets.start()
        return self._sockets.chosen(model_key, tenant, strategy)

    async def _by_socket(
        self,
        worker: Worker,
        model_key: str,
        payload: bytes,
        call: Call,
        coalesce: str,
    ) -> Buffer | None:
        """Return the answer of a worker of this machine, or None if it stops and the call must go by Redis."""
        deadline_s = deadline_of(call, self._limits)
        number, answer = worker.send(model_key, payload, tenant=call.tenant, coalesce=coalesce, deadline_s=deadline_s)
        loop = asyncio.get_running_loop()

        def give_up() -> None:
            loop.call_soon_threadsafe(answer.cancel)

        forget = call.on_cancel(give_up)
        try:
            async with asyncio.timeout(max(0.0, deadline_s - time.monotonic())):
                return await answer
        except TimeoutError:
            raise DeadlinePassed(f"'{version_of_queue(model_key)}' did not answer before the deadline") from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if answer.cancelled() and not (task is not None and task.cancelling()):
                raise CallCanceled from None
            raise
        finally:
            forget()
            worker.cancel(number)

    async def close(self) -> None:
        """Close the client. Calls that still wait end at their deadlines."""
        self._closing = True
        if self._sockets is not None:
            await self._sockets.close()
        if self._listener is not None:
            try:
                await self._line.run(nudge_command(self._replies))
            except redis.RedisError as error:
                log.info("rpc_client_not_notified", error=str(error))
            await self._listener
        await asyncio.gather(*self._leaving)
        await self._line.close()

    async def _ask(self, asked: Outgoing, waiter: Waiter, deadline_s: float, pools: Sequence[CallPool]) -> LaneAnswer:
        outages, pushed = self._outages, False
        try:
            async with asyncio.timeout(max(0.0, deadline_s - time.monotonic())):
                # The command is sent even if this task is canceled in the meantime. The request must then be canceled
                # too.
                answer = await self._line.run(asked.push(deadline_s - time.monotonic()))
                pushed = True
                if not asked.check_pushed(answer):
                    await self._check_distance(pools)
                reply = await waiter
                if reply is not None:
                    return understood(await self._payload(reply))
        except redis.RedisError as error:
            how = "went away while the call waited" if pushed else "did not take the request"
            if pushed:
                self._leave(asked)
            raise LaneUnavailable(f"the lane's Redis {how}: {error}") from error
        except TimeoutError:
            if await self._take_back(asked) and self._outages == outages:
                raise DeadlinePassed(
                    f"'{version_of_queue(asked.model_key)}' did not answer before the deadline"
                ) from None
            raise LaneUnavailable("the lane's Redis did not answer while the call waited") from None
        except (asyncio.CancelledError, WorkerGone, NoWorker):
            self._leave(asked)
            raise
        self._leave(asked)
        raise CallCanceled

    async def _check_distance(self, pools: Sequence[CallPool]) -> None:
        """Raise NoWorker if the next worker is too far away. By then the request has been counted as demand."""
        error = None if self._too_far is None else await self._too_far(pools)
        if error is not None:
            raise error

    async def _payload(self, reply: ReplyEnvelope) -> Buffer | None:
        if reply.payload is not None:
            return reply.payload
        claim = read_claim(reply.request_id, "answer", self._limits.answer_bytes)
        return cast("bytes | None", await self._line.run(claim))

    async def _take_back(self, asked: Outgoing) -> bool:
        """Cancel the request and return whether Redis still answers. The cancellation is sent in any case."""
        told = self._leave(asked)
        await asyncio.wait([told], timeout=LAST_WORD_S)
        return told.done() and told.result()

    def _leave(self, asked: Outgoing) -> "asyncio.Task[bool]":
        """Cancel the request in a task for which nobody has to wait."""
        task = asyncio.create_task(self._cancel(asked))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
        return task

    async def _cancel(self, asked: Outgoing) -> bool:
        try:
            await self._line.run(asked.cancel())
        except redis.RedisError as error:
            log.info("rpc_cancel_not_sent", model=asked.model_key, error=str(error))
            return False
        return True

    # The following methods receive the replies.

    async def _hear_on(self) -> None:
        wire, lost = AsyncWire(self._url), False
        while self._is_wanted():
            try:
                await self._hear(wire)
                lost = False
            except Exception as error:
                if isinstance(error, redis.RedisError | OSError):
                    log.warning("rpc_replies_unavailable", error=str(error))
                else:
                    log.exception("rpc_failed")
                self._outages += 1
                await wire.close()
                # Replies that arrived in the meantime are still in the list, so it is read once more before the error
                # is passed to all callers.
                if lost:
                    self._tell_lost(error)
                    await asyncio.sleep(RECONNECT_S)
                lost = True
        await wire.close()

    def _tell_lost(self, error: Exception) -> None:
        for one in self._waiting.values():
            if not one.waiter.done():
                one.waiter.set_exception(redis.ConnectionError(str(error)))

    async def _look(self) -> None:
        """Look for the requests that wait, to find those whose worker died."""
        waiting = list(self._waiting.values())
        self._looked_s = time.monotonic()
        found = await asyncio.gather(*[self._line.run(one.asked.look()) for one in waiting])
        for one, there in zip(waiting, found, strict=True):
            one.missed = 0 if there else one.missed + 1
            if one.missed > MAX_MISSED and not one.waiter.done():
                one.waiter.set_exception(WorkerGone(one.asked.model_key))

    def _is_wanted(self) -> bool:
        """Return whether to go on listening. The task's state is checked, because redis-py may swallow the cancellation
        of a task that waits in it.
        """
        task = asyncio.current_task()
        return not self._closing and not (task is not None and task.cancelling())

    async def _hear(self, wire: AsyncWire) -> None:
        if time.monotonic() - self._looked_s > LISTEN_S:
            await self._look()
        async with asyncio.timeout(TIMEOUT_S):
            await wire.say([pop([self._replies], LISTEN_S)])
        async with asyncio.timeout(LISTEN_S + TIMEOUT_S):
            popped = cast("Popped", await wire.hear())
        if popped is None:
            return
        self._deliver(popped[1])
        if len(self._waiting) > 1:
            async with asyncio.timeout(TIMEOUT_S):
                await wire.say([("LPOP", self._replies, MAX_AT_ONCE)])
                for message in cast("list[bytes]", await wire.hear() or []):
                    self._deliver(message)
        # Tasks that have received an answer run first.
        await asyncio.sleep(0)

    def _deliver(self, message: bytes) -> None:
        reply = reply_in(message)
        if reply is None:
            return
        one = self._waiting.get(reply.request_id)
        if one is not None and not one.waiter.done():
            one.waiter.set_result(reply)
        elif one is None and reply.payload is None:
            self._drop_claim(reply.request_id)

    def _drop_claim(self, request_id: str) -> None:
        """Delete a large answer that came too late, so that it is not stored until it expires."""
        task = asyncio.create_task(self._read_away(request_id))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _read_away(self, request_id: str) -> None:
        try:
            await self._line.run(read_claim(request_id, "answer", 0))
        except redis.RedisError as error:
            log.info("rpc_response_not_deleted", error=str(error))


def _give_up(waiter: Waiter) -> None:
    if not waiter.done():
        waiter.set_result(None)
