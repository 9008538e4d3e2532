"""Records and mails an alert once a month each when half, four fifths and all of a budget are used, to the payers."""

from dataclasses import dataclass
from datetime import date
from smtplib import SMTPRecipientsRefused
from urllib.parse import urljoin
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import connections
from django.urls import reverse

from tenants.accounts.models import Membership
from tenants.billing.ledger.posting import THIS_MONTH
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.plans.wording import money

log = structlog.get_logger(__name__)
PERCENTS = (50, 80, 100)
AT_ONCE = 20
TOLD = (Membership.Role.OWNER, Membership.Role.BILLING)

_NOTE = f"""
INSERT INTO tenants_budgetalert (id, tenant_id, budget_id, month, percent, used_micros, created_at)
SELECT gen_random_uuid(), b.tenant_id, b.id, b.month, p.percent, b.used_micros, now()
FROM tenants_budget b, unnest(%(percents)s::int[]) AS p (percent)
WHERE b.month = {THIS_MONTH} AND b.used_micros > 0
  AND b.used_micros::numeric * 100 >= b.monthly_micros::numeric * p.percent
ON CONFLICT (budget_id, month, percent) DO NOTHING
"""  # noqa: S608  # made of constants alone
# An alert is marked before it is sent. If the process dies in between, nobody is notified, but the row still shows it.
_TAKE = """
UPDATE tenants_budgetalert a SET notified_at = clock_timestamp()
FROM tenants_budget b JOIN tenants_tenant t ON t.id = b.tenant_id
WHERE b.id = a.budget_id AND a.id IN (
    SELECT id FROM tenants_budgetalert
    WHERE notified_at IS NULL AND created_at > clock_timestamp() - interval '1 day'
    ORDER BY created_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
RETURNING a.id, a.tenant_id, t.name,
          (SELECT k.name FROM tenants_apikey k WHERE k.tenant_id = b.tenant_id AND k.id = b.api_key_id), a.month,
          a.percent, a.used_micros, b.monthly_micros, b.currency
"""
_GIVE_BACK = "UPDATE tenants_budgetalert SET notified_at = NULL WHERE id = ANY(%(ids)s)"
_TEXT = """\
{percent} % of the {month} budget of {whose} is used: {used} of {monthly}.

When the budget is used up, paid work is refused until the first of the next month (UTC), or until you raise the
budget.

Budgets of the account: {link}
"""


@dataclass(frozen=True)
class _Alert:
    id: UUID
    tenant_id: UUID
    account: str
    key: str | None
    """The name of the key, if it is a key's budget."""
    month: date
    percent: int
    used_micros: int
    monthly_micros: int
    currency: str

    @property
    def text(self) -> str:
        account, key = (" ".join((text or "").split()) for text in (self.account, self.key))
        return _TEXT.format(
            percent=self.percent,
            month=f"{self.month:%B %Y}",
            whose=f"the key “{key}” of the account {account}" if key else f"the account {account}",
            used=money(self.used_micros, self.currency),
            monthly=money(self.monthly_micros, self.currency),
            link=urljoin(settings.MAAS_PUBLIC_URL, reverse("budgets")),
        )


def alert_of_budgets() -> int:
    """Record and mail alerts, and return the number mailed. A failed mail is tried again for a day."""
    with operator_work():
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(_NOTE, {"percents": list(PERCENTS)})
        return _tell_all() if settings.MAAS_EMAIL_URL else 0


def _tell_all() -> int:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TAKE, {"most": AT_ONCE})
        taken = [_Alert(*row) for row in cursor.fetchall()]
    for position, alert in enumerate(taken):
        try:
            _tell(alert)
        except OSError as error:
            with connections[OPERATOR].cursor() as cursor:
                cursor.execute(_GIVE_BACK, {"ids": [alert.id for alert in taken[position:]]})
            log.warning("budget_alert_not_mailed", error=str(error), alerts=len(taken) - position)
            return position
    return len(taken)


def _tell(alert: _Alert) -> None:
    """Send each recipient a separate mail, because addresses are private. Raise the error if no mail could be sent."""
    members = Membership.objects.filter(tenant_id=alert.tenant_id, role__in=TOLD, user__is_active=True)
    mailed = 0
    with get_connection() as connection:
        for address in members.order_by("user__email").values_list("user__email", flat=True):
            mail = EmailMessage(
                f"{alert.percent} % of a budget is used", alert.text, to=[address], connection=connection
            )
            try:
                mailed += mail.send()
            except (SMTPRecipientsRefused, ValueError):  # or the address is invalid
                log.info("budget_alert_mail_refused", tenant_id=str(alert.tenant_id))
            except OSError:
                # If some recipients got the mail, it is not sent again for the sake of the others.
                if not mailed:
                    raise
                break
