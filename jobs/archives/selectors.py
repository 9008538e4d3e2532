"""Reads of archives. They always run inside a unit of work."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from jobs.core import archive_states as states
from jobs.core.models.archives import Archive, ArchiveEntry
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid


@dataclass(frozen=True)
class Tally:
    """The number of entries by their outcome."""

    total: int
    waiting: int
    done: int
    failed: int
    skipped: int
    canceled: int


def get_archive(archive_id: object, *, for_update: bool = False) -> Archive:
    wanted = as_uuid(archive_id)
    archives = Archive.objects.select_for_update(no_key=True) if for_update else Archive.objects.all()
    found = archives.filter(id=wanted, mail_id=None).first() if wanted else None
    if found is None:
        raise NotFound("Archive not found.")
    return found


def archives_newest_first() -> "QuerySet[Archive]":
    """Return the ZIP files. Emails are shown with their documents."""
    return Archive.objects.filter(mail_id=None).order_by("-id")


def tallies_of(archives: list[Archive]) -> dict[object, Tally]:
    """Return the tally of each archive in one query, however many archives there are."""
    rows = (
        ArchiveEntry.objects.filter(archive__in=archives)
        .values_list("archive_id", "state")
        .annotate(count=Count("id"))
        .order_by()
    )
    counts: dict[object, dict[str, int]] = {archive.id: {} for archive in archives}
    for archive_id, state, count in rows:
        counts[archive_id][state] = count
    return {archive_id: _tally(found) for archive_id, found in counts.items()}


def _tally(counts: dict[str, int]) -> Tally:
    return Tally(total=sum(counts.values()), **{state: counts.get(state, 0) for state in states.ENTRY_STATES})
