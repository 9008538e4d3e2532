"""Addresses that single jobs name, to be told of their own end."""

from jobs.core.models.jobs import LONGEST_URL
from jobs.webhooks.addresses import origin_of
from jobs.webhooks.errors import TooManyWebhookEndpoints
from jobs.webhooks.messages import lane_of_jobs
from jobs.webhooks.models import WebhookEndpoint
from jobs.webhooks.secrets import tenants_own_secret
from jobs.webhooks.upkeep import KEPT_DAYS
from tenants.core.errors import InvalidRequest
from tenants.core.http_client.client import check_url
from tenants.identity.identity import Identity

MOST_SERVERS = 100


def taken_url(identity: Identity, url: str) -> str:
    """Inside the unit of work in which the job is stored; whatever is wrong with it is said before it is."""
    if require_room_for_url(url):
        tenants_own_secret(identity.tenant_id, of_tests=not identity.livemode)
        lane_of_jobs(identity.tenant_id, url, livemode=identity.livemode)
    return url


def require_room_for_url(url: str) -> bool:
    """Whether its server is a new one. In a unit of work; writes nothing."""
    if not url:
        return False
    require_sendable(url)
    jobs_own = WebhookEndpoint.objects.filter(kind=WebhookEndpoint.Kind.JOBS)
    if jobs_own.filter(url=origin_of(url)).exists():
        return False
    if jobs_own.count() >= MOST_SERVERS:
        raise TooManyWebhookEndpoints(
            f"`webhook_url`: jobs of this account have named {MOST_SERVERS} servers in {KEPT_DAYS} days, and "
            f"{origin_of(url)} would be one more. Make an endpoint that hears of all jobs: POST /v1/webhooks/endpoints."
        )
    return True


def require_sendable(url: str) -> None:
    if len(url) > LONGEST_URL:
        raise InvalidRequest(f"The address has {len(url):,} characters; at most {LONGEST_URL:,} are taken.")
    check_url(url)
