"""A load balancer that sends each call, on a new connection, to a web process that says that it is ready."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from contextlib import suppress

import httpx

from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.fleet.callers import Call, Caller
from tests.maas.granian_server import GranianServer

LOOK_EVERY_S = 0.1
TIMEOUT_S = 120.0


class Balancer(httpx.AsyncBaseTransport):
    def __init__(self, webs: Callable[[], Sequence[GranianServer]]) -> None:
        self._webs = webs
        self._ready: list[GranianServer] = []
        self._turns = itertools.count()
        self._looks = httpx.AsyncHTTPTransport(verify=False)
        self._calls = httpx.AsyncHTTPTransport(verify=False, limits=httpx.Limits(max_keepalive_connections=0))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        web = self._ready[next(self._turns) % len(self._ready)]
        request.url = request.url.copy_with(port=web.port)
        return await self._calls.handle_async_request(request)

    async def look_on(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Ask all at once: a process that answers late must not keep another one in the list after it has drained."""
        await asyncio.gather(*(self._look_at(web) for web in self._webs()))
        self._ready = [web for web in self._ready if web in self._webs()]

    async def _look_at(self, web: GranianServer) -> None:
        is_ready = await self._is_ready(web)
        self._ready = [*(one for one in self._ready if one is not web), *([web] if is_ready else [])]

    async def _is_ready(self, web: GranianServer) -> bool:
        with suppress(httpx.TransportError):
            request = httpx.Request("GET", f"{web.url}/readyz", extensions={"timeout": {"connect": 5, "read": 5}})
            answer = await self._looks.handle_async_request(request)
            await answer.aread()
            return answer.status_code == 200
        return False


def calls_until(
    balancer: Balancer,
    tenant: CreatedTenant,
    model: str,
    numbers: "itertools.count[int]",
    act: Callable[[], None],
    *,
    callers: int,
) -> list[Call]:
    """Run `callers` callers until `act` is over. Each of them makes one call after the other."""

    async def run() -> list[Call]:
        over, calls = asyncio.Event(), list[Call]()

        async def go_on(caller: Caller) -> None:
            while not over.is_set():
                calls.append(await caller.ask(next(numbers)))

        await balancer.look()
        client = httpx.AsyncClient(
            transport=balancer,
            base_url="http://127.0.0.1",
            headers={"Authorization": f"Bearer {tenant.key.text}"},
            timeout=TIMEOUT_S,
        )
        async with client, asyncio.TaskGroup() as tasks:
            looks = tasks.create_task(balancer.look_on())
            going = [tasks.create_task(go_on(Caller(client, model, place))) for place in range(callers)]
            try:
                await asyncio.to_thread(act)
            finally:
                over.set()
            await asyncio.gather(*going)
            looks.cancel()
        return calls

    return asyncio.run(run())
