"""Writes to class sets and their examples. Training is in `training`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models.functions import Now

from inference.class_sets.page_features import PageContent
from inference.class_sets.stored_pages import pages_to_json
from inference.class_sets.training import MAX_CLASSES, MAX_EXAMPLES
from jobs.class_sets.errors import ClassSetExists, ClassSetNotTrained, ExampleNotUsable, TooManyClassSets
from jobs.class_sets.models import LONGEST_AUTHOR, ClassExample, ClassSet
from jobs.class_sets.names import checked_label, checked_name, checked_title
from jobs.class_sets.reading import deciding_pages_of
from jobs.class_sets.selectors import counted_labels, get_class_set
from jobs.core.models import Job
from jobs.documents.job_selectors import get_job
from tenants.audit.acting import acting
from tenants.audit.changes import Changes, changes_between
from tenants.audit.services import record
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity

MAX_CLASS_SETS = 50
MAX_AT_ONCE = 100
"""The most jobs that one request adds or tries."""


def create_class_set(*, identity: Identity, name: str, title: str = "") -> ClassSet:
    """Create a set. One of this name that was deleted comes back empty, and its versions are numbered on."""
    values = {"title": checked_title(title), "name": checked_name(name)}
    with unit_of_work(identity):
        lock_tenant(identity.tenant_id)
        own = ClassSet.objects.filter(livemode=identity.livemode)
        if own.filter(deleted_at=None).count() >= MAX_CLASS_SETS:
            raise TooManyClassSets(
                f"An account has at most {MAX_CLASS_SETS} class sets. Delete one first.", gate="class_sets"
            )
        deleted = own.filter(name=values["name"]).first()
        if deleted is not None and deleted.deleted_at is None:
            raise ClassSetExists(f"There is a class set {values['name']!r} already. Choose another name.")
        made = deleted or ClassSet(tenant_id=identity.tenant_id, livemode=identity.livemode)
        made.name, made.title, made.version, made.deleted_at = values["name"], values["title"], 0, None
        made.save()
        made.refresh_from_db()
        _record(made, "class_set.created")
    return made


def change_class_set(
    *,
    identity: Identity,
    name: str,
    title: str | None = None,
    version: int | None = None,
    default: bool | None = None,
) -> ClassSet:
    """Change the title, the version that serves, or whether the set is the default one. Only one set is that."""
    with unit_of_work(identity):
        lock_tenant(identity.tenant_id)
        found = get_class_set(identity, name, for_update=True)
        before = _changeable(found)
        if title is not None:
            found.title = checked_title(title)
        if version is not None:
            if not found.versions.filter(number=version).exists():
                raise InvalidRequest(f"The class set {name!r} has no version {version}.")
            found.version = version
        if default is not None:
            _set_default(found, default=default)
        found.save(update_fields=["title", "version", "default"])
        _record(found, "class_set.changed", changes_between(before, _changeable(found)))
    return found


def _changeable(class_set: ClassSet) -> dict[str, object]:
    return {"title": class_set.title, "version": class_set.version, "default": class_set.default}


def _set_default(class_set: ClassSet, *, default: bool) -> None:
    if default and not class_set.version:
        raise ClassSetNotTrained(f"The class set {class_set.name!r} has not been trained. Train it first.")
    if default:
        ClassSet.objects.filter(livemode=class_set.livemode, default=True).update(default=False)
    class_set.default = default


def delete_class_set(*, identity: Identity, name: str) -> None:
    """Delete a set with its examples and versions. Jobs keep the classes that they were given."""
    with unit_of_work(identity):
        found = get_class_set(identity, name, for_update=True)
        found.examples.all().delete()
        found.versions.all().delete()
        ClassSet.objects.filter(id=found.id).update(deleted_at=Now(), title="", version=0, default=False)
        _record(found, "class_set.deleted")


@dataclass(frozen=True)
class Example:
    job: Job
    document_id: UUID
    pages: Sequence[PageContent]
    """The pages that decide the class of the document."""


def add_examples(*, identity: Identity, name: str, label: str, job_ids: Sequence[str]) -> ClassSet:
    """Make the documents of these jobs examples of a class, all or none. One that was of another class moves."""
    label = checked_label(label)
    with unit_of_work(identity):
        found = get_class_set(identity, name, for_update=True)
        usable = usable_examples(found, checked_ids(job_ids))
        for one in usable:
            set_example(found, one, label)
        _check_size(found, label)
        touch(found)
        _record(found, "class_set.examples_added", note=f"{len(usable)} of {label}")
    return found


def remove_example(*, identity: Identity, name: str, job_id: object) -> None:
    with unit_of_work(identity):
        found = get_class_set(identity, name, for_update=True)
        job = get_job(job_id)
        if job.document_id is None or not found.examples.filter(document_id=job.document_id).delete()[0]:
            raise NotFound(f"The document of job {str(job_id)[:60]!r} is no example of {name!r}.")
        touch(found)
        _record(found, "class_set.example_removed", note=str(job.id))


def checked_ids(job_ids: Sequence[str]) -> list[str]:
    once = list(dict.fromkeys(job_ids))
    if not 1 <= len(once) <= MAX_AT_ONCE:
        raise InvalidRequest(f"Send 1 to {MAX_AT_ONCE} jobs, not {len(once)}.")
    return once


def usable_examples(class_set: ClassSet, job_ids: Sequence[object]) -> list[Example]:
    """Return the documents of these jobs. Raises NotFound, or ExampleNotUsable for a job without a text.

    The jobs are locked, so that none is erased before what is learned from its pages is stored with its example.
    """
    jobs = {job.id: job for job in (_job_of(class_set, job_id) for job_id in sorted(job_ids, key=str))}
    pages = deciding_pages_of(list(jobs))
    usable: dict[UUID, Example] = {}
    for job in jobs.values():
        if job.document_id is None:
            raise ExampleNotUsable(f"Job {job.id} has no document. Choose jobs that read one.")
        if not pages[job.id]:
            why = "has not been read yet" if not job.terminal else "has no text on its first pages"
            raise ExampleNotUsable(f"The document of job {job.id} {why}. Choose another.")
        usable[job.document_id] = Example(job, job.document_id, pages[job.id])
    return list(usable.values())


def _job_of(class_set: ClassSet, job_id: object) -> Job:
    job = get_job(job_id, for_update=True)
    if job.livemode != class_set.livemode:
        raise NotFound(f"There is no job {str(job_id)[:60]!r}.")
    return job


def set_example(class_set: ClassSet, example: Example, label: str, *, corrected: bool = False) -> None:
    ClassExample.objects.update_or_create(
        class_set=class_set,
        document_id=example.document_id,
        defaults={
            "tenant_id": class_set.tenant_id,
            "job": example.job,
            "label": label,
            "corrected": corrected,
            "pages": pages_to_json(example.pages),
            "author": acting().name[:LONGEST_AUTHOR],
        },
    )


def touch(class_set: ClassSet) -> None:
    ClassSet.objects.filter(id=class_set.id).update(changed_at=Now())
    class_set.refresh_from_db(fields=["changed_at"])


def _check_size(class_set: ClassSet, label: str) -> None:
    counts: Mapping[str, int] = counted_labels(class_set)
    if counts.get(label, 0) > MAX_EXAMPLES:
        raise ExampleNotUsable(
            f"Each class takes at most {MAX_EXAMPLES} examples: {label!r} would have {counts[label]}. Remove some."
        )
    if len(counts) > MAX_CLASSES:
        raise ExampleNotUsable(f"A class set has at most {MAX_CLASSES} classes. Remove one before you add {label!r}.")


def _record(class_set: ClassSet, action: str, changes: Changes | None = None, note: str = "") -> None:
    record(
        tenant_id=class_set.tenant_id,
        action=action,
        subject_id=class_set.id,
        subject=class_set.name,
        changes=changes,
        note=note,
    )
