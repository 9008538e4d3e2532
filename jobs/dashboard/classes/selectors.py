"""Reads of the pages of class sets, which show the live ones. Call these functions inside a unit of work."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, QuerySet

from jobs.class_sets.classifying import try_version
from jobs.class_sets.models import ClassExample, ClassSet, ClassSetVersion
from jobs.class_sets.selectors import class_sets, examples_of, get_class_set, get_version
from jobs.core import states
from jobs.core.models import Job
from jobs.dashboard.classes.set_view import SetView, set_view
from tenants.identity.identity import Identity

VERSIONS_SHOWN = 10
TRIED = 20
"""The newest documents on which a set is tried."""


@dataclass(frozen=True)
class ListedSet:
    name: str
    title: str
    key: str | None
    labels: Sequence[str]
    examples: int
    default: bool


@dataclass(frozen=True)
class TriedView:
    job: str
    name: str
    label: str
    percent: int
    now: str
    """The class that the job has."""


def live_class_sets(identity: Identity) -> "QuerySet[ClassSet]":
    return class_sets().filter(livemode=identity.livemode)


def listed_sets(identity: Identity) -> list[ListedSet]:
    sets = list(live_class_sets(identity))
    counted = (
        ClassExample.objects.filter(class_set__in=sets).values("class_set_id", "label").annotate(number=Count("id"))
    )
    counts: dict[UUID, dict[str, int]] = defaultdict(dict)
    for row in counted.order_by("label") if sets else ():
        counts[row["class_set_id"]][row["label"]] = row["number"]
    return [_listed(found, counts[found.id]) for found in sets]


def _listed(found: ClassSet, counts: Mapping[str, int]) -> ListedSet:
    title = found.title or found.name
    return ListedSet(found.name, title, found.key, list(counts), sum(counts.values()), found.default)


def shown_set(identity: Identity, name: str) -> SetView:
    found = get_class_set(identity, name)
    version = get_version(found) if found.version else None
    versions: list[ClassSetVersion] = list(found.versions.defer("trained").order_by("-number")[:VERSIONS_SHOWN])
    examples: list[ClassExample] = list(examples_of(found))
    return set_view(found, examples, version, versions)


def tried(identity: Identity, name: str) -> list[TriedView]:
    """Return the classes that the set gives to the newest documents that were read."""
    version = get_version(get_class_set(identity, name))
    read = Job.objects.filter(state=states.SUCCEEDED, livemode=identity.livemode, erased_at=None)
    read = read.exclude(document=None)
    jobs = {job.id: job for job in read.select_related("document").order_by("-id")[:TRIED]}
    return [
        TriedView(
            str(job_id),
            _name(jobs[job_id]),
            label,
            round(100 * max(shares.values())),
            jobs[job_id].class_label,
        )
        for job_id, (label, shares) in try_version(version, list(jobs)).items()
    ]


def _name(job: Job) -> str:
    return job.document.name if job.document and job.document.name else str(job.id)
