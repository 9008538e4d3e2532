"""Sends the emails about a disabled endpoint, one to each recipient, and decides whether to send one again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from smtplib import SMTPDataError, SMTPRecipientsRefused
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from jobs.webhooks.models import WebhookEndpoint
from tenants.accounts.models import Membership

log = structlog.get_logger(__name__)
TELLERS = (Membership.Role.OWNER, Membership.Role.ADMIN)
FOR_GOOD = range(500, 600)
"""The status codes of a mail server that would be the same at the next try."""

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
class Disabled:
    endpoint_id: UUID
    tenant_id: UUID
    account: str
    url: str
    reason: str
    disabled_at: datetime
    tries: int
    notified_ids: list[UUID]
    """The users who were notified, or whom no email can reach."""


@dataclass
class Notice:
    told: int = 0
    put_off: int = 0
    """The number of recipients that the mail server refuses now and may accept later."""


def tell(endpoint: Disabled, note: Callable[[UUID], None]) -> Notice:
    """Send a separate email to each recipient, because nobody else may see their address. A refused email does not stop
    the others.

    `note` is called for each recipient who does not have to be notified any more. Raises OSError if the server accepts
    nothing at all.
    """
    telling = Notice()
    with get_connection() as connection:
        for user_id, address in _left(endpoint):
            try:
                telling.told += _mail(endpoint, address, connection).send()
            except (
                SMTPRecipientsRefused,
                SMTPDataError,
                ValueError,
            ) as refusal:  # or an address that is none
                # The server may have closed the connection because of this.
                connection.close()
                if _may_be_taken_later(refusal):
                    telling.put_off += 1
                    continue
                log.info("webhook_notice_mail_refused", tenant_id=str(endpoint.tenant_id))
            note(user_id)
    return telling


def _may_be_taken_later(refusal: Exception) -> bool:
    if isinstance(refusal, SMTPRecipientsRefused):
        return any(code not in FOR_GOOD for code, _ in refusal.recipients.values())
    return isinstance(refusal, SMTPDataError) and refusal.smtp_code not in FOR_GOOD


def _left(endpoint: Disabled) -> Iterator[tuple[UUID, str]]:
    tellers = Membership.objects.filter(
        tenant_id=endpoint.tenant_id, role__in=TELLERS, user__is_active=True
    ).exclude(user_id__in=endpoint.notified_ids)
    yield from tellers.order_by("user__email").values_list("user_id", "user__email")


def _mail(endpoint: Disabled, address: str, connection: BaseEmailBackend) -> EmailMessage:
    text = _TEXT.format(
        account=" ".join(endpoint.account.split()),
        url=endpoint.url,
        why=_WHY[WebhookEndpoint.Reason(endpoint.reason)],
        page=f"{settings.MAAS_PUBLIC_URL}/webhooks/{endpoint.endpoint_id}",
    )
    return EmailMessage("A webhook endpoint was disabled", text, to=[address], connection=connection)
