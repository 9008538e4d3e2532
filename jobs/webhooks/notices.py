"""Tells by mail, once, those who can put it right that one of their endpoints was disabled by the product."""

from dataclasses import dataclass
from smtplib import SMTPRecipientsRefused
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connections

from jobs.models import WebhookEndpoint
from tenants.context import OPERATOR, operator_work
from tenants.models import Membership

log = structlog.get_logger(__name__)
AT_ONCE = 20
TELLERS = (Membership.Role.OWNER, Membership.Role.ADMIN)

# Taken before it is sent: whoever dies in between has told nobody, and the page of webhooks says it all the same.
_TAKE = """
UPDATE jobs_webhookendpoint SET told_at = clock_timestamp()
WHERE id IN (
    SELECT id FROM jobs_webhookendpoint
    WHERE kind = 'endpoint' AND state = 'disabled' AND disabled_reason IN ('gone', 'failing') AND told_at IS NULL
      AND disabled_at > clock_timestamp() - interval '1 day'
    ORDER BY disabled_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
RETURNING id, tenant_id, (SELECT name FROM tenants_tenant WHERE id = tenant_id), url, disabled_reason
"""
_GIVE_BACK = "UPDATE jobs_webhookendpoint SET told_at = NULL WHERE id = ANY(%(ids)s) AND state = 'disabled'"

_WHY = {
    WebhookEndpoint.Reason.GONE: "It answered 410 Gone, which says that nothing more is wanted there.",
    WebhookEndpoint.Reason.FAILING: "It has taken nothing for days, however often it was tried.",
}
_TEXT = """\
A webhook endpoint of the account {account} was disabled:

    {url}

{why} Nothing is sent to it until it is enabled again:

    {page}

What it missed is kept for 30 days, and can be sent once more from there.
"""


@dataclass(frozen=True)
class _Disabled:
    endpoint_id: UUID
    tenant_id: UUID
    account: str
    url: str
    reason: str


def mail_of_disabled_endpoints() -> int:
    """How many endpoints somebody was told of. A mail server that is away is tried again for a day."""
    if not settings.MAAS_EMAIL_URL:
        return 0
    told = 0
    with operator_work():
        taken = _taken()
        for place, endpoint in enumerate(taken):
            try:
                told += bool(_tell(endpoint))
            except OSError as error:
                _give_back(taken[place:])
                log.warning("webhook_notice_not_mailed", error=str(error), endpoints=len(taken) - place)
                break
    return told


def _taken() -> list[_Disabled]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TAKE, {"most": AT_ONCE})
        return [_Disabled(*row) for row in cursor.fetchall()]


def _give_back(endpoints: list[_Disabled]) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_GIVE_BACK, {"ids": [one.endpoint_id for one in endpoints]})


def _tell(endpoint: _Disabled) -> int:
    """Each by a mail of their own: addresses are nobody else's to see. One that is refused keeps none of the others."""
    told = 0
    with get_connection() as connection:
        for address in _addresses(endpoint.tenant_id):
            try:
                told += _mail(endpoint, address, connection).send()
            except (SMTPRecipientsRefused, ValueError):  # or an address that is none
                log.info("webhook_notice_refused", tenant_id=str(endpoint.tenant_id))
            except OSError as error:
                if not told:
                    raise
                # Once: whoever has been told is not told again for the sake of others.
                log.warning("webhook_notice_cut_short", tenant_id=str(endpoint.tenant_id), error=str(error))
                break
    return told


def _addresses(tenant_id: UUID) -> list[str]:
    tellers = Membership.objects.filter(tenant_id=tenant_id, role__in=TELLERS, user__is_active=True)
    return list(tellers.order_by("user__email").values_list("user__email", flat=True))


def _mail(endpoint: _Disabled, address: str, connection: BaseEmailBackend) -> EmailMessage:
    text = _TEXT.format(
        account=" ".join(endpoint.account.split()),
        url=endpoint.url,
        why=_WHY[WebhookEndpoint.Reason(endpoint.reason)],
        page=f"{settings.MAAS_PUBLIC_URL}/webhooks/{endpoint.endpoint_id}",
    )
    return EmailMessage("A webhook endpoint was disabled", text, to=[address], connection=connection)
