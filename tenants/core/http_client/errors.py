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
    """Return one error for names that do not exist or lead into our network, so that none of ours is found out."""
    return EgressFailed(
        "no_public_address",
        f"No public IP address found for '{host}'. The name does not exist or does not point to the public internet.",
    )
