"""Test the engine, and the share of this machine that it takes."""

import subprocess
import sys
from pathlib import Path

import pytest

from inference.core.calls import Call
from inference.core.contracts import TextInput, VersionSpec, WorkRefused
from inference.engine.engine import RUNTIMES, Engine, local_engine
from inference.runtime.machine import this_machine
from inference.runtime.memory_budget import HOST_SHARE
from inference.runtime.memory_in_use import ResidentMemory, gpu_memory, host_memory
from inference.runtime.parameters import GRAPH, INTERFACES
from inference.runtime.providers import CPU, plan_execution
from inference.runtime.session_host import SessionHost
from tests.inference.registry.builtin.served import builtin_specs


@pytest.fixture
def engine() -> Engine:
    plan = plan_execution([CPU], threads=2, has_nvidia_gpu=False)
    return Engine(SessionHost(plan, budget_bytes=1 << 30))


def resident(engine: Engine) -> set[str]:
    return {model.key for model in engine.resident()}


def test_every_runtime_has_a_declared_interface() -> None:
    assert set(RUNTIMES) == {*INTERFACES, GRAPH}


def test_pipeline_is_resident_with_its_steps_and_leaves_with_any_of_them(engine: Engine) -> None:
    specs = builtin_specs()
    engine.load(specs["parse"])
    assert resident(engine) == {"parse@1", "ocr@1", "orient@1", "read@1", "embed@1"}
    footprint = {model.key: model.weight_bytes for model in engine.resident()}
    assert footprint["ocr@1"] == footprint["orient@1"] + footprint["read@1"]
    assert footprint["parse@1"] == footprint["ocr@1"] + footprint["embed@1"]
    assert engine.host.evict(specs["embed"].artifacts["weights"])
    assert resident(engine) == {"ocr@1", "orient@1", "read@1"}
    assert engine.host.evict(specs["orient"].artifacts["weights"])
    assert resident(engine) == {"read@1"}


def test_versions_that_share_files_share_sessions(engine: Engine) -> None:
    specs = builtin_specs()
    engine.load(specs["ocr"])
    alone = len(engine.host.resident())
    engine.load(specs["parse"])
    assert alone == 3
    assert len(engine.host.resident()) == 4


def test_version_is_resident_once_it_has_run(engine: Engine) -> None:
    engine.run(builtin_specs()["embed"], TextInput(("hello",), single=True), {})
    assert resident(engine) == {"embed@1"}


@pytest.mark.parametrize(("model", "accepts"), [("ocr", "document"), ("parse", "document or text")])
def test_wrong_kind_of_work_is_refused_with_what_is_accepted(engine: Engine, model: str, accepts: str) -> None:
    with pytest.raises(WorkRefused) as refusal:
        engine.run(builtin_specs()[model], TextInput(("a", "b"), single=False), {})
    assert refusal.value.code == "input_not_accepted"
    assert refusal.value.detail == f"this model accepts {accepts}, not texts"


def test_parameters_are_checked_before_any_work(engine: Engine) -> None:
    with pytest.raises(WorkRefused, match="invalid_parameter"):
        engine.run(builtin_specs()["embed"], TextInput(("a",), single=True), {"color": "red"})
    assert engine.host.resident() == ()


def test_version_of_an_unknown_runtime_is_not_loaded(engine: Engine) -> None:
    with pytest.raises(WorkRefused, match="runtime_unknown"):
        engine.load(VersionSpec("mine", 1, "digest", "whisper", {}))


def test_local_engine_says_what_it_runs_on() -> None:
    assert "ExecutionProvider, " in local_engine().describe()


def test_a_run_tells_what_its_device_computed_and_no_load(engine: Engine) -> None:
    call, spec = Call(), builtin_specs()["embed"]
    engine.load(spec)
    (loaded,) = engine.host.resident()
    answers = [engine.run(spec, TextInput((text,), single=True), {}, call) for text in ("one", "another")]
    (now,) = engine.host.resident()
    computed_us = sum(answer.units.device_us for answer in answers)
    assert computed_us == call.spent.device_us
    assert computed_us == pytest.approx(1_000_000 * (now.run_s - loaded.run_s), abs=2)
    assert all(answer.units.counted("gpu_second") >= 1 for answer in answers)


THREADS, PICTURE_BYTES = 8, 16 << 20
PICTURES_IN_THREADS = f"""
import threading
from inference.engine.engine import local_engine
from inference.runtime.memory_in_use import ResidentMemory
local_engine()
bytearray({PICTURE_BYTES} + 4096)
before_bytes = ResidentMemory().used_bytes()
all_read = threading.Barrier({THREADS} + 1)
over = threading.Event()

def read_picture():
    bytearray({PICTURE_BYTES})
    all_read.wait()
    over.wait()

readers = [threading.Thread(target=read_picture) for _ in range({THREADS})]
for reader in readers:
    reader.start()
all_read.wait()
print(ResidentMemory().used_bytes() - before_bytes)
over.set()
"""


def test_models_get_a_share_of_the_machine_unless_told() -> None:
    if gpu_memory() is None:
        assert local_engine().host.budget_bytes == int(this_machine().memory_bytes * HOST_SHARE)
    assert local_engine(memory_bytes=12345).host.budget_bytes == 12345


def test_folder_for_engines_is_made_where_it_is_wanted(tmp_path: Path) -> None:
    local_engine(tensorrt_cache=tmp_path / "home" / "tensorrt")
    assert (tmp_path / "home" / "tensorrt").is_dir()


@pytest.mark.skipif(isinstance(host_memory(), ResidentMemory), reason="the C library is not glibc")
def test_pictures_that_are_gone_leave_nothing_resident_in_the_threads_that_read_them() -> None:
    # This runs in a separate process, because settings of the C library apply to the whole process.
    command = [sys.executable, "-c", PICTURES_IN_THREADS]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert int(told.split()[-1]) < 2 * PICTURE_BYTES
