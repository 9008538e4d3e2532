"""Run as the program of a host that does what a model might do that has taken over its host.

The model file names the behavior, which begins with the first run. Without any, inputs come back doubled.
"""

import importlib
import json
import os
import resource
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

Json = Any
transfer = importlib.import_module("confined.transfer")


def serve(packets: Any) -> None:
    _request, (model, requests, answers) = packets.receive_with_files()
    behavior = os.pread(model, 1000, 0).decode()
    tensor = ["x", "tensor(float)", ["rows"]]
    loaded = {"inputs": [tensor], "outputs": [tensor], "metadata": {"escapes": repr(_escapes(model, requests))}}
    packets.send(_encoded(_LOADS.get(behavior, lambda: {"loaded": loaded})()))
    while True:
        request = json.loads(packets.receive())
        (x,) = transfer.take(requests, transfer.read_descriptions(request["tensors"], 1 << 30))
        normal = {"answers": transfer.write_descriptions(transfer.put(answers, [2 * x], 1 << 30))}
        packets.send(_encoded(_RUNS.get(behavior, lambda packets, normal, x: normal)(packets, normal, x)))


def _encoded(body: Json) -> bytes:
    return json.dumps(body).encode()


def _escapes(model: int, requests: int) -> dict[str, str]:
    """Try each way out, and report what the system answered."""
    parent = os.getppid()
    return {
        "read a file": _attempt(lambda: os.open("/etc/hostname", os.O_RDONLY)),
        "write a file": _attempt(lambda: os.open("/tmp/left-behind", os.O_CREAT | os.O_WRONLY)),
        "open the model anew": _attempt(lambda: os.open(f"/proc/self/fd/{model}", os.O_RDWR)),
        "write to the model": _attempt(lambda: os.pwrite(model, b"x", 0)),
        "write to its inputs": _attempt(lambda: os.pwrite(requests, b"x", 0)),
        "start a program": _attempt(lambda: os.execv("/bin/true", ["true"])),
        "fork": _attempt(os.fork),
        "open a socket": _attempt(lambda: socket.socket(socket.AF_INET)),
        "signal another process": _attempt(lambda: os.kill(parent, signal.SIGTERM)),
        "limit another process": _attempt(lambda: resource.prlimit(parent, resource.RLIMIT_NOFILE, (9, 9))),
        "raise its memory": _attempt(lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1))),
        "fill its memory": _attempt(lambda: np.ones(1 << 30)),
    }


def _attempt(action: Callable[[], object]) -> str:
    try:
        action()
    except (OSError, ValueError, MemoryError):
        return "refused"
    return "done"


def _end(how: Callable[[], object]) -> Callable[[Any, Json, Any], Json]:
    def end(_packets: Any, normal: Json, _x: Any) -> Json:
        how()
        return normal

    return end


def _raw(data: bytes) -> Callable[[Any, Json, Any], Json]:
    def send(packets: Any, normal: Json, _x: Any) -> Json:
        packets.socket.send(data)
        time.sleep(60)
        return normal

    return send


def _twice(packets: Any, normal: Json, _x: Any) -> Json:
    packets.send(_encoded(normal))
    return normal


def _dies_at_13(_packets: Any, normal: Json, x: Any) -> Json:
    if 13 in x:
        os._exit(3)
    return normal


def _slow(_packets: Any, normal: Json, _x: Any) -> Json:
    time.sleep(0.05)
    return normal


def _described(description: Json) -> Callable[[Any, Json, Any], Json]:
    return lambda _packets, _normal, _x: {"answers": [description]}


_LOADS: dict[str, Callable[[], Json]] = {
    "dies in the load": lambda: os._exit(3),
    "declares nonsense": lambda: {"loaded": {"inputs": 3, "outputs": [], "metadata": {}}},
    "declares a thousand outputs": lambda: {
        "loaded": {"inputs": [], "outputs": [["y", "tensor(float)", []]] * 1000, "metadata": {}}
    },
}
_RUNS: dict[str, Callable[[Any, Json, Any], Json]] = {
    "sleeps": _end(lambda: time.sleep(600)),
    "sleeps a little": _slow,
    "leaves": _end(lambda: os._exit(3)),
    "aborts": _end(os.abort),
    "dies at 13": _dies_at_13,
    "garbage": _raw(b"\x00\xff garbage"),
    "an empty message": _raw(b""),
    "a long message": _raw(b"[" * 100_000),
    "no object": _raw(b"[1, 2]"),
    "a number of a thousand digits": _raw(b'{"answers": [["FP32", [' + b"9" * 9999 + b"], 4]]}"),
    "answers twice": _twice,
    "an unknown error": lambda _packets, _normal, _x: {"error": "root", "detail": "let me in"},
    "a shape below zero": _described(["FP32", [-1, 4], 16]),
    "a shape beyond the size": _described(["FP32", [1000], 16]),
    "an immense shape": _described(["FP32", [2**62, 2**62, 0], 0]),
    "more than was written": _described(["FP32", [1 << 20], 4 << 20]),
    "more than is allowed": _described(["UINT8", [1 << 40], 1 << 40]),
    "an unknown type": _described(["POINTER", [4], 16]),
    "strings beyond their bytes": _described(["STR", [4], 16]),
    "a hundred dimensions": _described(["FP32", [1] * 100, 4]),
    "no list": lambda _packets, _normal, _x: {"answers": {"a": 1}},
}
