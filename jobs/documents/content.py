"""The content of a page as a hash, which is the same in every document that has this page."""

import hashlib
import json
from collections.abc import Mapping, Sequence


def page_sha256(
    *,
    picture: bytes | None,
    width_px: int,
    height_px: int,
    text_layer: Sequence[Mapping[str, object]] | None,
    scans: Sequence[Sequence[float]] = (),
    rules: Sequence[Sequence[float]] = (),
    findings: Mapping[str, object] | None = None,
) -> str:
    """Return the hash of everything that a model is given of a page. Without `picture`, it is that of the page's own
    text, for models that do not look at the picture.
    """
    given = [width_px, height_px, text_layer, *([scans] if scans else []), *([{"rules": rules}] if rules else [])]
    beside = json.dumps(given, sort_keys=True, separators=(",", ":"))
    drawn = b"" if picture is None else hashlib.sha256(picture).digest()
    sha256 = hashlib.sha256(drawn + beside.encode()).hexdigest()
    return with_findings(sha256, findings) if findings else sha256


def with_findings(sha256: str, findings: Mapping[str, object]) -> str:
    """Return the hash of a page with this hash on which these findings are."""
    found = json.dumps(findings, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{sha256} {found}".encode()).hexdigest()


def undrawn_sha256(document_sha256: str, number: int, width_px: int, height_px: int) -> str:
    """Return the hash that stands for a page and its picture while the page is not drawn. It is the same only for the
    same page of the same bytes.
    """
    return hashlib.sha256(f"{document_sha256} {number} {width_px}x{height_px}".encode()).hexdigest()


def file_content_sha256(document_sha256: str, number: int) -> str:
    """Return the hash of a page without a picture, which is known by its file and its number."""
    return undrawn_sha256(document_sha256, number, 0, 0)
