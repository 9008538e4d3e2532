"""Why something cannot be billed, or not in that way."""


class NotBillable(ValueError):
    """For operators, and never told to callers."""

    @property
    def detail(self) -> str:
        return str(self)
