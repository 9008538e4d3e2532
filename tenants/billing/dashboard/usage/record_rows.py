"""Single records as rows for people, and positions of records as text for URLs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenants.billing.dashboard.money import shown_money
from tenants.billing.dashboard.usage.filters import key_name
from tenants.billing.usage.models import UsageRecord
from tenants.billing.usage.records import BATCH_LINE, CACHE, CALL, PAGE, Place, is_cached
from tenants.plans.wording import used_words

_KINDS = {CALL: "Call", CACHE: "Call", BATCH_LINE: "Batch line"}


@dataclass(frozen=True)
class RecordRow:
    at: datetime
    kind: str
    page_id: UUID | None
    """The id of the job's page that the record is for."""
    model: str
    who: str
    used: str
    cost: str
    saved: str
    """The saved amount, or an empty text if nothing was saved."""
    cached: bool
    livemode: bool


def record_rows(records: Sequence[UsageRecord], names: Mapping[str, str]) -> list[RecordRow]:
    """Return the rows. `names` holds the keys' names by id."""
    return [_row(record, names) for record in records]


def _row(record: UsageRecord, names: Mapping[str, str]) -> RecordRow:
    # The cache hit of a page has a record id that differs from its source id. A call's record has one id for both.
    of_page = record.source_kind == PAGE or (record.source_kind == CACHE and record.source_id != record.id)
    kind = "Page" if of_page else _KINDS.get(record.source_kind, record.source_kind)
    return RecordRow(
        at=record.created_at,
        kind=kind,
        page_id=record.source_id if of_page else None,
        model=f"{record.model}@{record.version}",
        who=key_name(str(record.key_id or ""), names),
        used=used_words(record.quantity, record.meter),
        cost=shown_money(record.amount_micros, record.currency),
        saved=shown_money(record.saved_micros, record.currency) if record.saved_micros else "",
        cached=is_cached(record),
        livemode=record.livemode,
    )


def written_place(record: UsageRecord) -> str:
    return f"{record.created_at.isoformat()}_{record.id}"


def place_of(text: str) -> Place | None:
    """Parse a position. Return None if it is invalid. The list then begins at its start."""
    at, _, last = text.partition("_")
    try:
        moment = datetime.fromisoformat(at)
        return (moment, UUID(last)) if moment.tzinfo else None
    except ValueError:
        return None
