"""A batch as the dashboard shows it in its row."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from jobs.batches import states
from jobs.batches.ids import BATCH, FILE, shown
from jobs.batches.models import Batch
from jobs.dashboard.base.wording import state_words
from tenants.billing.dashboard.money import shown_money
from tenants.dashboard_base.wording import ago, whole

_TONES: Mapping[str, str] = {
    states.COMPLETED: "good",
    states.FAILED: "bad",
    states.EXPIRED: "bad",
    states.VALIDATING: "wait",
    states.CANCELLING: "wait",
    states.IN_PROGRESS: "wait",
    states.FINALIZING: "wait",
}
FAULTS_SHOWN = 3


@dataclass(frozen=True)
class BatchView:
    id: str
    endpoint: str
    model: str
    state: str
    tone: str
    unfinished: bool
    may_cancel: bool
    done: int
    total: int
    lines: str
    failed: str
    """The text about failed lines. It is empty if no line failed."""
    faults: tuple[str, ...]
    more_faults: int
    cost: str
    sent_at: datetime
    sent: str
    output: str
    errors: str
    """The URLs of its files. A URL is empty if there is no file, or none any more."""


def batch_view(batch: Batch, kept: frozenset[UUID], now: datetime) -> BatchView:
    """Return the view of a batch. `kept` are the files that have not expired yet."""
    faults = [_fault(fault) for fault in batch.errors or []]
    return BatchView(
        id=shown(BATCH, batch.id),
        endpoint=batch.endpoint,
        model=batch.model_version.key if batch.model_version else "",
        state=state_words(batch.status),
        tone=_TONES.get(batch.status, ""),
        unfinished=not batch.finished,
        may_cancel=batch.status in states.CANCELLABLE and not batch.ending,
        done=batch.lines_done,
        total=batch.lines_total,
        lines=f"{whole(batch.lines_done)} of {whole(batch.lines_total)}" if batch.lines_total else "",
        failed=f"{whole(batch.lines_failed)} failed" if batch.lines_failed else "",
        faults=tuple(faults[:FAULTS_SHOWN]),
        more_faults=max(0, len(faults) - FAULTS_SHOWN),
        cost=shown_money(batch.cost_micros, batch.price["currency"]) if batch.price else "",
        sent_at=batch.created_at,
        sent=ago(batch.created_at, now),
        output=_address(batch.output_file_id, kept),
        errors=_address(batch.error_file_id, kept),
    )


def _fault(fault: Mapping[str, object]) -> str:
    return f"Line {fault['line']}: {fault['message']}" if fault["line"] else str(fault["message"])


def _address(file_id: UUID | None, kept: frozenset[UUID]) -> str:
    return f"/v1/files/{shown(FILE, file_id)}/content" if file_id in kept and file_id is not None else ""
