"""The content of the page of a version: its facts, its signature, its checks and the report of its variants."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.safestring import SafeString

from inference.registry.class_labels import class_labels
from inference.registry.errors import VersionNotFound
from inference.registry.models import ModelVariant, ModelVersion
from inference.registry.owners import owned_model
from inference.registry.reading import tasks_of, versions_of
from inference.registry.uploads import CLASSES
from inference.registry.variant_reports import Report, report_of
from jobs.dashboard.catalog.description import description_html
from jobs.dashboard.catalog.model_view import TensorView, tensors_of
from jobs.dashboard.own_models.alias_rows import AliasRow, aliases_of
from jobs.dashboard.own_models.graph_picture import GraphPicture, picture_of
from jobs.dashboard.own_models.model_card import card_html
from jobs.dashboard.own_models.task_views import (
    Outcome,
    SettingRow,
    TaskView,
    failures,
    outcomes,
    settings_measured,
    under_way,
)
from tenants.limits.quota.wording import size

MAX_TASKS = 20
MAX_VARIANTS = 50
WEIGHTS = "weights"


@dataclass(frozen=True)
class Refusal:
    code: str
    detail: str
    node: str
    what_to_do: str


@dataclass(frozen=True)
class OwnVersion:
    model: str
    title: str
    number: int
    current: bool
    state: str
    ready: bool
    paused_reason: str
    trial_note: str
    """The error of the trial, if it was no reason to refuse the file."""
    corrected: str
    """The outputs that have another shape than the file declares."""
    may_resume: bool
    refusal: Refusal | None
    aliases: tuple[str, ...]
    """The names of the aliases that stand for it."""
    aliases_of_model: tuple[AliasRow, ...]
    license: str
    description: str
    description_html: SafeString
    classes: tuple[str, ...]
    labels: Mapping[str, str]
    """The labels besides the classes."""
    card: str
    """The model card in Markdown."""
    card_html: SafeString
    size: str
    """The size of its files. A pipeline has none."""
    digest: str
    source: int | None
    origin: tuple[tuple[str, str], ...]
    """The facts about its origin, by name."""
    load: str
    memory: str
    author: str
    created_at: datetime
    inputs: tuple[TensorView, ...]
    outputs: tuple[TensorView, ...]
    picture: GraphPicture | None
    """The steps of a pipeline."""
    report: Report
    under_way: tuple[TaskView, ...]
    failures: tuple[TaskView, ...]
    outcomes: tuple[Outcome, ...]
    settings: tuple[SettingRow, ...]
    may_optimize: bool

    @property
    def optimizing(self) -> bool:
        return any(task.kind == "optimize" for task in self.under_way)


def own_version(tenant_id: UUID, name: str, number: int) -> OwnVersion:
    """Return the version, in the scope of its tenant. Raises ModelNotFound or VersionNotFound."""
    served = owned_model(tenant_id, name)
    version = versions_of(served).filter(number=number).first()
    if version is None:
        raise VersionNotFound(f"The model {name!r} has no version {number}.")
    tasks = list(tasks_of(served).filter(version=version)[:MAX_TASKS])
    variants = ModelVariant.objects.filter(version=version).select_related("used_as").order_by("created_at")
    trial = version.report.get("trial", {})
    ready = version.state == ModelVersion.State.READY
    return OwnVersion(
        model=served.name,
        title=served.title or served.name,
        number=version.number,
        current=version.pk == served.current_id,
        state=version.state,
        ready=ready,
        paused_reason=version.paused_reason,
        may_resume=version.may_resume,
        refusal=_refusal(version),
        trial_note=trial.get("note", ""),
        corrected=version.report.get("corrected", ""),
        aliases=tuple(sorted(alias.name for alias in version.aliases.all())),
        aliases_of_model=aliases_of(served),
        license=version.license,
        description=version.description,
        description_html=description_html(version.description),
        classes=tuple(class_labels(version.labels)),
        labels={name: text for name, text in version.labels.items() if name != CLASSES},
        card=version.card,
        card_html=card_html(version.card),
        size=size(version.file_bytes) if version.artifacts else "",
        digest=version.digest,
        source=version.source.number if version.source else None,
        origin=tuple(_origin(version.lineage)),
        load=f"{1000 * trial['load_s']:,.0f} ms" if "load_s" in trial else "",
        memory=size(int(trial["peak_memory_bytes"])) if "peak_memory_bytes" in trial else "",
        author=version.author,
        created_at=version.created_at,
        inputs=tensors_of(version.signature, "inputs"),
        outputs=tensors_of(version.signature, "outputs"),
        picture=picture_of(version),
        report=report_of(list(variants[:MAX_VARIANTS])),
        under_way=under_way(tasks),
        failures=failures(tasks),
        outcomes=outcomes(tasks),
        settings=settings_measured(tasks),
        may_optimize=ready and WEIGHTS in version.artifacts,
    )


def _refusal(version: ModelVersion) -> Refusal | None:
    refused = version.report.get("refused") if version.state == ModelVersion.State.REFUSED else None
    if not refused:
        return None
    return Refusal(*(str(refused.get(name) or "") for name in ("code", "detail", "node", "what_to_do")))


def _origin(lineage: Mapping[str, Any]) -> "list[tuple[str, str]]":
    """Return the texts and numbers of the lineage, also those one level below."""
    found: list[tuple[str, str]] = []
    for name, value in lineage.items():
        nested = value.items() if isinstance(value, Mapping) else [("", value)]
        found += [
            (f"{name} {key}".strip().replace("_", " "), str(text)[:120])
            for key, text in nested
            if isinstance(text, str | int | float) and str(text)
        ]
    return found
