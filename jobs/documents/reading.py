"""The document reader of this process. It is created on first use and closed at exit."""

import atexit
import threading
from functools import cache, partial

from django.conf import settings
from prometheus_client import Gauge

from inference.sandbox import LAYERS, Isolation, SandboxError, SandboxUnavailable
from jobs.documents.reader import DocumentLimits, DocumentReader

START_TIMEOUT_S = 20.0

_LAYER = Gauge(
    "maas_sandbox_layer",
    "1 for each sandbox layer that confines the processes that open documents.",
    ["layer"],
)
_making = threading.Lock()


def reader() -> DocumentReader:
    # The lock keeps two threads from creating two readers, which would each have their own children.
    with _making:
        return _made()


def require_sandbox() -> None:
    """Start the reader and wait for a child with all layers of MAAS_SANDBOX_NEEDS, or raise SandboxUnavailable."""
    try:
        reader().wait_until_usable(START_TIMEOUT_S)
    except (SandboxError, OSError) as error:
        if settings.MAAS_SANDBOX_NEEDS:
            raise SandboxUnavailable(f"Documents cannot be opened here: {error}.") from error


def sandbox_state() -> dict[str, list[str] | None]:
    """Return the layers that children need, and those that confine them: None until a child has started."""
    found = _isolation()
    return {
        "needs": sorted(settings.MAAS_SANDBOX_NEEDS),
        "layers": None if found is None else list(found.layers),
    }


@cache
def _made() -> DocumentReader:
    made = DocumentReader(
        DocumentLimits(
            max_bytes=max(settings.MAAS_MAX_UPLOAD_BYTES, settings.MAAS_MAX_RESUMABLE_BYTES),
            max_pages=settings.MAAS_MAX_PAGES,
            max_page_pixels=settings.MAAS_MAX_PAGE_PIXELS,
            render_dpi=settings.MAAS_RENDER_DPI,
        ),
        children=settings.MAAS_READER_CHILDREN,
        needs=settings.MAAS_SANDBOX_NEEDS,
    )
    atexit.register(made.close)
    for layer in LAYERS:  # Only here: a process that opens no documents has no layers to report.
        _LAYER.labels(layer=layer).set_function(partial(_in_force, layer))
    return made


def _isolation() -> Isolation | None:
    return _made().isolation if _made.cache_info().currsize else None


def _in_force(layer: str) -> float:
    found = _isolation()
    return float(found is not None and layer in found.layers)
