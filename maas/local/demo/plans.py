"""Creates the starter plan. The demo tenant has it, and operators can look at it, change it and sell it."""

from uuid import UUID

from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.models import Plan, PlanIncluded, PlanPrice

STARTER = "starter"
FEE_MICROS = 29_000_000
PAGES, TOKENS = 1_000, 1_000_000
STORAGE_MB = 10_000
"""The storage, enough for some ten months of the included pages. Without this number, the plan's storage would be
unlimited.
"""
OCR_MICROS, OCR_KNOWN_MICROS = 1_000, 100


def sell_starter(tenant_id: UUID) -> None:
    """Subscribe a tenant to the starter plan, and create the plan if it is missing. A plan that an operator has changed
    stays as it is.
    """
    with operator_work():
        plan, made = Plan.objects.get_or_create(
            code=STARTER,
            defaults={
                "name": "Starter",
                "monthly_fee_micros": FEE_MICROS,
                "trial_days": 14,
                "storage_mb": STORAGE_MB,
            },
        )
        if made:
            _write_prices(plan)
    if not plan.archived:
        subscribe(tenant_id=tenant_id, plan=plan)


def _write_prices(plan: Plan) -> None:
    now = database_now()
    for meter, quantity in (("page", PAGES), ("token", TOKENS)):
        PlanIncluded.objects.create(plan=plan, meter=meter, quantity=quantity, valid_from=now)
    PlanPrice.objects.create(
        plan=plan,
        model="ocr",
        meter="page",
        amount_micros=OCR_MICROS,
        cached_micros=OCR_KNOWN_MICROS,
        valid_from=now,
    )
