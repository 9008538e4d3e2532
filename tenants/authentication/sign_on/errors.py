"""Why a person's other service cannot be connected, or taken away."""

from tenants.core.errors import DomainError


class ConnectedElsewhere(DomainError):
    """Somebody else signs in with it, or they have another one there."""

    code = "sign_on_connected_elsewhere"


class LastWayIn(DomainError):
    """Without it the person could not sign in any more."""

    code = "last_way_in"
