"""Notifies by email the people who can repair a webhook endpoint that the product has disabled.

Each recipient gets a separate email, because nobody else may see their address. The recipient is recorded after it, and
an email that could not be sent is tried again for a day. If the process dies in between, one person gets the email
twice at most, and nobody is left out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from smtplib import SMTPDataError, SMTPRecipientsRefused
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connections

from jobs.webhooks.models import WebhookEndpoint
from tenants.accounts.models import Membership
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
AT_ONCE = 20
LEASE_S = 900
"""Seconds of a lease, which is longer than a round takes. If a process dies, the next try comes after its lease."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 60, 3600

_TAKE = """
WITH taken AS (
    UPDATE jobs_webhookendpoint
    SET next_notice_at = clock_timestamp() + make_interval(secs => %(lease_s)s), notice_tries = notice_tries + 1
    WHERE id IN (
        SELECT id FROM jobs_webhookendpoint
        WHERE kind = 'endpoint' AND state = 'disabled' AND disabled_reason IN ('gone', 'failing')
          AND notified_at IS NULL AND disabled_at > clock_timestamp() - interval '1 day'
          AND (next_notice_at IS NULL OR next_notice_at <= clock_timestamp())
        ORDER BY disabled_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
    )
    RETURNING *
)
SELECT id, tenant_id, (SELECT name FROM tenants_tenant WHERE id = tenant_id), url, disabled_reason, disabled_at,
    notice_tries, notified_ids
FROM taken ORDER BY disabled_at
"""

# This matches the same disabling only. An endpoint that was enabled meanwhile, and perhaps disabled again, does not
# match.
_STILL = "id = %(id)s AND disabled_at = %(disabled_at)s AND state = 'disabled'"
_NOTE = f"UPDATE jobs_webhookendpoint SET notified_ids = notified_ids || %(user)s::uuid WHERE {_STILL}"  # noqa: S608
_DONE = f"UPDATE jobs_webhookendpoint SET notified_at = clock_timestamp(), next_notice_at = NULL WHERE {_STILL}"  # noqa: S608
_AGAIN = f"""
UPDATE jobs_webhookendpoint SET next_notice_at = clock_timestamp() + make_interval(secs => %(pause_s)s) WHERE {_STILL}
"""  # noqa: S608

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
    mailed: int = 0
    put_off: int = 0
    """The number of recipients that the mail server refuses now and may accept later."""


def mail_of_disabled_endpoints() -> int:
    """Send the emails and return the number of endpoints that somebody was notified of. An email that a mail server
    does not accept now is tried again for a day.
    """
    if not settings.MAAS_EMAIL_URL:
        return 0
    mailed = 0
    with operator_work():
        taken = _taken()
        for position, endpoint in enumerate(taken):
            try:
                mailed += _tell(endpoint)
            except OSError as error:
                # The server accepts nothing at all, so the remaining endpoints are put off too.
                for left in taken[position:]:
                    _put_off(left)
                log.warning("webhook_notice_not_mailed", error=str(error), endpoints=len(taken) - position)
                break
    return mailed


def pause_s(tries: int) -> int:
    """Return the pause after that number of tries. It doubles each time."""
    return min(FIRST_PAUSE_S << min(tries - 1, 10), LONGEST_PAUSE_S)


def _tell(endpoint: Disabled) -> bool:
    telling = _tell_each(endpoint, partial(_note, endpoint))
    if telling.put_off:
        _put_off(endpoint)
        log.warning("webhook_notice_postponed", tenant_id=str(endpoint.tenant_id), recipients=telling.put_off)
    else:
        _execute(_DONE, endpoint)
    return telling.mailed > 0


def _taken() -> list[Disabled]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TAKE, {"most": AT_ONCE, "lease_s": LEASE_S})
        return [Disabled(*row) for row in cursor.fetchall()]


def _note(endpoint: Disabled, user_id: UUID) -> None:
    _execute(_NOTE, endpoint, user=user_id)


def _put_off(endpoint: Disabled) -> None:
    _execute(_AGAIN, endpoint, pause_s=pause_s(endpoint.tries))


def _execute(statement: str, endpoint: Disabled, **more: Any) -> None:
    values = {"id": endpoint.endpoint_id, "disabled_at": endpoint.disabled_at, **more}
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, values)


def _tell_each(endpoint: Disabled, note: Callable[[UUID], None]) -> Notice:
    """Send an email to each recipient. A refused email does not stop the others.

    `note` is called for each recipient who does not have to be notified any more. Raises OSError if the server accepts
    nothing at all.
    """
    telling = Notice()
    with get_connection() as connection:
        for user_id, address in _left(endpoint):
            try:
                telling.mailed += _mail(endpoint, address, connection).send()
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
    tellers = Membership.objects.filter(tenant_id=endpoint.tenant_id, role__in=TELLERS, user__is_active=True).exclude(
        user_id__in=endpoint.notified_ids
    )
    yield from tellers.order_by("user__email").values_list("user_id", "user__email")


def _mail(endpoint: Disabled, address: str, connection: BaseEmailBackend) -> EmailMessage:
    text = _TEXT.format(
        account=" ".join(endpoint.account.split()),
        url=endpoint.url,
        why=_WHY[WebhookEndpoint.Reason(endpoint.reason)],
        page=f"{settings.MAAS_PUBLIC_URL}/webhooks/{endpoint.endpoint_id}",
    )
    return EmailMessage("A webhook endpoint was disabled", text, to=[address], connection=connection)
