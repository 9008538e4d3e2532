"""Test isolated models as the engine serves them: their memory, their pauses, and what their neighbors notice."""

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from inference.batching.batcher import Piece
from inference.core.calls import Call, RunControl
from inference.core.contracts import TensorInput, VersionSpec, WorkRefused
from inference.core.errors import ModelFailed
from inference.engine.engine import Engine
from inference.model_host import HOST_NEEDS, HostDied, ModelHosts, ModelPaused, isolation_status
from inference.runtime.isolated_session import IsolatedSession
from inference.runtime.session_host import SessionHost
from inference.sandbox.isolation import find_bubblewrap
from tests.inference.batching.callers import answers, ask_together, batching
from tests.inference.batching.models import TIMEOUT_S, Gate
from tests.inference.pipelines.declarations import CLASSIFIER, COLORS, onnx_spec, pipeline_spec, save_colors
from tests.inference.runtime.graphs import save_adder, save_patient
from tests.inference.runtime.hosts import PLAN
from tests.inference.runtime.pictures import picture_page
from tests.waiting import eventually

from .conftest import FAKE, PROMPT, SHORT, OpenFake

BUDGET_BYTES = 256 << 20


@pytest.fixture
def engine() -> Iterator[Engine]:
    hosts = ModelHosts(PROMPT)
    made = Engine(SessionHost(PLAN, budget_bytes=BUDGET_BYTES, model_hosts=hosts))
    yield made
    for path in {session.path for session in made.host.resident()}:
        made.host.evict(path)
    hosts.close()


def spec_of(path: Path, *, isolated: bool = True, runtime: str = "onnx") -> VersionSpec:
    return VersionSpec(path.stem, 1, "digest", runtime, {"weights": str(path)}, isolated=isolated)


def answer(engine: Engine, spec: VersionSpec, value: float = 1.0, width: int = 4) -> list[float]:
    work = TensorInput({"x": np.full((1, width), value, np.float32)})
    tensors = engine.answer(spec, work, {}).tensors
    assert tensors is not None
    found: list[float] = tensors["y"][0].tolist()
    return found


def pids_of(engine: Engine) -> list[int]:
    return [
        session._process.pid
        for session in engine.batchers.sessions()
        if isinstance(session, IsolatedSession) and session._process is not None
    ]


def test_an_isolated_model_answers_from_another_process(engine: Engine, tmp_path: Path) -> None:
    spec = spec_of(save_adder(tmp_path / "adder.onnx"))
    engine.load(spec)
    assert answer(engine, spec) == [2.0] * 4
    assert engine.rows_together(spec) == 64
    (pid,) = pids_of(engine)
    assert pid != os.getpid()
    assert os.getpriority(os.PRIO_PROCESS, pid) >= PROMPT.nice
    assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "1000\n"
    autogroup = Path(f"/proc/{pid}/autogroup")
    # The session that bubblewrap makes has a group of its own.
    if autogroup.exists() and find_bubblewrap() is None:
        assert autogroup.read_text().split()[-1] == "10"


def test_every_step_of_a_page_runs_in_the_worker_that_has_it(engine: Engine, tmp_path: Path) -> None:
    """So all of a page's models run on one GPU. An isolated step has a process of this worker, on the CPU."""
    isolated = replace(onnx_spec(save_colors(tmp_path / "isolated.onnx"), "isolated"), isolated=True)
    shared = onnx_spec(save_colors(tmp_path / "shared.onnx"), "shared")
    nested = pipeline_spec(CLASSIFIER, "nested", colors=isolated)
    spec = pipeline_spec(
        {
            "accepts": ["document"],
            "steps": [
                {"name": "inner", "kind": "model", "role": "classifier", "inputs": {"page": "input"}},
                CLASSIFIER["steps"][0],
                {"name": "scores", "kind": "model", "role": "colors", "inputs": {"pixels": "picture"}},
            ],
            "output": {"inner": "inner.label", "own": "scores.logits"},
        },
        classifier=nested,
        colors=shared,
    )
    page = picture_page(np.full((40, 30, 3), (0, 0, 255), np.uint8))
    result = engine.run(spec, page, {}).result
    assert result["inner"] == "blue"
    assert np.argmax(result["own"]["data"]) == COLORS.index("blue")
    ran = {session.path: session.runs for session in engine.host.resident()}
    assert ran.keys() == engine.session_paths(spec)
    assert min(ran.values()) >= 1
    assert {session.on_gpu for session in engine.batchers.sessions() if isinstance(session, IsolatedSession)} == {False}
    (pid,) = pids_of(engine)
    assert Path(f"/proc/{pid}").exists()


def test_an_evicted_model_has_no_process(engine: Engine, tmp_path: Path) -> None:
    spec = spec_of(save_adder(tmp_path / "adder.onnx"))
    answer(engine, spec)
    (pid,) = pids_of(engine)
    eventually(lambda: not engine.host.resident()[0].users, "the run has left its session")
    assert engine.host.evict(spec.artifacts["weights"])
    assert not Path(f"/proc/{pid}").exists()
    assert answer(engine, spec) == [2.0] * 4


def test_the_memory_of_hosts_is_in_the_budget(engine: Engine, tmp_path: Path) -> None:
    specs = [spec_of(save_adder(tmp_path / f"adder-{number}.onnx", floats=15_000_000)) for number in range(5)]
    for spec in specs:
        engine.load(spec)
        assert engine.host.held_bytes <= BUDGET_BYTES
    held = engine.host.resident()
    assert 1 <= len(held) < len(specs)
    assert all(session.held_bytes >= 60e6 for session in held)


def test_a_file_that_is_open_in_the_worker_is_refused(engine: Engine, tmp_path: Path) -> None:
    path = save_adder(tmp_path / "adder.onnx")
    answer(engine, spec_of(path, isolated=False))
    with pytest.raises(ModelFailed, match="without isolation"):
        answer(engine, spec_of(path))


@pytest.mark.parametrize("runtime", ["embed", "ocr", "orient"])
def test_other_runtimes_refuse_an_isolated_model(runtime: str, engine: Engine, tmp_path: Path) -> None:
    spec = spec_of(save_adder(tmp_path / "adder.onnx"), runtime=runtime)
    with pytest.raises(ModelFailed, match="only ONNX graphs"):
        engine.load(spec)
    with pytest.raises(ModelFailed, match="only ONNX graphs"):
        answer(engine, spec)


def test_a_wrong_input_is_the_callers(engine: Engine, tmp_path: Path) -> None:
    spec = spec_of(save_adder(tmp_path / "adder.onnx"))
    with pytest.raises(WorkRefused, match="must have shape"):
        answer(engine, spec, width=5)


def test_a_model_whose_hosts_die_is_paused_and_resumed(engine: Engine, tmp_path: Path) -> None:
    spec = spec_of(save_patient(tmp_path / "patient.onnx", turns=30_000_000))
    paused: list[str] = []
    engine.host.on_paused(lambda path, name, reason: paused.append(f"{name}: {reason}"))
    failures = []
    for _ in range(3):
        with pytest.raises(ModelFailed) as failed:
            answer(engine, spec, width=8)
        failures.append(failed.value.code)
        # The delay after a failed load is not what this is about.
        engine.host._failures.forget(spec.artifacts["weights"])
    assert failures == ["model_timeout"] * 3
    for _ in range(2):
        with pytest.raises(ModelPaused, match="longer than 5 s"):
            answer(engine, spec, width=8)
    assert len(paused) == 1
    assert paused[0].startswith("patient@1: ")
    resumed: list[str] = []
    engine.host.pause_while(lambda name: not resumed.append(name))  # type: ignore[func-returns-value]
    with pytest.raises(ModelPaused):
        answer(engine, spec, width=8)
    engine.host.pause_while(lambda _name: False)
    with pytest.raises(ModelFailed, match="longer than 5 s"):
        answer(engine, spec, width=8)
    assert resumed == ["patient@1"]


def test_two_hundred_killed_hosts_cost_their_neighbor_nothing(engine: Engine, tmp_path: Path) -> None:
    victim, neighbor = (spec_of(save_adder(tmp_path / f"{name}.onnx")) for name in ("victim", "neighbor"))
    engine.load(victim)
    engine.load(neighbor)
    wrong: list[object] = []
    served, ended = 0, threading.Event()

    def serve() -> None:
        nonlocal served
        while not ended.is_set():
            try:
                if answer(engine, neighbor) != [2.0] * 4:
                    wrong.append("another answer")
            except Exception as error:
                wrong.append(error)
            served += 1

    thread = threading.Thread(target=serve)
    thread.start()
    killed = 0
    while killed < 200:
        with engine.host.session(victim.artifacts["weights"], isolated=True) as session:
            assert isinstance(session, IsolatedSession)
            if session._process is not None and session._process.is_running:
                os.kill(session._process.pid, signal.SIGKILL)
                killed += 1
        with suppress(HostDied):
            answer(engine, victim)
        engine.host.model_hosts.resume(victim.artifacts["weights"])
    ended.set()
    thread.join()
    assert wrong == []
    assert served > 200
    assert answer(engine, victim) == [2.0] * 4


def test_a_caller_that_leaves_a_hanging_run_frees_the_model(engine: Engine, tmp_path: Path) -> None:
    patient = save_patient(tmp_path / "patient.onnx", turns=20_000)
    spec = spec_of(patient)
    engine.load(spec)
    save_patient(patient, turns=2**62)  # The next host hangs.
    (session,) = engine.host._slots.values()
    opened = session.session.result()
    assert isinstance(opened, IsolatedSession)
    assert opened._process is not None
    opened._process.end()
    call = Call()
    threading.Timer(0.3, call.cancel).start()
    with suppress(Exception):
        engine.answer(spec, TensorInput({"x": np.ones((1, 8), np.float32)}), {}, call)
    eventually(lambda: opened._process is not None and not opened._process.is_running, "the host has ended")


def test_one_bad_input_in_a_batch_fails_alone(open_fake: OpenFake) -> None:
    session = open_fake("dies at 13")

    def run(numbers: Sequence[float], _length: int, control: RunControl) -> list[float]:
        found: list[float] = session.run({"x": np.array(numbers, np.float32)}, control=control)[0].tolist()
        return found

    with batching(gate := Gate(run)) as batcher:
        futures = ask_together(gate, batcher, [Piece(float(number)) for number in range(32)])
        error = futures[13].exception(TIMEOUT_S)
        assert answers(futures[:13] + futures[14:]) == [2.0 * number for number in range(32) if number != 13]
    assert isinstance(error, HostDied)


def test_a_machine_that_lacks_a_layer_isolates_nothing(tmp_path: Path) -> None:
    assert isolation_status(HOST_NEEDS).available
    lacking = isolation_status(HOST_NEEDS | {"moat"})
    assert (lacking.available, list(lacking.missing)) == (False, ["moat"])
    hosts = ModelHosts(SHORT, needs=HOST_NEEDS | {"moat"}, program=FAKE)
    (tmp_path / "normal").write_text("normal")
    with pytest.raises(ModelFailed, match="moat") as failed:
        IsolatedSession(tmp_path / "normal", hosts)
    assert failed.value.code == "model_isolation_unavailable"
    hosts.close()


def test_a_model_that_is_not_paid_is_not_loaded_and_one_that_nobody_pays_any_more_can_be_dropped(
    tmp_path: Path,
) -> None:
    class Purse:
        paid = False

        def is_paid(self, _engine_key: str) -> bool:
            return self.paid

        def pay(self, engine_key: str) -> None:
            if not self.paid:
                raise ModelFailed("insufficient_funds", f"there is no money for {engine_key}")

    purse, hosts = Purse(), ModelHosts(PROMPT)
    engine = Engine(SessionHost(PLAN, budget_bytes=BUDGET_BYTES, model_hosts=hosts), purse)
    spec = spec_of(save_adder(tmp_path / "adder.onnx"))
    for use in (lambda: engine.load(spec), lambda: answer(engine, spec)):
        with pytest.raises(ModelFailed, match="no money"):
            use()
    assert engine.host.resident() == ()
    purse.paid = True
    assert answer(engine, spec) == [2.0] * 4
    purse.paid = False
    assert engine.begin(spec, [], lambda _: None) == []
    with pytest.raises(ModelFailed, match="no money"):
        answer(engine, spec)
    engine.drop(spec.key)
    assert engine.host.resident() == ()
    answer(engine, spec_of(save_adder(tmp_path / "other.onnx"), isolated=False))
    engine.host.evict(tmp_path / "other.onnx")
    hosts.close()
