"""What work would cost before it is sent; nothing is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.conf import settings

from inference.registry.models import ModelVersion
from inference.registry.selectors import find_version
from jobs.documents.selectors import get_document
from jobs.errors import InvalidRequest
from tenants.billing.plans.agreed import AgreedPrice
from tenants.billing.plans.estimate import Estimate, estimated
from tenants.billing.plans.standing import Standing, standing_of
from tenants.billing.prices import Meter
from tenants.billing.wording import name_of
from tenants.context import unit_of_work
from tenants.identity import Identity

TAKEN: Mapping[Meter, tuple[str, ...]] = {
    "page": ("document", "pages"),
    "call": ("calls", "document", "pages"),
    "token": ("tokens",),
    "gpu_second": ("gpu_milliseconds", "calls", "document", "pages"),
}
"""What says how much of a meter is used: a model that is charged by the call runs once for each page. How long a page
or a call runs nobody knows before: of those it is the most that is charged for each."""


@dataclass(frozen=True)
class EstimateRequest:
    """Exactly one of the amounts is given."""

    model: str
    document: object | None = None
    pages: int | None = None
    tokens: int | None = None
    calls: int | None = None
    gpu_milliseconds: int | None = None
    cached_share: Fraction = Fraction(0)

    @property
    def given(self) -> list[str]:
        amounts = ("document", "pages", "tokens", "calls", "gpu_milliseconds")
        return [name for name in amounts if getattr(self, name) is not None]


@dataclass(frozen=True)
class Told:
    version: ModelVersion
    agreed: AgreedPrice
    standing: Standing
    estimate: Estimate
    at_most: bool
    """It costs no more, and may well cost less."""


def estimate(*, identity: Identity, request: EstimateRequest) -> Told:
    """Raises InvalidRequest, ModelNotFound, and for a document NotFound and DocumentDeleted."""
    version = find_version(request.model)
    served = version.served_model
    agreed = identity.prices.of_model(served.name, served.price, served.cached_price)
    name = _said(request, served.name, agreed.price.meter)
    at_most = agreed.price.meter == "gpu_second" and name != "gpu_milliseconds"
    with unit_of_work(identity):
        amount = _pages_of(identity, request) if name == "document" else int(getattr(request, name))
        standing = standing_of(identity.tenant_id)
    found = estimated(
        model=served.name,
        quantity=amount * settings.MAAS_HOLD_GPU_MS_PER_PAGE if at_most else amount,
        cached_share=request.cached_share,
        agreed=agreed,
        left=standing.left,
    )
    return Told(version, agreed, standing, found, at_most)


def _said(request: EstimateRequest, model: str, meter: Meter) -> str:
    taken = TAKEN[meter]
    if len(request.given) != 1 or request.given[0] not in taken:
        words = " or ".join(f"`{name}`" for name in taken)
        given = ", ".join(f"`{name}`" for name in request.given) or "nothing"
        raise InvalidRequest(
            f"{model} is charged by the {name_of(meter)}: give {words}, one of them and no other amount. You gave"
            f" {given}."
        )
    return request.given[0]


def _pages_of(identity: Identity, request: EstimateRequest) -> int:
    identity.require("documents:read")
    return get_document(request.document).pages_total
