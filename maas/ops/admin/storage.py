"""The bytes of documents that each tenant stores, and the free bytes."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.core.files.storage import FileSystemStorage, storages
from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR

SHOWN = 10

_BY_TENANT = """
WITH kept AS (
    SELECT tenant_id, sum(size_bytes) AS bytes, count(*) AS documents FROM jobs_document
    WHERE deleted_at IS NULL GROUP BY tenant_id
)
SELECT k.tenant_id, t.name, k.bytes, k.documents, sum(k.bytes) OVER (), sum(k.documents) OVER ()
FROM kept k JOIN tenants_tenant t ON t.id = k.tenant_id ORDER BY k.bytes DESC LIMIT %s
"""


@dataclass(frozen=True)
class TenantBytes:
    tenant_id: UUID
    name: str
    size_bytes: int
    documents: int


@dataclass(frozen=True)
class Storage:
    total_bytes: int
    documents: int
    by_tenant: list[TenantBytes]
    free_bytes: int | None
    """The free bytes, or None if the files are not in a local folder, so that the number is unknown."""
    volume_bytes: int | None


def storage_now() -> Storage:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_BY_TENANT, [SHOWN])
        rows = cursor.fetchall()
    total, documents = (int(rows[0][4]), int(rows[0][5])) if rows else (0, 0)
    largest = [TenantBytes(row[0], row[1], int(row[2]), row[3]) for row in rows]
    free_bytes, volume_bytes = _volume()
    return Storage(total, documents, largest, free_bytes, volume_bytes)


def _volume() -> tuple[int | None, int | None]:
    files = storages["default"]
    if not isinstance(files, FileSystemStorage):
        return None, None
    folder = Path(files.path("")).absolute()
    # If nothing has been stored yet, the folder does not exist. It will be on the volume of its nearest existing
    # parent.
    there = next(place for place in (folder, *folder.parents) if place.exists())
    usage = shutil.disk_usage(there)
    return usage.free, usage.total
