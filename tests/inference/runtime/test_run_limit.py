"""Test a graph that loops as often as its input says, both for a moment and forever."""

import time
from pathlib import Path

import numpy as np
import pytest

from inference.core.errors import ModelFailed
from inference.engine.engine import local_engine
from inference.runtime import hosted_session
from inference.runtime.session_host import SessionHost
from tests.samples.counting_model import save_counting_model


@pytest.fixture
def counting_model(tmp_path: Path) -> Path:
    return save_counting_model(tmp_path / "counting.onnx")


def count(host: SessionHost, path: Path, times: int) -> int:
    with host.session(path) as session:
        return int(session.run({"times": np.array(times, np.int64)})[0])


def test_an_endless_run_is_ended_and_the_session_goes_on(
    counting_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosted_session, "RUN_LIMIT_S", 0.3)
    host = local_engine().host
    assert count(host, counting_model, 7) == 7
    started_s = time.monotonic()
    with pytest.raises(ModelFailed) as ended:
        count(host, counting_model, 2**62)
    assert (ended.value.code, ended.value.retryable) == ("model_timeout", False)
    assert time.monotonic() - started_s < 10
    assert count(host, counting_model, 8) == 8


def test_a_run_in_time_is_left_alone_after_its_limit(
    counting_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosted_session, "RUN_LIMIT_S", 0.2)
    host = local_engine().host
    until_s = time.monotonic() + 0.6
    while time.monotonic() < until_s:
        assert count(host, counting_model, 3) == 3
