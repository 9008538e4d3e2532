"""Tests of the number of slots for a model's pages. Only the workers that take those pages count."""

from collections.abc import Iterator

import pytest
from django.conf import settings

from inference.workers.heartbeats import Beat, Heartbeat
from jobs.queue.slots import fleet_of
from tests.fixtures import unique

pytestmark = pytest.mark.usefixtures("nothing_seen")


@pytest.fixture
def keys() -> Iterator[tuple[str, str]]:
    """Yield two models. Two workers take pages of the first, and one of these workers loads the second."""
    one, other = f"{unique('one')}@1", f"{unique('other')}@1"
    hearts = [Heartbeat(unique("worker"), "CPU") for _ in range(3)]
    hearts[0].beat(Beat(serving=(one,), service_s={one: 1.0}))
    hearts[1].beat(Beat(serving=(one,), loading=(other,), service_s={one: 3.0}))
    hearts[2].beat(Beat())
    yield one, other
    for heart in hearts:
        heart.end()


def test_only_workers_that_take_the_models_pages_count(keys: tuple[str, str]) -> None:
    fleet = fleet_of(keys[0])
    assert (fleet.slots, fleet.served, fleet.loading) == (2 * settings.MAAS_WORKER_THREADS, True, False)
    assert fleet.service_s == 2.0


def test_a_model_that_is_loaded_has_the_places_of_one_worker(keys: tuple[str, str]) -> None:
    fleet = fleet_of(keys[1])
    assert (fleet.slots, fleet.served, fleet.loading) == (settings.MAAS_WORKER_THREADS, False, True)


def test_a_worker_that_is_to_drain_has_no_places(keys: tuple[str, str]) -> None:
    key = f"{unique('leaving')}@1"
    heart = Heartbeat(unique("worker"), "CPU")
    heart.beat(Beat(serving=(key, keys[0]), draining=True))
    assert fleet_of(keys[0]).slots == 2 * settings.MAAS_WORKER_THREADS
    heart.end()
