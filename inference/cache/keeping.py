"""Send entries to the cache Redis after their callers have been answered, so that nobody waits for it."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog
from redis.exceptions import NoScriptError, RedisError, ResponseError

from inference.cache.metrics import REMOTE_FAILURES, UNKEPT
from inference.cache.reading import connection_to
from inference.cache.scripts import KEEP, NOTE_BYTES, Script, entries_prefix, keys_of
from inference.core.breaker import Breaker

log = structlog.get_logger(__name__)
TIMEOUT_S = 1.0
MAX_WAITING_BYTES = 16 << 20
AT_ONCE = 64
"""The most entries of a tenant in one call of the script, which blocks Redis while it runs."""

Said = bytes | int


@dataclass(frozen=True, slots=True)
class NewEntry:
    key: bytes
    written: bytes
    ttl_s: float
    generation: int = 0
    """The tenant's generation. The entry is not stored if the results of this generation have been erased."""


class RemoteKeeper:
    """The sender of entries. Each event loop has one."""

    def __init__(self, url: str, breaker: Breaker, *, tenant_bytes: int) -> None:
        self._connection = connection_to(url)
        self._breaker = breaker
        self._tenant_bytes = tenant_bytes
        self._waiting: defaultdict[UUID, list[NewEntry]] = defaultdict(list)
        self._waiting_bytes = 0
        self._sender: asyncio.Task[None] | None = None
        self._refused = False

    def keep(self, tenant_id: UUID, entries: Sequence[NewEntry]) -> None:
        """Send the entries soon. They are dropped if the cache Redis is unavailable or too slow."""
        if not self._tenant_bytes or self._breaker.is_open:
            return
        size = sum(len(entry.written) for entry in entries)
        if self._waiting_bytes + size > MAX_WAITING_BYTES:
            UNKEPT.inc(len(entries))
            return
        self._waiting[tenant_id].extend(entries)
        self._waiting_bytes += size
        if self._sender is None:
            self._sender = asyncio.get_running_loop().create_task(self._send_on())

    async def settle(self) -> None:
        """Wait until all entries have been sent."""
        if self._sender is not None:
            await asyncio.wait([self._sender])

    async def close(self) -> None:
        if self._sender is not None:
            await asyncio.wait([self._sender], timeout=TIMEOUT_S)
        await self._connection.disconnect(nowait=True)

    async def _send_on(self) -> None:
        try:
            while self._waiting and not self._breaker.is_open:
                tenant_id, entries = self._waiting.popitem()
                self._waiting_bytes -= sum(len(entry.written) for entry in entries)
                for start in range(0, len(entries), AT_ONCE):
                    await self._send(tenant_id, entries[start : start + AT_ONCE])
        finally:
            self._sender = None
            self._waiting.clear()
            self._waiting_bytes = 0

    async def _send(self, tenant_id: UUID, entries: Sequence[NewEntry]) -> None:
        now_ms = time.time_ns() // 1_000_000
        args: list[Said] = [entries_prefix(tenant_id), now_ms, self._tenant_bytes, NOTE_BYTES]
        for entry in entries:
            args += [
                entry.key.hex().encode(),
                max(1, round(entry.ttl_s * 1000)),
                entry.generation,
                entry.written,
            ]
        heard = False
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await self._run(KEEP, keys_of(tenant_id), args)
            heard = True
        except ResponseError as error:
            heard = True
            self._tell_refused(error)
        except (RedisError, OSError) as error:
            REMOTE_FAILURES.labels("write").inc()
            if self._breaker.failed(asyncio.get_running_loop().time()):
                log.warning("result_cache_unavailable", error=str(error) or type(error).__name__)
        else:
            self._refused = False
        finally:
            if not heard:
                await self._connection.disconnect(nowait=True)

    async def _run(self, script: Script, keys: Sequence[bytes], args: Sequence[Said]) -> object:
        try:
            return await self._say("EVALSHA", script.sha, len(keys), *keys, *args)
        except NoScriptError:
            return await self._say("EVAL", script.text, len(keys), *keys, *args)

    async def _say(self, *command: str | Said) -> object:
        await self._connection.send_command(*command)
        return await self._connection.read_response(disable_decoding=True)

    def _tell_refused(self, error: ResponseError) -> None:
        """Full, or a replica: once for each time."""
        REMOTE_FAILURES.labels("write").inc()
        if not self._refused:
            log.warning("result_cache_write_refused", error=str(error))
        self._refused = True
