"""The guard before a plain response, for a key without limits and one that has all of them. bench_limits compares
them.
"""

from typing import Any
from uuid import uuid4

from tests.benchmarks.front_apps import plain  # This sets up Django and must precede imports of models.

# isort: split
from django.conf import settings

from jobs.intake.intake import Intake
from jobs.streaming.credentials import Sessions
from maas.web.guard.guard import EdgeGuard
from maas.web.guard.journal import Journal, Note
from maas.web.guard.key_use import KeyUse
from tenants.authentication.selectors import effective_limits
from tenants.core.asgi.credentials import UnknownCallers
from tenants.core.asgi.protocol import App, Receive, Scope, Send
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import DatabaseThreads
from tenants.identity.identity import SCOPES, Identity
from tenants.limits.rates.admission import ADMISSION, Admission
from tenants.limits.rates.desk import Desk
from tenants.limits.rates.limits import UNLIMITED, CallerLimits, caller_limits
from tenants.limits.rates.rates import MAX_AT_ONCE, MOST, Rates

TENANT, KEY = uuid4(), uuid4()
TOKENS = 12
ALL = Rates(requests_per_minute=MOST, tokens_per_minute=MOST, calls_at_once=MAX_AT_ONCE)


class FixedKeys:
    def __init__(self, rates: CallerLimits) -> None:
        self._identity = Identity(TENANT, effective_limits(), frozenset(SCOPES), key_id=KEY, rates=rates)

    def known(self, text: str) -> Identity:
        return self._identity


class NoJournal(Journal):
    def close(self, note: Note) -> None:
        pass


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond like a cache hit, as the guard sees it: it has used some tokens, and took no time."""
    await plain(scope, receive, send)
    admission = scope.get(ADMISSION)
    if isinstance(admission, Admission):
        admission.use_tokens(TOKENS)


def guarded(rates: CallerLimits) -> App:
    journal = NoJournal(settings.MAAS_CACHE_URL, KeyUse(DatabaseThreads("bench", 1)))
    sessions = Sessions(DatabaseThreads("bench", 1), UnknownCallers())
    keys: Any = FixedKeys(rates)
    guard = EdgeGuard(answer, keys, sessions, Stop(), journal, desk=Desk(settings.MAAS_REDIS_URL), intake=Intake(8))

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (plain if scope["type"] == "lifespan" else guard)(scope, receive, send)

    return app


without_limits = guarded(UNLIMITED)
with_limits = guarded(caller_limits(TENANT, ALL, key_id=KEY, key=ALL))
