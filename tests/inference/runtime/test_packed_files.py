"""Test model files that are packed for this machine, and sessions that share their weights."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from inference.core.calls import RunControl
from inference.core.contracts import TextInput
from inference.engine.engine import Engine
from inference.runtime.hosted_session import HostedSession
from inference.runtime.packed_files import GRAPH, KEPT_FOR_S, WEIGHTS, PackedFiles
from inference.runtime.providers import CPU, plan_execution
from inference.runtime.session_host import SessionHost
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs
from tests.inference.runtime.graphs import save_adder
from tests.inference.runtime.hosts import PLAN

TWO_THREADS = plan_execution([CPU], threads=2, has_nvidia_gpu=False)
WORDS = "the total of this invoice is due by the end of May and must be paid to our account".split()  # noqa: SIM905


@pytest.fixture
def packed(tmp_path: Path) -> PackedFiles:
    return PackedFiles(tmp_path / "packed")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return save_adder(tmp_path / "adder.onnx")


def row(number: float) -> dict[str, np.ndarray]:
    return {"x": np.full((1, 4), number, np.float32)}


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*"))


def engine(packed: PackedFiles | None) -> Engine:
    return Engine(SessionHost(TWO_THREADS, budget_bytes=1 << 30, packed=packed))


def test_vectors_are_the_same_to_the_last_bit_alone_beside_others_and_unpacked(packed: PackedFiles) -> None:
    spec = builtin_specs()["embed"]
    texts = [" ".join(WORDS[: 1 + number % len(WORDS)]) for number in range(48)]
    expected = [embedding(builtin_engine(), text) for text in texts]
    mine = engine(packed)
    assert [embedding(mine, text) for text in texts[:5]] == expected[:5]
    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(lambda text: embedding(mine, text), texts)) == expected
    whole = mine.run(spec, TextInput(tuple(texts), single=False), {})
    assert whole.result["embeddings"] == expected


def embedding(engine: Engine, text: str) -> list[float]:
    result = engine.run(builtin_specs()["embed"], TextInput((text,), single=True), {}).result
    vector: list[float] = result["embedding"]
    return vector


def test_several_runs_at_once_on_the_cpu(packed: PackedFiles, model: Path) -> None:
    session = HostedSession(model, TWO_THREADS, packed=packed)
    assert session.at_once == 2
    beside = session.run(row(1), control=RunControl(has_company=True))
    assert np.array_equal(beside[0], session.run(row(1))[0])
    assert HostedSession(model, PLAN, packed=packed).at_once == 1
    assert HostedSession(model, TWO_THREADS).at_once == 1


def test_a_file_is_packed_once(packed: PackedFiles, model: Path, tmp_path: Path) -> None:
    HostedSession(model, TWO_THREADS, packed=packed)
    (graph,) = (tmp_path / "packed").glob(f"*/{GRAPH}")
    made_ns = graph.stat().st_mtime_ns
    HostedSession(model, TWO_THREADS, packed=packed)
    assert graph.stat().st_mtime_ns == made_ns


def test_a_changed_file_is_packed_again(packed: PackedFiles, model: Path) -> None:
    HostedSession(model, TWO_THREADS, packed=packed)
    save_adder(model, floats=8)
    wide = {"x": np.ones((1, 8), np.float32)}
    assert HostedSession(model, TWO_THREADS, packed=packed).run(wide)[0].tolist() == [[2.0] * 8]


def test_a_damaged_packed_file_is_dropped_and_the_model_is_served(
    packed: PackedFiles, model: Path, tmp_path: Path
) -> None:
    HostedSession(model, TWO_THREADS, packed=packed)
    (graph,) = (tmp_path / "packed").glob(f"*/{GRAPH}")
    graph.write_bytes(b"half of a file")
    session = HostedSession(model, TWO_THREADS, packed=packed)
    assert session.run(row(1))[0][0, 0] == 2
    assert not graph.exists()
    assert HostedSession(model, TWO_THREADS, packed=packed).at_once == 2


def test_a_folder_that_takes_no_files_is_done_without(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    session = HostedSession(model, TWO_THREADS, packed=PackedFiles(tmp_path / "file" / "packed"))
    assert (session.at_once, session.run(row(1))[0][0, 0]) == (1, 2)


def test_what_is_no_model_leaves_nothing_behind(packed: PackedFiles, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    with pytest.raises(Exception, match="model"):
        HostedSession(broken, TWO_THREADS, packed=packed)
    assert list((tmp_path / "packed").iterdir()) == []


def test_files_that_were_not_used_for_long_are_dropped(packed: PackedFiles, model: Path, tmp_path: Path) -> None:
    HostedSession(model, TWO_THREADS, packed=packed)
    (old,) = (tmp_path / "packed").iterdir()
    long_ago_s = time.time() - KEPT_FOR_S - 1
    os.utime(old, (long_ago_s, long_ago_s))
    other = save_adder(tmp_path / "other.onnx")
    HostedSession(other, TWO_THREADS, packed=packed)
    assert not old.exists()


@pytest.fixture
def mapped_megabytes(packed: PackedFiles, tmp_path: Path) -> float:
    """Return how much memory of its own a process takes for the sessions of the built-in model of embeddings."""
    path = builtin_specs()["embed"].artifacts["weights"]
    program = f"""
from pathlib import Path
from inference.runtime.hosted_session import HostedSession
from inference.runtime.native import onnx_runtime
from inference.runtime.packed_files import PackedFiles
from inference.runtime.providers import CPU, plan_execution
def own():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024
packed = PackedFiles(Path({str(tmp_path / "packed")!r}))
plan = plan_execution([CPU], threads=2, has_nvidia_gpu=False)
onnx_runtime()
before = own()
sessions = [HostedSession(Path({path!r}), plan, packed=packed) for _ in range(3)]
print(own() - before)
"""
    HostedSession(Path(path), TWO_THREADS, packed=packed)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_sessions_share_the_weights(mapped_megabytes: float, tmp_path: Path) -> None:
    """Three hosted sessions are six of ONNX Runtime. With weights of their own they would take half a gigabyte."""
    (weights,) = (tmp_path / "packed").glob(f"*/{WEIGHTS}")
    assert mapped_megabytes < weights.stat().st_size / 2**20
