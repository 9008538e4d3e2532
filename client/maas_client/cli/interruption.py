"""Interruptions that end a command before its jobs end. Only the wait ends, and a message says how to continue."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from maas_client.cli.codes import INTERRUPTED, REFUSED, USAGE
from maas_client.errors import ConnectionFailed, Unavailable
from maas_client.resources import Job


class Left(Exception):
    """An exception that carries the unfinished jobs and the exit code."""

    def __init__(self, why: str, jobs: Sequence[str], code: int) -> None:
        super().__init__(why)
        self.why = why
        self.jobs = tuple(jobs)
        self.code = code

    def __str__(self) -> str:
        if not self.jobs:
            return f"{self.why}\nWhat was submitted, if anything, goes on; see: maas jobs"
        lines = [self.why, "What was submitted goes on. To follow it, and to read it as far as it has come:"]
        for job in self.jobs:
            lines += [f"  maas watch {job}", f"  maas result {job}"]
        return "\n".join(lines)


@contextmanager
def not_lost(submitted: Sequence[tuple[str, Job]]) -> Iterator[None]:
    """Guard jobs that only this command knows about. The list may still grow meanwhile."""
    try:
        yield
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        raise Left("\nInterrupted.", _ids(submitted), INTERRUPTED) from None
    except (ConnectionFailed, Unavailable) as error:
        error.job_id = None  # named below, with all the others
        raise Left(f"maas: {error}", _ids(submitted), REFUSED) from error
    except OSError as error:
        raise Left(f"maas: {error}", _ids(submitted), USAGE) from error


def _ids(submitted: Sequence[tuple[str, Job]]) -> list[str]:
    return [job.id for _, job in submitted]
