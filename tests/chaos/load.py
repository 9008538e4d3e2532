"""Callers that submit jobs with Idempotency-Keys, and send again whatever was not answered."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import httpx

from .picky import BAD_ROW, GOOD_ROWS, MODEL, tensor

ANSWER_S = 10.0
GIVES_UP_S = 300.0
AHEAD = 40
"""Jobs that may be submitted while a fault is due: it strikes among them, and not after them."""
_LONGEST_PAUSE_S = 1.0
_IMPATIENT_S = 0.02


@dataclass(frozen=True, slots=True)
class Order:
    """One job as its caller means it, decided by the seed alone."""

    key: str
    row: int
    may_reuse: bool
    sends_twice: bool
    cancels: bool
    impatient: bool
    """Hangs up on the first try before it can be answered."""

    @classmethod
    def draw(cls, seed: int, number: int) -> Self:
        chance = random.Random(f"{seed}/{number}")
        return cls(
            key=f"chaos-{seed}-{number}",
            row=BAD_ROW if chance.random() < 0.02 else chance.randrange(GOOD_ROWS),
            may_reuse=chance.random() < 0.15,
            sends_twice=chance.random() < 0.05,
            cancels=chance.random() < 0.03,
            impatient=chance.random() < 0.03,
        )


@dataclass
class Answers:
    """What callers were told."""

    ids: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[str] = field(default_factory=Counter)
    odd: list[str] = field(default_factory=list)
    """Answers that no fault explains."""
    given_up: list[str] = field(default_factory=list)


class Load:
    def __init__(self, urls: Sequence[str], key: str, *, seed: int, jobs: int, callers: int) -> None:
        self._urls = urls
        self._key = key
        self._seed = seed
        self._jobs = jobs
        self._callers = callers
        self._next = 0
        self._held_at = jobs
        self._moved = asyncio.Condition()
        self.answers = Answers()

    async def run(self) -> None:
        """Until every job is accepted, or nobody would have it."""
        async with asyncio.TaskGroup() as callers:
            for _ in range(self._callers):
                callers.create_task(self._call())

    async def hold_at(self, accepted: int) -> None:
        """Start no more than a few jobs beyond these, until told otherwise."""
        async with self._moved:
            self._held_at = accepted + AHEAD
            self._moved.notify_all()

    async def go_on(self) -> None:
        await self.hold_at(self._jobs)

    async def until_accepted(self, count: int) -> None:
        async with self._moved:
            await self._moved.wait_for(lambda: self._done >= count)

    @property
    def _done(self) -> int:
        return len(self.answers.ids) + len(self.answers.given_up)

    async def _call(self) -> None:
        async with self._client() as client:
            while (number := await self._take()) is not None:
                order = Order.draw(self._seed, number)
                await self._place(client, order, number)
                async with self._moved:
                    self._moved.notify_all()

    async def _take(self) -> int | None:
        async with self._moved:
            await self._moved.wait_for(lambda: self._next >= self._jobs or self._next < self._held_at)
            if self._next >= self._jobs:
                return None
            self._next += 1
            return self._next - 1

    def _client(self) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self._key}"}
        return httpx.AsyncClient(headers=headers, timeout=ANSWER_S, trust_env=False)

    async def _place(self, client: httpx.AsyncClient, order: Order, number: int) -> None:
        """Sent to one web process and then the other, until it is accepted."""
        loop = asyncio.get_running_loop()
        deadline, tries = loop.time() + GIVES_UP_S, 0
        while not await self._send(client, order, number + tries, hurried=order.impatient and tries == 0):
            tries += 1
            if loop.time() > deadline:
                self.answers.given_up.append(order.key)
                return
            await asyncio.sleep(min(_LONGEST_PAUSE_S, 0.05 * 2**tries))
        if order.sends_twice:
            await self._send(client, order, number + tries + 1)
        if order.cancels:
            await self._cancel(client, self.answers.ids[order.key][0], number)

    async def _send(
        self, client: httpx.AsyncClient, order: Order, place: int, *, hurried: bool = False
    ) -> bool:
        headers = {"Idempotency-Key": order.key} | ({} if order.may_reuse else {"Cache-Control": "no-store"})
        body = {"model": MODEL, "input": tensor(order.row)}
        timeout = _IMPATIENT_S if hurried else ANSWER_S
        url = f"{self._url(place)}/v1/jobs"
        try:
            answer = await client.post(url, json=body, headers=headers, timeout=timeout)
            return self._note(order, answer)
        except (httpx.TransportError, ValueError):
            self.answers.statuses["no answer"] += 1
            return False

    def _note(self, order: Order, answer: httpx.Response) -> bool:
        self.answers.statuses[str(answer.status_code)] += 1
        if answer.status_code in {200, 202}:
            self.answers.ids[order.key].append(str(answer.json()["id"]))
            return True
        # 409: the first try is still under way.
        if answer.status_code not in {409, 429, 503}:
            self.answers.odd.append(f"{answer.status_code} to {order.key}: {answer.text[:300]}")
        return False

    async def _cancel(self, client: httpx.AsyncClient, job_id: str, place: int) -> None:
        """Asked once: whether it came in time, or at all, is all the same to what is promised."""
        try:
            await client.post(f"{self._url(place)}/v1/jobs/{job_id}/cancel")
        except httpx.TransportError:
            self.answers.statuses["no answer"] += 1

    def _url(self, place: int) -> str:
        return self._urls[place % len(self._urls)]
