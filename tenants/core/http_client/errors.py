"""Reasons why an outgoing request was not made, or failed."""

from collections.abc import Mapping

from tenants.core.errors import DomainError


class EgressRefused(DomainError):
    """The request is against the rules. Nothing was sent, and trying again will never help."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail, code=code)


class EgressFailed(DomainError):
    """The other side, or the network, failed. Trying again may help."""

    def __init__(self, code: str, detail: str, *, extra: Mapping[str, object] | None = None) -> None:
        super().__init__(detail, code=code, extra=extra)


def no_public_address(host: str) -> EgressFailed:
    """Return the same error for a name that does not exist and for a name that leads into our network; both may be
    temporary. If a caller could distinguish them, it could find the names of our own network.
    """
    return EgressFailed(
        "no_public_address",
        f"No public IP address found for '{host}'. The name does not exist or does not point to "
        "the public internet.",
    )
