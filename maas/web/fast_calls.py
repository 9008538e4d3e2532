"""Answer the calls that programs make by the million in one straight way: from the headers to the answer without a task
of its own, a thread or a question to another process but the worker and the stream of uses.

Whatever is unusual goes on to the general way, which is the reference: an unknown key, a body in chunks, a request
without a plan, a model without a free worker on this machine. Nothing is done twice.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

import structlog
from django.conf import settings

from inference.cache.entries import Found
from inference.cache.metrics import calls, texts
from inference.cache.result_cache import Shelf
from inference.core.contracts import Units, WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed
from inference.gateway.cache_wishes import ANYTHING, NEITHER, CacheNote, cache_wish
from inference.gateway.call_pools import pool_of_call
from inference.gateway.exchange import CHUNK_BYTES, LONGEST_S, SMALL_BYTES
from inference.gateway.failures import refusal_of
from inference.gateway.gateway import EMBEDDINGS, WRONGLY_ASKED
from inference.gateway.held_call import HeldCall
from inference.gateway.inference import uses_of
from inference.gateway.kept_replies import RAW, KeptReplies
from inference.gateway.known_results import KnownResults
from inference.gateway.most import max_of
from inference.gateway.open_inference import encodings
from inference.gateway.open_inference.answers import BINARY_TYPE, HEADER_LENGTH, JSON_TYPE
from inference.gateway.open_inference.infer import counts_of_answered, counts_of_failed
from inference.gateway.open_inference.paths import route_of
from inference.gateway.open_inference.plans import TENSORS, Plans
from inference.gateway.open_inference.statistics_book import StatisticsBook
from inference.gateway.openai.planned_embeddings import plan_embedding
from inference.gateway.openai.refusals import models_blame_input
from inference.gateway.outcomes import Question
from inference.gateway.room import Room
from inference.gateway.server_timing import Timings, server_timing
from inference.gateway.targets import Target, Targets
from inference.gateway.written_replies import KeptReply
from inference.rpc import AsyncLaneClient
from inference.rpc.answers import SpentMs
from inference.rpc.frames import Buffer
from inference.rpc.socket_client import Answer, Worker
from inference.rpc.works import LaneWork
from maas.web.guard.body import Allowance, Deadlines, GuardedBody
from maas.web.guard.caching import NOTHING
from maas.web.guard.guard import EdgeGuard, usual_allowance
from maas.web.guard.journal import LONGEST_CAME_FROM, LONGEST_CLIENT, NOTE, Journal, Note
from maas.web.guard.keys import KeyRing
from maas.web.guard.metrics import FAST_CALLS, request_seconds
from maas.web.guard.request_ids import request_id
from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.ledger.headroom import Most
from tenants.billing.metering.events import MeterEvent
from tenants.billing.metering.stream import MeterStream
from tenants.core.asgi.client_ip_limit import claimed_address
from tenants.core.asgi.protocol import REQUEST_ID, ClientGone, Message, Receive, Scope, Send, until_disconnect
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.errors import DomainError
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tenants.limits.rates.admission import ADMISSION, Admission
from tenants.limits.rates.desk import Desk
from tenants.request_log.caller import CALLER, Caller
from tenants.request_log.entries import LONGEST_PATH, without_keys

log = structlog.get_logger(__name__)
MAX_PATHS = 2_000
"""The most paths that are remembered. If there are more, all are forgotten."""
MAX_PARTS = 8
"""The most parts of a body, each of which takes memory besides its bytes. The general way reads bodies of more."""
LOOKED_EVERY_S = 0.05
"""The time between two looks after the calls that wait. A call that has lasted so long is listened to, so that it ends
when its client disconnects.
"""
UNUSUAL = frozenset({b"transfer-encoding", b"content-encoding", b"expect", b"prefer"})
"""The headers of requests that the general way serves."""
SNIFF = (b"x-content-type-options", b"nosniff")
MISS, JOINED, BYPASS = CacheNote("MISS"), CacheNote("COALESCED"), CacheNote("BYPASS")
VARIES = (b"vary", b"accept-encoding")
TYPES = {name: (b"content-type", name.encode()) for name in (JSON_TYPE, BINARY_TYPE)}
Header = tuple[bytes, bytes]


@dataclass(slots=True)
class _Call:
    path: str
    reference: str
    """The model as the path names it, or an empty string if only the body names it."""
    identity: Identity
    tenant: str
    admission: Admission
    note: Note
    headers: dict[bytes, bytes]
    size: int
    """The number of bytes of the body."""
    caches: bool
    """True if the caller accepts results that are kept, and lets others have this one."""
    held: HeldCall
    recording: bool = False
    """True as soon as the uses are being written to the stream. What is reserved for them then stays until it expires,
    if it is not known whether they were written.
    """
    begun: bool = False
    """True as soon as the answer is being sent."""
    whole_s: float = 0.0
    """The time at which the whole body had arrived."""

    @property
    def kind(self) -> str:
        return "open_inference" if self.reference else "openai"


A_co = TypeVar("A_co", covariant=True)


class _Planned(Protocol[A_co]):
    """A request that is ready to be sent to a worker."""

    @property
    def payload(self) -> bytes: ...

    @property
    def work(self) -> LaneWork: ...

    def answer(self, payload: Buffer) -> A_co:
        """Read the answer of a worker. Raises the error that the model raised."""


class _Answer(Protocol):
    @property
    def units(self) -> Units: ...

    @property
    def queue_ms(self) -> float: ...

    @property
    def run_ms(self) -> float: ...

    @property
    def spent(self) -> SpentMs: ...

    @property
    def joined(self) -> bool: ...

    @property
    def size(self) -> int: ...

    def written_bytes(self) -> int: ...

    def body(self) -> tuple[bytes, int | None]:
        """Return the body, and the length of its JSON if bytes follow it. Raises ModelFailed and DomainError."""


class FastCalls:
    def __init__(
        self,
        guard: EdgeGuard,
        *,
        keys: KeyRing,
        desk: Desk,
        journal: Journal,
        stop: Stop,
        targets: Targets,
        known: KnownResults,
        replies: KeptReplies,
        lane: AsyncLaneClient,
        meter: MeterStream,
        book: StatisticsBook,
        call_holds: CallHolds,
        room: Room,
        deadlines: Deadlines,
    ) -> None:
        self._guard = guard
        self._keys = keys
        self._desk = desk
        self._journal = journal
        self._stop = stop
        self._targets = targets
        self._known = known
        self._replies = replies
        self._lane = lane
        self._meter = meter
        self._book = book
        self._call_holds = call_holds
        self._deadlines = deadlines
        self._room = room
        self._waits = _Waits(stop)
        self._references: dict[str, str | None] = {EMBEDDINGS: ""}
        self._plans: dict[str, tuple[Target, Plans]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        call = self._begin(scope) if scope["type"] == "http" and scope["method"] == "POST" else None
        if call is None:
            await self._guard(scope, receive, send)
            return
        body = GuardedBody(scope, receive, self._allowance(), self._stop)
        messages: list[Message] = []
        handed_on, room = False, 0
        try:
            await call.admission.enter()
            self._room.take(call.size + CHUNK_BYTES, call.identity.tenant_id)
            room = call.size + CHUNK_BYTES
            whole = await _read(body, call.size, messages)
            call.whole_s = time.monotonic()
            handed_on = not whole or not await self._answer(call, scope, _joined(messages), body, send)
            if handed_on:
                call.held.release()
                self._room.free(room, call.identity.tenant_id)
                room = 0
                scope[ADMISSION], scope[NOTE], scope[CALLER] = call.admission, call.note, call.note.caller
                await self._guard(scope, _replayed(messages, receive, whole=whole), send)
        except ClientGone:
            log.info("client_disconnected", path=without_keys(call.path), request_id=call.note.request_id)
            request_seconds(call.kind, "disconnected").observe(time.perf_counter() - call.note.started_s)
        except Exception as error:
            if handed_on or call.begun:
                raise
            await self._guard.refuse(scope, error, send, call.note, call.admission, hang_up=not call.whole_s)
        finally:
            if not call.recording:
                call.held.release()
            self._room.free(room, call.identity.tenant_id)
            call.admission.end()
            if not handed_on:
                self._journal.close(call.note)

    def _allowance(self) -> Allowance:
        return usual_allowance(SMALL_BYTES, self._deadlines.idle_s, self._deadlines.request_s)

    def _begin(self, scope: Scope) -> _Call | None:
        """Return the call, or None if the general way must serve it."""
        path: str = scope["path"]
        reference = self._reference(path)
        listed = scope["headers"]
        headers = dict(listed)
        if reference is None or scope["query_string"] or len(headers) != len(listed) or not UNUSUAL.isdisjoint(headers):
            return None
        size, authorization = _number(headers.get(b"content-length", b"")), headers.get(b"authorization", b"")
        if not size or size > SMALL_BYTES or authorization[:7].lower() != b"bearer ":
            return None
        identity = self._keys.known(authorization[7:].strip().decode("latin-1"))
        if identity is None or identity.networks or not identity.livemode or self._stop.told:
            return None
        control = headers.get(b"cache-control")
        wish = ANYTHING if control is None else cache_wish(control.decode("latin-1"))
        if "jobs:write" not in identity.scopes or wish not in (ANYTHING, NEITHER):
            return None
        offered = headers.get(b"x-request-id")
        name = request_id(None if offered is None else offered.decode("latin-1"))
        scope[REQUEST_ID] = name
        note = Note(
            "POST",
            path[:LONGEST_PATH],
            b"",
            name,
            headers.get(b"user-agent", b"").decode("latin-1")[:LONGEST_CLIENT],
            Caller(identity),
            _came_from(scope, headers),
        )
        return _Call(
            path,
            reference,
            identity,
            str(identity.tenant_id),
            Admission(self._desk, identity.rates, is_call=True),
            note,
            headers,
            size,
            wish == ANYTHING,
            HeldCall(self._call_holds),
        )

    def _reference(self, path: str) -> str | None:
        """Return the model that the path names, or None if this is no path of such a call."""
        if len(path) > LONGEST_PATH:
            return None
        try:
            return self._references[path]
        except KeyError:
            route = route_of(path)
            reference = route.reference if route is not None and route.action == "infer" else None
            if len(self._references) >= MAX_PATHS:
                self._references = {EMBEDDINGS: ""}
            self._references[path] = reference
            return reference

    async def _answer(self, call: _Call, scope: Scope, sent: bytes, body: GuardedBody, send: Send) -> bool:
        """Answer the call. Return False if the general way must, which finds nothing done but the admission."""
        target = self._targets.known(call.identity.tenant_id, call.reference) if call.reference else None
        if call.reference and (target is None or not _may_run(call.identity, target)):
            return False
        if target is not None:
            return await self._run(call, target, sent, body, send)
        if call.caches:
            if await self._repeat(call, scope, sent, send):
                return True
            if scope.get(RAW) is not None:
                return False  # Its texts are looked for too, so the body would be read in vain here.
        return await self._embed(call, sent, body, send)

    async def _repeat(self, call: _Call, scope: Scope, sent: bytes, send: Send) -> bool:
        """Answer with the reply that was given to the same request. Return False if there is none."""
        holder = self._known.known_holder(call.identity)
        if holder is None:
            return False
        raw = self._replies.raw_of(holder, call.path, scope["headers"], sent, ANYTHING)
        scope[RAW] = None
        if raw is None:
            return False
        kept = await self._replies.find(raw)
        scope[RAW] = replace(raw, looked=True)
        target = None if kept is None else self._targets.known(call.identity.tenant_id, kept.reference)
        may_run = target is not None and _may_run(call.identity, target)
        if kept is None or target is None or not may_run or not self._replies.answers(raw, kept, target):
            return False
        await self._enter(call, target, kept)
        self._replies.note_hit(raw, target)
        await self._record(call, uses_of(call.identity, target, None, kept.units))
        call.note.known = "HIT"
        reply = kept.told((time.monotonic() - call.whole_s) * 1000)
        content_type = (b"content-type", reply.content_type.encode())
        await self._send(call, reply.body, content_type, (*reply.headers, NOTHING), send)
        return True

    async def _embed(self, call: _Call, sent: bytes, body: GuardedBody, send: Send) -> bool:
        """Run a model of embeddings if its results are not looked for in the cache, where texts are kept one by one."""
        planned = plan_embedding(sent, partial(self._targets.known, call.identity.tenant_id))
        if planned is None or not _may_run(call.identity, planned.target):
            return False
        target, same = planned.target, b""
        pool = await pool_of_call(target)
        worker = self._lane.worker_for(pool.key, len(planned.payload), call.tenant, pool.strategy)
        if worker is None:
            return False
        if call.caches and target.cache_ttl_s:
            holder = self._known.known_holder(call.identity)
            if holder is None:
                return False
            asked = Question(target, planned.work, planned.parameters, planned.kind)
            same = self._known.together(holder, asked) or b""
            if not same or self._known.looks(call.tenant, target, same):
                return False
        with models_blame_input():
            answer = await self._ask(call, target, (worker, pool.key), planned, same=same, body=body)
        if answer is None:
            return False
        if same:
            texts(target.key, "miss").inc(planned.count)
        await self._give(call, target, answer, _note(answer, same), send)
        return True

    async def _enter(
        self, call: _Call, target: Target, kept: KeptReply | None = None, work: LaneWork = TENSORS
    ) -> None:
        """Reserve the most that the call may cost, and count it against the limits of the model. Raises DomainError."""
        agreed = call.identity.prices.of_model(target.model, target.price, target.price_of_hits)

        def most() -> Most:
            if kept is not None:
                return kept.most(target.model, agreed.cached_price)
            window, gpu_ms = target.config.get("window_tokens"), settings.MAAS_HOLD_GPU_MS_PER_PAGE
            return max_of(target.model, agreed.price, agreed.cached_price, work, window, gpu_ms=gpu_ms)

        price = agreed.price if kept is None else agreed.cached_price
        try:
            await call.held.reserve(call.identity, uuid7, price.currency, most)
            await call.admission.enter_model(target.model)
        except DomainError:
            self._count_failed(call, target)
            raise

    def _count_failed(self, call: _Call, target: Target) -> None:
        if call.reference:
            lasted_ms = (time.monotonic() - call.whole_s) * 1000
            self._book.add(call.tenant, target.key, counts_of_failed(lasted_ms, time.time_ns() // 1_000_000))

    async def _record(self, call: _Call, uses: list[MeterEvent]) -> None:
        call.recording = True
        await self._meter.add(*call.held.named(uses))
        call.held.spend(uses)

    async def _run(self, call: _Call, target: Target, sent: bytes, body: GuardedBody, send: Send) -> bool:
        plans = self._plans_of(target)
        length = _json_length(call.headers, len(sent))
        planned = None if length is None else plans.read(sent, length)
        if planned is None:
            return False
        digest = planned.digest if call.caches and target.cache_ttl_s else b""
        kept: tuple[Shelf, bytes] | None = None
        if digest and self._known.looks(call.tenant, target, digest):
            holder = self._known.known_holder(call.identity)
            if holder is None:
                return False
            shelf = self._known.shelf_for(holder, target, plans.kind)
            kept = shelf, shelf.key(digest)
            found = await self._known.find(call.tenant, target, *kept)
            if found is not None:
                await self._enter(call, target)
                note = CacheNote("HIT", found.age_s(time.time()))
                await self._give(call, target, planned.answer(found.payload), note, send)
                return True
        pool = await pool_of_call(target)
        worker = self._lane.worker_for(pool.key, len(planned.payload), call.tenant, pool.strategy)
        if worker is None:
            return False
        answer = await self._ask(call, target, (worker, pool.key), planned, same=digest, body=body)
        if answer is None:
            return False
        keep = None
        if kept is not None and not answer.joined:
            keep = partial(self._known.keep, *kept, Found(bytes(answer.payload), time.time()))
        await self._give(call, target, answer, _note(answer, digest), send, keep=keep)
        return True

    async def _ask(
        self,
        call: _Call,
        target: Target,
        way: tuple[Worker, str],
        planned: "_Planned[A_co]",
        *,
        same: bytes,
        body: GuardedBody,
    ) -> A_co | None:
        """Send the call to a worker, into its queue of this key. Return the answer, or None if the worker stops and has
        not run the call. `same` is the key by which equal calls share a run, or is empty if this call shares none.
        """
        await self._enter(call, target, work=planned.work)
        deadline_s = time.monotonic() + LONGEST_S
        worker, queue = way
        number, waiting = worker.send(
            queue, planned.payload, tenant=call.tenant, coalesce=same.hex(), deadline_s=deadline_s
        )
        try:
            payload = await self._waits.end_of(waiting, body, deadline_s)
            return None if payload is None else planned.answer(payload)
        except CallCanceled:
            raise ClientGone from None
        except (WorkRefused, ModelFailed, DomainError) as error:
            self._count_failed(call, target)
            raise error if isinstance(error, DomainError) else refusal_of(error) from error
        finally:
            worker.cancel(number)

    async def _give(
        self,
        call: _Call,
        target: Target,
        answer: "_Answer",
        note: CacheNote,
        send: Send,
        *,
        keep: Callable[[], None] | None = None,
    ) -> None:
        """Record what the answer is charged for, keep it, and give it."""
        timings = Timings(0.0, 0.0, (time.monotonic() - call.whole_s) * 1000)
        if note.word != "HIT":
            timings = Timings(answer.queue_ms, answer.run_ms, timings.total, answer.spent)
        calls(target.key, note.word.lower()).inc()
        if call.reference:
            counts = counts_of_answered(timings, note.word, time.time_ns() // 1_000_000)
            self._book.add(call.tenant, target.key, counts)
        if note.word in ("HIT", "COALESCED"):
            uses = uses_of(call.identity, target, None, answer.units)
        else:
            call.admission.use_tokens(answer.units.tokens)
            uses = uses_of(call.identity, target, answer.units, None)
        try:
            body, in_json = await self._body(call, answer)
        except DomainError as error:
            # The model has run, but its answer cannot be written in the form that the caller wants.
            if error.code == WRONGLY_ASKED:
                await self._record(call, uses)
            raise
        headers = [server_timing(timings), *note.headers]
        encoding = encodings.IDENTITY
        if not call.reference:
            headers.append(NOTHING)
        else:
            headers.append(VARIES)
            accepted = call.headers.get(b"accept-encoding", b"").decode("latin-1")
            encoding = encodings.encoding_for(accepted, len(body), has_tensors=in_json is not None)
        if encoding != encodings.IDENTITY:
            body = await asyncio.to_thread(encodings.made_smaller, body, encoding)
            headers.append((b"content-encoding", encoding.encode()))
        if in_json is not None:
            headers.append((HEADER_LENGTH, b"%d" % in_json))
        await self._record(call, uses)
        if keep is not None:
            try:
                keep()
            except Exception:
                # What is not kept is run again; who has paid is answered.
                log.exception("result_not_cached")
        call.note.known = note.word
        await self._send(call, body, TYPES[JSON_TYPE if in_json is None else BINARY_TYPE], headers, send)

    async def _body(self, call: _Call, answer: "_Answer") -> tuple[bytes, int | None]:
        """Write the answer, in a thread if it is large."""
        if answer.size <= SMALL_BYTES:
            return answer.body()
        room = answer.written_bytes()
        self._room.take(room, call.identity.tenant_id)
        try:
            return await asyncio.to_thread(answer.body)
        except ModelFailed as error:
            raise refusal_of(error) from error
        finally:
            self._room.free(room, call.identity.tenant_id)

    async def _send(
        self, call: _Call, body: bytes, content_type: Header, headers: Iterable[Header], send: Send
    ) -> None:
        call.note.status, call.begun = 200, True
        FAST_CALLS.inc()
        request_seconds(call.kind, "answered").observe(time.perf_counter() - call.note.started_s)
        start = [
            content_type,
            (b"content-length", b"%d" % len(body)),
            SNIFF,
            *headers,
            *call.admission.headers(for_openai=not call.reference),
            (b"x-request-id", call.note.request_id.encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": start})
        await send({"type": "http.response.body", "body": body})

    def _plans_of(self, target: Target) -> Plans:
        found = self._plans.get(target.key)
        if found is None or found[0] is not target:
            if len(self._plans) >= MAX_PATHS:
                self._plans.clear()
            found = self._plans[target.key] = target, Plans(target)
        return found[1]


@dataclass(eq=False, slots=True)
class _Wait:
    answer: Answer
    receive: Receive
    since_s: float
    deadline_s: float
    listener: "asyncio.Task[None] | None" = None

    def end(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)

    def listen(self) -> None:
        self.listener = asyncio.ensure_future(until_disconnect(self.receive))
        self.listener.add_done_callback(self._leave)

    def _leave(self, listener: "asyncio.Task[None]") -> None:
        if not listener.cancelled():
            self.end(ClientGone())


class _Waits:
    """The calls that wait for a worker. One timer looks after all of them."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._waits: set[_Wait] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def end_of(self, answer: Answer, receive: Receive, deadline_s: float) -> Buffer | None:
        """Return the answer. Raises DeadlinePassed, Restarting, or ClientGone if the client disconnects."""
        wait = _Wait(answer, receive, time.monotonic(), deadline_s)
        self._waits.add(wait)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOKED_EVERY_S, self._look)
        try:
            return await answer
        finally:
            self._waits.discard(wait)
            if wait.listener is not None:
                wait.listener.cancel()

    def _look(self) -> None:
        self._timer, now_s = None, time.monotonic()
        for wait in tuple(self._waits):
            if self._stop.told:
                wait.end(Restarting())
            elif wait.deadline_s <= now_s:
                wait.end(DeadlinePassed(f"the answer was not there within {LONGEST_S:g} s"))
            elif wait.listener is None and now_s - wait.since_s >= LOOKED_EVERY_S:
                wait.listen()
        if self._waits:
            self._timer = asyncio.get_running_loop().call_later(LOOKED_EVERY_S, self._look)


def _note(answer: _Answer, same: bytes) -> CacheNote:
    return JOINED if answer.joined else MISS if same else BYPASS


def _may_run(identity: Identity, target: Target) -> bool:
    return not identity.models or target.model in identity.models


def _json_length(headers: dict[bytes, bytes], size: int) -> int | None:
    """Return the length of the JSON in the body, or None if the header that gives it is wrong."""
    written = headers.get(HEADER_LENGTH)
    length = size if written is None else _number(written)
    return None if length is None or length > size else length


def _number(written: bytes) -> int | None:
    """Return the number, or None if it is none. Python does not read numbers of thousands of digits."""
    return int(written) if written.isdigit() and len(written) < 20 else None


def _came_from(scope: Scope, headers: dict[bytes, bytes]) -> str:
    peer = scope.get("client")
    if b"x-forwarded-for" in headers:
        return claimed_address(scope, settings.MAAS_PROXIES)[:LONGEST_CAME_FROM]
    return peer[0] if peer else ""


async def _read(body: GuardedBody, size: int, messages: list[Message]) -> bool:
    """Read the body, which ends with its last byte whether or not a message says so. Return False if it arrives in many
    parts, of which the rest has yet to be read. Raises ClientGone.
    """
    while size > 0 and len(messages) < MAX_PARTS:
        message = await body()
        if message["type"] == "http.disconnect":
            raise ClientGone
        messages.append(message)
        size -= len(message["body"])
        if not message.get("more_body", False):
            return True
    return size <= 0


def _joined(messages: list[Message]) -> bytes:
    return messages[0]["body"] if len(messages) == 1 else b"".join(message["body"] for message in messages)


def _replayed(messages: list[Message], receive: Receive, *, whole: bool) -> Receive:
    """Return a `receive` that gives the messages again, and then the following ones. The last message of a whole body
    says so, because the one that says nothing else may have been read already.
    """
    waiting = deque(messages)
    if whole and waiting:
        waiting[-1] = {**waiting[-1], "more_body": False}

    async def again() -> Message:
        return waiting.popleft() if waiting else await receive()

    return again
