"""By what a page is known again: whose it is, which version reads it how, and what is on it."""

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

FORMAT = 1
"""Whoever changes what the same page's result is, with the same version of a model, takes the next number."""

Kind = Literal["page", "text_file", "input"]


@dataclass(frozen=True, slots=True)
class Content:
    """What is on a page, wherever it stands: no model is told the number of a page's place or the document's name."""

    kind: Kind
    """`page`: its picture and its own text; `text_file`: a file that is one text; `input`: sent with the job."""
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
    """`digest` is the model version's; `parameters` have their defaults filled in.

    The tenant is in it, so that tenants share nothing, and the secret, so that nobody who reads keys can tell what
    lies behind them. What a test key has had read, for nothing, is none of a live key's results, nor the other way.
    `generation` is that of the tenant's results: the pages of an earlier one are forgotten.
    """
    known_by = [FORMAT, str(tenant_id), livemode, digest, dict(parameters), content.kind, content.sha256]
    if generation:
        # Left out where nothing was ever erased, as processes of an older version know no generations.
        known_by.append(generation)
    written = json.dumps(known_by, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hmac.digest(secret, written.encode(), "sha256")
