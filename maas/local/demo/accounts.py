"""Creates the demo tenant with its starter plan and the first operator once, and a file on how to use them."""

import secrets
from pathlib import Path
from uuid import UUID

from django.conf import settings

from maas.local.launch.state_files import read_env_file, write_env_file
from tenants.accounts.models import User
from tenants.accounts.services import create_operator
from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import create_tenant
from tenants.plans.models import Plan, PlanIncluded, PlanPrice

STARTER = "starter"
FEE_MICROS = 29_000_000
PAGES, TOKENS = 1_000, 1_000_000
STORAGE_MB = 10_000
"""The storage, enough for some ten months of the included pages. Without it, the plan's storage is unlimited."""
OCR_MICROS, OCR_KNOWN_MICROS = 1_000, 100


def sell_starter(tenant_id: UUID) -> None:
    """Subscribe a tenant to the starter plan, created if it is missing. What an operator has changed stays."""
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


MEMBER = "demo@example.com"
OPERATOR = "operator@example.com"


def ensure_accounts(env_file: Path, url: str) -> bool:
    """Make sure that the accounts exist, and return whether they are new. A lost file gets new passwords and key."""
    saved = read_env_file(env_file)
    if _made_before() and saved:
        write_env_file(env_file, {**saved, "MAAS_URL": url, "MAAS_OPERATOR_TOKEN": settings.MAAS_OPERATOR_TOKEN})
        return False
    member_password, operator_password = secrets.token_urlsafe(12), secrets.token_urlsafe(12)
    key = _make(member_password, operator_password)
    write_env_file(
        env_file,
        {
            "MAAS_URL": url,
            "MAAS_API_KEY": key,
            "MAAS_EMAIL": MEMBER,
            "MAAS_PASSWORD": member_password,
            "MAAS_OPERATOR_EMAIL": OPERATOR,
            "MAAS_OPERATOR_PASSWORD": operator_password,
            "MAAS_OPERATOR_TOKEN": settings.MAAS_OPERATOR_TOKEN,
        },
    )
    return True


def _made_before() -> bool:
    with operator_work():
        return User.objects.filter(email=MEMBER).exists() and User.objects.filter(email=OPERATOR).exists()


def _make(member_password: str, operator_password: str) -> str:
    """Create the accounts, or set new passwords, and return the API key. Hashing a password takes half a second."""
    member, operator = _known(MEMBER), _known(OPERATOR)
    made = create_tenant(name="Demo", email=MEMBER, password=member_password)
    sell_starter(made.tenant.id)
    if member is not None:
        _set_password(member, member_password)
    if operator is None:
        create_operator(email=OPERATOR, password=operator_password)
    else:
        _set_password(operator, operator_password)
    return made.key.text


def _known(email: str) -> User | None:
    with operator_work():
        return User.objects.filter(email=email).first()


def _set_password(user: User, password: str) -> None:
    user.set_password(password)
    with operator_work():
        user.save(update_fields=["password"])
