"""Tests of the list of workers in the admin."""

from django.test import Client
from django.urls import reverse

from inference.workers.heartbeats import STUCK_S, Beat, Heartbeat, HeldModel
from tests.fixtures import unique


def test_workers_that_are_alive_are_listed_with_their_provider(operator: Client) -> None:
    worker = Heartbeat(unique("worker"), "CUDAExecutionProvider")
    worker.beat(Beat(models=(HeldModel("ocr@1", 7),), pages_held=3))
    page = operator.get(reverse("admin:jobs_workers")).content.decode()
    worker.end()
    assert "CUDAExecutionProvider" in page
    assert "ocr@1" in page


def test_a_worker_that_does_not_look_what_it_should_hold_is_shown_to_be_stuck(operator: Client) -> None:
    worker = Heartbeat(unique("worker"), "CPU")
    worker.beat(Beat(look_age_s=STUCK_S + 15))
    page = operator.get(reverse("admin:jobs_workers")).content.decode()
    worker.end()
    assert "stuck: no model check for 45 s" in page
