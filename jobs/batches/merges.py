"""The last task of a batch: what its slices gave becomes one output file and one error file, in the order of lines."""

from jobs.batches import blobs, states
from jobs.batches.blobs import Scratch
from jobs.batches.claims import TaskClaim
from jobs.batches.ids import line_id
from jobs.batches.models import BatchTask
from jobs.batches.results import error_line
from jobs.batches.running import lines_of
from jobs.batches.settlement import MadeFile, finish_merge
from tenants.context import unit_of_work
from tenants.ids import uuid7


def merge_files(claim: TaskClaim) -> None:
    with unit_of_work(claim.tenant_id):
        tasks = list(BatchTask.objects.filter(batch_id=claim.batch_id, kind=states.RUN).order_by("number"))
    with blobs.scratch() as output, blobs.scratch() as errors:
        for task in tasks:
            if task.output:
                blobs.copy_into(output, task.output)
            if task.errors:
                blobs.copy_into(errors, task.errors)
            if task.state == states.DROPPED:
                _tell_not_run(claim, task.input, errors)
        finish_merge(claim, _made(claim, output), _made(claim, errors))


def _tell_not_run(claim: TaskClaim, name: str, errors: Scratch) -> None:
    code, message = states.NOT_RUN[claim.ending]
    with blobs.opened(name) as stream:
        content = stream.read()
    for line, _ in lines_of(content, claim.endpoint):
        errors.write(error_line(line_id(claim.batch_id, line.number), line.custom_id, code, message))


def _made(claim: TaskClaim, made: Scratch) -> MadeFile | None:
    """None where no line came to it."""
    if not made.size_bytes:
        return None
    file_id, sha256 = uuid7(), made.finish()
    name = blobs.stored_name(claim.tenant_id, file_id, sha256)
    blobs.save(claim.tenant_id, name, made.path)
    return MadeFile(file_id, name, made.size_bytes, sha256)
