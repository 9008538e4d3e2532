"""Reasons why another service cannot be connected to a person, or disconnected."""

from tenants.core.errors import DomainError


class ConnectedElsewhere(DomainError):
    """Another person signs in with this account, or this person has another account at the same service."""

    code = "sign_on_connected_elsewhere"


class LastWayIn(DomainError):
    """The person could no longer sign in without this service."""

    code = "last_sign_in_method"
