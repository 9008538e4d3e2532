"""Ends of batches' tasks: results, uses, counts and what follows in one transaction, or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db.models import Max
from django.utils import timezone

from inference.registry.models import ModelVersion
from jobs.batches import states
from jobs.batches.checking import Fault
from jobs.batches.claims import TaskClaim
from jobs.batches.models import Batch, BatchTask, StoredFile
from jobs.documents import erasure
from jobs.errors import Fenced
from tenants.context import unit_of_work
from tenants.metering.events import MeterEvent
from tenants.metering.services import record_events

KEPT = timedelta(days=30)
"""Files of batches, unless told otherwise: as OpenAI keeps them."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Lines that are run together, saved as a file of their own."""

    file: str
    lines: int


@dataclass(slots=True)
class Done:
    """What has become of a slice's lines."""

    completed: int = 0
    failed: int = 0
    tokens: int = 0
    uses: list[MeterEvent] = field(default_factory=list)
    output: str = ""
    errors: str = ""
    """Names of the files that the lines were written to; empty for none."""


@dataclass(frozen=True, slots=True)
class MadeFile:
    id: UUID
    file: str
    size_bytes: int
    sha256: str


def finish_check(claim: TaskClaim, version: ModelVersion, slices: Sequence[Slice]) -> None:
    """Raises Fenced, with nothing written, when the task is no longer this claim's."""
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        _end_task(claim)
        for one in slices:
            erasure.withdraw(one.file)
        tasks = [_task(batch, number, states.RUN) for number in range(1, len(slices) + 1)]
        for task, one in zip(tasks, slices, strict=True):
            task.input, task.lines = one.file, one.lines
        BatchTask.objects.bulk_create(tasks)
        batch.model_version, batch.price = version, version.served_model.price.to_json()
        batch.status, batch.in_progress_at = states.IN_PROGRESS, timezone.now()
        batch.lines_total = sum(one.lines for one in slices)
        batch.save()


def fail_batch(claim: TaskClaim, faults: Sequence[Fault]) -> None:
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        _end_task(claim)
        batch.errors = list(faults)
        close(batch, states.FAILED)


def finish_run(claim: TaskClaim, done: Done) -> None:
    """Safe against two last tasks at once: both hold the batch's row, so the second one finds none left."""
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        _end_task(claim, output=done.output, errors=done.errors)
        for name in filter(None, (done.output, done.errors)):
            erasure.withdraw(name)
        record_events(tenant_id=claim.tenant_id, events=done.uses)
        batch.lines_completed += done.completed
        batch.lines_failed += done.failed
        batch.tokens += done.tokens
        batch.cost_micros += sum(use.amount_micros for use in done.uses)
        merge_when_done(batch)
        batch.save()


def finish_merge(claim: TaskClaim, output: MadeFile | None, errors: MadeFile | None) -> None:
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        _end_task(claim)
        if output is not None:
            batch.output_file_id = _keep(batch, output, "output")
        if errors is not None:
            batch.error_file_id = _keep(batch, errors, "error")
        close(batch, batch.ending or states.COMPLETED)


def merge_when_done(batch: Batch) -> None:
    """Under the batch's lock; the caller saves it."""
    tasks = BatchTask.objects.filter(batch=batch)
    if tasks.filter(state__in=(states.QUEUED, states.RUNNING)).exists():
        return
    last = tasks.aggregate(last=Max("number"))["last"] or 0
    _task(batch, last + 1, states.MERGE).save(force_insert=True)
    batch.finalizing_at = timezone.now()
    if batch.ending != states.CANCELLED:
        batch.status = states.FINALIZING


def close(batch: Batch, status: str) -> None:
    """Under the batch's lock: nothing is left of its work but what it came to."""
    tasks = BatchTask.objects.filter(batch=batch)
    names = [name for row in tasks.values_list("input", "output", "errors") for name in row if name]
    erasure.order(names)
    tasks.delete()
    batch.status, batch.finished_at = status, timezone.now()
    batch.save()


def _locked(claim: TaskClaim) -> Batch:
    batch = Batch.objects.select_for_update(no_key=True).filter(id=claim.batch_id).first()
    if batch is None:
        raise Fenced(f"batch {claim.batch_id} is gone")
    return batch


def _end_task(claim: TaskClaim, **made: str) -> None:
    task = BatchTask.objects.filter(id=claim.task_id, state=states.RUNNING, lease_token=claim.token)
    if task.update(state=states.DONE, lease_until=None, at_line=None, **made) != 1:
        raise Fenced(f"task {claim.task_id} is no longer held with token {claim.token}")


def _task(batch: Batch, number: int, kind: str) -> BatchTask:
    return BatchTask(tenant_id=batch.tenant_id, batch=batch, number=number, kind=kind)


def _keep(batch: Batch, made: MadeFile, what: str) -> UUID:
    now = timezone.now()
    lives = KEPT if batch.output_lives_s is None else timedelta(seconds=batch.output_lives_s)
    erasure.withdraw(made.file)
    StoredFile.objects.create(
        id=made.id,
        tenant_id=batch.tenant_id,
        name=f"batch_{batch.id.hex}_{what}.jsonl",
        purpose=StoredFile.Purpose.BATCH_OUTPUT,
        size_bytes=made.size_bytes,
        sha256=made.sha256,
        file=made.file,
        livemode=batch.livemode,
        created_at=now,
        expires_at=now + lives,
    )
    return made.id
