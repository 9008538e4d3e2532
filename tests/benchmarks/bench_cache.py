"""Compare responses from the cache with a bare ASGI response, and traffic without repeats with and without the cache.

Run from the repository's root: python -m tests.benchmarks.bench_cache. Keys and metering are on, as in the product,
whose worker and scheduler run beside the measured web process.
"""

import asyncio
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from types import MappingProxyType

from tests.benchmarks.bench_front import PROJECT, serving
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.http_load import Figures, Request, load
from tests.inference.runtime.graphs import save_adder
from tests.live_stack import LiveStack

CALLERS = 32
ROUNDS = 7
ROUND_S = 1.5
MUST_L1, MUST_L2, MAX_COST = 0.35, 0.25, 0.02
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Way:
    name: str
    port: int
    request: Request
    callers: int = CALLERS


class Requests:
    def __init__(self, key: str, model: str) -> None:
        self._key = key
        self._model = model
        self._numbers = itertools.count()

    def embedding(self, number: int | None = None, headers: str = "") -> bytes:
        number = next(self._numbers) if number is None else number
        asked = {"model": "embed", "input": f"the quick brown fox jumps over lazy dog number {number}"}
        return self._written("/v1/embeddings", asked, headers)

    def sum(self, headers: str = "") -> bytes:
        """Return a request for a tiny model with numbers that were never sent before."""
        data = [next(self._numbers) / 7, 1.0, 2.0, 3.0]
        tensor = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": data}
        return self._written(f"/v2/models/{self._model}/infer", {"inputs": [tensor]}, headers)

    def _written(self, path: str, asked: object, headers: str) -> bytes:
        body = json.dumps(asked).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._key}\r\n{headers}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


def measured(ways: list[Way]) -> dict[str, Figures]:
    """Measure all ways round by round, so that other work on the machine affects all alike. Return the median round of
    each.
    """
    rounds: dict[str, list[Figures]] = {way.name: [] for way in ways}
    for _ in range(ROUNDS):
        for way in ways:
            rounds[way.name].append(asyncio.run(load(way.port, ROUND_S, way.request, way.callers)))
    return {name: sorted(all_, key=lambda one: one.per_s)[ROUNDS // 2] for name, all_ in rounds.items()}


def print_table(title: str, found: Mapping[str, Figures], against: str) -> None:
    print(f"\n{title}; {CALLERS} callers, median of {ROUNDS} rounds of {ROUND_S} s\n")
    print(f"| what | requests/s | against {against} | p50 ms | p99 ms | said |")
    print("|---|--|--|--|--|---|")
    for name, one in found.items():
        ratio = one.per_s / found[against].per_s
        print(f"| {name} | {one.per_s:.0f} | x{ratio:.3f} | {one.p50_ms:.2f} | {one.p99_ms:.1f} | {one.words} |")


def answer_bytes(port: int, request: bytes) -> int:
    """Return the size of the response to the repeated request."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request)
        response = HTTPResponse(connection)
        response.begin()
        return len(response.read())


def hits(serve: Callable[..., int], requests: Requests) -> None:
    known = [requests.embedding(number) for number in range(64)]
    turns = itertools.cycle(known)
    front = serve("front")
    size = {"MAAS_BENCH_ANSWER_BYTES": str(answer_bytes(front, known[0]))}
    ways = [
        Way("a bare ASGI answer of that size", serve("plain", size), lambda: next(turns)),
        Way("a hit in memory", front, lambda: next(turns)),
        Way("a hit in Redis", serve("front", {"MAAS_CACHE_MEMORY_BYTES": "0"}), lambda: next(turns)),
    ]
    for way in ways[1:]:
        asyncio.run(load(way.port, 3.0, way.request, CALLERS))
    print_table("Hits, keys and metering on", measured(ways), ways[0].name)
    print(f"\nMust be at least x{MUST_L1} and x{MUST_L2}.")


def never_again(serve: Callable[..., int], requests: Requests) -> None:
    port = serve("front")
    none = "Cache-Control: no-store\r\n"
    for name, request in (("a tiny model", requests.sum), ("embeddings", requests.embedding)):
        without, with_cache = f"{name}, no-store", f"{name}, never the same"
        ways = [
            Way(without, port, lambda request=request: request(headers=none)),  # type: ignore[misc]
            Way(with_cache, port, request),
        ]
        asyncio.run(load(port, 4.0, request, CALLERS))
        print_table("What never comes again", measured(ways), without)
    print(f"\nMay cost at most {MAX_COST:.0%}.")


def _add_adder(home: Path, file: Path) -> None:
    command = [sys.executable, "manage.py", "models", "add", str(file), "--name", "adder"]
    subprocess.run(command, cwd=PROJECT, env=os.environ | {"MAAS_HOME": str(home)}, check=True)


def main() -> None:
    print(circumstances())
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveStack(Path(folder) / "var") as stack,
        ExitStack() as servers,
    ):
        running = stack.wait_until_ready()
        _add_adder(running.home, save_adder(Path(folder) / "adder.onnx"))
        secrets = json.loads((running.home / "secrets.json").read_text())

        def serve(app: str, variables: Mapping[str, str] = NO_VARIABLES) -> int:
            given = {"MAAS_HOME": str(running.home), **secrets, **variables}
            return servers.enter_context(serving("granian", app, given))

        requests = Requests(running.demo["MAAS_API_KEY"], "adder")
        hits(serve, requests)
        never_again(serve, requests)


if __name__ == "__main__":
    main()
