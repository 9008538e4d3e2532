"""Tells of every API request after its answer: to its tenant, and in counts by the minute to the operator.

A request pays for one short note in memory. Everything else happens a few times a second in a task of its own, and
when Redis is away the oldest notes are dropped: no request ever waits for the journal or fails by it. Where Redis took
a batch and its answer was lost, the batch is sent again: entries keep their names and are shown once, while counts of
the minute may be too high by that batch.
"""

import asyncio
import itertools
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

import redis.asyncio
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from jobs.intake.uploads import ESTIMATE
from maas.web.guard.key_use import KeyUse
from tenants.core.asgi.client_ip_limit import told_address
from tenants.core.asgi.protocol import REQUEST_ID, Message, Scope, header
from tenants.identity.identity import Identity
from tenants.request_log.caller import Caller, KeyOwner, expect_caller
from tenants.request_log.entries import (
    LONGEST_MADE,
    LONGEST_PATH,
    LONGEST_PROBLEM,
    JournalEntry,
    told_path,
    without_keys,
)
from tenants.request_log.minutes import MinuteCounts, counted
from tenants.request_log.store import KEPT, add_to

log = structlog.get_logger(__name__)
EVERY_S = 0.2
AWAY_PAUSE_S = 1.0
MOST_WAITING = 4_000
PATIENCE_S = 1.0
CLIENT_GONE = 499
"""No status was sent: the caller hung up. The number that nginx made customary."""
LONGEST_CLIENT = 120
LONGEST_CAME_FROM = 100
LONGEST_QUERY = 2_000
"""Longer than what is told: of most parameters only the names are."""
WORDS = {word.encode(): word for word in ("HIT", "MISS", "COALESCED", "BYPASS")}
"""Of `X-Cache`: no other becomes a field in Redis."""
READING = frozenset({"GET", "HEAD", "OPTIONS", "WS"})


@dataclass(slots=True)
class Note:
    """What is kept of a request while it is served; read only after its end.

    Not the scope itself: that would keep all that hangs on it alive until the journal is told. Nor more of what the
    caller wrote than is told, as thousands may wait.
    """

    method: str
    path: str
    query: bytes
    request_id: str
    client: str
    caller: Caller
    came_from: str
    """As it was written: read once it is needed."""
    at_s: float = field(default_factory=time.time)
    started_s: float = field(default_factory=time.perf_counter)
    ms: float = 0.0
    name: str = ""
    """Given once, at the end: whoever reads the journal tells by it what was sent twice."""
    status: int = CLIENT_GONE
    problem: bytes = b""
    made: bytes = b""
    known: str = ""
    """What the cache did for it; empty where the answer does not say."""
    refused: bool = False

    def see(self, message: Message) -> None:
        """An answer on its way: its status, where it put what it made, its body when it is a refusal in JSON."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.refused = self.status >= 400
            if self.method == "POST" and not self.refused:
                self._see_headers(message.get("headers", ()))
        elif self.refused and not self.problem:
            body = message.get("body", b"")
            self.problem = bytes(body) if body.startswith(b"{") and len(body) <= LONGEST_PROBLEM else b""

    def _see_headers(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        for name, value in headers:
            lower = name.lower()
            if lower == b"location" and not self.made and len(value) <= LONGEST_MADE:
                self.made = value
            elif lower == b"x-cache":
                self.known = WORDS.get(value, "")


class Journal:
    def __init__(self, redis_url: str, key_use: KeyUse) -> None:
        self._client = redis.asyncio.Redis.from_url(
            redis_url,
            socket_timeout=PATIENCE_S,
            socket_connect_timeout=PATIENCE_S,
            retry=Retry(NoBackoff(), 1),
        )
        self._key_use = key_use
        self._waiting: deque[Note] = deque(maxlen=MOST_WAITING)
        process = secrets.token_hex(6)
        self._names = (f"{process}{number:x}" for number in itertools.count())
        self._away = False
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def open(self, scope: Scope) -> Note:
        return Note(
            scope.get("method", "WS"),
            scope["path"][:LONGEST_PATH],
            scope["query_string"][:LONGEST_QUERY],
            scope[REQUEST_ID],
            (header(scope, b"user-agent") or "")[:LONGEST_CLIENT],
            expect_caller(scope),
            told_address(scope, settings.MAAS_PROXIES)[:LONGEST_CAME_FROM],
        )

    def close(self, note: Note) -> None:
        """The request is answered; the first time counts. Called on the hot path: nothing here may take time."""
        if note.name:
            return
        note.ms = (time.perf_counter() - note.started_s) * 1000
        note.name = next(self._names)
        self._waiting.append(note)

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._key_use.start()

    async def stop(self) -> None:
        """What is still in memory is told, if that is quickly done.

        The task is asked to end, as redis-py may swallow a cancellation: it would go on, and be waited for, for ever.
        """
        self._stopping.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=PATIENCE_S)
        with suppress(RedisError, OSError, TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await self.tell()
        self._key_use.close()
        await self._client.aclose()

    async def _run(self) -> None:
        while not await self._is_to_stop_within(AWAY_PAUSE_S if self._away else EVERY_S):
            try:
                await self.tell()
            except (RedisError, OSError, TimeoutError) as error:
                if not self._away:
                    log.warning("request_log_unavailable", error=str(error))
                self._away = True
            except Exception:
                # A defect, and no reason to tell nothing more until this process ends.
                log.exception("request_log_failed")
            else:
                self._away = False

    async def _is_to_stop_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        return self._stopping.is_set()

    async def tell(self) -> None:
        """Sends what waits; keeps it, up to the bound, when Redis does not take it."""
        if not self._waiting:
            return
        notes, self._waiting = self._waiting, deque(maxlen=MOST_WAITING)
        try:
            await self._send(notes)
        except (RedisError, OSError, TimeoutError, asyncio.CancelledError):
            notes.extend(self._waiting)
            self._waiting = notes
            raise

    async def _send(self, notes: Sequence[Note]) -> None:
        of_tenants: defaultdict[UUID, deque[Note]] = defaultdict(lambda: deque(maxlen=KEPT))
        for note in notes:
            if note.caller.identity is not None:
                if isinstance(note.caller.identity, Identity):
                    self._key_use.see(note.caller.identity, note.came_from)
                if _is_told(note, note.caller.identity):
                    of_tenants[note.caller.identity.tenant_id].append(note)
        texts = {
            tenant_id: [entry_of(note).to_text() for note in own] for tenant_id, own in of_tenants.items()
        }
        pipeline = self._client.pipeline(transaction=False)
        add_to(pipeline, texts, _minutes(notes))
        await pipeline.execute()


def _is_told(note: Note, identity: Identity | KeyOwner) -> bool:
    """Leave out what the dashboard itself reads for a person: it would push out what programs do."""
    reads = note.method in READING or note.path == ESTIMATE
    return identity.key_id is not None or not reads or note.status >= 400


def _minutes(notes: Sequence[Note]) -> dict[int, MinuteCounts]:
    return counted((note.at_s, note.status, note.ms, note.known) for note in notes)


def entry_of(note: Note) -> JournalEntry:
    identity = note.caller.identity
    return JournalEntry(
        id=note.name,
        at=round(note.at_s, 3),
        ms=round(note.ms, 1),
        method=note.method,
        path=told_path(note.path, note.query),
        status=note.status,
        request_id=note.request_id,
        key_id=str(identity.key_id or "") if identity else "",
        user_id=str(identity.user_id or "") if identity else "",
        client=without_keys(note.client),
        problem=without_keys(note.problem.decode(errors="replace")) if note.problem else "",
        made=without_keys(note.made.decode("latin-1")) if note.made else "",
    )
