"""Errors for refused payments, and errors that providers raise."""

from tenants.core.errors import DomainError


class NoSuchPayment(DomainError):
    """The error for an unknown payment. Its text is the same if the payment belongs to another tenant."""

    code = "not_found"


class InvoiceNotOpen(DomainError):
    code = "invoice_not_open"


class WrongAmount(DomainError):
    code = "invalid_request"


class FormReused(DomainError):
    """The error for a form that was sent before with other content."""

    code = "idempotency_key_reused"


class NoSuchProvider(DomainError):
    code = "invalid_request"


class PaymentRefused(DomainError):
    """The error for a payment that the provider does not accept as it is."""

    code = "payment_refused"


class ProviderUnavailable(DomainError):
    code = "payment_provider_unavailable"


class WrongSignature(DomainError):
    code = "signature_invalid"


class NotRefundable(ValueError):
    """The error for a refund that is not possible. It is for operators and never shown to callers."""


class NotBookable(ValueError):
    """The error for a booking that is not possible. It is for operators and never shown to callers."""


class ProviderAway(Exception):
    """The error for an unknown outcome at the provider. Query the status before anything else."""


class ProviderRefused(Exception):
    """The error for an action that the provider did not do, and would not do if it were asked again."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
