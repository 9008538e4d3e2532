"""The content of a page as a hash, which is the same in every document that has this page."""

import hashlib
import json
from collections.abc import Mapping, Sequence


def page_sha256(
    *, picture: bytes, width_px: int, height_px: int, text_layer: Sequence[Mapping[str, object]] | None
) -> str:
    """Return the hash of everything that a model is given of a rendered page."""
    beside = json.dumps([width_px, height_px, text_layer], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(hashlib.sha256(picture).digest() + beside.encode()).hexdigest()
