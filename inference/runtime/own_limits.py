"""The default limits of how much of a model runs at once, by runtime and the role of the file."""

from collections.abc import Mapping

from inference.batching.limits import BatchLimits

DETECTION_LIMITS = BatchLimits(max_rows=8, max_padded=4_000_000, max_waiting=1024, max_wait_ms=0)
"""The limits in pixels. Each takes 300 bytes of memory, and a processor gains nothing from two pages at once."""
RECOGNITION_LIMITS = BatchLimits(max_rows=32, max_padded=8192, max_waiting=16_384, max_wait_ms=0)
"""The limits in pixels of width. The answer alone takes nine kilobytes for each."""
EMBED_LIMITS = BatchLimits(max_rows=64, max_padded=4096, max_waiting=16_384, max_wait_ms=0)
"""The limits in tokens. A larger batch is no faster, and every caller in it waits for all of it."""
ONNX_LIMITS = BatchLimits(max_rows=64, max_padded=None, max_waiting=65_536, max_wait_ms=0)

OWN_LIMITS: Mapping[str, Mapping[str, BatchLimits]] = {
    "ocr": {"detection": DETECTION_LIMITS, "recognition": RECOGNITION_LIMITS},
    "embed": {"weights": EMBED_LIMITS},
    "onnx": {"weights": ONNX_LIMITS},
}
"""The limits by runtime and role. Pipelines run nothing themselves, so the limits of their members apply."""
