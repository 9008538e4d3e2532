"""Collects the stored files of deleted versions and variants that nothing refers to any more."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

import structlog
from django.core.files.storage import default_storage
from django.db import connections, transaction
from django.db.models.functions import Now

from inference.registry.artifacts import lock
from inference.registry.models import ModelVersion
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
KEPT = timedelta(hours=1)
"""The time after the deletion in which accepted work may still run."""
MAX_COLLECTED = 100
_IN_USE = """
SELECT EXISTS (
    SELECT FROM inference_modelversion v, jsonb_each(v.artifacts) file
    WHERE v.deleted_at IS NULL AND file.value ->> 'file' = %(file)s
) OR EXISTS (
    SELECT FROM inference_modelvariant t JOIN inference_modelversion v ON v.id = t.version_id
    WHERE v.deleted_at IS NULL AND t.artifact ->> 'file' = %(file)s
)
"""


def collect_artifacts() -> int:
    """Delete the files of versions that were deleted some time ago, and return the number of these versions."""
    with operator_work():
        deleted = ModelVersion.objects.filter(deleted_at__lt=Now() - KEPT).exclude(artifacts={})
        found = list(deleted.prefetch_related("variants")[:MAX_COLLECTED])
        for version in found:
            files = [*version.artifacts.values(), *(variant.artifact for variant in version.variants.all())]
            _delete(files)
            version.variants.all().delete()
            # What the version was stays in its lineage. Its files are gone.
            ModelVersion.objects.filter(pk=version.pk).update(artifacts={})
    return len(found)


def _delete(files: Iterable[Mapping[str, Any]]) -> None:
    for name in {str(file["file"]) for file in files}:
        with transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
            lock(name)
            cursor.execute(_IN_USE, {"file": name})
            (in_use,) = cursor.fetchone()
            if not in_use:
                default_storage.delete(name)
                log.info("model_file_collected", file=name)
