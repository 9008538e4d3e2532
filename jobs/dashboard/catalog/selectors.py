"""Reads of the models that a person may see, and of the time that a tenant's last pages took with them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import connections
from django.db.models import Exists, F, OuterRef, Prefetch, QuerySet

from inference.registry.errors import ModelNotFound, VersionNotFound
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.references import NAME
from inference.registry.selectors import active_models
from inference.runtime.parameters import TENSORS
from tenants.core.db.unit_of_work import APP


@dataclass(frozen=True)
class Speed:
    """Seconds from the moment a worker took a page to its result, including the loading of the model."""

    pages: int
    median_s: float
    p95_s: float


# The limits keep this equally fast for a tenant of a million jobs: the index finds its newest jobs, and a few pages of
# these jobs are read.
_LATEST = """
SELECT wanted.id, count(*), percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY page.seconds)
FROM unnest(%(versions)s::bigint[]) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT extract(epoch FROM done.finished_at - done.started_at)::float AS seconds
    FROM (
        SELECT id FROM jobs_job
        WHERE tenant_id = %(tenant)s AND model_version_id = wanted.id
        ORDER BY id DESC LIMIT 50
    ) AS job
    CROSS JOIN LATERAL (
        SELECT started_at, finished_at FROM jobs_page
        WHERE job_id = job.id AND number <= 100 AND state = 'succeeded' AND NOT cached
          AND finished_at > clock_timestamp() - interval '30 days'
        ORDER BY number LIMIT 100
    ) AS done
    LIMIT 100
) AS page
GROUP BY wanted.id
"""


def recent_speeds(tenant_id: UUID, version_ids: Iterable[int]) -> Mapping[int, Speed]:
    """Return the speeds by version, from 100 pages of the last 50 jobs. A version not used lately is missing."""
    values: dict[str, UUID | list[int]] = {"tenant": tenant_id, "versions": list(version_ids)}
    with connections[APP].cursor() as sql:
        sql.execute(_LATEST, values)
        return {row[0]: Speed(row[1], *row[2]) for row in sql.fetchall()}


VERSIONS_SHOWN = 50
MAX_DIGITS = 9


def listed_models(tenant_id: UUID) -> list[ServedModel]:
    """Return the models, `parse` first, as in all lists, and added graphs last. `versions` have only their numbers."""
    numbers = ModelVersion.objects.filter(state=ModelVersion.State.READY).only("served_model", "number")
    served = active_models(tenant_id).prefetch_related(Prefetch("versions", numbers))
    return sorted(served, key=lambda model: (model.name != "parse", model.accepts == [TENSORS]))


def unready_models(tenant_id: UUID) -> "QuerySet[ServedModel]":
    """Return the account's own models that no version answers for. `checking` tells whether one is being checked."""
    checks = ModelVersion.objects.filter(served_model=OuterRef("pk"), state=ModelVersion.State.VALIDATING)
    unready = ServedModel.objects.filter(tenant=tenant_id, current=None, deleted_at=None)
    return unready.annotate(checking=Exists(checks)).order_by("name")


def model_named(tenant_id: UUID, name: str) -> ServedModel:
    served = (
        active_models(tenant_id).filter(name=name).order_by(F("tenant").asc(nulls_last=True)).first()
        if NAME.fullmatch(name)
        else None
    )
    if served is None:
        raise ModelNotFound(f"Model {name[:60]!r} does not exist.")
    return served


def version_to_try(served: ServedModel, number: str) -> ModelVersion | None:
    """Return the version with this number if it is ready. Without a number, return None. Raises VersionNotFound."""
    if not number:
        return None
    known = number.isdecimal() and number.isascii() and len(number) <= MAX_DIGITS
    ready = served.versions.filter(state=ModelVersion.State.READY, deleted_at=None).select_related("served_model")
    version = ready.filter(number=int(number)).first() if known else None
    if version is None:
        raise VersionNotFound(f"The model {served.name!r} has no version {number[:20]} that is ready.")
    return version


def newest_versions(served: ServedModel) -> list[ModelVersion]:
    columns = ("served_model", "number", "digest", "state", "created_at")
    return list(served.versions.filter(deleted_at=None).order_by("-number").only(*columns)[:VERSIONS_SHOWN])
