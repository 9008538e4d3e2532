"""Moves of aliases. Each is a compare-and-swap, and stays in a history that tells what answered at a moment."""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from inference.registry.errors import (
    AliasChanged,
    AliasNotFound,
    InvalidAlias,
    NothingToRollBack,
    VersionNotFound,
    VersionNotReady,
)
from inference.registry.models import AliasMove, ModelAlias, ModelVersion, ServedModel
from inference.registry.owners import author_name, owned_model, owner_work
from inference.registry.references import CURRENT, LONGEST_ALIAS, is_alias
from tenants.audit.services import record

ROLLBACK = "rollback"
ANY = object()
"""Any version before the move, given instead of a number."""


def move_alias(
    *,
    owner: UUID | None,
    model: str,
    alias: str,
    number: int,
    if_version: object = ANY,
    reason: str = "",
) -> AliasMove:
    """Make the alias stand for the version with this number, in every process within a second.

    `if_version` is the number that the alias must have before, or None if it must not exist. Otherwise AliasChanged is
    raised, and nothing changes. Work that was accepted before keeps its version.
    """
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        version = served.versions.filter(number=number, deleted_at=None).first()
        if version is None:
            raise VersionNotFound(f"The model {model!r} has no version {number}.")
        return point(served, alias, version, if_version=if_version, reason=reason)


def point(
    served: ServedModel, alias: str, version: ModelVersion, *, if_version: object = ANY, reason: str = ""
) -> AliasMove:
    """Move the alias in the transaction that holds the lock on the model."""
    _check_name(alias)
    if version.state != ModelVersion.State.READY:
        raise VersionNotReady(f"Version {version.key} is {version.state}. An alias names only a version that is ready.")
    held = served.aliases.select_related("version").filter(name=alias).first()
    _check_version(served, alias, held, if_version)
    previous = held.version if held else None
    if held is None:
        ModelAlias.objects.create(served_model=served, tenant_id=served.tenant_id, name=alias, version=version)
    elif held.version_id != version.pk:
        ModelAlias.objects.filter(pk=held.pk).update(version=version)
    return _note(served, alias, previous, version, reason)


def delete_alias(*, owner: UUID | None, model: str, alias: str) -> None:
    """Delete an alias. `current` stays, because a model's name alone stands for it."""
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        held = _held(served, alias)
        if alias == CURRENT:
            raise InvalidAlias("The alias 'current' cannot be deleted. Move it to another version.")
        previous = held.version
        held.delete()
        _note(served, alias, previous, None, "")


def roll_back(*, owner: UUID | None, model: str, alias: str = CURRENT, if_version: object = ANY) -> AliasMove:
    """Move the alias to the version that it had before, if that is still ready."""
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        held = _held(served, alias)
        previous = version_before(served, alias, held.version_id)
        if previous is None:
            raise NothingToRollBack(f"The alias {alias!r} of {model!r} has had no other version that is still ready.")
        return point(served, alias, previous, if_version=if_version, reason=ROLLBACK)


def version_before(served: ServedModel, alias: str, version_id: int) -> ModelVersion | None:
    """Return the version that the alias had before this one, if it is still ready. Rollbacks lead ever further back."""
    moves = served.moves.filter(alias=alias, version_id=version_id).exclude(reason=ROLLBACK)
    ready = served.versions.filter(state=ModelVersion.State.READY, deleted_at=None, paused_reason="")
    before = moves.order_by("-id").values_list("previous", flat=True).exclude(previous=None).first()
    return None if before is None else ready.filter(pk=before).first()


def history(served: ServedModel, alias: str) -> "QuerySet[AliasMove]":
    """Return the moves of an alias, the last one first. Deleted aliases have a history as well."""
    moves = served.moves.filter(alias=alias).select_related("previous__served_model", "version__served_model")
    return moves.order_by("-id")


def version_at(served: ServedModel, alias: str, moment: datetime) -> ModelVersion | None:
    """Return the version that the alias stood for at this moment, or None if it did not exist."""
    move = history(served, alias).filter(moved_at__lte=moment).first()
    return move.version if move else None


def _held(served: ServedModel, alias: str) -> ModelAlias:
    held = served.aliases.select_related("version").filter(name=alias).first()
    if held is None:
        raise AliasNotFound(f"The model {served.name!r} has no alias {alias[:LONGEST_ALIAS]!r}.")
    return held


def _check_name(alias: str) -> None:
    if not is_alias(alias):
        raise InvalidAlias(
            f"{alias[:LONGEST_ALIAS]!r} cannot be an alias. Use a letter, then letters, digits, - and _, "
            f"{LONGEST_ALIAS} characters at most."
        )


def _check_version(served: ServedModel, alias: str, held: ModelAlias | None, if_version: object) -> None:
    now = held.version.number if held else None
    if if_version is ANY or if_version == now:
        return
    expected = "is not new" if if_version is None else f"does not stand for version {if_version}"
    stands = f"It stands for version {now}" if held else "It does not exist"
    raise AliasChanged(
        f"The alias {alias!r} of {served.name!r} {expected}. {stands}{_last_author(served, alias)}. "
        "Nothing was changed: look at it, and decide again.",
        extra={"version": now},
    )


def _last_author(served: ServedModel, alias: str) -> str:
    """Return who made the last move, to be added to a message, or nothing if it is unknown."""
    last = history(served, alias).first()
    if last is None or not last.author:
        return ""
    return f" since {last.author} {'moved' if last.version else 'deleted'} it"


def _note(
    served: ServedModel, alias: str, previous: ModelVersion | None, version: ModelVersion | None, reason: str
) -> AliasMove:
    served.refresh_from_db(fields=["current"])
    move = AliasMove.objects.create(
        served_model=served,
        tenant_id=served.tenant_id,
        alias=alias,
        previous=previous,
        version=version,
        author=author_name(),
        reason=reason[:500],
    )
    if served.tenant_id is not None:
        record(
            tenant_id=served.tenant_id,
            action="model.alias_moved" if version else "model.alias_deleted",
            subject_id=served.pk,
            subject=f"{served.name}@{alias}",
            note=f"{previous.number if previous else 'none'} to {version.number}" if version else "",
        )
    return move
