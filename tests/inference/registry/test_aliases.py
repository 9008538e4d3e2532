"""Tests of aliases: their moves, their history, and who sees them."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from inference.models import AliasMove, ModelVersion
from inference.registry.aliases import delete_alias, history, move_alias, roll_back, version_at
from inference.registry.errors import (
    AliasChanged,
    AliasNotFound,
    InvalidAlias,
    ModelNotFound,
    NothingToRollBack,
    VersionNotFound,
    VersionNotReady,
)
from inference.registry.selectors import find_version
from tenants.core.db.unit_of_work import operator_work


@pytest.fixture
def versions(make_version: Callable[[], ModelVersion]) -> tuple[ModelVersion, ModelVersion, ModelVersion]:
    first = make_version()
    with operator_work():
        second, third = (
            ModelVersion.objects.create(
                served_model=first.served_model, number=number, runtime="embed", digest=str(number) * 64
            )
            for number in (2, 3)
        )
    return first, second, third


Versions = tuple[ModelVersion, ModelVersion, ModelVersion]


def move(version: ModelVersion, alias: str = "champion", **options: object) -> AliasMove:
    return move_alias(
        owner=None,
        model=version.served_model.name,
        alias=alias,
        number=version.number,
        **options,  # type: ignore[arg-type]
    )


def found(reference: str) -> int:
    return find_version(reference, tenant_id=None).number


def test_an_alias_stands_for_the_version_that_it_was_moved_to(versions: Versions) -> None:
    first, second, _third = versions
    name = first.served_model.name
    move(second)
    assert (found(name), found(f"{name}@champion"), found(f"{name}@current"), found(f"{name}@2")) == (1, 2, 1, 2)
    move(second, "current")
    assert found(name) == 2


def test_a_move_that_expects_another_version_changes_nothing(versions: Versions) -> None:
    first, second, third = versions
    move(first, if_version=None)
    with pytest.raises(AliasChanged) as refused:
        move(third, if_version=2)
    assert refused.value.extra == {"version": 1}
    with pytest.raises(AliasChanged):
        move(second, if_version=None)
    assert move(third, if_version=1).version == third


def test_of_two_moves_at_once_that_expect_the_same_one_wins(versions: Versions) -> None:
    first, second, third = versions
    move(first)
    outcomes: list[int | None] = []

    def try_to(version: ModelVersion) -> None:
        try:
            outcomes.append(move(version, if_version=1).version_id)
        except AliasChanged:
            outcomes.append(None)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=try_to, args=[version]) for version in (second, third)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(None) == 1


def test_what_answered_at_a_moment_is_one_query(versions: Versions) -> None:
    first, second, third = versions
    served = first.served_model
    for version in (first, second, third):
        move(version)
    with operator_work():
        moments = list(history(served, "champion").order_by("id").values_list("moved_at", flat=True))
        assert [version_at(served, "champion", moment) for moment in moments] == [first, second, third]
        assert version_at(served, "champion", moments[0] - timedelta(microseconds=1)) is None
        assert version_at(served, "champion", timezone.now() + timedelta(days=1)) == third


def test_a_rollback_returns_to_the_version_before_and_twice_to_the_one_before_that(versions: Versions) -> None:
    first, second, third = versions
    name = first.served_model.name
    for version in (first, second, third):
        move(version)
    assert roll_back(owner=None, model=name, alias="champion").version == second
    assert roll_back(owner=None, model=name, alias="champion").version == first
    with pytest.raises(NothingToRollBack):
        roll_back(owner=None, model=name, alias="champion")


def test_only_ready_versions_and_names_that_are_no_number_are_aliased(versions: Versions) -> None:
    first, second, _third = versions
    with operator_work():
        ModelVersion.objects.filter(pk=second.pk).update(state="refused")
    with pytest.raises(VersionNotReady):
        move(second)
    for name in ("", "3", "a b", "-x", "x" * 51, "ä"):
        with pytest.raises(InvalidAlias):
            move(first, name)
    with pytest.raises(VersionNotFound):
        move_alias(owner=None, model=first.served_model.name, alias="champion", number=9)
    with pytest.raises(ModelNotFound):
        move_alias(owner=None, model="nothing", alias="champion", number=1)


def test_a_deleted_alias_stands_for_nothing_and_keeps_its_history(versions: Versions) -> None:
    first, _second, _third = versions
    name = first.served_model.name
    move(first)
    delete_alias(owner=None, model=name, alias="champion")
    with pytest.raises(ModelNotFound):
        found(f"{name}@champion")
    with pytest.raises(AliasNotFound):
        delete_alias(owner=None, model=name, alias="champion")
    with pytest.raises(InvalidAlias):
        delete_alias(owner=None, model=name, alias="current")
    with operator_work():
        assert [entry.version for entry in history(first.served_model, "champion")] == [None, first]


def test_a_move_is_never_changed(versions: Versions) -> None:
    made = move(versions[0])
    with operator_work(), pytest.raises(Exception, match="permission denied"):
        AliasMove.objects.filter(pk=made.pk).update(reason="another")
