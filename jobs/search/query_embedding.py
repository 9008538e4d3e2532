"""Embeds what is typed, in the web process, with the model that embedded the pages.

A process that never is asked holds neither ONNX Runtime nor the model.
"""

import threading
from functools import cache, lru_cache

from inference.core.calls import Call
from inference.core.contracts import Embedding, TextInput
from inference.registry.models import ModelVersion
from inference.registry.selectors import spec_of
from inference.runtime.batched import SessionBatchers
from inference.runtime.embed import EmbedRuntime
from inference.runtime.providers import CPU, plan_execution
from inference.runtime.session_host import SessionHost
from inference.runtime.tensors import written

MEMORY_BYTES = 512 * 1024 * 1024
REMEMBERED = 256
PATIENCE_S = 2.0

_one_at_a_time = threading.Lock()
_versions: dict[str, ModelVersion] = {}


@cache
def _runtime() -> EmbedRuntime:
    """Made for the first search: it brings ONNX Runtime into the process."""
    host = SessionHost(
        # One thread, and never the GPU: whoever searches shares this machine with requests and models.
        plan_execution([CPU], threads=1, has_nvidia_gpu=False),
        budget_bytes=MEMORY_BYTES,
    )
    return EmbedRuntime(host, SessionBatchers(host))


class Busy(Exception):
    """Others are searching by meaning; the model reads one text after the other."""


def embed(version: ModelVersion, text: str) -> Embedding:
    _versions[version.digest] = version
    return _embed(version.digest, text)


@lru_cache(maxsize=REMEMBERED)
def _embed(digest: str, text: str) -> Embedding:
    if not _one_at_a_time.acquire(timeout=PATIENCE_S):
        raise Busy
    try:
        # Fetched in its turn too: however long the storage takes, it holds one thread.
        spec = spec_of(_versions[digest])
        result = written(_runtime().run(spec, TextInput((text,), single=True), {}, Call())).result
    finally:
        _one_at_a_time.release()
    return Embedding(digest, tuple(result["embedding"]))
