"""Why a request to the outside was not made, or came to nothing."""

from collections.abc import Mapping

from tenants.core.errors import DomainError


class EgressRefused(DomainError):
    """Against the rules: nothing was sent, and trying again will never help."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail, code=code)


class EgressFailed(DomainError):
    """The other side, or the way there, failed: trying again may help."""

    def __init__(self, code: str, detail: str, *, extra: Mapping[str, object] | None = None) -> None:
        super().__init__(detail, code=code, extra=extra)


def no_public_address(host: str) -> EgressFailed:
    """In the same words for a name that is not there and for one that leads inside, which both may be for a while: who
    could tell which it is could ask for the names of our own network.
    """
    return EgressFailed(
        "no_public_address",
        f"No public address is known for '{host}': either there is no such name, or it leads to what is not of "
        "the public internet.",
    )
