"""The table of page embeddings. It is created after each migration if the database has pgvector and the table is
missing.

This is not a migration, so that a database that gets pgvector later has the table after its next `migrate`.
"""

from django.db import DatabaseError, connections, transaction
from django.db.backends.utils import CursorWrapper

from tenants.core.db.row_security import protect, refer_within_tenant

TABLE = "jobs_pageembedding"

_EXTENSION_OFFERED = "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')"
# Half floats came with pgvector 0.7. A table whose rows are twice as wide is not worth the support of an older version.
_STATE = "SELECT to_regtype('halfvec') IS NOT NULL, to_regclass('jobs_job') IS NOT NULL, to_regclass(%s) IS NOT NULL"

_CREATE = f"""
CREATE TABLE {TABLE} (
    page_id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    job_id uuid NOT NULL,
    number int NOT NULL,
    digest varchar(64) NOT NULL,
    embedding halfvec NOT NULL
);
CREATE INDEX {TABLE}_newest ON {TABLE} (tenant_id, digest, page_id);
CREATE INDEX {TABLE}_of_job ON {TABLE} (tenant_id, job_id);
"""


def make_embeddings_table(using: str, **_: object) -> None:
    """Receive Django's post_migrate signal."""
    if using != "owner":
        return
    with connections[using].cursor() as cursor:
        _create_extension(cursor, using)
        cursor.execute(_STATE, [TABLE])
        has_type, has_jobs, has_table = cursor.fetchone()
        if has_type and has_jobs and not has_table:
            with transaction.atomic(using=using):
                cursor.execute(_CREATE)
                cursor.execute(str(protect(TABLE).sql))
                cursor.execute(str(refer_within_tenant(TABLE, "job_id", "jobs_job", "CASCADE").sql))


def _create_extension(cursor: CursorWrapper, using: str) -> None:
    """Create the extension if the owner may. Otherwise a superuser has to create it, or search by meaning stays
    unavailable.
    """
    cursor.execute(_EXTENSION_OFFERED)
    if not cursor.fetchone()[0]:
        return
    try:
        with transaction.atomic(using=using):
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except DatabaseError:
        return
