"""Fetches the files of models from the control cell into this cell's storage, checked by size and digest."""

import math
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from django.core.files.storage import default_storage

from inference.registry.artifacts import sha256_of, store
from jobs.cells.documents import FilePart
from jobs.cells.errors import CellAway, PartRefused, StorageAway
from jobs.cells.model_parts import stored_name
from jobs.cells.retries import FalseFiles
from jobs.cells.transport import read_to
from tenants.cells.cells import Cell, Cells
from tenants.core.own_folder import own_folder

log = structlog.get_logger(__name__)
PATH = "/v1/operator/cells/files/"
FALSE_FILES = FalseFiles()


def bring_file(cells: Cells, cell: Cell, file: FilePart, *, until_s: float = math.inf) -> None:
    """Fetch a file unless it is in storage already. None is begun after a moment of the monotonic clock.

    Raises PartRefused.
    """
    name = stored_name(file)
    with _storage_errors():
        is_stored = default_storage.exists(name) and default_storage.size(name) == file.bytes
    if is_stored:
        return
    if refusal := FALSE_FILES.refusal(file.sha256, time.monotonic()):
        raise PartRefused(refusal)
    if time.monotonic() > until_s:
        raise PartRefused(f"The file {file.name} ({file.sha256[:12]}) is fetched after others, in 30 seconds.")
    _fetch(cells, cell, file)
    FALSE_FILES.remove(file.sha256)


def _fetch(cells: Cells, cell: Cell, file: FilePart) -> None:
    """Fetch a file and store it under its digest. It is stored whole or not at all. Raises PartRefused."""
    with tempfile.TemporaryDirectory(dir=own_folder(), prefix="maas-cell-") as folder:
        path = Path(folder, file.name)
        try:
            with path.open("wb") as into:
                read_to(cells, cell, PATH + file.sha256, into, size_bytes=file.bytes)
        except CellAway as error:
            raise PartRefused(f"The file {file.name} ({file.sha256[:12]}) could not be fetched. {error}") from error
        found = sha256_of(path)
        if found != file.sha256:
            reason = f"The file {file.name} has the digest {found[:12]} instead of {file.sha256[:12]}."
            FALSE_FILES.add(file.sha256, reason, time.monotonic())
            raise PartRefused(reason)
        with _storage_errors():
            store(path, name=file.name)
    log.info("cell_file_fetched", file=file.name, sha256=file.sha256, bytes=file.bytes)


@contextmanager
def _storage_errors() -> Iterator[None]:
    """Turn the errors of storage, which each kind of storage has of its own, into the refusal of the file."""
    try:
        yield
    except Exception as error:
        text = " ".join(str(error).split())
        raise StorageAway(f"The storage of this cell does not answer: {text or type(error).__name__}") from error
