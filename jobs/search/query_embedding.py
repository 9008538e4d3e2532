"""Embeds the text of a search with the pages' model, which a process loads, with ONNX Runtime, only on demand."""

import threading
from functools import cache, lru_cache

from django.conf import settings

from inference.core.calls import Call
from inference.core.contracts import Embedding, TextInput
from inference.registry.models import ModelVersion
from inference.registry.selectors import spec_of
from inference.runtime.batched import SessionBatchers
from inference.runtime.embed import EmbedRuntime
from inference.runtime.packed_files import PackedFiles
from inference.runtime.providers import CPU, plan_execution
from inference.runtime.session_host import SessionHost
from inference.runtime.tensors import written

MEMORY_BYTES = 512 * 1024 * 1024
REMEMBERED = 256
TIMEOUT_S = 2.0

_one_at_a_time = threading.Lock()
_versions: dict[str, ModelVersion] = {}


@cache
def _runtime() -> EmbedRuntime:
    """Create the runtime for the first search. It loads ONNX Runtime into the process."""
    host = SessionHost(
        # The plan has one thread and never uses the GPU, because a search shares this machine with requests and models.
        plan_execution([CPU], threads=1, has_nvidia_gpu=False),
        budget_bytes=MEMORY_BYTES,
        packed=PackedFiles(settings.MAAS_PACKED),
    )
    return EmbedRuntime(host, SessionBatchers(host))


class Busy(Exception):
    """Other searches by meaning are running. The model reads one text after the other."""


def embed(version: ModelVersion, text: str) -> Embedding:
    _versions[version.digest] = version
    return _embed(version.digest, text)


@lru_cache(maxsize=REMEMBERED)
def _embed(digest: str, text: str) -> Embedding:
    if not _one_at_a_time.acquire(timeout=TIMEOUT_S):
        raise Busy
    try:
        # The model is fetched under the lock too. However long the storage takes, only one thread is held.
        spec = spec_of(_versions[digest])
        result = written(_runtime().run(spec, TextInput((text,), single=True), {}, Call())).result
    finally:
        _one_at_a_time.release()
    return Embedding(digest, tuple(result["embedding"]))
