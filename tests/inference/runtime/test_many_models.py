"""Test more models than fit into memory, called by many threads at the same time."""

import random
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from inference.runtime.session_host import SessionHost
from tests.inference.runtime.graphs import save_graph
from tests.inference.runtime.hosts import PLAN, StillMemory

MODELS = 200
FIT = 10
FLOATS = 50_000
THREADS = 8
ASKED = 150


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Path]:
    folder = tmp_path_factory.mktemp("models")
    return [_save_adder_of(folder / f"{number}.onnx", number) for number in range(MODELS)]


def _save_adder_of(path: Path, number: int) -> Path:
    """Save a graph of 200 kB that adds its number, so that an answer shows which model gave it."""
    add = helper.make_node("Add", ["x", "number"], ["y"])
    return save_graph(path, add, ["rows", FLOATS], number=np.full(FLOATS, number, np.float32))


@pytest.mark.parametrize("measured", [False, True])
def test_200_models_in_the_memory_of_10_answer_right_and_stay_within_it(paths: Sequence[Path], measured: bool) -> None:
    size = paths[0].stat().st_size
    # If memory is measured, a session of this size takes about three times its file: weights, graph and arena.
    budget_bytes = FIT * size * (4 if measured else 1)
    memory = None if measured else StillMemory()
    host = SessionHost(PLAN, budget_bytes=budget_bytes, wait_for_room_s=60.0, memory=memory)
    wrong: list[str] = []
    max_bytes = [0]

    def ask(seed: int) -> None:
        chance = random.Random(seed)
        feed = np.zeros((1, FLOATS), np.float32)
        for _ in range(ASKED):
            # The choice is skewed: a few models get most of the traffic.
            number = min(MODELS - 1, int(chance.paretovariate(0.7)) - 1)
            try:
                with host.session(paths[number]) as session:
                    answer = session.run({"x": feed})[0]
            except Exception as error:
                wrong.append(f"{number}: {error}")
                continue
            if not (answer == number).all():
                wrong.append(f"{number} answered {answer[0, 0]}")

    def watch() -> None:
        while not done.wait(0.001):
            max_bytes[0] = max(max_bytes[0], host.held_bytes)

    done = threading.Event()
    watching = threading.Thread(target=watch)
    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(THREADS)]
    for thread in (watching, *threads):
        thread.start()
    for thread in threads:
        thread.join(120)
    done.set()
    watching.join()
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []
    assert 0 < max_bytes[0] <= budget_bytes
    tallies = host.tallies().values()
    assert sum(tally.evictions for tally in tallies) == sum(tally.loads for tally in tallies) - len(host.resident())
    assert sum(tally.loads for tally in tallies) < THREADS * ASKED
