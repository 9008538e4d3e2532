"""Creates a tenant and the model in a fresh database, and writes a file that describes them. It runs in `manage.py
shell`.
"""

import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from django.db import transaction

from inference.cache.terms import CacheTerms
from inference.registry.models import ModelPool, ServedModel
from inference.registry.services import ModelCard, NewVersion, add_version
from maas.local.launch.state_files import write_map
from tenants.billing.ledger.terms import grant_credit, set_terms
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.onboarding.create_tenant import create_tenant
from tenants.plans.prices import Price

from .owner import EMAIL, PASSWORD
from .picky import MODEL, PRICE_MICROS, PRICE_OF_HITS_MICROS, SIGNATURE, save_picky

PLENTY_MICROS = 10**12
"""A balance that is never used up. A run does not test a lack of money, but whether the books stay right."""


@dataclass(frozen=True)
class World:
    tenant_id: str
    key: str


def make_world(word: str) -> None:
    made = create_tenant(name="Chaos", email=EMAIL, password=PASSWORD)
    with operator_work(), transaction.atomic(using=OPERATOR):
        set_terms(tenant_id=made.tenant.id, currency="EUR", kind="prepaid")
        grant_credit(
            tenant_id=made.tenant.id,
            currency="EUR",
            amount_micros=PLENTY_MICROS,
            reason="a run of faults",
            made_by="chaos",
        )
    _add_model()
    write_map(Path(word), asdict(World(str(made.tenant.id), made.key.text)))


def _add_model() -> None:
    """Add the model in its own pool, so that the workers load no other model into memory."""
    price = {"meter": "call", "amount_micros": PRICE_MICROS, "per": 1, "currency": "EUR"}
    card = ModelCard(
        name=MODEL,
        title="",
        description="",
        accepts=("tensors",),
        price=Price.from_json(price),
        cached=CacheTerms(price_micros=PRICE_OF_HITS_MICROS),
    )
    with tempfile.TemporaryDirectory() as folder:
        weights = save_picky(Path(folder) / "picky.onnx")
        new = NewVersion(runtime="onnx", files={"weights": weights}, signature=SIGNATURE)
        version = add_version(card=card, new=new)
    with operator_work():
        pool = ModelPool.objects.create(name=MODEL)
        ServedModel.objects.filter(id=version.served_model_id).update(pool=pool)
