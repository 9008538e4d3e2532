"""The choice of audit log entries, and the read of a tenant's own log. Call the read inside its unit of work."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Self
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import QuerySet

from tenants.audit.acting import KEY, OPERATOR, PERSON, SYSTEM
from tenants.audit.actions import KINDS
from tenants.audit.models import AuditEntry
from tenants.core.ids import as_uuid, first_id_at

MAX_EXPORTED = 10_000
ANY_KEY, THE_OPERATOR, THE_SERVICE = f"{KEY}s", OPERATOR, SYSTEM
GROUPS = {ANY_KEY: KEY, THE_OPERATOR: OPERATOR, THE_SERVICE: SYSTEM}
"""The kinds of actors that are not chosen by an id."""
NAMES = ("kind", "actor", "since", "until")


@dataclass(frozen=True)
class AuditFilter:
    kind: str = ""
    actor: str = ""
    """The id of a person or a key, or one of the groups."""
    since: date | None = None
    until: date | None = None
    """The last day, in UTC."""

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Self:
        """Read the filter from query values. Raises ValueError, which says which value is wrong and why."""
        kind, actor = values.get("kind", ""), values.get("actor", "")
        if kind and kind not in KINDS:
            raise ValueError(f"Unknown value kind={kind[:40]!r}. Use {', '.join(KINDS)}.")
        if actor and actor not in GROUPS and as_uuid(actor) is None:
            raise ValueError(f"Unknown value actor={actor[:40]!r}. Use an ID or {', '.join(GROUPS)}.")
        return cls(kind, actor, _day("since", values.get("since")), _day("until", values.get("until")))

    @property
    def narrows(self) -> bool:
        return self != type(self)()

    @property
    def query(self) -> str:
        """Return the filter as the query of a URL. It is empty if nothing is filtered."""
        values = {"kind": self.kind, "actor": self.actor, "since": self.since, "until": self.until}
        return urlencode({name: str(value) for name, value in values.items() if value})


def _day(name: str, text: str | None) -> date | None:
    if not text:
        return None
    with suppress(ValueError):
        day = date.fromisoformat(text)
        if f"{day}" == text:  # Python reads 20270131 and 2027-W04-7 as well.
            return day
    raise ValueError(f"{name}={text[:40]!r} is not a date. Use year-month-day, such as 2027-01-31.")


def audit_entries(wanted: AuditFilter) -> "QuerySet[AuditEntry]":
    """Return the entries, newest first. Ids grow with time."""
    found = AuditEntry.objects.order_by("-id")
    if wanted.kind:
        found = found.filter(action__startswith=f"{wanted.kind}.")
    if wanted.actor in GROUPS:
        found = found.filter(actor_kind=GROUPS[wanted.actor])
    elif wanted.actor:
        # An operator's id is excluded, because tenants do not learn who the operator was.
        found = found.filter(actor_id=UUID(wanted.actor), actor_kind__in=(PERSON, KEY))
    if wanted.since:
        found = found.filter(id__gte=first_id_at(datetime.combine(wanted.since, time(), UTC)))
    if wanted.until:
        day_after = datetime.combine(wanted.until, time(), UTC) + timedelta(days=1)
        found = found.filter(id__lt=first_id_at(day_after))
    return found
