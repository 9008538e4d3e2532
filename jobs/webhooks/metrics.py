"""Metrics of webhooks."""

from prometheus_client import Counter

ATTEMPTS = Counter("maas_webhook_attempts_total", "Requests to webhook endpoints.", ["outcome"])
DISABLED = Counter("maas_webhook_endpoints_disabled_total", "Endpoints that the product disabled.", ["reason"])
