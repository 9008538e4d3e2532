"""Test models that hang, fill memory or crash in the real host."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import psutil  # type: ignore[import-untyped]
import pytest

from inference.core.calls import RunControl
from inference.core.errors import CallCanceled, ModelFailed
from inference.gateway.exchange import LONGEST_S
from inference.model_host import HostDied, HostLimits, ModelHosts, host_process
from inference.runtime.isolated_session import IsolatedSession
from inference.runtime.session import InvalidFeed
from tests.inference.runtime.graphs import save_adder, save_graph_text
from tests.waiting import eventually

from .conftest import PROMPT, Open

ROW = np.ones((1, 8), np.float32)


def save_filler(path: Path) -> Path:
    """Save a graph that makes a tensor of the shape that it is given."""
    return save_graph_text(
        path,
        """filler (int64[1] shape) => (float[n] y)
        { y = ConstantOfShape<value = float[1] {1.0}>(shape) }""",
    )


def save_hoarder(path: Path) -> Path:
    """Save a graph that doubles a tensor in a loop without end."""
    return save_graph_text(
        path,
        """hoarder (float[n] x) => (float[m] y)
        <int64 turns = {4611686018427387904}, bool go = {1}>
        { y = Loop <body = turn (int64 i, bool c, float[k] v) => (bool c_out, float[j] v_out)
            { c_out = Identity(c) v_out = Concat<axis = 0>(v, v) }> (turns, go, x) }""",
    )


def test_answers_are_those_of_a_session_in_this_process(open_model: Open, tmp_path: Path) -> None:
    session = open_model(save_adder(tmp_path / "adder.onnx"))
    (answer,) = session.run({"x": np.ones((3, 4), np.float32)}, ["y"])
    assert answer.tolist() == [[2.0] * 4] * 3
    assert [(arg.name, arg.type, arg.shape) for arg in session.inputs] == [("x", "tensor(float)", ("rows", 4))]
    assert (session.tally.runs, session.tally.rows) == (1, 3)


def test_strings_pass(open_model: Open, tmp_path: Path) -> None:
    path = save_graph_text(tmp_path / "strings.onnx", "strings (string[n] x) => (string[n] y) { y = Identity(x) }")
    texts = np.array(["", "ä", "日本"], object)
    assert open_model(path).run({"x": texts})[0].tolist() == texts.tolist()


def test_a_wrong_input_is_refused_and_the_host_stays(open_model: Open, tmp_path: Path) -> None:
    session = open_model(save_adder(tmp_path / "adder.onnx"))
    for feeds in ({"x": np.ones((1, 5), np.float32)}, {"x": np.ones((1, 4))}, {"z": np.ones((1, 4), np.float32)}):
        with pytest.raises(InvalidFeed):
            session.run(feeds)
    assert session.run({"x": np.ones((1, 4), np.float32)})[0].tolist() == [[2.0] * 4]


def test_a_file_that_is_no_model_is_an_error(open_model: Open, tmp_path: Path) -> None:
    (tmp_path / "nothing.onnx").write_bytes(b"nothing")
    with pytest.raises(ModelFailed) as failed:
        open_model(tmp_path / "nothing.onnx")
    assert failed.value.code == "model_load_failed"


def test_a_loop_without_end_is_ended(open_endless: IsolatedSession) -> None:
    with pytest.raises(HostDied) as died:
        open_endless.run({"x": ROW}, control=RunControl())
    assert died.value.code == "model_timeout"


@pytest.mark.parametrize(
    ("values", "code"),
    [(5 * 10**7, "model_output_too_large"), (2 * 10**9, "model_out_of_memory"), (5 * 10**9, "model_out_of_memory")],
)
def test_large_outputs_are_refused_and_the_host_stays(values: int, code: str, open_model: Open, tmp_path: Path) -> None:
    session = open_model(save_filler(tmp_path / "filler.onnx"))
    with pytest.raises(ModelFailed) as failed:
        session.run({"shape": np.array([values])}, control=RunControl())
    assert (failed.value.code, isinstance(failed.value, HostDied)) == (code, False)
    assert session.run({"shape": np.array([3])})[0].tolist() == [1.0, 1.0, 1.0]


def test_memory_that_a_loop_fills_is_bounded(open_model: Open, tmp_path: Path) -> None:
    session = open_model(save_hoarder(tmp_path / "hoarder.onnx"))
    with pytest.raises(ModelFailed) as failed:
        session.run({"x": np.ones(1000, np.float32)}, control=RunControl())
    assert failed.value.code in ("model_out_of_memory", "model_timeout")


def test_the_memory_of_a_long_run_is_counted(open_model: Open, tmp_path: Path) -> None:
    session = open_model(save_filler(tmp_path / "filler.onnx"))
    session.run({"shape": np.array([3])})
    assert session.memory.growth.held_bytes == 0
    session.run({"shape": np.array([20_000_000])})
    assert 70e6 < session.memory.growth.held_bytes < 200e6


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSEGV])
def test_a_signal_in_a_run_costs_this_run(end: signal.Signals, open_endless: IsolatedSession) -> None:
    process = open_endless._process
    assert process is not None
    threading.Timer(0.2, os.kill, [process.pid, end]).start()
    with pytest.raises(HostDied, match=end.name):
        open_endless.run({"x": ROW}, control=RunControl())


def test_a_host_that_died_between_two_runs_is_replaced_unnoticed(open_model: Open, tmp_path: Path) -> None:
    session = open_model(save_adder(tmp_path / "adder.onnx"))
    for _ in range(5):
        assert session._process is not None
        os.kill(session._process.pid, signal.SIGKILL)
        while Path(f"/proc/{session._process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX":
            pass
        assert session.run({"x": np.ones((1, 4), np.float32)}, control=RunControl())[0].tolist() == [[2.0] * 4]


def test_errors_show_neither_the_owner_nor_the_inside_and_fit_into_a_line(hosts: ModelHosts, tmp_path: Path) -> None:
    path = save_graph_text(
        tmp_path / "far.onnx",
        "far (int64[n] i) => (float[n] y) <float[2] t = {1.0, 2.0}> { y = GatherElements<axis = 0>(t, i) }",
    )
    session = IsolatedSession(path, hosts, name=f"far.{'a' * 32}@1")
    with pytest.raises(ModelFailed) as failed:
        session.run({"i": np.array([10**9])}, control=RunControl())
    session.close()
    assert failed.value.detail.startswith("far@1: ")
    assert ".cc" not in failed.value.detail
    assert failed.value.detail.isprintable()


def test_a_model_with_much_metadata_loads_without_it(open_model: Open, tmp_path: Path) -> None:
    path = save_adder(tmp_path / "adder.onnx")
    model = onnx.load(path)
    model.metadata_props.add(key="note", value="a" * 1_000_000)
    onnx.save(model, path)
    session = open_model(path)
    assert (session.metadata, session.run({"x": np.ones((1, 4), np.float32)})[0].tolist()) == ({}, [[2.0] * 4])


def test_a_long_run_rests_while_processors_are_short(
    open_endless: IsolatedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = open_endless._process
    assert process is not None
    host = psutil.Process(process.pid)
    monkeypatch.setattr(host_process, "processors_are_short", lambda: True)
    control = RunControl()
    with ThreadPoolExecutor(1) as threads:
        run = threads.submit(open_endless.run, {"x": ROW}, control=control)
        eventually(lambda: host.status() == psutil.STATUS_STOPPED, "a rest")
        eventually(lambda: host.status() == psutil.STATUS_RUNNING, "the end of the rest")
        control.end()
        assert isinstance(run.exception(), CallCanceled)


def test_a_run_without_end_is_ended_for_its_time_on_a_busy_machine_too(
    open_endless: IsolatedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_process, "processors_are_short", lambda: True)
    started_s = time.monotonic()
    with pytest.raises(HostDied) as died:
        open_endless.run({"x": ROW}, control=RunControl())
    assert died.value.code == "model_timeout"
    assert PROMPT.run_s < time.monotonic() - started_s < PROMPT.run_s + PROMPT.max_rest_s + 2


def test_the_caller_of_a_run_without_end_learns_why_before_its_own_time_is_over() -> None:
    limits = HostLimits()
    assert limits.run_s + limits.max_rest_s <= LONGEST_S - 10
