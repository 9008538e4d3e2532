"""Upload a large model, move an alias under load, and call a model beside hosts of other tenants that never end.

Run from the repository's root: python -m tests.benchmarks.bench_own_models [upload] [moves] [neighbors]. It starts a
product of its own. The callers run in this process on the same machine, so the product has less than the whole of it.
"""

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import django
import httpx
import numpy as np
from onnx import TensorProto, helper, numpy_helper

os.environ["DJANGO_SETTINGS_MODULE"] = "maas.settings"
os.environ["MAAS_LOG_LEVEL"] = "WARNING"
django.setup()
# ruff: noqa: E402  # the flows need the settings

from tests.benchmarks.circumstances import circumstances
from tests.flows.own_models import Developer
from tests.flows.product import Product
from tests.live_stack import LiveStack
from tests.samples.adders import adder
from tests.samples.hostile_models import ENDLESSLY, looping

SIDE = 5_000
"""The rows and columns of the large model's weights: 100 MB of floats."""
UPLOADS = 3
CALLERS = 64
MOVES = 20
MOVE_EVERY_S = 1.0
NEIGHBORS = 8
HOSTILE = 4
ROUNDS = 5
ROUND_S = 8.0
SETTLE_S = 2.0
PRODUCT = {"MAAS_LOG_LEVEL": "WARNING"}
ROWS = 4


@dataclass(frozen=True)
class Call:
    began_s: float
    ended_s: float
    status: int
    values: tuple[float, ...]
    """The values of the first output, or nothing for a call that failed."""


class _Caller(asyncio.Protocol):
    """A connection that sends the same request again as soon as it has the response."""

    def __init__(self, request: bytes, calls: list[Call]) -> None:
        self._request, self._calls, self._got = request, calls, bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def _ask(self) -> None:
        self._began_s = time.perf_counter()
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, end, body = bytes(self._got).partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        if not end or len(body) < int(length):
            return
        self._got.clear()
        status = int(head[9:12])
        values = tuple(json.loads(body)["outputs"][0]["data"]) if status == 200 else ()
        self._calls.append(Call(self._began_s, time.perf_counter(), status, values))
        self._ask()


async def play(port: int, request: bytes, callers: int, seconds: float) -> list[Call]:
    loop = asyncio.get_running_loop()
    calls: list[Call] = []
    connections = [
        await loop.create_connection(lambda: _Caller(request, calls), "127.0.0.1", port) for _ in range(callers)
    ]
    await asyncio.sleep(seconds)
    for transport, _ in connections:
        transport.abort()
    return calls


def infer_request(key: str, model: str) -> bytes:
    tensor = {"name": "x", "datatype": "FP32", "shape": [ROWS, 4], "data": [1.0] * 4 * ROWS}
    body = json.dumps({"inputs": [tensor]}).encode()
    head = (
        f"POST /v2/models/{model}/infer HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        f"Cache-Control: no-store\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


# ---- upload


def large_model() -> bytes:
    weights = np.random.default_rng(0).normal(0, 0.02, (SIDE, SIDE)).astype(np.float32)
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", SIDE]) for name in ("x", "y"))
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "large", [x], [y], [numpy_helper.from_array(weights, "w")]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    data: bytes = model.SerializeToString()
    return data


def upload(developer: Developer) -> None:
    data, taken = large_model(), []
    for _ in range(UPLOADS):
        model = f"large-{token_hex(4)}"
        sent_s = upload_in_parts(developer, model, data)
        state = developer.checked(model, 1)["state"]
        taken.append(time.perf_counter() - sent_s)
        assert state == "ready"
        developer.http.delete(f"/v1/models/{model}")
    print(f"{len(data) / 1e6:.0f} MB, from its last byte to ready: " + ", ".join(f"{one:.1f} s" for one in taken))


def upload_in_parts(developer: Developer, model: str, data: bytes) -> float:
    """Upload a file, and return the time at which its last byte was sent."""
    fields = "".join(
        f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in (("name", model), ("license", "MIT"))
    )
    head = f'{fields}--b\r\nContent-Disposition: form-data; name="file"; filename="model.onnx"\r\n\r\n'.encode()
    body = head + data + b"\r\n--b--\r\n"
    sent_s = 0.0

    def parts() -> Iterator[bytes]:
        nonlocal sent_s
        for start in range(0, len(body), 1 << 20):
            yield body[start : start + (1 << 20)]
            sent_s = time.perf_counter()

    headers = {"Content-Type": "multipart/form-data; boundary=b", "Content-Length": str(len(body))}
    response = developer.http.post("/v1/models", content=parts(), headers=headers)
    assert response.status_code == 202, response.text
    return sent_s


# ---- moves


def moves(developer: Developer, port: int) -> None:
    model = f"moved-{token_hex(4)}"
    for added in (1, 2):
        developer.ready_model(adder(added), model)
    developer.infer(model, {"x": ("FP32", [1, 4], [1.0] * 4)})
    moved: list[tuple[float, int]] = []

    def move_on() -> None:
        time.sleep(SETTLE_S)
        for number in range(MOVES):
            version = 2 - number % 2
            response = developer.http.put(f"/v1/models/{model}/aliases/current", json={"version": version})
            assert response.status_code == 200, response.text
            moved.append((time.perf_counter(), version))
            time.sleep(MOVE_EVERY_S)

    mover = threading.Thread(target=move_on)
    mover.start()
    seconds = 2 * SETTLE_S + MOVES * (MOVE_EVERY_S + 0.1)
    calls = asyncio.run(play(port, infer_request(developer.key, model), CALLERS, seconds))
    mover.join()
    failed = [call for call in calls if call.status != 200]
    mixed = [call for call in calls if len(set(call.values)) > 1]
    late = [late_s(calls, at_s, version) for at_s, version in moved]
    print(
        f"{MOVES} alias moves under {CALLERS} callers: {len(calls) / seconds:.0f} calls/s, {len(failed)} failed,"
        f" {len(mixed)} mixed; the last call to get the version before was sent {max(late) * 1e3:.0f} ms after the"
        f" move's response (median {statistics.median(late) * 1e3:.0f} ms)"
    )


def late_s(calls: Sequence[Call], moved_s: float, version: int) -> float:
    """Return how long after a move calls were sent that still got the version before."""
    window = (call for call in calls if moved_s < call.began_s < moved_s + MOVE_EVERY_S and call.values)
    before = [call.began_s - moved_s for call in window if call.values[0] != 1.0 + version]
    return max(before, default=0.0)


# ---- neighbors


@dataclass(frozen=True)
class Figures:
    per_s: float
    p50_ms: float
    p99_ms: float
    failed: int


def neighbors(attacker: Developer, neighbor: Developer, port: int) -> None:
    model = neighbor.ready_model(adder(1))["model"]
    request = infer_request(neighbor.key, model)
    endless = [attacker.ready_model(looping(hidden=True))["model"] for _ in range(HOSTILE)]
    for name in endless:
        attacker.infer(name, {"times": ("INT64", [1], [1]), "x": ("FP32", [1], [1.0])})
    found: list[tuple[Figures, Figures]] = []
    for _ in range(ROUNDS + 1):
        alone = measured(port, request)
        with_hostile = beside(attacker, endless, lambda: measured(port, request))
        found.append((alone, with_hostile))
    report(found[1:])


def measured(port: int, request: bytes) -> Figures:
    calls = asyncio.run(play(port, request, NEIGHBORS, ROUND_S))
    p50, p99 = np.percentile([(call.ended_s - call.began_s) * 1e3 for call in calls], [50, 99])
    failed = sum(call.status != 200 for call in calls)
    return Figures(len(calls) / ROUND_S, float(p50), float(p99), failed)


def beside(attacker: Developer, endless: Sequence[str], measure: Callable[[], Figures]) -> Figures:
    """Measure while each of these models runs a call that never ends. The calls are given up afterwards."""
    loops = [httpx.Client(base_url=attacker.url, headers=attacker.http.headers, trust_env=False) for _ in endless]

    def call(client: httpx.Client, model: str) -> None:
        tensors = {**ENDLESSLY, "x": ("FP32", [1], [1.0])}
        inputs = [{"name": n, "datatype": d, "shape": list(s), "data": list(v)} for n, (d, s, v) in tensors.items()]
        try:
            client.post(f"/v2/models/{model}/infer", json={"inputs": inputs}, timeout=SETTLE_S + ROUND_S + 1)
        except httpx.TransportError:
            return

    threads = [threading.Thread(target=call, args=pair) for pair in zip(loops, endless, strict=True)]
    for thread in threads:
        thread.start()
    time.sleep(SETTLE_S)
    figures = measure()
    for thread in threads:
        thread.join()
    for client in loops:
        client.close()
    time.sleep(SETTLE_S)
    return figures


def report(found: Sequence[tuple[Figures, Figures]]) -> None:
    for what, figures in zip(("alone", f"beside {HOSTILE} endless models"), zip(*found, strict=True), strict=True):
        rate, p50, p99 = (
            statistics.median(getattr(one, name) for one in figures) for name in ("per_s", "p50_ms", "p99_ms")
        )
        failed = sum(one.failed for one in figures)
        print(f"{NEIGHBORS} callers {what}: {rate:.0f}/s, p50 {p50:.2f} ms, p99 {p99:.1f} ms, {failed} failed")
    rates = [two.per_s / one.per_s for one, two in found]
    slower = [two.p99_ms / one.p99_ms for one, two in found]
    print(
        f"  throughput {statistics.median(rates):.2f}x ({min(rates):.2f} to {max(rates):.2f}),"
        f" p99 {statistics.median(slower):.2f}x ({min(slower):.2f} to {max(slower):.2f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ("upload", "moves", "neighbors")
    # Python 3.11 refuses an empty list where there are choices.
    parser.add_argument("parts", nargs="*", help=f"some of {', '.join(parts)} (default: all)")
    wanted = parser.parse_args().parts or parts
    if unknown := set(wanted) - set(parts):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    print(circumstances())
    with tempfile.TemporaryDirectory() as folder, LiveStack(Path(folder, "var"), variables=PRODUCT) as stack:
        product = Product(stack.wait_until_ready(), PRODUCT)
        developers = [Developer(product, product.create_account(name)) for name in ("Alpha", "Beta")]
        if "upload" in wanted:
            upload(developers[0])
        if "moves" in wanted:
            moves(developers[0], stack.port)
        if "neighbors" in wanted:
            neighbors(developers[0], developers[1], stack.port)


if __name__ == "__main__":
    main()
