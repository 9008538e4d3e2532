"""Looks up the addresses of a name with the system's resolver, and waits no longer than the deadline."""

import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from queue import Empty, SimpleQueue

from tenants.core.http_client.addresses import Address
from tenants.core.http_client.errors import EgressFailed, no_public_address
from tenants.core.http_client.wire import Deadline

Resolve = Callable[[str], Sequence[Address]]

MAX_AT_ONCE = 64
"""The most look-ups at once. They cannot be ended, so an abandoned one counts until it ends by itself."""
_places = threading.BoundedSemaphore(MAX_AT_ONCE)


def system_addresses(host: str) -> Sequence[Address]:
    """Return all addresses. The final dot keeps out the search domains of this machine's own network."""
    name = host if host == "localhost" else f"{host}."
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(where[0]) for *_, where in found))


def look_up(host: str, resolve: Resolve, deadline: Deadline) -> Sequence[Address]:
    """Look up a name once, in a separate thread, because the system's resolver has no deadline."""
    answers: SimpleQueue[Sequence[Address] | Exception] = SimpleQueue()
    _begin(threading.Thread(target=_ask, args=(host, resolve, answers), name="egress-lookup", daemon=True))
    try:
        found = answers.get(timeout=deadline.left_s())
    except Empty:
        raise no_public_address(host) from None
    if isinstance(found, Exception) or not found:
        raise no_public_address(host)
    return found


def _begin(thread: threading.Thread) -> None:
    """Start the thread of a look-up, which returns its slot itself, since it may outlive its caller."""
    if _places.acquire(blocking=False):
        try:
            return thread.start()
        except RuntimeError:  # the system could not start a thread
            _places.release()
    raise EgressFailed("lookups_busy", "Too many names are being looked up. Try again.")


def _ask(host: str, resolve: Resolve, answers: "SimpleQueue[Sequence[Address] | Exception]") -> None:
    try:
        answers.put(resolve(host))
    except Exception as error:
        answers.put(error)
    finally:
        _places.release()
