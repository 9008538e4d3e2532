"""The first task of a batch, which checks its file line by line and cuts it into slices."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self
from uuid import UUID

from django.conf import settings

from inference.registry.errors import ModelTypeMismatch
from inference.registry.models import ModelVersion
from inference.registry.selectors import find_version
from inference.runtime.inputs_counted import reads_rows
from jobs.batches import blobs
from jobs.batches.blobs import Scratch
from jobs.batches.checking import Fault, FileCheck
from jobs.batches.claims import TaskClaim
from jobs.batches.line_parsing import EMBEDDINGS, BatchLine, weight_of
from jobs.batches.models import StoredFile
from jobs.batches.running import numbered
from jobs.batches.settlement import Slice, fail_batch, finish_check
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.limits.rates.free_day import AllowanceSpent, free_day

EMBED = "embed"
MAX_LINES = 500
MAX_WEIGHT = 2_000
MAX_BYTES = 4 << 20


def check_file(claim: TaskClaim) -> None:
    with unit_of_work(claim.tenant_id):
        given = StoredFile.objects.filter(id=claim.input_file_id).first()
    if given is None:
        message = "The input file was deleted before it could be read."
        fail_batch(claim, [Fault(code="file_missing", message=message, param="input_file_id", line=None)])
        return
    with Slices(claim) as slices:
        check = FileCheck(claim.endpoint, settings.MAAS_MAX_INLINE_BYTES, slices.add)
        with blobs.opened(given.file) as stream:
            check.check(stream)
        if check.faults:
            fail_batch(claim, check.faults)
            return
        try:
            version = version_for(claim.tenant_id, claim.endpoint, str(check.model))
        except DomainError as error:
            param = "body.model" if claim.endpoint == EMBEDDINGS else "url"
            fault = Fault(code=error.code, message=error.detail, param=param, line=1)
            fail_batch(claim, [fault])
            return
        try:
            with _free_day_spent(claim, check, version):
                finish_check(claim, version, slices.finish())
        except AllowanceSpent as spent:
            fail_batch(claim, [Fault(code=spent.code, message=spent.detail, param=None, line=None)])


@contextmanager
def _free_day_spent(claim: TaskClaim, check: FileCheck, version: ModelVersion) -> Iterator[None]:
    """Count all lines of a test batch before the first of them begins, and give them back if none of them will.

    If the worker dies in between, they are counted a second time: they cost nothing, and the day ends.
    """
    if claim.livemode:
        yield
        return
    inputs = _inputs_of(claim, check, version)
    free_day().spend(claim.tenant_id, "calls", inputs)
    try:
        yield
    except BaseException:
        free_day().give_back(claim.tenant_id, "calls", inputs)
        raise


def version_for(tenant_id: UUID, endpoint: str, reference: str) -> ModelVersion:
    """Return the version to use. Raises an error that says what is wrong with the model. A paused model is accepted,
    and the batch waits for it.
    """
    version = find_version(reference, tenant_id=tenant_id)
    if endpoint == EMBEDDINGS and version.runtime != EMBED:
        raise ModelTypeMismatch(f"The model {version.served_model.name!r} has no text embeddings. Use another model.")
    return version


def _inputs_of(claim: TaskClaim, check: FileCheck, version: ModelVersion) -> int:
    if claim.endpoint == EMBEDDINGS:
        return check.texts
    # A model without tensors of its own takes texts, which are in a single tensor.
    takes_many = not version.signature.get("inputs") or reads_rows(version.signature)
    return check.rows if takes_many else check.count


class Slices:
    """A writer of slices. A slice is a file with the lines that are run together. It is small enough to be held in
    memory.
    """

    def __init__(self, claim: TaskClaim) -> None:
        self._claim = claim
        self._made: list[Slice] = []
        self._scratch: Scratch | None = None
        self._lines = self._weight = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the unfinished slice. What was saved already is erased by its own order, as no row points at it."""
        if self._scratch is not None:
            self._scratch.close()

    def add(self, raw: bytes, line: BatchLine) -> None:
        weight = weight_of(line, len(raw))
        if self._scratch is not None and self._is_full(weight, len(raw)):
            self._cut()
        if self._scratch is None:
            self._scratch = blobs.scratch()
        self._scratch.write(numbered(line.number, raw))
        self._lines += 1
        self._weight += weight

    def finish(self) -> list[Slice]:
        self._cut()
        return self._made

    def _is_full(self, weight: int, size_bytes: int) -> bool:
        assert self._scratch is not None
        return (
            self._lines >= MAX_LINES
            or self._weight + weight > MAX_WEIGHT
            or self._scratch.size_bytes + size_bytes > MAX_BYTES
        )

    def _cut(self) -> None:
        if self._scratch is None:
            return
        made, self._scratch = self._scratch, None
        with made:
            made.finish()
            name = blobs.part_name(self._claim.tenant_id, self._claim.batch_id, "lines")
            blobs.save(self._claim.tenant_id, name, made.path)
        self._made.append(Slice(name, self._lines))
        self._lines = self._weight = 0
