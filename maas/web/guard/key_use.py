"""Record when keys were last used. This happens outside of requests, and at most once a minute for each key and
process.
"""

import asyncio
import time
from collections import defaultdict
from uuid import UUID

import structlog

from tenants.api_keys.services import note_key_use
from tenants.core.asgi.client_ip import address_of
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity

log = structlog.get_logger(__name__)
EVERY_S = 1.0
ONCE_IN_S = 60.0


class KeyUse:
    def __init__(self, threads: DatabaseThreads) -> None:
        self._threads = threads
        self._told_s: dict[UUID, float] = {}
        self._seen: defaultdict[UUID, dict[UUID, str]] = defaultdict(dict)
        self._task: asyncio.Task[None] | None = None

    def see(self, identity: Identity, came_from: str) -> None:
        key_id = identity.key_id
        if key_id is None:
            return
        now_s = time.monotonic()
        if now_s - self._told_s.get(key_id, -ONCE_IN_S) >= ONCE_IN_S:
            self._told_s[key_id] = now_s
            self._seen[identity.tenant_id][key_id] = address_of(came_from)

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._threads.close()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            seen, self._seen = self._seen, defaultdict(dict)
            self._forget_old()
            for tenant_id, used_from in seen.items():
                try:
                    await self._threads.run(note_key_use, tenant_id=tenant_id, used_from=used_from)
                except DomainError as error:
                    # The database is away. The key's next use after a minute is written down again.
                    log.warning("key_use_not_recorded", tenant_id=str(tenant_id), error=error.detail)
                except Exception:
                    log.exception("key_use_recording_failed", tenant_id=str(tenant_id))

    def _forget_old(self) -> None:
        oldest_s = time.monotonic() - ONCE_IN_S
        self._told_s = {key_id: told_s for key_id, told_s in self._told_s.items() if told_s > oldest_s}
