"""Test runs that are ended at their limit, and floats too small to be normal."""

import platform
import time
from pathlib import Path

import numpy as np
import pytest

from inference.core.errors import ModelFailed
from inference.engine.engine import local_engine
from inference.model_host.confined.denormals import denormals_flushed
from inference.runtime import hosted_session
from inference.runtime.session_host import SessionHost
from tests.samples.counting_model import save_counting_model


@pytest.fixture
def counting_model(tmp_path: Path) -> Path:
    return save_counting_model(tmp_path / "counting.onnx")


def count(host: SessionHost, path: Path, times: int) -> int:
    with host.session(path) as session:
        return int(session.run({"times": np.array(times, np.int64)})[0])


def test_an_endless_run_is_ended_and_the_session_goes_on(counting_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_session, "RUN_LIMIT_S", 0.3)
    host = local_engine().host
    assert count(host, counting_model, 7) == 7
    started_s = time.monotonic()
    with pytest.raises(ModelFailed) as ended:
        count(host, counting_model, 2**62)
    assert (ended.value.code, ended.value.retryable) == ("model_timeout", False)
    assert time.monotonic() - started_s < 10
    assert count(host, counting_model, 8) == 8


def test_a_run_in_time_is_left_alone_after_its_limit(counting_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_session, "RUN_LIMIT_S", 0.2)
    host = local_engine().host
    until_s = time.monotonic() + 0.6
    while time.monotonic() < until_s:
        assert count(host, counting_model, 3) == 3


TINY = np.full(8, 1e-40, np.float32)


def product() -> float:
    return float((TINY * np.float32(1.0)).max())


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the control word is that of x86-64")
def test_tiny_numbers_are_zero_inside_the_block_and_only_there() -> None:
    assert product() > 0.0
    with denormals_flushed():
        assert product() == 0.0
    assert product() > 0.0


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the control word is that of x86-64")
def test_opening_a_file_leaves_tiny_numbers_alone(counting_model: Path) -> None:
    with local_engine().host.session(counting_model):
        pass
    assert product() > 0.0


def test_the_state_is_put_back_when_the_block_fails() -> None:
    with pytest.raises(ZeroDivisionError), denormals_flushed():
        raise ZeroDivisionError
    assert product() > 0.0
