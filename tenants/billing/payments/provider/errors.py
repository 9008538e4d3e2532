"""What is said to whom a payment refuses, and what providers may answer."""

from tenants.core.errors import DomainError


class NoSuchPayment(DomainError):
    """The same words whether it never was or is another tenant's."""

    code = "not_found"


class InvoiceNotOpen(DomainError):
    code = "invoice_not_open"


class WrongAmount(DomainError):
    code = "invalid_request"


class FormReused(DomainError):
    """Sent before, with something else in it."""

    code = "idempotency_key_reused"


class NoSuchProvider(DomainError):
    code = "invalid_request"


class PaymentRefused(DomainError):
    """The provider does not take it as it is."""

    code = "payment_refused"


class ProviderUnavailable(DomainError):
    code = "payment_provider_unavailable"


class WrongSignature(DomainError):
    code = "signature_invalid"


class NotRefundable(ValueError):
    """For operators, and never told to callers."""


class NotBookable(ValueError):
    """For operators, and never told to callers."""


class ProviderAway(Exception):
    """Nobody can say whether it was done: ask how it stands before anything else."""


class ProviderRefused(Exception):
    """It was not done, and would not be if it were asked again."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
