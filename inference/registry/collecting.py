"""Collects stored files that nothing refers to: of deleted versions and variants, and of work that was cut off."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

import structlog
from django.core.files.storage import default_storage
from django.db import connections, transaction
from django.db.models.functions import Now
from django.utils import timezone

from inference.registry.artifacts import FOLDER, lock
from inference.registry.models import ModelVersion
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
KEPT = timedelta(hours=1)
"""The time after the deletion in which accepted work may still run, and after the storing until there is a row."""
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


_REFERRED = """
SELECT EXISTS (
    SELECT FROM inference_modelversion v, jsonb_each(v.artifacts) file WHERE file.value ->> 'file' = %(file)s
) OR EXISTS (SELECT FROM inference_modelvariant t WHERE t.artifact ->> 'file' = %(file)s)
"""
_ALL_REFERRED = """
SELECT file.value ->> 'file' FROM inference_modelversion v, jsonb_each(v.artifacts) file
UNION SELECT t.artifact ->> 'file' FROM inference_modelvariant t
"""


def collect_artifacts() -> int:
    """Delete the files of versions that were deleted some time ago, and return the number of these versions."""
    with operator_work():
        deleted = ModelVersion.objects.filter(deleted_at__lt=Now() - KEPT).exclude(artifacts={})
        found = list(deleted.prefetch_related("variants")[:MAX_COLLECTED])
        for version in found:
            files = [*version.artifacts.values(), *(variant.artifact for variant in version.variants.all())]
            _delete({str(file["file"]) for file in files}, unless=_IN_USE)
            version.variants.all().delete()
            # What the version was stays in its lineage. Its files are gone.
            ModelVersion.objects.filter(pk=version.pk).update(artifacts={})
    return len(found)


def collect_strays() -> int:
    """Delete stored files that never got their row, because a process was killed, and return their number."""
    with operator_work():
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(_ALL_REFERRED)
            referred = {name for (name,) in cursor.fetchall()}
        strays = [name for name in _stored_files() if name not in referred and _is_old(name)]
        _delete(strays[:MAX_COLLECTED], unless=_REFERRED)
    return len(strays[:MAX_COLLECTED])


def _stored_files() -> Iterator[str]:
    for digest in _listed(FOLDER)[0]:
        for name in _listed(f"{FOLDER}/{digest}")[1]:
            yield f"{FOLDER}/{digest}/{name}"


def _listed(folder: str) -> tuple[list[str], list[str]]:
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return [], []
    return folders, files


def _is_old(name: str) -> bool:
    try:
        return default_storage.get_modified_time(name) < timezone.now() - KEPT
    except FileNotFoundError:
        return False


def _delete(names: Iterable[str], *, unless: str) -> None:
    for name in names:
        with transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
            lock(name)
            cursor.execute(unless, {"file": name})
            (in_use,) = cursor.fetchone()
            if not in_use:
                default_storage.delete(name)
                log.info("model_file_collected", file=name)
