"""The error for billing that is not possible, or not in this way."""


class NotBillable(ValueError):
    """The error for operators. It is never shown to callers."""

    @property
    def detail(self) -> str:
        return str(self)
