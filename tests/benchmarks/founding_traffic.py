"""The traffic of bench_founding: which tenant sends which request and when, often for the second time, and the times
taken.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean

from tests.benchmarks.peers.callers import END, CallFailed, Connection
from tests.benchmarks.peers.loads import TEXTS

MODELS = {"embed": 5, "memory": 3, "tiny": 2}
TENANTS = (5, 3, 2)
"""Weights of the models, and of the tenants, in the traffic."""
INPUTS = TEXTS
EXPONENT = 1.1
"""The exponent of popularity. Each tenant sends each model one of `INPUTS` inputs, the n-th 1/n^1.1 times as often as
the first.
"""
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Arrival:
    due_s: float
    tenant: int
    model: str
    number: int
    """The number of the input. The same number for the same model is the same input."""


class Traffic:
    """Random traffic that is the same for the same seed, piece after piece. No input is shared with another seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._first = seed * len(TENANTS) * INPUTS
        self._weights = list(accumulate((rank + 1) ** -EXPONENT for rank in range(INPUTS)))
        self._asked: Counter[tuple[str, int]] = Counter()

    def arrivals(self, per_s: float, seconds: float) -> list[Arrival]:
        """Return the next piece."""
        found = []
        due_s = self._chance.expovariate(per_s)
        while due_s < seconds:
            found.append(self._arrival(due_s))
            due_s += self._chance.expovariate(per_s)
        return found

    def _arrival(self, due_s: float) -> Arrival:
        (tenant,) = self._chance.choices(range(len(TENANTS)), TENANTS)
        (model,) = self._chance.choices(list(MODELS), list(MODELS.values()))
        (rank,) = self._chance.choices(range(INPUTS), cum_weights=self._weights)
        # The same rank has the same text in all traffic except for the number, so that frequent inputs have the same
        # length in each.
        number = self._first + tenant * INPUTS + (rank + tenant * INPUTS // len(TENANTS)) % INPUTS
        self._asked[model, number] += 1
        return Arrival(due_s, tenant, model, number)

    @property
    def repeated(self) -> float:
        """Return the share of requests that the same tenant had sent before, as for a cache without evictions."""
        return 1 - len(self._asked) / max(self._asked.total(), 1)


@dataclass
class Answer:
    asked: Arrival
    took_s: float = 0.0
    """The time since the request was due, not since this client sent it."""
    whole: bytes = b""
    refusal: str = ""

    @property
    def word(self) -> str:
        """Return the value of the response's `x-cache` header."""
        head = self.whole.partition(END)[0].lower()
        return head.partition(b"\r\nx-cache: ")[2].partition(b"\r\n")[0].decode().upper()


@dataclass(frozen=True)
class Times:
    """The outcome of all requests."""

    answered: int
    refused: int
    mean_ms: float
    p50_ms: float
    p99_ms: float
    means_ms: Mapping[str, float]
    """The mean for each model."""
    words: Counter[str]

    @property
    def known(self) -> float:
        return (self.words["HIT"] + self.words["COALESCED"]) / max(self.answered, 1)


def times(answers: Sequence[Answer]) -> Times:
    answered = [one for one in answers if not one.refusal]
    if not answered:
        raise CallFailed(answers[0].refusal)
    took_s = sorted(one.took_s for one in answered)
    of_models = {name: [one.took_s for one in answered if one.asked.model == name] for name in MODELS}
    return Times(
        len(took_s),
        len(answers) - len(took_s),
        fmean(took_s) * 1000,
        took_s[len(took_s) // 2] * 1000,
        took_s[len(took_s) * 99 // 100] * 1000,
        {name: fmean(some) * 1000 for name, some in of_models.items() if some},
        Counter(one.word for one in answered),
    )


def played(port: int, traffic: Sequence[Arrival], requests: Sequence[bytes]) -> list[Answer]:
    """Send each request when it is due, whether or not earlier ones have a response. Return all responses in that
    order.
    """
    return asyncio.run(_Player(port).play(traffic, requests))


class _Player:
    """A client that opens a connection if none is free."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[Connection] = []
        self._asking: dict[Connection, asyncio.Future[bytes]] = {}

    async def play(self, traffic: Sequence[Arrival], requests: Sequence[bytes]) -> list[Answer]:
        answers = [Answer(arrival) for arrival in traffic]
        asked = set()
        began_s = time.perf_counter()
        for request, answer in zip(requests, answers, strict=True):
            due_s = began_s + answer.asked.due_s
            wait_s = due_s - time.perf_counter()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            asked.add(asyncio.create_task(self._ask(request, due_s, answer)))
        async with asyncio.timeout(TIMEOUT_S):
            await asyncio.gather(*asked)
        for connection in self._free:
            connection.close()
        return answers

    async def _ask(self, request: bytes, due_s: float, answer: Answer) -> None:
        connection = self._free.pop() if self._free else await self._connect()
        done = self._asking[connection] = asyncio.get_running_loop().create_future()
        connection.ask(request)
        answer.whole = await done
        answer.took_s = time.perf_counter() - due_s
        answer.refusal = connection.failure or ""
        if not connection.failure:
            self._free.append(connection)

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(lambda: Connection(self._answered), "127.0.0.1", self._port)
        return connection

    def _answered(self, connection: Connection, answer: bytes) -> None:
        self._asking.pop(connection).set_result(answer)
