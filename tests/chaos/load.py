"""Runs callers that submit jobs with Idempotency-Keys, and send a request again if it had no response."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx

from .orders import Order
from .picky import BAD_ROW
from .requests import INFER, batch_request, call_request, file_request, job_request

ANSWER_S = 10.0
GIVES_UP_S = 300.0
AHEAD = 40
"""Jobs that may be submitted while a fault is due, so that it strikes among them and not after them."""
_LONGEST_PAUSE_S = 1.0
_IMPATIENT_S = 0.02


@dataclass
class Answers:
    """The responses that callers received."""

    ids: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The job IDs by the keys of their orders."""
    batches: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    calls_sent: int = 0
    calls_answered: int = 0
    done: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    odd: list[str] = field(default_factory=list)
    """Responses that no fault explains."""
    given_up: list[str] = field(default_factory=list)


class Load:
    """The load of a run. Some orders are synchronous calls or batches. All are sent in the order of their numbers, and
    count when they are done.
    """

    def __init__(self, urls: Sequence[str], key: str, orders: Sequence[Order], *, callers: int, hook: str = "") -> None:
        self._urls = urls
        self._key = key
        self._orders = orders
        self._hook = hook
        jobs = self._jobs = len(orders)
        self._callers = callers
        self._next = 0
        self._held_at = jobs
        self._moved = asyncio.Condition()
        self.answers = Answers()

    async def run(self) -> None:
        """Run until every job is accepted or given up."""
        async with asyncio.TaskGroup() as callers:
            for _ in range(self._callers):
                callers.create_task(self._call())

    async def hold_at(self, accepted: int) -> None:
        """Start only a few jobs beyond this number, until the next call."""
        async with self._moved:
            self._held_at = accepted + AHEAD
            self._moved.notify_all()

    async def go_on(self) -> None:
        await self.hold_at(self._jobs)

    async def until_accepted(self, count: int) -> None:
        async with self._moved:
            await self._moved.wait_for(lambda: self._done >= count)

    @property
    def is_over(self) -> bool:
        return self._done >= self._jobs

    @property
    def _done(self) -> int:
        return self.answers.done

    async def _call(self) -> None:
        async with self._client() as client:
            while (number := await self._take()) is not None:
                await self._place(client, self._orders[number], number)
                async with self._moved:
                    self.answers.done += 1
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
        """Send an order to one web process and then to the other, until it is accepted."""
        loop = asyncio.get_running_loop()
        deadline, tries = loop.time() + GIVES_UP_S, 0
        while not await self._send(client, order, number + tries, hurried=order.impatient and tries == 0):
            tries += 1
            if loop.time() > deadline:
                self.answers.given_up.append(order.key)
                return
            await asyncio.sleep(min(_LONGEST_PAUSE_S, 0.05 * 2**tries))
        if order.sends_twice and not order.calls:
            await self._send(client, order, number + tries + 1)
        if order.cancels and order.is_job:
            await self._cancel(client, self.answers.ids[order.key][0], number)

    async def _send(self, client: httpx.AsyncClient, order: Order, place: int, *, hurried: bool = False) -> bool:
        timeout = _IMPATIENT_S if hurried else ANSWER_S
        url = self._url(place)
        try:
            if order.calls:
                return await self._ask(client, order, url, timeout)
            if order.lines:
                return await self._have_done(client, order, url)
            request = job_request(order, self._hook)
            return self._note(order, await client.post(f"{url}/v1/jobs", timeout=timeout, **request))
        except (httpx.TransportError, ValueError):
            self.answers.statuses["no answer"] += 1
            return False

    def _note(self, order: Order, answer: httpx.Response) -> bool:
        if good := self._is_good(order, answer):
            self.answers.ids[order.key].append(str(answer.json()["id"]))
        return good

    def _is_good(self, order: Order, answer: httpx.Response) -> bool:
        self.answers.statuses[str(answer.status_code)] += 1
        # A 409 means that the first attempt is still in progress, and a 507 that a disk is full.
        if answer.status_code not in {200, 201, 202, 409, 429, 503, 507}:
            self.answers.odd.append(f"{answer.status_code} to {order.key}: {answer.text[:300]}")
        return answer.is_success

    async def _ask(self, client: httpx.AsyncClient, order: Order, url: str, within_s: float) -> bool:
        """Send a call. The model refuses a bad row, and that counts as a response."""
        self.answers.calls_sent += 1
        answer = await client.post(f"{url}{INFER}", timeout=within_s, **call_request(order))
        if order.row == BAD_ROW and 400 <= answer.status_code < 500 and answer.status_code != 429:
            return True
        if good := self._is_good(order, answer):
            self.answers.calls_answered += 1
        return good

    async def _have_done(self, client: httpx.AsyncClient, order: Order, url: str) -> bool:
        given = await client.post(f"{url}/v1/files", **file_request(order))
        if not self._is_good(order, given):
            return False
        made = await client.post(f"{url}/v1/batches", **batch_request(order, str(given.json()["id"])))
        if good := self._is_good(order, made):
            self.answers.batches[order.key].append(str(made.json()["id"]))
        return good

    async def _cancel(self, client: httpx.AsyncClient, job_id: str, place: int) -> None:
        """Send a cancel once. The promises hold whether or not it arrives, or arrives in time."""
        try:
            await client.post(f"{self._url(place)}/v1/jobs/{job_id}/cancel")
        except httpx.TransportError:
            self.answers.statuses["no answer"] += 1

    def _url(self, place: int) -> str:
        return self._urls[place % len(self._urls)]
