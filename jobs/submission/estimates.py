"""Estimates what work would cost before it is sent. Nothing is written."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from django.conf import settings

from inference.core.contracts import Json
from inference.gateway.most import max_units
from inference.registry.models import ModelVersion
from inference.registry.selectors import find_version
from inference.rpc.works import LaneWork
from inference.runtime.parameters import validate_parameters, validate_work_kind
from inference.runtime.tensor_requests import validate_input
from jobs.charges.money import units_of_page
from jobs.core.models import Document
from jobs.documents.reader import Inspection
from jobs.documents.selectors import get_document
from jobs.documents.services import check_against, found_in
from jobs.documents.uploads import Upload
from jobs.submission.services import JobRequest, check_request, require_one_source, require_readable
from jobs.webhooks.job_urls import require_sendable
from tenants.billing.ledger.selectors import Standing, standing_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.identity.identity import Identity
from tenants.plans.agreed import AgreedPrice, Estimate, estimated
from tenants.plans.prices import MODEL_HOUR, Meter, Price
from tenants.plans.wording import name_of

TAKEN: Mapping[Meter, tuple[str, ...]] = {
    "page": ("document", "pages"),
    "call": ("calls", "document", "pages"),
    "token": ("tokens",),
    "gpu_second": ("gpu_milliseconds", "calls", "document", "pages"),
    "model_hour": ("model_hours",),
}
"""The amounts that measure a meter: a call per page, and the most that is charged for time not yet known."""


UNKNOWN_BEFORE: frozenset[Meter] = frozenset({"token", "gpu_second"})
"""The meters whose use is not known before a run. The most that is set aside is used for them."""


@dataclass(frozen=True)
class SynchronousCall:
    """A call as it would be sent to `/v1/embeddings` or `/v2/models/{name}/infer`."""

    version: ModelVersion
    work: LaneWork
    kind: str
    parameters: Mapping[str, Json]


@dataclass(frozen=True)
class EstimateRequest:
    """The description of the work to estimate. Exactly one of the amounts is given."""

    model: str
    document: object | None = None
    pages: int | None = None
    tokens: int | None = None
    calls: int | None = None
    gpu_milliseconds: int | None = None
    model_hours: int | None = None
    cached_share: Fraction = Fraction(0)

    @property
    def given(self) -> list[str]:
        amounts = ("document", "pages", "tokens", "calls", "gpu_milliseconds", "model_hours")
        return [name for name in amounts if getattr(self, name) is not None]


@dataclass(frozen=True)
class PricedEstimate:
    version: ModelVersion
    agreed: AgreedPrice
    standing: Standing
    estimate: Estimate
    is_maximum: bool
    """Set if the work costs no more than the estimate, and may well cost less."""
    attachments: int = 0
    """The number of attachments of the email. Each is read as a document of its own, whose cost is not estimated."""


def estimate(*, identity: Identity, request: EstimateRequest) -> PricedEstimate:
    """Estimate an amount of work. Raises InvalidRequest, ModelNotFound, and for a document NotFound."""
    version = find_version(request.model, tenant_id=identity.tenant_id)
    if request.given == ["model_hours"]:
        return _hosting(identity, version, int(request.model_hours or 0))
    meter = _agreed(identity, version).price.meter
    name = _said(request, version.served_model.name, meter)
    is_maximum = meter == "gpu_second" and name != "gpu_milliseconds"
    attachments = 0
    with unit_of_work(identity):
        if name == "document":
            identity.require("documents:read")
            found = get_document(request.document)
            amount, attachments = found.pages_total, _attachments(found)
        else:
            amount = int(getattr(request, name))
    quantity = amount * settings.MAAS_HOLD_GPU_MS_PER_PAGE if is_maximum else amount
    priced = _told(identity, version, quantity, request.cached_share, is_maximum=is_maximum)
    return replace(priced, attachments=attachments)


def estimate_job(
    *, identity: Identity, request: JobRequest, upload: Upload | None, cached_share: Fraction
) -> PricedEstimate:
    """Estimate a submission. Raises what would refuse it, except for money, limits and queues at the moment."""
    if upload is None:
        require_one_source(request)
    if request.webhook_url:
        require_sendable(request.webhook_url)
    version = find_version(request.model, tenant_id=identity.tenant_id)
    identity.require_model(version.served_model.name)
    check_request(version, request)
    with unit_of_work(identity):
        found = _document_of(identity, version, request, upload)
    meter = _agreed(identity, version).price.meter
    quantity = (found.pages_total if found else 1) * units_of_page(meter, request.input)
    priced = _told(identity, version, quantity, cached_share, is_maximum=meter in UNKNOWN_BEFORE)
    return replace(priced, attachments=_attachments(found) if request.attachments else 0)


def estimate_call(*, identity: Identity, call: SynchronousCall, cached_share: Fraction) -> PricedEstimate:
    """Estimate the cost of a synchronous call as it would be sent."""
    version = call.version
    identity.require_model(version.served_model.name)
    validate_work_kind(version.runtime, call.kind, version.config)
    validate_parameters(version.runtime, call.parameters, version.config)
    validate_input(version.signature, call.work)
    meter = _agreed(identity, version).price.meter
    window = version.config.get("window_tokens")
    units = max_units(meter, call.work, window if isinstance(window, int) else None)
    quantity = settings.MAAS_HOLD_GPU_MS_PER_PAGE if meter == "gpu_second" else units
    return _told(identity, version, quantity, cached_share, is_maximum=meter in UNKNOWN_BEFORE)


def _hosting(identity: Identity, version: ModelVersion, hours: int) -> PricedEstimate:
    """Estimate the hours in memory of a model of the account's own. Without a price, they cost nothing."""
    served = version.served_model
    if served.tenant_id is None:
        raise InvalidRequest(
            f"{served.name} is a model of the installation. `model_hours` is for models of your own, each hour in"
            " which a version is in memory."
        )
    free = Price(MODEL_HOUR, 0, 1, served.currency)
    agreed = identity.prices.of_hosting(served.name) or AgreedPrice(free, free)
    return _priced(identity, version, agreed, hours, Fraction(0))


def _agreed(identity: Identity, version: ModelVersion) -> AgreedPrice:
    served = version.served_model
    return identity.prices.of_model(served.name, served.price, served.cached_price, served.review_price)


def _told(
    identity: Identity, version: ModelVersion, quantity: int, cached_share: Fraction, *, is_maximum: bool
) -> PricedEstimate:
    return _priced(identity, version, _agreed(identity, version), quantity, cached_share, is_maximum=is_maximum)


def _priced(
    identity: Identity,
    version: ModelVersion,
    agreed: AgreedPrice,
    quantity: int,
    cached_share: Fraction,
    *,
    is_maximum: bool = False,
) -> PricedEstimate:
    with unit_of_work(identity):
        standing = standing_of(identity.tenant_id)
    found = estimated(
        model=version.served_model.name,
        quantity=quantity,
        cached_share=cached_share,
        agreed=agreed,
        left=standing.left,
    )
    return PricedEstimate(version, agreed, standing, found, is_maximum)


def _document_of(
    identity: Identity, version: ModelVersion, request: JobRequest, upload: Upload | None
) -> Inspection | Document | None:
    """Return what is known of the document of a job, or None for a job without a document."""
    found: Inspection | Document
    if upload is not None:
        found = found_in(upload)
        check_against(identity, found)
    elif request.document_id is not None:
        identity.require("documents:read")
        found = get_document(request.document_id)
    else:
        return None
    require_readable(identity, version, found.kind)
    return found


def _attachments(found: Inspection | Document | None) -> int:
    return (found.attachments_total if found is not None else 0) or 0


def _said(request: EstimateRequest, model: str, meter: Meter) -> str:
    taken = TAKEN[meter]
    if len(request.given) != 1 or request.given[0] not in taken:
        fields = " or ".join(f"`{name}`" for name in taken)
        given = ", ".join(f"`{name}`" for name in request.given) or "nothing"
        raise InvalidRequest(
            f"{model} is charged per {name_of(meter)}. Send {fields} and no other amount, or the whole body of the"
            f" call. You sent {given}."
        )
    return request.given[0]
