"""This product among the contestants: the whole of it, as `manage.py up` starts it, and its edge mode."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from maas.local.supervisor.ports import free_port
from tests.benchmarks.peers.callers import CallFailed, answers
from tests.benchmarks.peers.contestants import Started
from tests.benchmarks.peers.loads import ServedFile
from tests.benchmarks.peers.wires import Edge, Given, OpenAi, OpenInferenceBytes, Wire
from tests.kept_cluster import PROJECT
from tests.live_stack import LiveStack
from tests.services import without_product

OURS = "ours"
OUR_EDGE = "ours, edge mode"
QUIET = {"MAAS_LOG_LEVEL": "WARNING"}
EDGE_TIMEOUT_S = 120.0


@contextmanager
def whole_product(files: Mapping[str, ServedFile], folder: Path) -> Iterator[Mapping[str, Started]]:
    """With a key, its limits and a price for every call; by the name of the model."""
    home = folder / "var"
    with LiveStack(home, variables=QUIET) as stack:
        running = stack.wait_until_ready()
        add_rows(files, home)
        key = key_header(running.demo["MAAS_API_KEY"])
        started = {name: Started(OURS, stack.port, own_wire(file, key)) for name, file in files.items()}
        yield started


def key_header(key: str) -> str:
    return f"Authorization: Bearer {key}\r\n"


def add_rows(files: Mapping[str, ServedFile], home: Path) -> None:
    """The models of rows, each with a price; that of texts is there already."""
    for file in files.values():
        if file.tokenizer is None:
            manage(home, "models", "add", str(file.weights), "--name", file.name, "--price-micros", "10")


def manage(home: Path, *words: str) -> str:
    """What the command says."""
    env = without_product(os.environ) | {"MAAS_HOME": str(home), **QUIET}
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=PROJECT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def own_wire(file: ServedFile, headers: str) -> Wire:
    if file.tokenizer is not None:
        return OpenAi(file.name, headers)
    return OpenInferenceBytes(f"/v2/models/{file.name}/infer", headers)


@contextmanager
def edge_mode(file: ServedFile, folder: Path, probe: Given) -> Iterator[Started]:
    port = free_port()
    place = {"MAAS_HOME": str(folder / "edge"), **QUIET}
    argv = ["manage.py", "edge", "--models", "", "--onnx", f"{file.name}={file.weights}", "--port", str(port)]
    with ExitStack() as stack:
        log = stack.enter_context((folder / "edge.log").open("wb"))
        process = subprocess.Popen(
            [sys.executable, *argv],
            cwd=PROJECT,
            env=without_product(os.environ) | place,
            stdout=log,
            stderr=log,
        )
        stack.callback(process.wait)
        stack.callback(process.terminate)
        started = Started(OUR_EDGE, port, Edge(file.name))
        _wait_until_answered(started, process, probe)
        yield started


def _wait_until_answered(started: Started, process: subprocess.Popen[bytes], probe: Given) -> None:
    until_s = time.monotonic() + EDGE_TIMEOUT_S
    while True:
        try:
            answers(started.port, [started.request(probe)])
        except (OSError, CallFailed) as error:
            if process.poll() is not None or time.monotonic() > until_s:
                raise CallFailed(f"{started.name} does not serve: {error}") from error
            time.sleep(0.1)
        else:
            return
