"""Fetches the files of models from the control cell into this cell's storage, checked by size and digest."""

import tempfile
from pathlib import Path

import structlog

from inference.registry.artifacts import sha256_of, store
from jobs.cells.documents import FilePart
from jobs.cells.errors import CellAway, PartRefused
from jobs.cells.transport import read_to
from tenants.cells.cells import Cell, Cells
from tenants.core.own_folder import own_folder

log = structlog.get_logger(__name__)
PATH = "/v1/operator/cells/files/"


def fetch_file(cells: Cells, cell: Cell, file: FilePart) -> None:
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
            raise PartRefused(f"The file {file.name} has the digest {found[:12]} instead of {file.sha256[:12]}.")
        store(path, name=file.name)
    log.info("cell_file_fetched", file=file.name, sha256=file.sha256, bytes=file.bytes)
