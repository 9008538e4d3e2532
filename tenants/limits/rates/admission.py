"""Apply the limits to one request: whether it is admitted, which connection slots it holds, what it has used, and what
its response headers say.
"""

import time
from collections.abc import Sequence

from tenants.limits.rates.asking import Gate, Verdict
from tenants.limits.rates.desk import Desk
from tenants.limits.rates.headers import Header, Standing, openai_headers, rate_limit_headers
from tenants.limits.rates.limits import CallerLimits
from tenants.limits.rates.refusals import rate_limited
from tenants.limits.rates.slots import Slots
from tenants.limits.rates.tab import Tab

ADMISSION = "maas.admission"
"""The key under which a request's scope holds its Admission."""


class Admission:
    """The admission of one request. `is_call` says that it waits for a model, so that it counts against simultaneous
    calls and tokens.
    """

    def __init__(self, desk: Desk, limits: CallerLimits, *, is_call: bool) -> None:
        self._desk = desk
        self._limits = limits
        own = limits.requests
        if is_call:
            own = (*own, *limits.tokens, *limits.calls)
        self._gates = [desk.gate(limit) for limit in own]
        self._is_call = is_call
        self._tabs = [gate for gate in self._gates if isinstance(gate, Tab)]
        self._slots: list[Slots] = []
        self._models: set[str] = set()

    async def enter(self) -> None:
        """Admit the request. Raises RateLimited. Most requests do not wait here."""
        await self._pass(self._gates)

    async def enter_model(self, model: str) -> None:
        """Apply the limits of the model once, as soon as it is known which model is requested."""
        if not self._limits.models or model in self._models:
            return
        self._models.add(model)
        own = self._limits.of_model(model)
        limits = (*own.requests, *own.tokens, *own.calls)
        if limits:
            gates = [self._desk.gate(limit) for limit in limits]
            await self._pass(gates)
            self._gates += gates
            self._tabs += [gate for gate in gates if isinstance(gate, Tab)]

    def use_tokens(self, count: int) -> None:
        """Charge the tokens, whether or not so many are left. The missing ones become a debt."""
        for tab in self._tabs if count else ():
            if tab.charge(count):
                self._desk.tell(tab)

    def end(self) -> None:
        """Release the slots when the answer has ended, in whatever way. This may be called more than once."""
        if not self._slots:
            return
        slots, self._slots = self._slots, []
        now_s = time.monotonic()
        for slot in slots:
            if slot.end(now_s):
                self._desk.tell(slot)

    def headers(self, *, for_openai: bool) -> list[Header]:
        now_s = time.monotonic()
        standings = [
            Standing(gate.limit, gate.left(now_s), gate.full_in_s(now_s)) for gate in self._gates if gate.limit.is_rate
        ]
        if not standings:
            return []
        headers = rate_limit_headers(standings)
        return headers + openai_headers(standings) if for_openai else headers

    async def _pass(self, gates: Sequence[Gate]) -> None:
        found = self._desk.take_now(gates)
        refuses = await self._desk.take(gates) if found is Verdict.ASK else found
        if refuses is not None and not isinstance(refuses, Verdict):
            raise rate_limited(refuses.limit, refuses.wait_s(time.monotonic()))
        self._slots += [gate for gate in gates if isinstance(gate, Slots)]
