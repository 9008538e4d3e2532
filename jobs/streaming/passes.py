"""What a socket or a stream was let in with."""

from dataclasses import dataclass

from tenants.identity.identity import Identity, Scope


@dataclass(frozen=True)
class Pass:
    identity: Identity
    session_key: str | None = None
    """Kept so that signing out closes the sockets that a session has opened, by cookie or by ticket."""
    needs: Scope = "events:read"
    """What it must go on being allowed to do."""

    address: str = ""
    """Where it was used; of keys, as they may be kept to networks."""

    def __hash__(self) -> int:
        """By who it is: what they may use at most says nothing about that, and may hold what has no hash."""
        who = self.identity
        return hash((who.tenant_id, who.key_id, who.user_id, self.session_key, self.needs))
