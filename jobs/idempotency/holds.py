"""Holds idempotency keys of requests that take more than one transaction, such as requests that fetch a document.
While a key is held, no other request with this key is handled.

A hold is a row in the database, so it applies to all web processes. It expires, so that it ends soon after a process
that crashed. Its holder renews it and identifies itself by the hold's id. A hold only keeps other requests away. That
an object is created only once is ensured by the key itself.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import connections
from django.db.models import Q
from django.db.models.functions import Now

from jobs.core.errors import RequestInProgress
from jobs.idempotency.keys import Sent
from jobs.idempotency.models import HeldKey
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.ids import uuid7
from tenants.core.leases import row_leases

LEASE_S = 10.0
"""Seconds from one renewal of the holder to the next, after which a hold ends."""
AGAIN_S = 2

# The new hold replaces a hold that has ended.
_TAKE = """
INSERT INTO jobs_heldkey AS held (id, tenant_id, key, ends_at)
VALUES (%s, %s, %s, statement_timestamp() + make_interval(secs => %s))
ON CONFLICT (tenant_id, key) DO UPDATE SET id = EXCLUDED.id, ends_at = EXCLUDED.ends_at
WHERE held.ends_at <= statement_timestamp()
"""


@dataclass(frozen=True)
class Hold:
    tenant_id: UUID
    id: UUID


def take(sent: Sent) -> Hold:
    """Take a hold, in a unit of work in which no other request works under the key."""
    hold = Hold(sent.tenant_id, uuid7())
    with connections[APP].cursor() as cursor:
        cursor.execute(_TAKE, [hold.id, sent.tenant_id, sent.kept_as, LEASE_S])
        if cursor.rowcount == 0:
            raise _held(sent)
    return hold


def require_not_held(sent: Sent) -> None:
    """Raise RequestInProgress if another request than this one holds the key."""
    if HeldKey.objects.filter(~Q(id=sent.hold_id), key=sent.kept_as, ends_at__gt=Now()).exists():
        raise _held(sent)


def renew(hold: Hold) -> bool:
    """Renew a hold. Return False if another request has the key by now."""
    with unit_of_work(hold.tenant_id):
        return HeldKey.objects.filter(id=hold.id).update(ends_at=row_leases.after(LEASE_S)) == 1


def let_go(hold: Hold) -> None:
    with unit_of_work(hold.tenant_id):
        HeldKey.objects.filter(id=hold.id).delete()


def _held(sent: Sent) -> RequestInProgress:
    return RequestInProgress(
        f"A request with the Idempotency-Key {sent.key[:80]!r} is still fetching its file. Send this again in "
        f"{AGAIN_S} s to get its response.",
        extra={"retry_after_s": AGAIN_S},
    )
