"""The content of the page of an account's own model: its versions, its aliases and the work on it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.safestring import SafeString

from inference.registry.models import ModelVersion, ServedModel
from inference.registry.owners import owned_model
from inference.registry.reading import tasks_of, versions_of
from inference.registry.references import CURRENT
from jobs.dashboard.catalog.description import description_html
from jobs.dashboard.own_models.alias_rows import AliasRow, aliases_of
from jobs.dashboard.own_models.graph_picture import GraphPicture, newest_picture
from jobs.dashboard.own_models.task_views import TaskView, failures, under_way
from tenants.limits.quota.wording import size

MAX_TASKS = 50
MAX_VERSIONS = 100


@dataclass(frozen=True)
class VersionRow:
    number: int
    state: str
    aliases: tuple[str, ...]
    license: str
    size: str
    created_at: datetime
    author: str
    source: str
    paused_reason: str
    may_resume: bool
    refusal: str
    ready: bool


@dataclass(frozen=True)
class OwnModel:
    name: str
    title: str
    description: SafeString
    paused: bool
    suspended: bool
    current: int | None
    aliases: tuple[AliasRow, ...]
    versions: tuple[VersionRow, ...]
    under_way: tuple[TaskView, ...]
    failures: tuple[TaskView, ...]
    picture: GraphPicture | None
    """The steps of the newest version, for a pipeline."""

    @property
    def ready_numbers(self) -> list[int]:
        return [version.number for version in self.versions if version.ready]


def own_model(tenant_id: UUID, name: str) -> OwnModel:
    """Return the model, in the scope of its tenant. Raises ModelNotFound."""
    served = owned_model(tenant_id, name)
    tasks = list(tasks_of(served).filter(version__deleted_at=None)[:MAX_TASKS])
    aliases, versions = aliases_of(served), list(versions_of(served)[:MAX_VERSIONS])
    return OwnModel(
        name=served.name,
        title=served.title or served.name,
        description=description_html(served.description),
        paused=served.state != ServedModel.State.ACTIVE,
        suspended=served.state == ServedModel.State.SUSPENDED,
        current=next((alias.version for alias in aliases if alias.name == CURRENT), None),
        aliases=aliases,
        versions=tuple(map(_row, versions)),
        under_way=under_way(tasks),
        failures=failures(tasks),
        picture=newest_picture(versions),
    )


def _row(version: ModelVersion) -> VersionRow:
    refused = version.report.get("refused", {}) if version.state == ModelVersion.State.REFUSED else {}
    return VersionRow(
        number=version.number,
        state=version.state,
        aliases=tuple(sorted(alias.name for alias in version.aliases.all())),
        license=version.license,
        size=size(version.file_bytes) if version.artifacts else "",
        created_at=version.created_at,
        author=version.author,
        source=version.source.key if version.source else "",
        paused_reason=version.paused_reason,
        may_resume=version.may_resume,
        refusal=refused.get("detail", ""),
        ready=version.state == ModelVersion.State.READY,
    )
