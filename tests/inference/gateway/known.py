"""Provide cached results for handlers that are called without a server."""

from inference.cache.generations import Generations
from inference.cache.result_cache import ResultCache
from inference.gateway.inference import Inference
from inference.gateway.kept_replies import KeptReplies
from inference.gateway.known_results import KnownResults
from inference.gateway.targets import Targets
from inference.rpc import AsyncLaneClient
from tenants.core.asgi.threads import DatabaseThreads


def inference_of(
    threads: DatabaseThreads, lane: AsyncLaneClient, cache: ResultCache, memory_bytes: int = 1 << 20
) -> tuple[Inference, KeptReplies]:
    known = KnownResults(lane, cache, Generations(threads))
    return Inference(Targets(threads), known), KeptReplies(known, cache, memory_bytes)


def cache_at(
    url: str, memory_bytes: int = 1 << 20, tenant_bytes: int = 1 << 20, *, timeout_s: float = 10.0
) -> ResultCache:
    """Return a cache with long timeouts, because the machine that runs the tests may be busy."""
    return ResultCache(url, secret="secret", memory_bytes=memory_bytes, tenant_bytes=tenant_bytes, timeout_s=timeout_s)
