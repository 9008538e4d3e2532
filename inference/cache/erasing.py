"""Delete a tenant's results from the cache Redis. They can no longer be found by then, and this removes them."""

from typing import cast
from uuid import UUID

import structlog
from redis.exceptions import RedisError

from inference.cache.scripts import ERASE, ERASED_KEPT_S, NOTE_ERASURE, entries_prefix, keys_of
from tenants.core.redis.cache import cache_redis

log = structlog.get_logger(__name__)
MAX_ROUNDS = 10_000
"""The most rounds, enough for five million entries. The bound makes the loop end whatever is added in the meantime."""


def erase_entries(tenant_id: UUID, generation: int) -> None:
    """Delete the entries of all earlier generations. Runs of these generations that are still in progress can store
    nothing afterwards.
    """
    notes, counted, erased_until = keys_of(tenant_id)
    try:
        cache_redis().eval(NOTE_ERASURE.text, 1, erased_until, generation, ERASED_KEPT_S)
        for _ in range(MAX_ROUNDS):
            erased = cast(int, cache_redis().eval(ERASE.text, 2, notes, counted, entries_prefix(tenant_id)))
            if not erased:
                return
    except RedisError as error:
        log.warning("cached_results_not_erased", tenant_id=str(tenant_id), error=str(error))
