"""Checks the URLs that single jobs name for the notification of their own end."""

from jobs.core.models.jobs import LONGEST_URL
from jobs.webhooks.addresses import origin_of
from jobs.webhooks.errors import TooManyWebhookEndpoints
from jobs.webhooks.messages import endpoint_of_job_urls
from jobs.webhooks.models import WebhookEndpoint
from jobs.webhooks.secrets import tenants_own_secret
from jobs.webhooks.upkeep import KEPT_DAYS
from tenants.core.errors import InvalidRequest
from tenants.core.http_client.client import check_url
from tenants.identity.identity import Identity

MAX_SERVERS = 100


def taken_url(identity: Identity, url: str) -> str:
    """Return the URL after making its secret and its queue if they are missing. Call this in the unit of work that
    stores the job. All errors are raised before the job is stored.
    """
    if require_room_for_url(url):
        tenants_own_secret(identity.tenant_id, of_tests=not identity.livemode)
        endpoint_of_job_urls(identity.tenant_id, url, livemode=identity.livemode)
    return url


def require_room_for_url(url: str) -> bool:
    """Return whether the server of the URL is a new one. Call this in a unit of work; it writes nothing."""
    if not url:
        return False
    require_sendable(url)
    jobs_own = WebhookEndpoint.objects.filter(kind=WebhookEndpoint.Kind.JOBS)
    if jobs_own.filter(url=origin_of(url)).exists():
        return False
    if jobs_own.count() >= MAX_SERVERS:
        raise TooManyWebhookEndpoints(
            f"`webhook_url`: jobs of this account used {MAX_SERVERS} servers in {KEPT_DAYS} days, the maximum. "
            f"{origin_of(url)} exceeds it. Create an endpoint for all jobs: POST /v1/webhooks/endpoints.",
            gate="webhook_servers",
        )
    return True


def require_sendable(url: str) -> None:
    if len(url) > LONGEST_URL:
        raise InvalidRequest(f"The URL has {len(url):,} characters, but at most {LONGEST_URL:,} are allowed.")
    check_url(url)
