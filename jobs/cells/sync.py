"""Takes over what another cell gives: the whole export of the control cell, or the accounts of another cell.

A cell that is cut off keeps what it has, and goes on from there when the other answers again.
"""

import base64
import binascii
import hashlib
import time
from dataclasses import dataclass
from http import HTTPStatus

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from jobs.cells.documents import Document, DocumentInvalid, FilePart, read_document
from jobs.cells.errors import CellAway, DocumentRefused, PartRefused
from jobs.cells.files import bring_file
from jobs.cells.importing import Fetch, Import, Refusals, fetched_models, take_directory
from jobs.cells.model_sync import refusal_here, unknown_versions
from jobs.cells.published import PURPOSE
from jobs.cells.transport import Answer, read
from tenants.audit.acting import SYSTEM, Acting, acting_as
from tenants.cells.cells import Cell, Cells
from tenants.cells.models import DirectoryEntry, PeerCell
from tenants.cells.replicated import applying_export
from tenants.cells.signatures import is_signed
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
PATH = "/v1/operator/cells/export"
SIGNATURE = "Maas-Cell-Signature"
MAX_REASON = 500
FETCHING_S = 60.0
"""Seconds after which no file is begun, so that many files do not delay a newer document."""
_TAKEN = ("version", "digest", "made_at", "applied_at", "confirmed_at", "refused", "refusal")
_SYNC = Acting(SYSTEM, name="cell sync")


def sync_cells() -> int:
    """Take over what is new in other cells, and return from how many. This is a duty of the scheduler."""
    cells: Cells = settings.MAAS_CELLS
    if not cells or not cells.secret:
        return 0
    return sum(_taken_from(cells, cell) for cell in _sources(cells))


def _taken_from(cells: Cells, cell: Cell) -> bool:
    """Take over the document of a cell. What goes wrong with one cell does not keep the others from being taken."""
    try:
        return take_from(cells, cell)
    except Exception:
        log.exception("cell_sync_failed", cell=cell.name)
        return False


def _sources(cells: Cells) -> tuple[Cell, ...]:
    """Return the cells whose documents this cell takes over."""
    if cells.is_control:
        return cells.others
    return (cells.by_name[cells.control],) if cells.control else ()


def take_from(cells: Cells, cell: Cell) -> bool:
    """Take over the document of a cell if it is new, and return whether it was."""
    with operator_work():
        peer, _ = PeerCell.objects.get_or_create(name=cell.name)
    # What was refused is tried again each time: the reason may be gone, in this cell or on the way to the other.
    known = {"If-None-Match": f'"{peer.version}"'} if peer.version and not peer.refused else {}
    try:
        answer = read(cells, cell, PATH, headers=known)
    except CellAway as error:
        log.debug("cell_away", cell=cell.name, error=str(error))
        return False
    try:
        document = None if answer.status == HTTPStatus.NOT_MODIFIED else _checked(cell, answer, peer)
    except DocumentRefused as error:
        _note_refusal(peer, str(error)[:MAX_REASON])
        return False
    if document is None:
        with operator_work():
            PeerCell.objects.filter(pk=peer.pk).update(confirmed_at=Now(), refusal="")
        return False
    taken = _Taken(cells, cell, document, hashlib.sha256(answer.body).hexdigest())
    is_new = document.version != peer.version
    if _lacks_files(cells, cell, document):
        # Prices and accounts wait neither for large files nor for storage.
        taken.apply(_not_yet)
    until_s = time.monotonic() + FETCHING_S
    refused = taken.apply(lambda file: bring_file(cells, cell, file, until_s=until_s))
    if refused is None:
        return False
    if is_new:
        log.info("cell_document_applied", cell=cell.name, version=document.version, refused=len(refused.found))
    if refused.as_json() != peer.refused:
        for part, reason in refused.found:
            log.warning("cell_part_refused", cell=cell.name, version=document.version, part=part, reason=reason)
    return is_new


def _checked(cell: Cell, answer: Answer, peer: PeerCell) -> Document:
    """Return the document of an answer. Raises DocumentRefused if it is not the cell's, or older than the last."""
    if answer.status != HTTPStatus.OK:
        raise DocumentRefused(f"{cell.url}{PATH} is answered with {answer.status}.")
    try:
        signature = base64.b64decode(answer.headers.get(SIGNATURE.lower(), ""), b"-_", validate=True)
    except (binascii.Error, ValueError):
        signature = b""
    if not is_signed(cell, PURPOSE, answer.body, signature):
        raise DocumentRefused(f"The document is not signed with a key of {cell.name!r} in MAAS_CELL_KEYS.")
    try:
        document = read_document(answer.body, cell.name)
    except DocumentInvalid as error:
        raise DocumentRefused(str(error)) from error
    refuse_older(document.version, hashlib.sha256(answer.body).hexdigest(), peer.version, peer.digest)
    return document


def refuse_older(version: int, digest: str, last: int, last_digest: str) -> None:
    """Refuse a document that is older than the last, or of its version and not the same. Raises DocumentRefused."""
    if version < last:
        raise DocumentRefused(
            f"Version {version} is older than {last}, which this cell has. Somebody repeats an old document, or the "
            "other cell was restored from a backup: any change there makes a newer one."
        )
    if version == last and digest != last_digest:
        raise DocumentRefused(f"There are two documents of version {version}. Any change there makes a newer one.")


@dataclass(frozen=True, slots=True)
class _Taken:
    """A document that was checked, to be applied."""

    cells: Cells
    cell: Cell
    document: Document
    digest: str

    def apply(self, fetch: Fetch) -> Refusals | None:
        """Apply the document in one transaction, and return what was refused, or None if a newer one is here."""
        refusals = Refusals()
        content, name = self.document.content, self.cell.name
        is_export = name == self.cells.control
        models = fetched_models(content.models, fetch, refusals) if is_export else []
        with operator_work(), transaction.atomic(using=OPERATOR), applying_export(), acting_as(lambda: _SYNC):
            peer = PeerCell.objects.select_for_update().get(pk=name)
            try:  # Another scheduler may have been faster.
                refuse_older(self.document.version, self.digest, peer.version, peer.digest)
            except DocumentRefused:
                return None
            if is_export:
                Import(name, self.document.version, refusals).apply(content, models)
                foreign = [account for account in content.accounts if account.home != self.cells.own]
                entries = DirectoryEntry.objects.all()
            else:
                foreign = refusals.not_at_home(name, content.accounts)
                entries = DirectoryEntry.objects.filter(home=name)
            take_directory(foreign, entries, refusals)
            peer.version, peer.digest, peer.made_at = self.document.version, self.digest, self.document.made_at
            peer.applied_at = peer.confirmed_at = database_now()
            peer.refused, peer.refusal = refusals.as_json(), ""
            peer.save(update_fields=_TAKEN)
        # A file that was found in storage may have been collected before the row of its version was there.
        for model in models:
            for file in model.files:
                bring_file(self.cells, self.cell, file)
        return refusals


def _lacks_files(cells: Cells, cell: Cell, document: Document) -> bool:
    if cell.name != cells.control:
        return False
    with operator_work():
        return any(not refusal_here(model) and unknown_versions(model) for model in document.content.models)


def _not_yet(file: FilePart) -> None:
    raise PartRefused(f"Its file {file.name} ({file.sha256[:12]}) is being fetched.")


def _note_refusal(peer: PeerCell, reason: str) -> None:
    if peer.refusal != reason:
        log.warning("cell_document_refused", cell=peer.name, reason=reason)
    with operator_work():
        PeerCell.objects.filter(pk=peer.pk).update(refusal=reason)
