"""Reads of class sets. Call these functions inside a unit of work."""

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from jobs.class_sets.errors import ClassSetNotFound, ClassSetNotTrained
from jobs.class_sets.models import ClassExample, ClassifiedJob, ClassSet, ClassSetVersion
from jobs.class_sets.names import is_name, key_of, reference
from jobs.core.document_class import best_first
from jobs.core.models import Job
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid
from tenants.identity.identity import Identity

SEGMENT = ("first_page", "last_page", "class", "probability", "confidence")
"""The fields of a segment in order, which Postgres does not keep."""


def class_sets() -> "QuerySet[ClassSet]":
    return ClassSet.objects.filter(deleted_at=None).order_by("-id")


def get_class_set(identity: Identity, name: str, *, for_update: bool = False) -> ClassSet:
    """Return the set of this name among the live ones, or the test ones for a test key."""
    rows = class_sets().filter(livemode=identity.livemode, name=name) if is_name(name) else class_sets().none()
    found = (rows.select_for_update(no_key=True) if for_update else rows).first()
    if found is None:
        raise NotFound(f"There is no class set {name[:60]!r}.")
    return found


def class_set_of_id(set_id: object, *, for_update: bool = False) -> ClassSet:
    wanted = as_uuid(set_id)
    rows = class_sets().filter(id=wanted) if wanted else class_sets().none()
    found = (rows.select_for_update(no_key=True) if for_update else rows).first()
    if found is None:
        raise NotFound("This class set does not exist or was deleted.")
    return found


def chosen_key(text: str | None, *, livemode: bool) -> str:
    """Return the version that classes the documents of an upload with this `class_set`, or nothing if none does.

    None means that the upload says nothing, so that the default set is used. An empty text turns that off.
    """
    if text is None:
        found = class_sets().filter(livemode=livemode, default=True).first()
        return found.key or "" if found else ""
    return resolved_key(text, livemode=livemode) if text else ""


def kept_key(key: str, *, livemode: bool) -> str:
    """Return the version of an earlier job or an archive for the jobs that come of it, or nothing if it was deleted."""
    wanted = reference(key) if key else None
    if wanted is None:
        return ""
    named = class_sets().filter(livemode=livemode, name=wanted.name)
    return key if ClassSetVersion.objects.filter(class_set__in=named, number=wanted.number).exists() else ""


def serving_key(key: str, *, livemode: bool) -> str:
    """Return the version that serves now of the set that a job used, or nothing if the set was deleted."""
    found = class_sets().filter(livemode=livemode, name=reference(key).name).first() if key else None
    return found.key or "" if found else ""


def resolved_key(text: str, *, livemode: bool) -> str:
    """Return the version of a set by its name, with a version or without, such as `letters@3`."""
    wanted = reference(text)
    found = class_sets().filter(livemode=livemode, name=wanted.name).first()
    if found is None:
        names = class_sets().filter(livemode=livemode).order_by("name").values_list("name", flat=True)[:5]
        known = f"Use one of: {', '.join(names)}." if names else "Create and train it first."
        raise ClassSetNotFound(f"There is no class set {wanted.name!r}. {known}")
    if not found.version:
        raise ClassSetNotTrained(f"The class set {wanted.name!r} has not been trained. Train it first.")
    number = wanted.number or found.version
    if not found.versions.filter(number=number).exists():
        raise ClassSetNotFound(
            f"The class set {wanted.name!r} has no version {number}. Its newest version is {found.version}."
        )
    return key_of(wanted.name, number)


def version_of_key(key: str, *, tenant_id: UUID, livemode: bool) -> ClassSetVersion | None:
    """Return the version of this name, or None if its set was deleted. The operator's work, too, names the tenant."""
    wanted = reference(key)
    named = ClassSet.objects.filter(tenant_id=tenant_id, livemode=livemode, name=wanted.name, deleted_at=None)
    return ClassSetVersion.objects.filter(class_set__in=named, number=wanted.number).select_related("class_set").first()


def get_version(class_set: ClassSet, number: int | None = None) -> ClassSetVersion:
    """Return a version, or the one that serves without a number."""
    if not class_set.version:
        raise ClassSetNotTrained(f"The class set {class_set.name!r} has not been trained. Train it first.")
    found = class_set.versions.filter(number=number or class_set.version).first()
    if found is None:
        raise NotFound(f"The class set {class_set.name!r} has no version {number}.")
    return found


def examples_of(class_set: ClassSet) -> "QuerySet[ClassExample]":
    return class_set.examples.defer("pages").select_related("job__document").order_by("label", "id")


def counted_labels(class_set: ClassSet) -> Mapping[str, int]:
    """Return the number of examples of each class, by its name."""
    return dict(sorted(Counter(class_set.examples.values_list("label", flat=True)).items()))


def labels_of_job(job: Job) -> list[str]:
    """Return the classes that a person may choose for a job that used a class set, or none without one."""
    if not job.class_set:
        return []
    version = version_of_key(job.class_set, tenant_id=job.tenant_id, livemode=job.livemode)
    if version is None:
        return []
    added = version.class_set.examples.values_list("label", flat=True).distinct()
    return list(dict.fromkeys([*version.labels, *sorted(added)]))


def classified(job_id: UUID) -> ClassifiedJob | None:
    return ClassifiedJob.objects.filter(job_id=job_id).first()


def page_classes(job: Job) -> tuple[dict[int, dict[str, Any]], list[dict[str, Any]] | None]:
    """Return the class of each page by its number, and the segments. Without a class set, there are none."""
    found = classified(job.id) if job.class_set else None
    if found is None:
        return {}, None
    pages = {int(number): _page_json(page, found.class_set) for number, page in found.pages.items()}
    return pages, [{name: segment[name] for name in SEGMENT} for segment in found.segments]


def _page_json(page: Mapping[str, Any], class_set: str) -> dict[str, Any]:
    """Describe the class of a page. Postgres does not keep the order of the probabilities."""
    return {"label": page["label"], "probabilities": best_first(page["probabilities"]), "class_set": class_set}
