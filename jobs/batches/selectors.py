"""Reads of stored files and batches. They always run inside a unit of work."""

from django.db.models import QuerySet, Sum

from jobs.batches import states
from jobs.batches.ids import BATCH, FILE, read_id
from jobs.batches.models import Batch, StoredFile
from tenants.core.errors import NotFound


def get_file(file_id: object, *, for_update: bool = False) -> StoredFile:
    wanted = read_id(FILE, file_id)
    files = StoredFile.objects.select_for_update(no_key=True) if for_update else StoredFile.objects.all()
    found = files.filter(id=wanted).first() if wanted else None
    if found is None:
        raise NotFound(f"No such File object: {str(file_id)[:80]}", extra={"param": "id"})
    return found


def get_batch(batch_id: object, *, for_update: bool = False) -> Batch:
    wanted = read_id(BATCH, batch_id)
    batches = Batch.objects.select_for_update(no_key=True, of=("self",)) if for_update else Batch.objects.all()
    found = with_models(batches).filter(id=wanted).first() if wanted else None
    if found is None:
        raise NotFound(f"No batch found with id '{str(batch_id)[:80]}'.", extra={"param": "batch_id"})
    return found


def with_models(batches: "QuerySet[Batch]") -> "QuerySet[Batch]":
    return batches.select_related("model_version__served_model")


def unfinished_batches() -> "QuerySet[Batch]":
    return Batch.objects.filter(status__in=states.UNFINISHED)


def kept_bytes() -> int:
    """Return the bytes of files and of what batches under way have produced."""
    stored = StoredFile.objects.aggregate(bytes=Sum("size_bytes"))["bytes"] or 0
    made = unfinished_batches().aggregate(bytes=Sum("made_bytes"))["bytes"] or 0
    return int(stored + made)
