"""Test the event stream over a socket that breaks."""

from contextlib import closing

import pytest

from maas_client import Client, Event, NotFound
from tests.samples.pdfs import text_pdf

from .cable import Cable


def test_a_jobs_events_come_once_each_though_the_socket_breaks(
    through_cable: Client, client: Client, cable: Cable
) -> None:
    job = client.submit(
        "parse", text_pdf(*(f"This is sheet number {number} of the whole document" for number in range(4)))
    )
    heard = []
    for event in through_cable.events(job.id):
        heard.append(event)
        if event.seq in {2, 5}:
            cable.cut()
    assert [event.seq for event in heard] == list(range(1, len(heard) + 1))
    assert heard[-1].type == "job.succeeded"


def test_all_events_go_on_after_the_last_one_seen(through_cable: Client, client: Client, cable: Cable) -> None:
    first = client.run("embed", text="before")
    everything = through_cable.events(after="0-0")
    heard = [next(event for event in everything if event.job == first.id)]
    cable.cut()
    second = client.run("embed", text="while the cable was cut")
    for event in everything:
        heard.append(event)
        if event.job == second.id and event.type == "job.succeeded":
            break
    everything.close()
    seen = [(event.job, event.seq) for event in heard]
    assert len(seen) == len(set(seen))
    assert [seq for job, seq in seen if job == second.id] == list(range(1, second.job.last_seq + 1))


def test_events_are_read_in_pages_that_miss_none_and_go_on_in_the_socket(client: Client) -> None:
    place = client.event_page().next
    first = client.run("embed", text="told of in pages")
    heard: list[Event] = []
    more = True
    while more or not heard:
        page = client.event_page(place, limit=2, wait=20)
        heard += page.events
        place, more = page.next, page.has_more
    assert [event.seq for event in heard if event.job == first.id] == list(range(1, first.job.last_seq + 1))
    assert heard[-1].cursor == place
    second = client.run("embed", text="told of by the socket")
    with closing(client.events(after=place)) as socket:
        assert next(socket).job == second.id


def test_a_job_that_ended_is_told_to_its_end_and_not_waited_for(client: Client) -> None:
    result = client.run("embed", text="long ago")
    assert len(list(client.events(result.id))) == result.job.last_seq
    assert list(client.events(result.id, after=result.job.last_seq)) == []


def test_nothing_is_heard_of_anothers_job(client: Client) -> None:
    with pytest.raises(NotFound):
        next(client.events("01a1f8a0-0000-7000-8000-000000000000"))
