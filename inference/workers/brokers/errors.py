"""Errors that can occur between a process and its message broker."""

from typing import ClassVar

from dramatiq.errors import ConnectionClosed


class BrokerError(Exception):
    """An error with a stable code for logs and API errors."""

    code: ClassVar[str] = "broker_error"


class BrokerUnavailable(BrokerError):
    """The broker could not be reached or did not confirm in time; a message may still have arrived."""

    code = "broker_unavailable"


class BrokerMisconfigured(BrokerError):
    """The broker, or the URL that names it, cannot carry this product's messages. The operator must correct it."""

    code = "broker_misconfigured"


class ConnectionLost(ConnectionClosed):
    """A lost connection, as an error that Dramatiq's threads handle by reconnecting. Callers get BrokerUnavailable."""

    def __init__(self, reason: object) -> None:
        super().__init__(reason)  # type: ignore[no-untyped-call]


class DelayRefused(BrokerError):
    """A delay was requested from the broker. Delayed work must wait in the database instead."""

    code = "broker_delay_refused"

    def __init__(self, queue_name: str, delay_ms: int) -> None:
        super().__init__(
            f"A message for queue {queue_name!r} asked for a delay of {delay_ms} ms, but delay queues are not"
            " used: release the work from the database when it is due."
        )
