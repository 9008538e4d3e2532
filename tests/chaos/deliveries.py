"""Checks the messages that a receiver was sent: each end of a job that names it, signed, under one ID. The checks are
pure.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jobs.core.states import TERMINAL

from .books import Broken, Job


@dataclass(frozen=True, slots=True)
class Told:
    """A message that the receiver accepted."""

    message: str
    type: str
    job_id: str
    genuine: bool


def told(message: str, body: bytes, *, genuine: bool) -> Told:
    said = json.loads(body)
    return Told(message, str(said["type"]), str(said["data"]["id"]), genuine)


def broken_deliveries(hooked: Collection[str], jobs: Mapping[str, Job], arrived: Sequence[Told]) -> Iterator[Broken]:
    """Yield what is broken. `hooked` are the jobs that named an address. A message may arrive twice, always under its
    ID.
    """
    by_job: defaultdict[str, list[Told]] = defaultdict(list)
    for one in arrived:
        by_job[one.job_id].append(one)
        if not one.genuine:
            yield Broken("webhook", f"{one.message} is not signed as it should be", one.job_id)
    for job_id in by_job.keys() - set(hooked):
        yield Broken("webhook", "told of a job that named no address", job_id)
    for job_id in hooked:
        job, messages = jobs.get(job_id), by_job[job_id]
        if job is None or job.state not in TERMINAL:
            continue
        if not messages:
            yield Broken("webhook", f"nobody was told that it {job.state}", job_id)
        if len({one.message for one in messages}) > 1:
            yield Broken("webhook", f"told under {sorted(one.message for one in messages)}", job_id)
        for one in messages:
            if one.type != f"job.{job.state}":
                yield Broken("webhook", f"told {one.type}, and it {job.state}", job_id)
