"""An entry of the audit log as its tenant sees it, and a file of them. It names no operator. No queries."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tenants.audit.acting import KEY, OPERATOR, PERSON, SYSTEM
from tenants.audit.actions import ACTIONS, kind_of
from tenants.audit.models import AuditEntry
from tenants.core.csv_cells import safe

_NAMELESS = {OPERATOR: "The operator", SYSTEM: "The service", KEY: "A key", PERSON: "A user"}
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


@dataclass(frozen=True)
class EntryDisplay:
    """The contents of an entry, which are the same in a row of the page, in the file and in the API."""

    entry: AuditEntry

    @property
    def _by_operator(self) -> bool:
        return self.entry.actor_kind == OPERATOR

    @property
    def actor(self) -> str:
        name = self.entry.actor_name or _NAMELESS[self.entry.actor_kind]
        return f"{name} as {self.entry.behalf_of}" if self.entry.behalf_of else name

    @property
    def by_key(self) -> bool:
        return self.entry.actor_kind == KEY

    @property
    def action_text(self) -> str:
        return ACTIONS.get(self.entry.action, self.entry.action)

    @property
    def changes(self) -> list[tuple[str, str, str]]:
        return [
            (name.replace("_", " "), _in_words(change.get("before")), _in_words(change.get("after")))
            for name, change in self.entry.changes.items()
        ]

    @property
    def address(self) -> str:
        return "" if self._by_operator else self.entry.address

    @property
    def user_agent(self) -> str:
        return "" if self._by_operator else self.entry.user_agent

    @property
    def as_json(self) -> dict[str, Any]:
        entry = self.entry
        return {
            "id": str(entry.id),
            "object": "audit_entry",
            "at": entry.at,
            "action": entry.action,
            "actor": {
                "kind": entry.actor_kind,
                "id": None if self._by_operator else entry.actor_id,
                "name": entry.actor_name,
                "on_behalf_of": entry.behalf_of,
            },
            "subject": {"kind": kind_of(entry.action), "id": entry.subject_id, "name": entry.subject_name},
            "changes": entry.changes,
            "note": entry.note,
            "address": self.address,
            "user_agent": self.user_agent,
            "request_id": entry.request_id,
        }


def _in_words(value: Any) -> str:
    match value:
        case None | "" | []:
            return "nothing"
        case list():
            return ", ".join(str(part) for part in value)
        case bool():
            return "yes" if value else "no"
    return str(value)


def as_csv(entries: Iterable[EntryDisplay]) -> str:
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(COLUMNS)
    for entry in entries:
        writer.writerow([safe(text) for text in _row(entry)])
    return written.getvalue()


def _row(display: EntryDisplay) -> tuple[str, ...]:
    entry = display.entry
    changes = "; ".join(f"{name}: {before} → {after}" for name, before, after in display.changes)
    return (
        entry.at.isoformat(timespec="seconds"),
        entry.action,
        display.actor,
        entry.actor_kind,
        entry.subject_name,
        entry.subject_id,
        changes,
        entry.note,
        display.address,
        display.user_agent,
        entry.request_id,
    )
