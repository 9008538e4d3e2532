"""What can be wrong with a request about webhooks."""

from tenants.core.errors import DomainError


class TooManyWebhookEndpoints(DomainError):
    code = "too_many_webhook_endpoints"


class WebhookDisabled(DomainError):
    """Nothing is sent to an endpoint that is disabled, until it is enabled again."""

    code = "webhook_disabled"
