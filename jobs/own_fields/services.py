"""Writes own fields and their examples. Each function is one transaction."""

from collections.abc import Iterable, Sequence

from django.db.models.functions import Now

from inference.own_fields.definition import PLACES, TYPES
from jobs.own_fields.models import LONGEST_AUTHOR, OwnField, OwnFieldExample
from jobs.own_fields.selectors import get_example, get_own_field
from jobs.own_fields.settings import (
    Settings,
    checked_choice,
    checked_classes,
    checked_labels,
    checked_title,
    require_findable,
)
from jobs.own_fields.spots import Seen, Spot, box_of, seen_at
from tenants.audit.acting import acting
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.identity.identity import Identity

MAX_FIELDS = 100
MAX_EXAMPLES = 10


def create_field(*, identity: Identity, settings: Settings, spots: Sequence[Spot] = ()) -> OwnField:
    """Create a field. What the settings leave out is as the first example shows it."""
    if len(spots) > MAX_EXAMPLES:
        raise InvalidRequest(f"`examples`: {len(spots)} are too many. Use at most {MAX_EXAMPLES}.")
    with unit_of_work(identity):
        seen = [seen_at(spot) for spot in spots]
        livemode = seen[0].job.livemode if seen else identity.livemode
        # Requests that create fields wait for each other. Otherwise both would find the last slot or the name free.
        lock_tenant(identity.tenant_id)
        _require_free(settings.name, livemode=livemode)
        field = OwnField(tenant_id=identity.tenant_id, livemode=livemode, author=_author())
        for setting, value in _settings_with(settings, seen).items():
            setattr(field, setting, value)
        require_findable(labels=field.labels, place=field.place, examples=len(seen))
        field.save(force_insert=True)
        for each in seen:
            _add(field, each)
        _record("created", field, {})
        return get_own_field(str(field.id))


def _settings_with(settings: Settings, seen: Sequence[Seen]) -> dict[str, object]:
    """Return the settings of a field, where the first example gives those that are missing."""
    first = seen[0].pointed if seen else None
    guessed = [first.label] if first and first.label else []
    return {
        "name": settings.name,
        "title": settings.title,
        "type": settings.type or (first.type if first else TYPES[0]),
        "labels": list(settings.labels) or guessed,
        "place": settings.place or (first.place if first else PLACES[0]),
        "classes": list(settings.classes),
    }


def change_field(
    *,
    identity: Identity,
    name: str,
    title: str | None = None,
    type: str | None = None,
    labels: Iterable[str] | None = None,
    place: str | None = None,
    classes: Iterable[str] | None = None,
) -> OwnField:
    """Change a field. A setting that is None stays. Documents that were read before keep the values they have."""
    with unit_of_work(identity):
        field = get_own_field(name, for_update=True)
        before = _settings_of(field)
        field.title = field.title if title is None else checked_title(title)
        field.type = field.type if type is None else checked_choice("type", type, TYPES)
        field.labels = field.labels if labels is None else checked_labels(labels)
        field.place = field.place if place is None else checked_choice("place", place, PLACES)
        field.classes = field.classes if classes is None else checked_classes(classes)
        require_findable(labels=field.labels, place=field.place, examples=field.examples.count())
        if before != _settings_of(field):
            field.updated_at = Now()
            field.save(update_fields=[*before, "updated_at"])
            _record("changed", field, before)
        return get_own_field(str(field.id))


def delete_field(*, identity: Identity, name: str) -> None:
    """Delete a field. Documents that were read before keep the values they have."""
    with unit_of_work(identity):
        field = get_own_field(name, for_update=True)
        _record("deleted", field, _settings_of(field))
        field.delete()


def add_example(*, identity: Identity, name: str, spot: Spot) -> OwnFieldExample:
    with unit_of_work(identity):
        field = get_own_field(name, for_update=True)
        seen = seen_at(spot)
        same = {"job": seen.job, "page": seen.spot.page, "box": list(box_of(seen.pointed.box))}
        known = field.examples.filter(**same).select_related("job").first()
        if known is not None:
            return known
        if field.examples.count() >= MAX_EXAMPLES:
            raise InvalidRequest(
                f"The field {field.name!r} has {MAX_EXAMPLES} examples, the maximum. Delete one first."
            )
        example = _add(field, seen)
        _touch(field, "an example was added")
        return example


def delete_example(*, identity: Identity, name: str, example_id: object) -> None:
    with unit_of_work(identity):
        field = get_own_field(name, for_update=True)
        get_example(field, example_id).delete()
        require_findable(labels=field.labels, place=field.place, examples=field.examples.count())
        _touch(field, "an example was deleted")


def _require_free(name: str, *, livemode: bool) -> None:
    fields = OwnField.objects.filter(livemode=livemode)
    if fields.filter(name=name).exists():
        raise InvalidRequest(f"`name`: there is a field {name!r}. Choose another name, or change that field.")
    if fields.count() >= MAX_FIELDS:
        raise InvalidRequest(f"This account has {MAX_FIELDS} own fields, the maximum. Delete one first.")


def _add(field: OwnField, seen: Seen) -> OwnFieldExample:
    if seen.job.livemode != field.livemode:
        raise InvalidRequest("Test documents are no examples of live fields, and live documents none of test fields.")
    example = OwnFieldExample(
        tenant_id=field.tenant_id,
        field=field,
        job=seen.job,
        page=seen.spot.page,
        box=list(box_of(seen.pointed.box)),
        trace=seen.pointed.trace.as_json(),
        author=_author(),
    )
    example.save(force_insert=True)
    example.refresh_from_db(fields=["created_at"])
    return example


def _author() -> str:
    return acting().name[:LONGEST_AUTHOR]


def _settings_of(field: OwnField) -> dict[str, object]:
    return {setting: getattr(field, setting) for setting in ("title", "type", "labels", "place", "classes")}


def _touch(field: OwnField, note: str) -> None:
    field.updated_at = Now()
    field.save(update_fields=["updated_at"])
    _record("changed", field, _settings_of(field), note)


def _record(action: str, field: OwnField, before: dict[str, object], note: str = "") -> None:
    after = {} if action == "deleted" else _settings_of(field)
    record(
        tenant_id=field.tenant_id,
        action=f"own_field.{action}",
        subject_id=field.id,
        subject=field.name,
        changes=changes_between(before, after),
        note=note,
    )
