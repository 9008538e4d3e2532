"""An erased job, as far as it is still known. This module makes no queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.dashboard.base.wording import state_words
from tenants.billing.dashboard.money import shown_money


@dataclass(frozen=True)
class TombstoneView:
    model: str
    pages_total: int
    state_words: str
    cost: str


def tombstone_view(told: Mapping[str, Any]) -> TombstoneView:
    """Return the view of an erased job. `told` is the extra data of JobErased."""
    job = told["job"]
    return TombstoneView(
        model=job["model"],
        pages_total=job["pages_total"],
        state_words=state_words(job["state"]),
        cost=shown_money(job["cost_micros"], job["currency"]),
    )
