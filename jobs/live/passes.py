"""What a socket was let in with."""

from dataclasses import dataclass

from tenants.identity import Identity


@dataclass(frozen=True)
class Pass:
    identity: Identity
    session_key: str | None = None
    """Kept so that signing out closes the sockets that a session has opened, by cookie or by ticket."""
