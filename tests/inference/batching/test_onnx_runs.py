"""Test a batcher with ONNX Runtime itself."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import onnxruntime as ort
import pytest

from inference.batching.batcher import Batcher, Piece
from inference.core.calls import Call, RunControl
from inference.core.errors import CallCanceled, DeadlinePassed
from tests.samples.counting_model import save_counting_model

TIMEOUT_S = 30.0
FOR_EVER = 2**62


@pytest.fixture
def began() -> Event:
    return Event()


@pytest.fixture
def counter(tmp_path: Path, began: Event) -> Iterator[Batcher[int, int]]:
    session = ort.InferenceSession(str(save_counting_model(tmp_path / "counting.onnx")))

    def run(times: Sequence[int], length: int, control: RunControl) -> list[int]:
        options = ort.RunOptions()
        options.log_severity_level = 4
        control.on_end(lambda: setattr(options, "terminate", True))
        began.set()
        return [int(session.run(None, {"times": np.array(count, np.int64)}, options)[0]) for count in times]

    batcher = Batcher("counting@1", run)
    yield batcher
    batcher.close()


def test_a_cancel_frees_a_model_that_would_run_for_ever(counter: Batcher[int, int], began: Event) -> None:
    call = Call()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(counter.run, [Piece(FOR_EVER)], call)
        assert began.wait(TIMEOUT_S)
        call.cancel()
        assert isinstance(asked.exception(TIMEOUT_S), CallCanceled)
    assert counter.run([Piece(7)], Call(deadline_s=time.monotonic() + TIMEOUT_S)) == [7]


def test_a_deadline_frees_it_too(counter: Batcher[int, int]) -> None:
    with pytest.raises(DeadlinePassed):
        counter.run([Piece(FOR_EVER)], Call(deadline_s=time.monotonic() + 0.2))
    assert counter.run([Piece(7)], Call(deadline_s=time.monotonic() + TIMEOUT_S)) == [7]
