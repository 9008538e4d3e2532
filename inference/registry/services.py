"""Changes to the registry: new models, new versions and the choice of the current version."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import structlog
from django.conf import settings
from django.utils import timezone

from inference.cache.terms import USUAL_TERMS, CacheTerms
from inference.registry import artifacts
from inference.registry.aliases import point
from inference.registry.builtin.catalog import BuiltinModel, builtin_models
from inference.registry.declared import check_declared
from inference.registry.digests import version_digest
from inference.registry.errors import ModelNotFound, ModelTypeMismatch
from inference.registry.models import ModelVersion, PipelineStep, ServedModel
from inference.registry.owners import author_name, owner_work
from inference.registry.references import CURRENT, read_reference
from inference.registry.stopping import installation_state
from inference.runtime.parameters import GRAPH
from inference.runtime.tesseract import language_data
from tenants.cells.replicated import Kind, refuse_if_replicated
from tenants.core.db.unit_of_work import operator_work
from tenants.core.own_folder import own_folder
from tenants.plans.prices import Price

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class NewVersion:
    """The content of a new version."""

    runtime: str
    files: Mapping[str, Path]
    config: Mapping[str, object] = field(default_factory=dict)
    measured: Mapping[str, object] = field(default_factory=dict)
    """Measurements kept with the settings. They differ at each trial, so they are not part of the digest."""
    signature: Mapping[str, object] = field(default_factory=dict)
    steps: Mapping[str, ModelVersion] = field(default_factory=dict)
    license: str = ""
    evaluation: Mapping[str, object] = field(default_factory=dict)
    source: ModelVersion | None = None
    """The version that it was made from, if any. `lineage` says how."""
    lineage: Mapping[str, object] = field(default_factory=dict)
    report: Mapping[str, object] = field(default_factory=dict)
    """The results of the checks that admitted it."""


@dataclass(frozen=True)
class ModelCard:
    """The description of a model for callers, and its price."""

    name: str
    title: str
    description: str
    accepts: tuple[str, ...]
    price: Price
    parameters: tuple[Mapping[str, object], ...] = ()
    cached: CacheTerms = USUAL_TERMS
    review_price_micros: int | None = None
    """The price of pages that a person must check, in the units of the price, or None if it is the price."""


def add_version(
    *,
    card: ModelCard,
    new: NewVersion,
    make_current: bool = True,
    reprice: bool = False,
    retime: bool = False,
) -> ModelVersion:
    """Add a version; return the existing one if it has the same files and settings.

    An existing model keeps its card. It keeps its price unless `reprice` is set, and the retention of its results
    unless `retime` is set. Jobs already accepted keep their price anyway.
    """
    if new.runtime == GRAPH:
        check_declared(new.config.get("graph"), new.steps)
    stored = {role: artifacts.store(path) for role, path in new.files.items()}
    digest = version_digest(
        runtime=new.runtime,
        artifacts={role: artifact["sha256"] for role, artifact in stored.items()},
        config=new.config,
        steps={role: member.digest for role, member in new.steps.items()},
    )
    with owner_work(None):
        refuse_if_replicated(Kind.MODEL, card.name)
        for role, path in new.files.items():
            artifacts.hold(stored[role], path)
        served, _ = ServedModel.objects.select_for_update().get_or_create(
            tenant=None, name=card.name, defaults=_card_fields(card)
        )
        _refuse_another_kind(served, card)
        version = served.versions.filter(digest=digest, state=ModelVersion.State.READY, deleted_at=None).first()
        if version is None:
            version = _create_version(served, new, stored, digest)
            log.info("model_version_added", version=version.key, digest=digest[:12])
        if reprice:
            _set_price(served, card)
        if retime:
            served.cache_ttl_s = card.cached.ttl_s
        served.deleted_at = None
        served.save()
        if (make_current or served.current_id is None) and served.current_id != version.pk:
            point(served, CURRENT, version)
    return version


def _refuse_another_kind(served: ServedModel, card: ModelCard) -> None:
    """Refuse a version that does not accept what callers of its model's name send."""
    if tuple(served.accepts) != card.accepts:
        raise ModelTypeMismatch(
            f"The model {served.name!r} already exists and accepts {', '.join(served.accepts)}; this file accepts "
            f"{', '.join(card.accepts)}. Choose another name."
        )


def numbered(reference: str) -> tuple[str, int]:
    """Return the name and the number in `name@number`. Raises ModelNotFound for another text."""
    found = read_reference(reference)
    if found is None or found.number is None:
        raise ModelNotFound(f"There is no version {reference!r}. Use name@number.")
    return found.name, found.number


def set_paused(*, name: str, paused: bool) -> bool:
    """Pause or resume a model; return False if there is no such model. Raises ChangedElsewhere if it is to be resumed
    while the control cell has paused it.
    """
    with operator_work():
        state = installation_state(name, paused=paused)
        return bool(ServedModel.objects.filter(tenant=None, name=name).update(state=state))


def _create_version(
    served: ServedModel, new: NewVersion, stored: Mapping[str, artifacts.Artifact], digest: str
) -> ModelVersion:
    last = served.versions.order_by("-number").values_list("number", flat=True).first() or 0
    version = ModelVersion.objects.create(
        served_model=served,
        number=last + 1,
        runtime=new.runtime,
        digest=digest,
        artifacts=dict(stored),
        config={**new.measured, **new.config},
        signature=dict(new.signature),
        license=new.license,
        evaluation=dict(new.evaluation),
        source=new.source,
        lineage=dict(new.lineage),
        report=dict(new.report),
        ready_at=timezone.now(),
        author=author_name(),
    )
    for role, member in new.steps.items():
        PipelineStep.objects.create(pipeline=version, role=role, member=member)
    return version


def _set_price(served: ServedModel, card: ModelCard) -> None:
    served.price_meter, served.price_micros = card.price.meter, card.price.amount_micros
    served.price_per, served.currency = card.price.per, card.price.currency
    served.cached_price_micros = card.cached.price_micros
    served.review_price_micros = card.review_price_micros


def _card_fields(card: ModelCard) -> dict[str, object]:
    return {
        "title": card.title,
        "description": card.description,
        "accepts": list(card.accepts),
        "parameters": [dict(parameter) for parameter in card.parameters],
        "price_meter": card.price.meter,
        "price_micros": card.price.amount_micros,
        "price_per": card.price.per,
        "currency": card.price.currency,
        "cached_price_micros": card.cached.price_micros,
        "cache_ttl_s": card.cached.ttl_s,
        "review_price_micros": card.review_price_micros,
    }


def seed_builtin() -> list[ModelVersion]:
    """Seed the models that every installation has from the start, with the language data that is there.

    Existing models are not rebuilt. A cell that has another one for its control cell gets them from there: both would
    number the same versions in another way.
    """
    if settings.MAAS_CELLS.control and not settings.MAAS_CELLS.is_control:
        return []
    seeded: dict[str, ModelVersion] = {}
    with operator_work():
        installed = ServedModel.objects.filter(tenant=None).select_related("current")
        current = {served.name: served.current for served in installed}
    for builtin in builtin_models(language_data(settings.MAAS_TESSDATA, settings.MAAS_OCR_LANGUAGES)):
        existing = current.get(builtin.name)
        if existing is not None and existing.config.get("release") == builtin.release:
            seeded[builtin.name] = existing
            _describe_anew(builtin)
            continue
        seeded[builtin.name] = _seed_one(builtin, seeded)
    return list(seeded.values())


def _describe_anew(builtin: BuiltinModel) -> None:
    """Update the parameters of a seeded model. A newer product may take more of them than the one that seeded it."""
    parameters = builtin.parameters_json()
    with operator_work():
        ServedModel.objects.filter(tenant=None, name=builtin.name).exclude(parameters=parameters).update(
            parameters=parameters
        )


def _seed_one(builtin: BuiltinModel, seeded: Mapping[str, ModelVersion]) -> ModelVersion:
    with tempfile.TemporaryDirectory(dir=own_folder(), prefix="maas-model-") as folder:
        return add_version(
            card=ModelCard(
                name=builtin.name,
                title=builtin.title,
                description=builtin.description,
                accepts=tuple(builtin.accepts),
                price=builtin.price,
                cached=CacheTerms(builtin.cached_price_micros),
                parameters=tuple(builtin.parameters_json()),
            ),
            new=NewVersion(
                runtime=builtin.runtime,
                files=builtin.build(Path(folder)),
                config={**builtin.config, "release": builtin.release},
                signature=builtin.signature,
                steps={role: seeded[name] for role, name in builtin.steps.items()},
            ),
        )
