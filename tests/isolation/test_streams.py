"""Test that event streams send nothing about another tenant's jobs."""

from uuid import uuid4

import httpx

from jobs.core.states import TERMINAL
from tests.event_source import events_in, said_in
from tests.flows.caller import Caller

from .belongings import Belongings

STREAM = {"Accept": "text/event-stream"}


def test_another_tenants_job_is_like_one_that_never_was(caller: Caller, theirs: Belongings) -> None:
    unknown = str(uuid4())
    for end in ("", "/events"):
        foreign = caller.http.get(f"/v1/jobs/{theirs.job_id}{end}", headers=STREAM)
        never = caller.http.get(f"/v1/jobs/{unknown}{end}", headers=STREAM)
        assert foreign.status_code == never.status_code == 404
        assert _words(foreign).replace(theirs.job_id, unknown) == _words(never)


def _words(answer: httpx.Response) -> str:
    return str(answer.json()["detail"])


def test_everything_from_the_beginning_is_ones_own_alone(caller: Caller, theirs: Belongings) -> None:
    last = caller.submit("parse", input="The end of what Alpha may hear in a stream")
    caller.ended(last["id"])
    jobs = set()
    with caller.http.stream("GET", "/v1/events", params={"after": "0-0"}, headers=STREAM) as answer:
        for said in events_in(said_in(answer.iter_lines())):
            if said.name != "ready":
                jobs.add(said.data["job"])
            if said.data.get("job") == last["id"] and said.name in {f"job.{state}" for state in TERMINAL}:
                break
    assert theirs.job_id not in jobs
    assert jobs <= {job["id"] for job in caller.get("/v1/jobs", limit=100)["data"]}


def test_pages_of_everything_from_the_beginning_hold_ones_own_alone(
    caller: Caller, other_caller: Caller, mine: Belongings, theirs: Belongings
) -> None:
    own, others = jobs_told_to(caller), jobs_told_to(other_caller)
    assert mine.job_id in own
    assert theirs.job_id in others
    assert not own & others


def jobs_told_to(caller: Caller) -> set[str]:
    found: set[str] = set()
    place, more = "0-0", True
    while more:
        page = caller.get("/v1/events", after=place)
        found |= {event["job"] for event in page["events"]}
        place, more = page["next"], page["has_more"]
    return found
