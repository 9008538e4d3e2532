"""Log every API request after its answer: for its tenant, and in counts per minute for the operator.

A request itself only costs one short note in memory. Everything else happens a few times a second in a separate task,
and while Redis is unavailable the oldest notes are dropped: no request ever waits for the log or fails because of it.
If Redis took a batch but its answer was lost, the batch is sent again. Its entries keep their names and are shown once,
while the counts per minute may be too high by that batch.
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
from tenants.core.asgi.client_ip_limit import claimed_address
from tenants.core.asgi.protocol import REQUEST_ID, Message, Scope, header
from tenants.identity.identity import Identity
from tenants.request_log.caller import Caller, KeyOwner, expect_caller
from tenants.request_log.entries import (
    LONGEST_MADE,
    LONGEST_PATH,
    LONGEST_PROBLEM,
    LogEntry,
    told_path,
    without_keys,
)
from tenants.request_log.minutes import MinuteCounts, counted
from tenants.request_log.store import KEPT, add_to

log = structlog.get_logger(__name__)
NOTE = "maas.note"
"""The scope key for the note of a request that another layer has opened."""
EVERY_S = 0.2
AWAY_PAUSE_S = 1.0
MAX_WAITING = 4_000
TIMEOUT_S = 1.0
CLIENT_GONE = 499
"""The status of a request whose client disconnected before a status was sent. nginx established this number."""
LONGEST_CLIENT = 120
LONGEST_CAME_FROM = 100
LONGEST_QUERY = 2_000
"""The most bytes of a query that are kept. The log shows fewer, because it shows only the names of most parameters."""
WORDS = {word.encode(): word for word in ("HIT", "MISS", "COALESCED", "BYPASS")}
"""The accepted values of `X-Cache`. No other value becomes a field in Redis."""
READING = frozenset({"GET", "HEAD", "OPTIONS", "WS"})


@dataclass(slots=True)
class Note:
    """The data about a request that is kept while it is served. It is read only after the request's end.

    The scope itself is not kept, because everything that it refers to would stay in memory until the request is logged.
    For the same reason, no more of the client's text is kept than is logged: thousands of notes may wait.
    """

    method: str
    path: str
    query: bytes
    request_id: str
    client: str
    caller: Caller
    came_from: str
    """The client's address as it was written. It is parsed only when it is needed."""
    at_s: float = field(default_factory=time.time)
    started_s: float = field(default_factory=time.perf_counter)
    ms: float = 0.0
    name: str = ""
    """The entry's name, which is given once, at the end. Readers of the log recognize by it entries that were sent
    twice.
    """
    status: int = CLIENT_GONE
    problem: bytes = b""
    made: bytes = b""
    known: str = ""
    """The way in which the cache was used, or an empty string if the answer does not say."""
    refused: bool = False

    def see(self, message: Message) -> None:
        """Note the status of an answer, the location of what it created, and its body if it is a refusal in JSON."""
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
            socket_timeout=TIMEOUT_S,
            socket_connect_timeout=TIMEOUT_S,
            retry=Retry(NoBackoff(), 1),
        )
        self._key_use = key_use
        self._waiting: deque[Note] = deque(maxlen=MAX_WAITING)
        process = secrets.token_hex(6)
        self._names = (f"{process}{number:x}" for number in itertools.count())
        self._away = False
        self._stopping = asyncio.Event()
        self._noted = asyncio.Event()
        """Set while notes wait, or the process is to stop, so that an idle process sleeps."""
        self._task: asyncio.Task[None] | None = None

    def open(self, scope: Scope) -> Note:
        return Note(
            scope.get("method", "WS"),
            scope["path"][:LONGEST_PATH],
            scope["query_string"][:LONGEST_QUERY],
            scope[REQUEST_ID],
            (header(scope, b"user-agent") or "")[:LONGEST_CLIENT],
            expect_caller(scope),
            claimed_address(scope, settings.MAAS_PROXIES)[:LONGEST_CAME_FROM],
        )

    def close(self, note: Note) -> None:
        """Note that the request is answered. Only the first call counts. This runs for every request, so nothing here
        may take time.
        """
        if note.name:
            return
        note.ms = (time.perf_counter() - note.started_s) * 1000
        note.name = next(self._names)
        self._waiting.append(note)
        self._noted.set()

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._key_use.start()

    async def stop(self) -> None:
        """Send what is still in memory, if that takes little time.

        The task ends by an event, because redis-py may swallow a cancellation: the task would then go on, and this
        method would wait forever.
        """
        self._stopping.set()
        self._noted.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=TIMEOUT_S)
        with suppress(RedisError, OSError, TimeoutError):
            async with asyncio.timeout(TIMEOUT_S):
                await self.tell()
        self._key_use.close()
        await self._client.aclose()

    async def _run(self) -> None:
        while not await self._is_to_stop_within(AWAY_PAUSE_S if self._away else EVERY_S):
            await self._noted.wait()
            self._noted.clear()
            try:
                await self.tell()
            except (RedisError, OSError, TimeoutError) as error:
                if not self._away:
                    log.warning("request_log_unavailable", error=str(error))
                self._away = True
                self._noted.set()
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
        """Send the notes that wait. If Redis does not accept them, keep as many as the bound allows."""
        if not self._waiting:
            return
        notes, self._waiting = self._waiting, deque(maxlen=MAX_WAITING)
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
        texts = {tenant_id: [entry_of(note).to_text() for note in own] for tenant_id, own in of_tenants.items()}
        pipeline = self._client.pipeline(transaction=False)
        add_to(pipeline, texts, _minutes(notes))
        await pipeline.execute()


def _is_told(note: Note, identity: Identity | KeyOwner) -> bool:
    """Leave out what the dashboard itself reads for a person, because it would push the requests of programs out of the
    log.
    """
    reads = note.method in READING or note.path == ESTIMATE
    return identity.key_id is not None or not reads or note.status >= 400


def _minutes(notes: Sequence[Note]) -> dict[int, MinuteCounts]:
    return counted((note.at_s, note.status, note.ms, note.known) for note in notes)


def entry_of(note: Note) -> LogEntry:
    identity = note.caller.identity
    return LogEntry(
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
