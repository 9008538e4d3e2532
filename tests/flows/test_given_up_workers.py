"""Test that a worker that is given up in the middle of a long document hands its pages back within its grace."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live_stack import LiveStack
from tests.samples.pdfs import scanned_pdf
from tests.waiting import eventually

from .caller import Caller
from .product import Product

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("given-up-workers")]
PAGES = 200
HANDED_BACK = (
    "SELECT (data->>'page')::int FROM jobs_event WHERE job_id = %s AND type = 'page.requeued'"
    " AND data->>'reason' = 'handed_back'"
)
SPOT_STOP_S, SPOT_GRACE_S = 8, 15
"""As in deploy/kubernetes/overlays/gpu/worker-spot.yaml. A spot node gives twice as long a notice."""


@pytest.fixture(scope="module")
def product(victim: tuple[LiveStack, Product]) -> Product:
    return victim[1]


@pytest.fixture(scope="module")
def caller(product: Product) -> Iterator[Caller]:
    with product.caller() as caller:
        yield caller


@contextmanager
def second_worker(product: Product, log: Path, stop_s: int) -> "Iterator[subprocess.Popen[str]]":
    variables = {**product.variables, "MAAS_WORKER_STOP_S": str(stop_s)}
    with log.open("wb") as output, Product(product.running, variables).command("worker", output=output) as worker:
        try:
            yield worker
        finally:
            worker.kill()


def running_pages(product: Product, job_id: str, pid: int) -> int:
    query = "SELECT count(*) FROM jobs_page WHERE job_id = %s AND state = 'running' AND worker LIKE %s"
    return int(product.rows(query, job_id, f"%-{pid}")[0][0])


def counted(product: Product, job_id: str) -> tuple[int, int]:
    """Return the pages with more than one attempt, and those that were lost and not handed back."""
    ((attempts,),) = product.rows("SELECT count(*) FROM jobs_page WHERE job_id = %s AND attempt > 1", job_id)
    ((lost,),) = product.rows(
        "SELECT count(*) FROM jobs_event WHERE job_id = %s AND type = 'page.requeued'"
        " AND data->>'reason' IS DISTINCT FROM 'handed_back'",
        job_id,
    )
    return attempts, lost


def document(pages: int) -> bytes:
    return scanned_pdf(*(f"Page {number} of {pages}" for number in range(1, pages + 1)), dpi=100)


def test_in_the_middle_of_200_pages_a_spot_worker_leaves_within_its_grace(
    product: Product, caller: Caller, tmp_path: Path
) -> None:
    with second_worker(product, tmp_path / "worker.log", SPOT_STOP_S) as worker:
        job_id = str(caller.submit_file(document(PAGES), model="ocr").json()["id"])
        eventually(lambda: running_pages(product, job_id, worker.pid), "its first pages", 90)
        began_s = time.monotonic()
        worker.terminate()
        worker.wait(SPOT_GRACE_S)
        assert time.monotonic() - began_s < SPOT_GRACE_S
        assert running_pages(product, job_id, worker.pid) == 0
        assert caller.job(job_id)["state"] == "running"
    handed_back = [number for (number,) in product.rows(HANDED_BACK, job_id)]
    eventually(lambda: set(handed_back) <= set(caller.pages_in(job_id, "succeeded")), "the end of those pages", 120)
    assert counted(product, job_id) == (0, 0)
    # The rest of the document shows nothing more.
    caller.post(f"/v1/jobs/{job_id}/cancel", 200)
