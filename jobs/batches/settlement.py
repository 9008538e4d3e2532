"""Ends the tasks of batches. Results, uses, counts and what follows are written in one transaction, or not at all."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Max

from inference.registry.models import ModelVersion
from jobs.batches import states
from jobs.batches.checking import Fault, batch_fault
from jobs.batches.claims import TaskClaim, requeue
from jobs.batches.models import Batch, BatchTask, StoredFile
from jobs.batches.selectors import kept_bytes
from jobs.core.errors import LeaseLost
from jobs.documents import erasure
from tenants.billing.metering.events import MeterEvent
from tenants.billing.metering.services import record_events
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.leases import row_leases
from tenants.plans.retention import FOR_EVER, retention_for
from tenants.plans.selectors import terms_of

KEPT = timedelta(days=30)
"""The time that files of batches are kept unless another time is given. OpenAI keeps them as long."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Lines that are run together, saved as a file of their own."""

    file: str
    lines: int


@dataclass(slots=True)
class Done:
    """The outcome of a slice's lines in this claim."""

    completed: int = 0
    failed: int = 0
    not_run: int = 0
    tokens: int = 0
    uses: list[MeterEvent] = field(default_factory=list)
    output: str = ""
    errors: str = ""
    """The names of the files that the lines were written to, after the lines of earlier claims. They are empty if there
    is no file.
    """
    made_bytes: int = 0
    rests_s: float | None = None
    """Seconds for which the rest of the lines is left so that others go first. None if there is no rest."""
    tellers: list[Callable[[bool], None]] = field(default_factory=list)

    def tell(self, *, recorded: bool) -> None:
        """Say once, in the event loop, whether the uses were recorded. Responses that are paid for may be kept for
        others.
        """
        tellers, self.tellers = self.tellers, []
        for tell in tellers:
            tell(recorded)

    @property
    def lines(self) -> int:
        return self.completed + self.failed + self.not_run


@dataclass(frozen=True, slots=True)
class MadeFile:
    id: UUID
    file: str
    size_bytes: int
    sha256: str


def finish_check(claim: TaskClaim, version: ModelVersion, slices: Sequence[Slice]) -> None:
    """Store the result of the check. If this claim no longer holds the task, write nothing and raise LeaseLost."""
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        _end_task(claim)
        for piece in slices:
            erasure.withdraw(piece.file)
        tasks = [_task(batch, number, states.RUN) for number in range(1, len(slices) + 1)]
        for task, piece in zip(tasks, slices, strict=True):
            task.input, task.lines = piece.file, piece.lines
        BatchTask.objects.bulk_create(tasks)
        served = version.served_model
        prices = terms_of(claim.tenant_id).prices
        agreed = prices.of_model(served.name, served.price, served.cached_price)
        batch.model_version, batch.price = version, agreed.price.to_json()
        batch.cached_price = agreed.cached_price.to_json()
        batch.status, batch.in_progress_at = states.IN_PROGRESS, database_now()
        batch.lines_total = sum(piece.lines for piece in slices)
        batch.save()


def fail_batch(claim: TaskClaim, faults: Sequence[Fault]) -> None:
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        _end_task(claim)
        batch.errors = list(faults)
        close(batch, states.FAILED)


def finish_run(claim: TaskClaim, done: Done) -> None:
    """Store the outcome of a run. This is safe if two last tasks end at once: both lock the row of the batch, so the
    second one finds no task left.
    """
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        if done.rests_s is None:
            _end_task(claim)
        else:
            _rest(claim, done.rests_s)
        if done.lines:
            _take_over(claim, batch, done)
            batch.save()
            _end_when_full(batch)
        merge_when_done(batch)
        batch.save()
        # This is the last step, since all of the tenant's money waits until it is committed.
        record_events(tenant_id=claim.tenant_id, events=done.uses)


def give_up_lines(claim: TaskClaim, fault: Fault) -> None:
    """Give up the lines of a task that can never run. The batch ends as failed, with all that was done until then."""
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        _end_task(claim, state=states.DROPPED)
        batch.errors = [*(batch.errors or []), fault]
        end_early(batch, batch.ending or states.FAILED)


def finish_merge(
    claim: TaskClaim, output: MadeFile | None, errors: MadeFile | None, faults: Sequence[Fault] = ()
) -> None:
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        _end_task(claim)
        if output is not None:
            batch.output_file_id = _keep(batch, output, "output")
        if errors is not None:
            batch.error_file_id = _keep(batch, errors, "error")
        if faults:
            batch.errors = [*(batch.errors or []), *faults]
        close(batch, batch.ending or (states.FAILED if faults else states.COMPLETED))


def keep_pieces(claim: TaskClaim, pieces: Mapping[str, MadeFile], fault: Fault) -> None:
    """Keep files that cannot be merged as they are. `pieces` maps the kind of each file, such as `output_3`, to the
    file.
    """
    with unit_of_work(claim.tenant_id):
        batch = _locked(claim)
        _end_task(claim)
        for what, piece in pieces.items():
            _keep(batch, piece, what, lies=True)
        batch.errors = [*(batch.errors or []), fault]
        close(batch, batch.ending or states.FAILED, kept={piece.file for piece in pieces.values()})


def merge_when_done(batch: Batch) -> None:
    """Add the merge task if no other task is left. This runs under the lock of the batch, and the caller saves the
    batch.
    """
    tasks = BatchTask.objects.filter(batch=batch)
    if tasks.filter(state__in=(states.QUEUED, states.RUNNING)).exists():
        return
    last = tasks.aggregate(last=Max("number"))["last"] or 0
    _task(batch, last + 1, states.MERGE).save(force_insert=True)
    batch.finalizing_at = database_now()
    if batch.ending != states.CANCELLED:
        batch.status = states.FINALIZING


def end_early(batch: Batch, ending: str) -> None:
    """End a batch early, under its lock. Waiting tasks are dropped, and running tasks end as soon as their worker is
    notified.
    """
    batch.ending = ending
    if batch.status == states.VALIDATING:
        close(batch, ending)
        return
    BatchTask.objects.filter(batch=batch, state=states.QUEUED).update(state=states.DROPPED)
    if ending == states.CANCELLED:
        batch.status = states.CANCELLING
    merge_when_done(batch)
    batch.save()


def close(batch: Batch, status: str, kept: Collection[str] = ()) -> None:
    """Close a batch, under its lock. Only the outcome of its work is left."""
    tasks = BatchTask.objects.filter(batch=batch)
    names = [name for row in tasks.values_list("input", "output", "errors") for name in row if name]
    erasure.order([name for name in names if name not in kept])
    tasks.delete()
    batch.made_bytes = 0
    batch.status, batch.finished_at = status, database_now()
    batch.save()


def _locked(claim: TaskClaim) -> Batch:
    batch = Batch.objects.select_for_update(no_key=True).filter(id=claim.batch_id).first()
    if batch is None:
        raise LeaseLost(f"batch {claim.batch_id} is gone")
    return batch


def _end_task(claim: TaskClaim, *, state: str = states.DONE) -> None:
    if not row_leases.release(claim.held, state=state, at_line=None):
        raise _lease_lost(claim)


def _rest(claim: TaskClaim, rests_s: float) -> None:
    """Postpone the task, and with it all tasks of the batch, because all its lines use the same model."""
    if not requeue(claim, rests_s):
        raise _lease_lost(claim)
    if rests_s:
        waiting = BatchTask.objects.filter(batch_id=claim.batch_id, state=states.QUEUED, kind=states.RUN)
        waiting.update(run_after=row_leases.after(rests_s))


def _lease_lost(claim: TaskClaim) -> LeaseLost:
    return LeaseLost(f"task {claim.task_id} is no longer held with token {claim.token}")


def _take_over(claim: TaskClaim, batch: Batch, done: Done) -> None:
    """Record new files, which contain the responses of this claim after those of earlier claims."""
    made = {"output": done.output, "errors": done.errors}
    BatchTask.objects.filter(id=claim.task_id).update(answered=claim.answered + done.lines, **made)
    for name in filter(None, made.values()):
        erasure.withdraw(name)
    erasure.order([name for name in (claim.output, claim.errors) if name])
    batch.lines_completed += done.completed
    batch.lines_failed += done.failed
    batch.tokens += done.tokens
    batch.made_bytes += done.made_bytes
    batch.cost_micros += sum(use.amount_micros for use in done.uses)


def _end_when_full(batch: Batch) -> None:
    unfinished = BatchTask.objects.filter(batch=batch, state__in=(states.QUEUED, states.RUNNING))
    held = kept_bytes()
    if batch.ending or held <= settings.MAAS_MAX_FILES_BYTES or not unfinished.exists():
        return
    message = (
        f"With the results of this batch, the files of this account have {held} bytes, but at most "
        f"{settings.MAAS_MAX_FILES_BYTES} are allowed. Delete some and send the missing requests again."
    )
    batch.errors = [*(batch.errors or []), batch_fault("too_many_files", message)]
    end_early(batch, states.FAILED)


def _task(batch: Batch, number: int, kind: str) -> BatchTask:
    return BatchTask(tenant_id=batch.tenant_id, batch=batch, number=number, kind=kind)


def lives_for(wanted_s: int | None, *, days: int) -> timedelta:
    """Return how long a file lives. It is no longer than other content of its kind that its tenant keeps."""
    lives = KEPT if wanted_s is None else timedelta(seconds=wanted_s)
    return lives if days == FOR_EVER else min(lives, timedelta(days=days))


def _keep(batch: Batch, made: MadeFile, what: str, *, lies: bool = False) -> UUID:
    """Create the row of a file. `lies` says that the file was stored before, so that no order to erase it was written
    with it.
    """
    now = database_now()
    days = retention_for(batch.tenant_id).results(livemode=batch.livemode)
    lives = lives_for(batch.output_lives_s, days=days)
    if not lies:
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
