"""Compare gRPC with HTTP on the same web process, and HTTP with and without a gRPC port beside it.

Run from the repository's root: python -m tests.benchmarks.bench_grpc. It starts its own product, whose model adds one
to its input. All callers are in one process, and share the cores with the product.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc.aio
import httpx
import numpy as np
import psutil  # type: ignore[import-untyped]
import tritonclient.grpc as triton
from tritonclient.grpc import service_pb2

from maas.local.supervisor.ports import free_port
from tests.benchmarks.bench_front import load, serving
from tests.benchmarks.circumstances import circumstances
from tests.inference.runtime.graphs import save_adder
from tests.kept_cluster import PROJECT
from tests.live_stack import LiveStack

ROUNDS = 3
ROUND_S = 4.0
WARM_UP_S = 2.0
IDLE_S = 10.0
LARGE_ROWS = 65_536
"""Rows of four floats that come to 1 MiB."""
INFER = "/inference.GRPCInferenceService/ModelInfer"
Ask = Callable[[], Awaitable[object]]


async def per_s(ask: Ask, callers: int) -> float:
    """Return the median of several rounds, after a warm-up."""

    async def for_a_while(seconds: float) -> float:
        ends_s, count = time.perf_counter() + seconds, 0

        async def one() -> None:
            nonlocal count
            while time.perf_counter() < ends_s:
                await ask()
                count += 1

        await asyncio.gather(*(one() for _ in range(callers)))
        return count / seconds

    await for_a_while(WARM_UP_S)
    return sorted([await for_a_while(ROUND_S) for _ in range(ROUNDS)])[ROUNDS // 2]


def message_of(model: str, rows: int) -> bytes:
    tensor = np.ones((rows, 4), np.float32)
    request = service_pb2.ModelInferRequest(model_name=model, raw_input_contents=[tensor.tobytes()])
    request.inputs.add(name="x", datatype="FP32", shape=[rows, 4])
    return bytes(request.SerializeToString())


def body_of(rows: int) -> tuple[bytes, dict[str, str]]:
    tensor = np.ones((rows, 4), np.float32)
    size = tensor.nbytes
    head = (
        '{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","datatype":"FP32",'
        f'"shape":[{rows},4],"parameters":{{"binary_data_size":{size}}}}}]}}'
    ).encode()
    return head + tensor.tobytes(), {"inference-header-content-length": str(len(head))}


async def compare(stack: LiveStack, grpc_port: int, key: str, model: str) -> None:
    print("\n| model that adds one | callers | HTTP, bytes /s | gRPC /s | gRPC against HTTP |")
    print("|---|--|--|--|--|")
    # Each request is run, because a cached response says nothing about the protocol.
    said = {"authorization": f"Bearer {key}", "cache-control": "no-store"}
    options = [("grpc.max_receive_message_length", -1)]
    limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
    async with (
        httpx.AsyncClient(base_url=stack.url, headers=said, limits=limits, timeout=60) as http,
        grpc.aio.insecure_channel(f"127.0.0.1:{grpc_port}", options=options) as channel,
    ):
        infer = channel.unary_unary(INFER)
        for what, rows, callers in (("16 bytes", 1, 1), ("16 bytes", 1, 32), ("1 MiB", LARGE_ROWS, 8)):
            body, headers = body_of(rows)
            message = message_of(model, rows)

            async def over_http(body: bytes = body, headers: dict[str, str] = headers) -> None:
                answer = await http.post(f"/v2/models/{model}/infer", content=body, headers=headers)
                assert answer.status_code == 200, answer.text

            async def over_grpc(message: bytes = message) -> None:
                await infer(message, metadata=tuple(said.items()))

            by_http = await per_s(over_http, callers)
            by_grpc = await per_s(over_grpc, callers)
            print(f"| {what} | {callers} | {by_http:.0f} | {by_grpc:.0f} | x{by_grpc / by_http:.2f} |")


def beside(port: int) -> tuple[float, float, float]:
    """Return the HTTP requests per second through the whole front, and its process's idle CPU in percent and memory in
    MB.
    """
    with serving("granian", "front", {"MAAS_GRPC_PORT": str(port)}) as http_port:
        web = max(psutil.Process().children(recursive=True), key=lambda one: int(one.memory_info().rss))
        if port:
            # It is called once, so that everything that the port does from then on is running.
            with triton.InferenceServerClient(f"127.0.0.1:{port}") as client:
                assert client.is_server_live()
        asyncio.run(load(http_port, WARM_UP_S))
        rounds = sorted(asyncio.run(load(http_port, ROUND_S)).per_s for _ in range(ROUNDS))
        before_s = sum(web.cpu_times()[:2])
        time.sleep(IDLE_S)
        idle_percent = (sum(web.cpu_times()[:2]) - before_s) / IDLE_S * 100
        return rounds[ROUNDS // 2], idle_percent, web.memory_info().rss / 1e6


def main() -> None:
    print(circumstances())
    print("\n| port for gRPC | HTTP requests/s (32 callers) | idle CPU | memory |\n|---|--|--|--|")
    for port in (0, free_port()) * 3:
        calls, idle, memory = beside(port)
        print(f"| {'open' if port else 'none'} | {calls:.0f} | {idle:.1f} % | {memory:.0f} MB |", flush=True)
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        with LiveStack(home, variables={"MAAS_GRPC_PORT": str(port)}) as stack:
            running = stack.wait_until_ready()
            file = str(save_adder(Path(folder) / "adder.onnx"))
            add = [sys.executable, "manage.py", "models", "add", "--name", "adder", file]
            subprocess.run(add, cwd=PROJECT, env={**os.environ, "MAAS_HOME": str(home)}, check=True)
            asyncio.run(compare(stack, port, running.demo["MAAS_API_KEY"], "adder"))


if __name__ == "__main__":
    main()
