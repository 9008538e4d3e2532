"""The message to clients that follow events when this process stops: connect again elsewhere, and not all at once."""

import secrets

from tenants.core.errors import DomainError

SPREAD_MS = (1_000, 10_000)


def pause_ms() -> int:
    """Return a random pause, so that each client gets another one."""
    return SPREAD_MS[0] + secrets.randbelow(SPREAD_MS[1] - SPREAD_MS[0])


def moving() -> DomainError:
    return DomainError(
        "The service is restarting. Reconnect and continue after the last event.",
        code="restarting",
        extra={"retry_after_ms": pause_ms()},
    )
