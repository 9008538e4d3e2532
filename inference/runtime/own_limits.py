"""How much of a model runs at once where no operator says otherwise, by runtime and the role of the file."""

from collections.abc import Mapping
from types import MappingProxyType

from inference.batching.limits import BatchLimits

DETECTION_LIMITS = BatchLimits(max_rows=8, max_padded=4_000_000, max_waiting=1024, max_wait_ms=0)
"""In pixels. A page takes three hundred bytes of memory for each, and a processor gains nothing by two at once."""
RECOGNITION_LIMITS = BatchLimits(max_rows=32, max_padded=8192, max_waiting=16_384, max_wait_ms=0)
"""In pixels of width: the answer alone takes nine kilobytes for each."""
EMBED_LIMITS = BatchLimits(max_rows=64, max_padded=4096, max_waiting=16_384, max_wait_ms=0)
"""In tokens. Beyond this a batch is no faster, and everyone in it waits for all of it."""
ONNX_LIMITS = BatchLimits(max_rows=64, max_padded=None, max_waiting=65_536, max_wait_ms=0)

OWN_LIMITS: Mapping[str, Mapping[str, BatchLimits]] = MappingProxyType(
    {
        "ocr": {"detection": DETECTION_LIMITS, "recognition": RECOGNITION_LIMITS},
        "embed": {"weights": EMBED_LIMITS},
        "onnx": {"weights": ONNX_LIMITS},
    }
)
"""Pipelines run nothing themselves; their members' limits hold."""
