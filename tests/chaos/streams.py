"""Checks events that were followed live: none may be missing, and those of each job must be in order. The checks are
pure.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .books import Broken, Job


@dataclass(frozen=True, slots=True)
class Heard:
    job_id: str
    seq: int
    type: str
    cursor: str = ""
    connection: int = 0
    """The number of the connection among those made one after the other."""


def broken_streams(name: str, heard: Sequence[Heard], jobs: Mapping[str, Job]) -> Iterator[Broken]:
    """Yield what is broken. Events that are repeated after a lost connection are ignored."""
    by_job: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    known: set[tuple[str, int]] = set()
    for one in heard:
        if (one.job_id, one.seq) not in known:
            known.add((one.job_id, one.seq))
            by_job[one.job_id].append((one.seq, one.type))
    for job_id in by_job.keys() - jobs.keys():
        yield Broken("stream", f"the {name} told of a job that is not there", job_id)
    for job_id, job in jobs.items():
        table = [(event.seq, event.type) for event in job.events]
        if by_job[job_id] != table:
            told = [(one.seq, one.cursor, one.connection) for one in heard if one.job_id == job_id]
            detail = f"the {name} told {by_job[job_id]}, the table has {table}; as it was heard: {told}"
            yield Broken("stream", detail, job_id)
