"""Asks every other cell how it is, and remembers the answer: no page and no request waits for another cell."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import msgspec
import structlog
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from jobs.cells.documents import has_nul
from jobs.cells.errors import CellAway
from jobs.cells.metrics import tell_metrics
from jobs.cells.transport import read
from tenants.cells.cells import Cell, Cells
from tenants.cells.models import PeerCell
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
PATH = "/v1/operator/cells/report"
MAX_AT_ONCE = 8
MAX_ERROR = 500
MAX_REPORT_BYTES = 256 * 2**10


def watch_cells() -> int:
    """Ask all other cells, and return how many answered. This is a duty of the scheduler."""
    cells: Cells = settings.MAAS_CELLS
    if not cells or not cells.secret or not cells.others:
        return 0
    with ThreadPoolExecutor(MAX_AT_ONCE, thread_name_prefix="cells") as threads:
        answers = list(threads.map(lambda cell: _asked(cells, cell), cells.others))
    with operator_work():
        for cell, answer in zip(cells.others, answers, strict=True):
            _noted(cell, answer)
        PeerCell.objects.exclude(name__in=[cell.name for cell in cells.others]).delete()
        tell_metrics(cells)
    return sum(not isinstance(answer, str) for answer in answers)


def _noted(cell: Cell, answer: Mapping[str, Any] | str) -> None:
    """Remember the answer of a cell. What goes wrong with one cell does not keep the others from being remembered."""
    try:
        with transaction.atomic(using=OPERATOR):
            _note(cell, answer)
    except Exception:
        log.exception("cell_watch_failed", cell=cell.name)


def _asked(cells: Cells, cell: Cell) -> Mapping[str, Any] | str:
    """Return the report of a cell, or why there is none."""
    try:
        answer = read(cells, cell, PATH, max_bytes=MAX_REPORT_BYTES)
    except CellAway as error:
        return str(error)
    if answer.status != HTTPStatus.OK:
        text = answer.body[:300].decode(errors="replace").replace("\0", "")
        return f"{cell.url}{PATH} is answered with {answer.status}: {text}"
    try:
        report = None if has_nul(answer.body) else msgspec.json.decode(answer.body)
    except (ValueError, RecursionError):
        report = None
    if not isinstance(report, dict) or report.get("cell") != cell.name:
        return f"{cell.url} answers, but not as the cell {cell.name!r}."
    return report


def _note(cell: Cell, answer: Mapping[str, Any] | str) -> None:
    peer, _ = PeerCell.objects.get_or_create(name=cell.name)
    found = PeerCell.objects.filter(pk=cell.name)
    if isinstance(answer, str):
        if peer.away_since is None:
            log.warning("cell_away", cell=cell.name, error=answer)
        found.update(asked_at=Now(), away_since=peer.away_since or Now(), error=answer[:MAX_ERROR])
        return
    if peer.away_since is not None:
        log.info("cell_back", cell=cell.name)
    found.update(asked_at=Now(), answered_at=Now(), away_since=None, error="", report=answer)
