"""Test that a worker follows the limits that operators set, and keeps them while the database is away."""

from collections.abc import Iterator

import pytest

from inference.engine.engine import Engine, local_engine
from inference.models import BatchSetting, ModelVersion
from inference.runtime.batched import EMBED_LIMITS, Part
from jobs.worker import batch_limits
from jobs.worker.batch_limits import FollowedLimits
from tenants.core.db.unit_of_work import operator_work
from tests.inference.workers.placement.clocks import Clock


@pytest.fixture
def setting(version: ModelVersion) -> Iterator[BatchSetting]:
    with operator_work():
        made = BatchSetting.objects.create(served_model=version.served_model, part="weights", max_rows=3)
    yield made
    with operator_work():
        BatchSetting.objects.filter(pk=made.pk).delete()


def limits_in(engine: Engine, part: Part) -> int:
    return engine.batchers.limits_of(part, EMBED_LIMITS).max_rows


def test_limits_are_followed_at_the_next_look(version: ModelVersion, setting: BatchSetting) -> None:
    engine, clock, part = local_engine(), Clock(), Part(version.key, "weights")
    followed = FollowedLimits(engine.batchers, clock)
    followed.look()
    assert limits_in(engine, part) == 3
    with operator_work():
        BatchSetting.objects.filter(pk=setting.pk).update(max_rows=None)
    clock.now_s += batch_limits.LOOK_EVERY_S
    followed.look()
    assert limits_in(engine, part) == EMBED_LIMITS.max_rows


def test_the_last_limits_hold_while_they_cannot_be_read(
    version: ModelVersion, setting: BatchSetting, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, clock, part = local_engine(), Clock(), Part(version.key, "weights")
    followed = FollowedLimits(engine.batchers, clock)
    followed.look()

    def away() -> None:
        raise OSError("the database is away")

    monkeypatch.setattr(batch_limits, "batch_limits", away)
    clock.now_s += batch_limits.LOOK_EVERY_S
    followed.look()
    assert limits_in(engine, part) == 3


def test_limits_that_no_longer_go_with_the_models_own_are_not_followed(
    version: ModelVersion, setting: BatchSetting
) -> None:
    with operator_work():
        BatchSetting.objects.filter(pk=setting.pk).update(max_rows=None, max_waiting=1)
    engine = local_engine()
    FollowedLimits(engine.batchers).look()
    assert engine.batchers.limits_of(Part(version.key, "weights"), EMBED_LIMITS) == EMBED_LIMITS
