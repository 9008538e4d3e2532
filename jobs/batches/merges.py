"""The last task of a batch, which merges what its slices produced into one output file and one error file, in the order
of lines.
"""

import hashlib

from jobs.batches import blobs, states
from jobs.batches.blobs import Scratch
from jobs.batches.checking import Fault, batch_fault
from jobs.batches.claims import TaskClaim
from jobs.batches.ids import line_id
from jobs.batches.line_parsing import LineFault
from jobs.batches.models import BatchTask
from jobs.batches.results import error_line
from jobs.batches.running import lines_of
from jobs.batches.settlement import MadeFile, finish_merge, keep_pieces
from jobs.core.errors import FileMissing
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.ids import uuid7


def merge_files(claim: TaskClaim) -> None:
    lost = untold = 0
    with blobs.scratch() as output, blobs.scratch() as errors:
        for task in _slices(claim):
            copied = _copied(output, task.output), _copied(errors, task.errors)
            lost += 0 if all(copied) else task.lines
            if task.state == states.DROPPED and not _told_not_run(claim, task, errors):
                untold += task.lines - task.answered
        finish_merge(claim, _made(claim, output), _made(claim, errors), _faults(lost, untold))


def keep_apart(claim: TaskClaim, fault: Fault) -> None:
    """Keep the files of the slices as they are if they cannot be merged."""
    pieces = {}
    for task in _slices(claim):
        for what, name in (("output", task.output), ("errors", task.errors)):
            piece = _as_it_lies(name) if name else None
            if piece is not None:
                pieces[f"{what}_{task.number}"] = piece
    text = f"{fault['message']} Finished responses are in files named batch_{claim.batch_id.hex}_output_1.jsonl, "
    keep_pieces(claim, pieces, batch_fault(fault["code"], f"{text}and so on." if pieces else fault["message"]))


def _slices(claim: TaskClaim) -> list[BatchTask]:
    with unit_of_work(claim.tenant_id):
        return list(BatchTask.objects.filter(batch_id=claim.batch_id, kind=states.RUN).order_by("number"))


def _copied(target: Scratch, name: str) -> bool:
    """Copy a stored file. Return False if it is missing, which another try would not change."""
    try:
        if name:
            blobs.copy_into(target, name)
    except FileMissing:
        return False
    return True


def _told_not_run(claim: TaskClaim, task: BatchTask, errors: Scratch) -> bool:
    code, message = states.NOT_RUN[claim.ending]
    try:
        with blobs.opened(task.input) as stream:
            content = stream.read()
        lines = [line for line, _ in lines_of(content, claim.endpoint)][task.answered :]
    except (FileMissing, LineFault):
        return False
    for line in lines:
        errors.write(error_line(line_id(claim.batch_id, line.number), line.custom_id, code, message))
    return True


def _faults(lost: int, untold: int) -> list[Fault]:
    faults = []
    if lost:
        message = f"The responses of {lost} requests are missing from the storage. Contact the operator."
        faults.append(batch_fault("file_missing", message))
    if untold:
        message = f"{untold} requests were not executed and are not listed in the error file."
        faults.append(batch_fault("requests_unread", message))
    return faults


def _as_it_lies(name: str) -> MadeFile | None:
    try:
        with blobs.opened(name) as stream:
            digest = hashlib.sha256()
            while block := stream.read(blobs.COPY_BYTES):
                digest.update(block)
            return MadeFile(uuid7(), name, stream.tell(), digest.hexdigest())
    except FileMissing:
        return None


def _made(claim: TaskClaim, made: Scratch) -> MadeFile | None:
    """Store a merged file. Return None if no line belongs to it."""
    if not made.size_bytes:
        return None
    file_id, sha256 = uuid7(), made.finish()
    name = blobs.stored_name(claim.tenant_id, file_id, sha256)
    blobs.save(claim.tenant_id, name, made.path)
    return MadeFile(file_id, name, made.size_bytes, sha256)
