"""The audit log as a file for a spreadsheet. No cell of it is read as a formula. Pure."""

import csv
import io
from collections.abc import Iterable

from tenants.audit.entry_display import EntryDisplay

COLUMNS = (
    "time_utc",
    "action",
    "actor",
    "actor_kind",
    "subject",
    "subject_id",
    "changes",
    "note",
    "address",
    "user_agent",
    "request_id",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(entries: Iterable[EntryDisplay]) -> str:
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(COLUMNS)
    for told in entries:
        writer.writerow([_cell(text) for text in _row(told)])
    return written.getvalue()


def _row(told: EntryDisplay) -> tuple[str, ...]:
    entry = told.entry
    changes = "; ".join(f"{name}: {before} → {after}" for name, before, after in told.changes)
    return (
        entry.at.isoformat(timespec="seconds"),
        entry.action,
        told.actor,
        entry.actor_kind,
        entry.subject_name,
        entry.subject_id,
        changes,
        entry.note,
        told.address,
        told.user_agent,
        entry.request_id,
    )


def _cell(text: str) -> str:
    """Return a cell. A spreadsheet would run text like a formula, and other people type names and addresses."""
    return f"'{text}" if text.startswith(_FORMULA) else text
