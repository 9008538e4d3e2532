"""Takes out of the cache Redis what lies there of a tenant: nobody finds it any more, and now it is gone."""

from typing import cast
from uuid import UUID

import structlog
from redis.exceptions import RedisError

from inference.cache.scripts import ERASE, ERASED_KEPT_S, NOTE_ERASURE, entries_prefix, keys_of
from tenants.core.redis.cache import cache_redis

log = structlog.get_logger(__name__)
MOST_ROUNDS = 10_000
"""Five million entries: whatever is added meanwhile, it ends."""


def erase_entries(tenant_id: UUID, generation: int) -> None:
    """Of all generations before this one; runs of theirs that are still under way keep nothing there either."""
    notes, counted, erased_until = keys_of(tenant_id)
    try:
        cache_redis().eval(NOTE_ERASURE.text, 1, erased_until, generation, ERASED_KEPT_S)
        for _ in range(MOST_ROUNDS):
            erased = cast(int, cache_redis().eval(ERASE.text, 2, notes, counted, entries_prefix(tenant_id)))
            if not erased:
                return
    except RedisError as error:
        log.warning("cached_results_not_erased", tenant_id=str(tenant_id), error=str(error))
