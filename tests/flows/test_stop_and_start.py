"""Ctrl-C in the middle of work: all of it stops in time, and all of it is there again after the next start."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tests.waiting import eventually

from .caller import Caller
from .conftest import SIX, own_product
from .event_socket import EventSocket
from .product import Product
from .test_slow_senders import PART, chunked_form

pytestmark = pytest.mark.xdist_group("stop and start")
STOP_S = 15.0
"""Seven on a machine of its own; the other tests run beside this one."""


@contextmanager
def busy_callers(caller: Caller) -> Iterator[None]:
    """One listens, one has stopped sending."""
    with ExitStack() as connections:
        socket = connections.enter_context(EventSocket.with_key(caller.url, caller.key))
        upload = connections.enter_context(chunked_form(caller, caller.key))
        assert socket.receive()["type"] == "ready"
        upload.send_chunk(PART)
        yield


def left_over(product: Product, before: list[psutil.Process]) -> list[psutil.Process]:
    """Of what ran before, and of whatever says that it belongs here."""
    return [process for process in before if process.is_running()] + product.processes()


def test_ctrl_c_in_the_middle_of_work_stops_everything_and_the_next_start_goes_on(
    tmp_path: Path, six_pages: bytes
) -> None:
    home = tmp_path / "var"
    with own_product(home) as (stack, product), product.caller() as caller:
        finished = caller.submit_file(b"A short text that is done before", wait_s=60).json()
        job_id = caller.submit_file(six_pages, model="ocr").json()["id"]
        eventually(lambda: caller.pages_in(job_id, "succeeded"), "a first page")
        everything = psutil.Process(stack.process.pid).children(recursive=True)
        with busy_callers(caller):
            stack.process.send_signal(signal.SIGINT)
            assert stack.process.wait(STOP_S) == 0
        assert len(everything) > 6
        assert left_over(product, everything) == []
    with own_product(home) as (_, product), product.caller() as caller:
        assert caller.key == product.running.demo["MAAS_API_KEY"]
        assert caller.get(f"/v1/jobs/{finished['id']}/result") == finished["result"]
        assert caller.ended(job_id)["state"] == "succeeded"
        assert [number for number, _ in product.usage_of(job_id)] == SIX
        assert {page["attempts"] for page in caller.pages(job_id)} == {1}
