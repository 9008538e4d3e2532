"""The credential that authorized a socket or a stream."""

from dataclasses import dataclass

from tenants.identity.identity import Identity, Scope


@dataclass(frozen=True)
class Credential:
    identity: Identity
    session_key: str | None = None
    """The session, which is kept so that signing out closes the sockets that it has opened, by cookie or by ticket."""
    needs: Scope = "events:read"
    """The scope that the credential must keep."""

    address: str = ""
    """The client IP where the credential was used. Known for keys only, which may be restricted to networks."""

    def __hash__(self) -> int:
        """Hash by the identity of the caller. Its limits may contain values without a hash."""
        who = self.identity
        return hash((who.tenant_id, who.key_id, who.user_id, self.session_key, self.needs))
