"""Why a request to the outside was not made, or came to nothing."""

from collections.abc import Mapping

from tenants.errors import DomainError


class EgressRefused(DomainError):
    """Against the rules: nothing was sent, and trying again will never help."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail, code=code)


class EgressFailed(DomainError):
    """The other side, or the way there, failed: trying again may help."""

    def __init__(self, code: str, detail: str, *, extra: Mapping[str, object] | None = None) -> None:
        super().__init__(detail, code=code, extra=extra)
