"""Test which version a call is for, by what the operator has set at that moment."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

import pytest

from inference.gateway import targets as targets_module
from inference.gateway.targets import LONGEST_REFERENCE, Target, Targets
from inference.models import ModelVersion, ServedModel
from inference.registry.errors import ModelNotFound, ModelPaused
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import operator_work
from tenants.core.ids import uuid7

T = TypeVar("T")
SOMEBODY = uuid7()


def asked(work: Callable[[Targets], Awaitable[T]]) -> T:
    async def ask() -> T:
        threads = DatabaseThreads("targets", 1)
        try:
            return await work(Targets(threads))
        finally:
            threads.close()

    return asyncio.run(ask())


def test_a_name_is_its_current_version_and_a_number_that_one(version: ModelVersion) -> None:
    async def both(targets: Targets) -> tuple[Target, Target]:
        return await targets.find(SOMEBODY, version.served_model.name), await targets.find(SOMEBODY, version.key)

    current, numbered = asked(both)
    assert current == numbered
    assert (current.key, current.runtime, current.paused_reason) == (version.key, version.runtime, "")


def test_a_pause_holds_within_a_second(version: ModelVersion) -> None:
    async def before_and_after(targets: Targets) -> None:
        await targets.to_run(SOMEBODY, version.key)
        await asyncio.to_thread(pause)
        await asyncio.sleep(1.0)
        with pytest.raises(ModelPaused):
            await targets.to_run(SOMEBODY, version.key)
        assert (await targets.find(SOMEBODY, version.key)).paused_reason

    def pause() -> None:
        with operator_work():
            ServedModel.objects.filter(id=version.served_model_id).update(state="paused")

    asked(before_and_after)


@pytest.mark.parametrize("made_up", ["", "nothing", "nothing@1", "@1", "x" * 10_000_000, "\0", "ocr"])
def test_made_up_names_are_not_looked_up(made_up: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets_module, "_all_names", lambda _tenant: frozenset({"known"}))
    monkeypatch.setattr(targets_module, "_target_or_reason", _never)
    with pytest.raises(ModelNotFound) as refusal:
        asked(lambda targets: targets.find(SOMEBODY, made_up))
    assert len(refusal.value.detail) < 5_000


def test_a_known_name_with_an_endless_number_is_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets_module, "_all_names", lambda _tenant: frozenset({"known"}))
    monkeypatch.setattr(targets_module, "_target_or_reason", _never)
    with pytest.raises(ModelNotFound):
        asked(lambda targets: targets.find(SOMEBODY, "known@" + "1" * LONGEST_REFERENCE))


def _never(_tenant_id: UUID, reference: str) -> Target:
    raise AssertionError(reference)
