"""Keys by which the result of a page is found again: its tenant, the model version and parameters, and its content."""

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

FORMAT = 1
"""The number of the format, raised by a change that gives a page another result with the same version."""

Kind = Literal["page", "text_file", "input"]


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a page, in whichever document it is. No model gets the page's number or the document's name."""

    kind: Kind
    """The content: `page` is a picture and its text, `text_file` is one text, `input` was sent with the job."""
    sha256: str


def page_key(
    *,
    secret: bytes,
    tenant_id: UUID,
    generation: int,
    livemode: bool,
    digest: str,
    parameters: Mapping[str, Any],
    content: Content,
) -> bytes:
    """Return the key of a page. `digest` is the model version's; `parameters` have their defaults filled in.

    The key includes the tenant, so that tenants share nothing. It includes the secret, so that nobody who reads keys
    can find out what they stand for. Pages that a test key had read at no charge are no cache hits for a live key, nor
    the other way around. `generation` is that of the tenant's results: pages of an earlier generation are not found any
    more.
    """
    known_by = [FORMAT, str(tenant_id), livemode, digest, dict(parameters), content.kind, content.sha256]
    if generation:
        # It is left out if nothing was ever erased, because processes of an older version have no generations.
        known_by.append(generation)
    written = json.dumps(known_by, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hmac.digest(secret, written.encode(), "sha256")
