"""The peers: which package, which server, how it is asked, and the configuration that was best of those tried.

What holds for all: two cores, one ONNX Runtime session of two threads that do not spin, one process for the model.
"""

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from maas.local.supervisor.ports import free_port
from tests.benchmarks.peers.callers import CallFailed, answers
from tests.benchmarks.peers.environments import environment
from tests.benchmarks.peers.loads import THREADS, ServedFile
from tests.benchmarks.peers.wires import Given, OpenInferenceBytes, OpenInferenceJson, PlainJson, Wire

SERVERS = Path(__file__).with_name("servers")
START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 20.0

Command = Callable[[Path, int, Path, int], list[str]]
"""From the interpreter, the port, a folder of its own and the largest batch."""


@dataclass(frozen=True)
class Peer:
    name: str
    requirements: tuple[str, ...]
    command: Command
    wire: Wire
    min_together: int = 1
    """The smallest batch size that it can take."""
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Started:
    """A server that answers."""

    name: str
    port: int
    wire: Wire

    def request(self, given: Given) -> bytes:
        return self.wire.request(given)


def _script(name: str) -> Command:
    return lambda python, port, folder, most: [str(python), str(SERVERS / name)]


def _bento(python: Path, port: int, folder: Path, most: int) -> list[str]:
    return [str(python), "-m", "bentoml", "serve", "bento_service:Peer", "--port", str(port)]


def _mlserver(python: Path, port: int, folder: Path, most: int) -> list[str]:
    settings = {
        "debug": False,
        "host": "127.0.0.1",
        "http_port": port,
        "grpc_port": free_port(),
        "metrics_endpoint": None,
        "parallel_workers": 0,
        "gzip_enabled": False,
        "environments_dir": str(folder / "environments"),
    }
    model = {
        "name": "peer",
        "implementation": "mlserver_runtime.Peer",
        "max_batch_size": most,
        "max_batch_time": 0.001,
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    (folder / "model-settings.json").write_text(json.dumps(model))
    return [str(python), "-m", "mlserver.cli.main", "start", str(folder)]


PEERS: Mapping[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            "BentoML",
            ("bentoml==1.4.39",),
            _bento,
            PlainJson("/predict", listed=True),
            min_together=2,
            variables={"BENTOML_DO_NOT_TRACK": "True"},
        ),
        Peer("LitServe", ("litserve==0.2.19",), _script("lit_server.py"), PlainJson("/predict")),
        Peer("MLServer", ("mlserver==1.7.1",), _mlserver, OpenInferenceJson("/v2/models/peer/infer")),
        Peer(
            "Ray Serve",
            ("ray[serve]==2.60.0",),
            _script("ray_app.py"),
            PlainJson("/"),
            # Its own switch for throughput: a few percent more, and a quarter less for one caller.
            variables={"RAY_USAGE_STATS_ENABLED": "0", "RAY_SERVE_THROUGHPUT_OPTIMIZED": "1"},
        ),
        Peer(
            "Triton",
            ("nvidia-pytriton==0.7.0",),
            _script("triton_server.py"),
            OpenInferenceBytes("/v2/models/peer/infer"),
        ),
    )
}


@contextmanager
def serving(peer: Peer, file: ServedFile, folder: Path, probe: Given, *, together: int) -> Iterator[Started]:
    python = environment(peer.name.lower().replace(" ", "-"), peer.requirements)
    port, most = free_port(), max(together, peer.min_together)
    folder.mkdir(parents=True, exist_ok=True)
    variables = {
        "PEER_WEIGHTS": str(file.weights),
        "PEER_TOKENIZER": str(file.tokenizer or ""),
        "PEER_THREADS": str(THREADS),
        "PEER_PORT": str(port),
        "PEER_BATCH": str(most),
        "PYTHONPATH": str(SERVERS),
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "TOKENIZERS_PARALLELISM": "false",
        "HOME": str(folder),
        # Triton's stub is linked to a libpython; one of another release than the standard library's does not start.
        "LD_LIBRARY_PATH": str(sysconfig.get_config_var("LIBDIR")),
    }
    log_path = folder / "server.log"
    with ExitStack() as stack:
        log = stack.enter_context(log_path.open("wb"))
        process = subprocess.Popen(
            peer.command(python, port, folder, most),
            cwd=SERVERS,
            env={**_plain_environment(), **variables, **peer.variables},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        stack.callback(_stop, process)
        started = Started(peer.name, port, peer.wire)
        _wait_until_answered(started, process, log_path, probe)
        yield started


def _plain_environment() -> dict[str, str]:
    """Without this product's own, and without what its virtual environment says of itself."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAAS_", "DJANGO_")) and name not in ("PYTHONPATH", "VIRTUAL_ENV")
    }


def _wait_until_answered(started: Started, process: subprocess.Popen[bytes], log: Path, probe: Given) -> None:
    until_s = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            answers(started.port, [started.request(probe)])
        except (OSError, CallFailed, TimeoutError) as error:
            if process.poll() is not None or time.monotonic() > until_s:
                raise CallFailed(f"{started.name} does not serve ({error}):\n{log.read_text()[-3000:]}") from error
            time.sleep(0.2)
        else:
            return


def _stop(process: subprocess.Popen[bytes]) -> None:
    """With all that it started: the session is its own."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        print("a peer did not stop by itself", file=sys.stderr)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
