"""The scheduler's duties for accounts and their money."""

from tenants.billing.invoices.invoice_mails import mail_invoices
from tenants.billing.invoices.run import BILL_EVERY_S, Biller
from tenants.billing.ledger.alerts import alert_of_budgets
from tenants.billing.metering.roll_up import RECOUNT_EVERY_S, ROLL_UP_EVERY_S, recount_set_aside, roll_up_uses
from tenants.billing.payments.charging import collect_invoices, notify_of_refused_cards
from tenants.billing.payments.upkeep import look_after_payments
from tenants.billing.usage.settling import SETTLE_EVERY_S, settle_days
from tenants.core.changes.log import forget_old_changes
from tenants.core.duties import Duty
from tenants.deletion.services import remind_owners
from tenants.limits.quota.capacity import fold_stored_bytes
from tenants.onboarding.unconfirmed_expiry import forget_unconfirmed

DUTIES = (
    Duty(60, remind_owners),
    Duty(60, forget_unconfirmed),
    Duty(60, forget_old_changes),
    Duty(5, fold_stored_bytes),
    Duty(ROLL_UP_EVERY_S, roll_up_uses),
    Duty(RECOUNT_EVERY_S, recount_set_aside),
    Duty(60, alert_of_budgets),
    Duty(60, mail_invoices),
    Duty(60, look_after_payments),
    Duty(60, collect_invoices),
    Duty(60, notify_of_refused_cards),
    Duty(SETTLE_EVERY_S, settle_days),
    Duty(BILL_EVERY_S, Biller().bill_ended_months),
)
