"""The documents that cells sign and give to each other: their parts, their bytes and how they are read. Pure.

Parts are named by natural keys: the code of a plan, the name of a model with the number of a version. The ids of rows
are each cell's own.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec

FORMAT = 1
"""The number of this form. A cell takes no document of another form, and keeps what it has."""
Sha256 = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Count = Annotated[int, msgspec.Meta(ge=0)]
Number = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
LargeNumber = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
ModelName = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9_-]{0,99}\Z")]
PlanCode = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_-]{1,50}\Z")]


_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


class DocumentInvalid(ValueError):
    """The error for bytes that are no document of this form. The message says what is wrong, and where."""


class PricePart(msgspec.Struct, frozen=True):
    model: str
    meter: str
    valid_from: datetime
    amount_micros: Count | None
    per: Number
    cached_micros: Count | None
    review_micros: Count | None


class IncludedPart(msgspec.Struct, frozen=True):
    model: str
    meter: str
    valid_from: datetime
    quantity: Count


class PlanPart(msgspec.Struct, frozen=True):
    code: PlanCode
    name: str
    currency: str
    monthly_fee_micros: Count
    trial_days: Count
    trial_credit_micros: Count
    is_prepaid: bool
    is_default: bool
    archived: bool
    limits: Mapping[str, Count | None]
    prices: Sequence[PricePart]
    included: Sequence[IncludedPart]


class FilePart(msgspec.Struct, frozen=True):
    sha256: Sha256
    bytes: Count
    name: Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_][A-Za-z0-9._-]{0,199}\Z")]


class VersionPart(msgspec.Struct, frozen=True):
    number: Number
    runtime: str
    digest: Sha256
    state: Annotated[str, msgspec.Meta(pattern=r"\A(ready|retired)\Z")]
    files: Mapping[str, FilePart]
    config: Mapping[str, Any]
    signature: Mapping[str, Any]
    steps: Mapping[str, str]
    """The members of a pipeline by role, as name@number."""
    license: str
    description: str
    labels: Mapping[str, Any]
    card: str
    evaluation: Mapping[str, Any]
    lineage: Mapping[str, Any]
    report: Mapping[str, Any]
    created_at: datetime


class ModelPart(msgspec.Struct, frozen=True):
    name: ModelName
    title: str
    description: str
    state: Annotated[str, msgspec.Meta(pattern=r"\A(active|paused)\Z")]
    accepts: Sequence[str]
    parameters: Sequence[Any]
    price_meter: str
    price_micros: Count
    price_per: Number
    currency: str
    cached_price_micros: Count | None
    review_price_micros: Count | None
    cache_ttl_s: Count
    audience: Annotated[str, msgspec.Meta(pattern=r"\A(everyone|chosen)\Z")]
    isolated: bool
    kind: str
    bounds: Mapping[str, Any]
    aliases: Mapping[str, Number]
    versions: Sequence[VersionPart]


class AccountPart(msgspec.Struct, frozen=True):
    id: UUID
    name: Annotated[str, msgspec.Meta(max_length=200)]
    home: Annotated[str, msgspec.Meta(max_length=16)]
    state: Annotated[str, msgspec.Meta(pattern=r"\A(active|suspended|closing|erasing)\Z")]


class Content(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of a document. A cell that is not the control cell gives its accounts alone."""

    accounts: Sequence[AccountPart] = ()
    plans: Sequence[PlanPart] = ()
    models: Sequence[ModelPart] = ()


class Document(msgspec.Struct, frozen=True):
    format: int
    cell: str
    version: LargeNumber
    made_at: datetime
    content: Content


class _Head(msgspec.Struct, frozen=True):
    format: int


def written(part: msgspec.Struct) -> bytes:
    """Return the bytes of a document or a part. The same content always has the same bytes."""
    return msgspec.json.encode(part, order="deterministic")


def digest_of(content: Content) -> str:
    return hashlib.sha256(written(content)).hexdigest()


def read_document(body: bytes, cell: str) -> Document:
    """Return the document of a cell, from bytes whose signature was checked. Raises DocumentInvalid."""
    if has_nul(body):
        raise DocumentInvalid("It has the character U+0000, which no database keeps.")
    try:
        form = msgspec.json.decode(body, type=_Head).format
        if form != FORMAT:
            raise DocumentInvalid(
                f"It has the form {form}, and this release reads {FORMAT}: bring both cells to one release."
            )
        found = msgspec.json.decode(body, type=Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DocumentInvalid(f"It cannot be read: {error}") from error
    if found.cell != cell:
        raise DocumentInvalid(f"It is of the cell {found.cell[:40]!r}, and was fetched from {cell!r}.")
    return found


def has_nul(body: bytes) -> bool:
    """Return whether a text in the JSON has the character U+0000, which PostgreSQL does not store."""
    return _NUL.search(body) is not None


def as_json(part: msgspec.Struct) -> Any:
    """Return a part as JSON values."""
    return msgspec.to_builtins(part)
