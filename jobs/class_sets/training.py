"""Trains class sets: on request, and again when a person corrects the class of a job that used one.

What is learned from the pages of an example is stored with it, so that training takes well under a second even with the
most examples that a set may have. It is done while the caller waits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from inference.class_sets import training as engine
from inference.class_sets.class_set import ClassSet as TrainedSet
from inference.class_sets.errors import ClassSetError
from inference.class_sets.stored_pages import is_current, pages_from_json, pages_to_json
from jobs.class_sets.errors import ClassSetUntrainable
from jobs.class_sets.models import LONGEST_AUTHOR, ClassExample, ClassSet, ClassSetVersion
from jobs.class_sets.names import key_of, reference
from jobs.class_sets.reading import deciding_pages_of
from jobs.class_sets.selectors import class_sets, get_class_set
from jobs.class_sets.services import set_example, touch, usable_examples
from jobs.core.document_class import DOCUMENT
from jobs.core.models import Job
from jobs.documents.job_selectors import get_job
from tenants.audit.acting import acting
from tenants.audit.services import record
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity

MAX_VERSIONS = 100
"""The newest versions of a set that are kept. Corrections make a version each."""


def train_class_set(*, identity: Identity, name: str) -> ClassSetVersion:
    """Train a set on its examples. The new version serves at once."""
    with unit_of_work(identity):
        return _trained(get_class_set(identity, name, for_update=True))


@dataclass(frozen=True)
class Learned:
    """The outcome of a correction for the class set of its job."""

    class_set: str
    """The name of the set."""
    version: str = ""
    """The version that was trained, such as `letters@4`. It is empty if none was."""
    reason: str = ""
    """The reason why none was trained, for people."""

    def to_json(self) -> dict[str, str | None]:
        return {"class_set": self.class_set, "version": self.version or None, "reason": self.reason or None}


def learn_class(*, identity: Identity, job_id: object, number: int, label: str) -> Learned | None:
    """Make a corrected document an example of its class, and train again. A job without a class set teaches nothing.

    A class that is full gives up its oldest example. If training is not possible, the set stays as it was. The class of
    one page of several says nothing about the document.
    """
    job = _learned_from(identity, job_id, number)
    if job is None:
        return None

    def learn(found: ClassSet) -> None:
        (example,) = usable_examples(found, [job.id])
        set_example(found, example, label, corrected=True)
        _make_room(found, label, example.document_id)

    return _train_again(identity, job, learn)


def unlearn_class(*, identity: Identity, job_id: object, number: int) -> Learned | None:
    """Remove the example that a correction made, as the correction was undone, and train again."""
    job = _learned_from(identity, job_id, number)
    if job is None:
        return None
    return _train_again(identity, job, lambda found: _corrected_examples(found, job).delete())


def _learned_from(identity: Identity, job_id: object, number: int) -> Job | None:
    with unit_of_work(identity):
        job = get_job(job_id)
    whole = number == DOCUMENT or job.pages_total == 1
    return job if job.class_set and job.document_id and whole else None


def _train_again(identity: Identity, job: Job, change: Callable[[ClassSet], object]) -> Learned:
    name = reference(job.class_set).name
    try:
        with unit_of_work(identity):
            found = _set_of(job, name)
            if found is None:
                return Learned(name, reason=f"The class set {name!r} was deleted.")
            change(found)
            touch(found)
            made = _trained(found, corrected=True)
    except DomainError as refusal:
        return Learned(name, reason=refusal.detail)
    return Learned(name, version=key_of(name, made.number))


def _corrected_examples(class_set: ClassSet, job: Job) -> "QuerySet[ClassExample]":
    return class_set.examples.filter(corrected=True, job_id=job.id)


def _set_of(job: Job, name: str) -> ClassSet | None:
    return class_sets().filter(livemode=job.livemode, name=name).select_for_update(no_key=True).first()


def _make_room(class_set: ClassSet, label: str, document_id: UUID) -> None:
    others = class_set.examples.filter(label=label).exclude(document_id=document_id).order_by("-created_at", "-id")
    dropped = list(others.values_list("id", flat=True)[engine.MAX_EXAMPLES - 1 :])
    ClassExample.objects.filter(id__in=dropped).delete()


def _trained(class_set: ClassSet, *, corrected: bool = False) -> ClassSetVersion:
    """Write the next version of a set whose row is locked."""
    examples = list(class_set.examples.order_by("id"))
    trained = _train(examples)
    class_set.last_version += 1
    class_set.version = class_set.last_version
    class_set.save(update_fields=["version", "last_version"])
    made = ClassSetVersion.objects.create(
        tenant_id=class_set.tenant_id,
        class_set=class_set,
        number=class_set.version,
        trained=trained.to_json(),
        evaluation=trained.evaluation.to_json(),
        examples={str(example.job_id): example.label for example in examples},
        corrected=corrected,
        author=acting().name[:LONGEST_AUTHOR],
    )
    class_set.versions.filter(number__lte=class_set.version - MAX_VERSIONS).delete()
    made.refresh_from_db(fields=["created_at"])
    record(
        tenant_id=class_set.tenant_id,
        action="class_set.trained",
        subject_id=class_set.id,
        subject=key_of(class_set.name, made.number),
        note="after a correction" if corrected else "",
    )
    return made


def _train(examples: Sequence[ClassExample]) -> TrainedSet:
    _read_again([example for example in examples if not is_current(example.pages)])
    given = [engine.Example(str(example.job_id), example.label, pages_from_json(example.pages)) for example in examples]
    try:
        return engine.train(given)
    except ClassSetError as error:
        raise ClassSetUntrainable(str(error), extra={"reason": error.code}) from error


def _read_again(examples: Sequence[ClassExample]) -> None:
    """Read the pages of examples for which an earlier release stored nothing, or other features."""
    pages = deciding_pages_of([example.job_id for example in examples])
    for example in examples:
        example.pages = pages_to_json(pages[example.job_id])
        example.save(update_fields=["pages"])
