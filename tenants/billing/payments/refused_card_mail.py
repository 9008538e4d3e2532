"""Sends a mail to the people who pay if their card was refused, once for each refusal."""

from dataclasses import dataclass
from smtplib import SMTPRecipientsRefused
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import connections

from tenants.accounts.models import Membership
from tenants.billing.invoices.models import BillingDetails
from tenants.billing.payments.provider.schedule import AFTER_DAYS
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.plans.wording import money

log = structlog.get_logger(__name__)
AT_ONCE = 20
TOLD = (Membership.Role.OWNER, Membership.Role.BILLING)

# A refusal is marked before the mail is sent, as with budget alerts.
_TAKE = """
UPDATE tenants_payment p SET failure_notified_at = clock_timestamp()
FROM tenants_tenant t
WHERE t.id = p.tenant_id AND p.id IN (
    SELECT id FROM tenants_payment
    WHERE failure_notified_at IS NULL AND automatic AND status = 'failed'
      AND created_at > clock_timestamp() - interval '1 day'
    ORDER BY created_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
RETURNING p.id, p.tenant_id, t.name, p.reference, p.amount_micros, p.currency, p.failure
"""
_GIVE_BACK = "UPDATE tenants_payment SET failure_notified_at = NULL WHERE id = ANY(%(ids)s)"
_TEXT = """\
The saved card of the account {account} was refused for invoice {reference} of {amount}: {failure}.

It is tried again {days} days after the first time. To pay at once, or with another card: {url}/billing/payments
"""


@dataclass(frozen=True)
class _Refused:
    id: UUID
    tenant_id: UUID
    account: str
    reference: str
    amount_micros: int
    currency: str
    failure: str

    @property
    def text(self) -> str:
        return _TEXT.format(
            account=" ".join(self.account.split()),
            reference=self.reference,
            amount=money(self.amount_micros, self.currency),
            failure=self.failure,
            days=", ".join(str(days) for days in AFTER_DAYS),
            url=settings.MAAS_PUBLIC_URL.rstrip("/"),
        )


def notify_of_refused_cards() -> int:
    """Send the mails and return the number of refusals mailed. If the mail server is unavailable, sending is tried
    again for a day.
    """
    if not settings.MAAS_EMAIL_URL:
        return 0
    with operator_work():
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(_TAKE, {"most": AT_ONCE})
            taken = [_Refused(*row) for row in cursor.fetchall()]
        for place, refused in enumerate(taken):
            try:
                _tell(refused)
            except OSError as error:
                with connections[OPERATOR].cursor() as cursor:
                    cursor.execute(_GIVE_BACK, {"ids": [one.id for one in taken[place:]]})
                log.warning("card_failure_not_mailed", error=str(error), mails=len(taken) - place)
                return place
    return len(taken)


def _tell(refused: _Refused) -> None:
    """Send each recipient a separate mail. Raise the error if no mail could be sent."""
    told = 0
    with get_connection() as connection:
        for address in _addresses(refused.tenant_id):
            subject = f"The card for invoice {refused.reference} was refused"
            mail = EmailMessage(subject, refused.text, to=[address], connection=connection)
            try:
                told += mail.send()
            except (SMTPRecipientsRefused, ValueError):
                log.info("card_failure_mail_refused", tenant_id=str(refused.tenant_id))
            except OSError:
                if not told:
                    raise
                break


def _addresses(tenant_id: UUID) -> list[str]:
    members = Membership.objects.filter(tenant_id=tenant_id, role__in=TOLD, user__is_active=True)
    found = set(members.values_list("user__email", flat=True))
    found |= set(
        BillingDetails.objects.filter(tenant_id=tenant_id).exclude(email="").values_list("email", flat=True)
    )
    return sorted(found)
