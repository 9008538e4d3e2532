"""The errors of requests about webhooks."""

from tenants.core.errors import DomainError


class TooManyWebhookEndpoints(DomainError):
    code = "too_many_webhook_endpoints"
    gate = "webhook_endpoints"


class WebhookDisabled(DomainError):
    """The refusal because the endpoint is disabled. Nothing is sent to it until it is enabled again."""

    code = "webhook_disabled"
