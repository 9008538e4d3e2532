"""Sixty programs that call at once, half of them at each web process."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import httpx

from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.fleet.processes import NUMBERS
from tests.maas.granian_server import GranianServer

CALLERS = 60
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Call:
    number: int
    answer: httpx.Response

    @property
    def is_answered(self) -> bool:
        return self.answer.status_code == 200

    @property
    def is_right(self) -> bool:
        said: dict[str, Any] = self.answer.json()
        (output,) = said["outputs"]
        return (said["id"], output["data"]) == (str(self.number), [float(self.number)])

    @property
    def is_clear_failure(self) -> bool:
        said: dict[str, Any] = self.answer.json()
        return self.answer.status_code in {503, 504} and bool(said["error"]) and bool(said["code"])

    @property
    def word(self) -> str:
        return str(self.answer.headers["x-cache"])


class Caller:
    def __init__(self, client: httpx.AsyncClient, model: str, place: int) -> None:
        self._client = client
        self._path = f"/v2/models/{model}/infer"
        self.place = place

    async def ask(self, number: int) -> Call:
        row = [float(number), *[0.0] * (NUMBERS - 1)]
        tensor = {"name": "x", "shape": [1, NUMBERS], "datatype": "FP32", "data": row}
        answer = await self._client.post(self._path, json={"id": str(number), "inputs": [tensor]})
        return Call(number, answer)


Program = Callable[[Caller], Awaitable[Sequence[Call]]]


def all_at_once(
    webs: Sequence[GranianServer],
    tenant: CreatedTenant,
    model: str,
    program: Program,
    *,
    callers: int = CALLERS,
    headers: dict[str, str] | None = None,
) -> list[Call]:
    """Run the program for all callers at once, and return all their calls."""

    async def run() -> list[Call]:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(_client(web, tenant, headers or {})) for web in webs]
            run = (program(Caller(clients[place % len(clients)], model, place)) for place in range(callers))
            return [call for calls in await asyncio.gather(*run) for call in calls]

    return asyncio.run(run())


def _client(web: GranianServer, tenant: CreatedTenant, headers: dict[str, str]) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=web.url,
        headers={"Authorization": f"Bearer {tenant.key.text}", **headers},
        timeout=TIMEOUT_S,
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
        trust_env=False,
        verify=False,
    )
