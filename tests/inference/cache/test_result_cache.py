"""Test that large results are sealed, read and packed in threads, where they block no other call."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings

from inference.cache.entries import Found
from inference.cache.keys import Holder
from inference.cache.result_cache import SMALL_BYTES, ResultCache
from tests.inference.gateway.known import cache_at

KEY = b"k" * 32


class CountedThreads(ThreadPoolExecutor):
    """An executor that counts the work it receives."""

    count = 0

    def submit(self, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        return super().submit(*args, **kwargs)


@pytest.mark.parametrize(("size", "threads"), [(SMALL_BYTES // 2, 0), (SMALL_BYTES * 2, 1)])
def test_what_is_large_is_kept_and_read_in_a_thread_and_found_all_the_same(size: int, threads: int) -> None:
    async def scenario() -> None:
        counted = CountedThreads(1)
        asyncio.get_running_loop().set_default_executor(counted)
        url = str(settings.MAAS_CACHE_URL)
        one, other = cache_at(url, memory_bytes=8 << 20), cache_at(url, memory_bytes=8 << 20)
        shelf = one.shelf(Holder(uuid4(), 0, True), "digest", {}, "text", 1_000.0)
        found = Found(b"x" * size, time.time())
        kept = asyncio.Event()
        one.keep(shelf, lambda: {KEY: found}, size, dense=True, then=kept.set)
        assert kept.is_set() == (not threads), "nobody waits for what is large"
        await one.settle()
        await kept.wait()
        assert one.remembered(shelf, [KEY], 1_000.0) == [found]
        assert counted.count == threads
        (fetched,) = await other.fetched(shelf, [KEY], 1_000.0)
        assert fetched is not None
        assert (len(fetched.payload), counted.count) == (size, 2 * threads)
        await _close(one, other)

    asyncio.run(scenario())


def test_what_cannot_be_made_ready_lets_go_of_who_may_join() -> None:
    def fails() -> dict[bytes, Found]:
        raise ValueError("no answer")

    async def scenario() -> None:
        cache = cache_at(str(settings.MAAS_CACHE_URL))
        shelf = cache.shelf(Holder(uuid4(), 0, True), "digest", {}, "text", 1_000.0)
        ended: list[int] = []
        with pytest.raises(ValueError, match="no answer"):
            cache.keep(shelf, fails, 1, dense=True, then=lambda: ended.append(1))
        assert ended == [1]
        await _close(cache)

    asyncio.run(scenario())


async def _close(*caches: ResultCache) -> None:
    for cache in caches:
        await cache.close()
