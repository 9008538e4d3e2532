"""Gives the names of this cell's accounts, and remembers those of the accounts of other cells."""

from collections.abc import Sequence
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from jobs.cells.documents import AccountPart
from tenants.accounts.models import Tenant
from tenants.cells.models import DirectoryEntry

BATCH = 1000


def own_accounts() -> list[AccountPart]:
    """Return the accounts whose home is this cell. Erased ones are left out. This is operator work."""
    home = settings.MAAS_CELL
    found = Tenant.objects.exclude(state=Tenant.State.ERASED).order_by("id").values_list("id", "name", "state")
    return [AccountPart(tenant_id, name, home, state) for tenant_id, name, state in found]


def all_accounts() -> list[AccountPart]:
    """Return the accounts of all cells, as far as the control cell knows them. This is operator work."""
    found = DirectoryEntry.objects.order_by("id").values_list("id", "name", "home", "state")
    return sorted([*own_accounts(), *(AccountPart(*row) for row in found)], key=lambda account: account.id)


def take_accounts(accounts: Sequence[AccountPart], entries: "QuerySet[DirectoryEntry]") -> list[str]:
    """Make these entries of the directory as the accounts say. Return why some were left out, in words.

    An account of this cell is never one of another, whatever another cell says.
    """
    here = set(Tenant.objects.exclude(state=Tenant.State.ERASED).values_list("id", flat=True))
    known = {entry.id: entry for entry in entries}
    elsewhere = dict(DirectoryEntry.objects.exclude(id__in=entries.values("id")).values_list("id", "home"))
    refused: list[str] = []
    wanted: dict[UUID, AccountPart] = {}
    for account in accounts:
        if account.id in here:
            refused.append(f"The account {account.id} is said to be at home in {account.home!r}, and is here.")
        elif account.id in elsewhere:
            refused.append(
                f"The account {account.id} is said to be at home in {account.home!r}, and is in "
                f"{elsewhere[account.id]!r} already."
            )
        else:
            wanted[account.id] = account
    DirectoryEntry.objects.filter(id__in=list(known.keys() - wanted.keys())).delete()
    changed = [account for account in wanted.values() if not _is_same(known.get(account.id), account)]
    rows = [DirectoryEntry(account.id, account.name, account.home, account.state) for account in changed]
    DirectoryEntry.objects.bulk_create(
        rows,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["name", "home", "state"],
    )
    return refused


def _is_same(entry: DirectoryEntry | None, account: AccountPart) -> bool:
    return entry is not None and (entry.name, entry.home, entry.state) == (account.name, account.home, account.state)
