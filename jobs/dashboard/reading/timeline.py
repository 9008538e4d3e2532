"""The steps of a job and of one of its pages, and how long each took. This module is pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from jobs.core import states
from jobs.core.states import SAME_PAGE_RUNS
from jobs.dashboard.base.wording import state_words
from tenants.core.durations import duration

LOADING, TAKEN, READ = "page.loading", "page.running", "page.succeeded"
_SAME_PAGE = "Waiting for the same page, which is being read in another job"
_KNOWN = "Reused from an earlier upload"
_PUT_BACK = "The worker stopped. Queued again"
_JOB_WORDS = {
    "job.queued": ("Queued", "queued"),
    "job.running": ("Started", "running"),
    "job.succeeded": ("Done", "succeeded"),
    "job.partially_succeeded": ("Partially succeeded", "partially_succeeded"),
    "job.failed": ("Failed", "failed"),
    "job.canceled": ("Canceled", "canceled"),
    "job.expired": ("Expired", "expired"),
}
_ENDED_FOR_ALL = {"job.canceled", "job.expired"}
_PAGE_WORDS = {
    "page.running": ("Started", "running"),
    "page.succeeded": ("Done", "succeeded"),
    "page.failed": ("Failed", "failed"),
    "page.retrying": ("Temporary error. It is tried again", "queued"),
    "page.requeued": ("The worker stopped responding. Queued again", "queued"),
    "job.canceled": ("Canceled", "canceled"),
    "job.expired": ("Expired", "expired"),
}


class Happening(Protocol):
    type: str
    data: dict[str, Any]

    @property
    def created_at(self) -> datetime: ...


@dataclass(frozen=True)
class Step:
    words: str
    kind: str
    """The state whose mark is shown."""
    at: datetime
    detail: str = ""
    took: str = ""


@dataclass(frozen=True)
class Share:
    words: str
    ms: int
    took: str


def job_steps(events: Sequence[Happening]) -> list[Step]:
    steps: list[Step] = []
    for event in events:
        if event.type in _JOB_WORDS:
            title, kind = _JOB_WORDS[event.type]
            steps.append(Step(title, kind, event.created_at))
        elif event.type == LOADING and not any(step.kind == "loading" for step in steps):
            steps.append(_loading(event))
    return _with_durations(steps)


def page_steps(events: Sequence[Happening], number: int) -> list[Step]:
    """Return the steps of a page. A page that was taken over from another job has none, since nothing happened here."""
    own = [event for event in events if event.data.get("page") == number]
    if not own:
        return []
    steps = [Step("Queued", "queued", event.created_at) for event in events if event.type == "job.queued"]
    for before, event in zip([None, *own], own, strict=False):
        steps += _page_steps(event, before.type if before else "")
    if own[-1].type not in {"page.succeeded", "page.failed"}:
        steps += [Step(*_JOB_WORDS[event.type], event.created_at) for event in events if event.type in _ENDED_FOR_ALL]
    return _with_durations(steps)


def _page_steps(event: Happening, before: str) -> list[Step]:
    if event.type == LOADING:
        return [_loading(event)]
    if event.type not in _PAGE_WORDS:
        return []
    title, kind = _PAGE_WORDS[event.type]
    if event.data.get("reason") == states.HANDED_BACK:
        title = _PUT_BACK
    elif event.data.get("reason") == SAME_PAGE_RUNS:
        title = _SAME_PAGE
    elif event.data.get("cached"):
        title = _KNOWN
    step = Step(title, kind, event.created_at, _detail(event.data))
    if event.type == TAKEN and before in {TAKEN, LOADING}:
        # The page was taken over as soon as its lease had ended, before any process recorded that the lease was lost.
        return [Step(_PUT_BACK, "queued", event.created_at), step]
    if event.type == READ:
        return [*_inner_steps(event, before), step]
    return [step]


def _inner_steps(event: Happening, before: str) -> list[Step]:
    """Return the step for a model load that no event reported in time, and the step for the start of the run."""
    timings: Mapping[str, int] = event.data.get("timings") or {}
    if not timings.get("load_ms"):
        return []
    ran_at = event.created_at - timedelta(milliseconds=timings.get("run_ms", 0))
    loaded_at = ran_at - timedelta(milliseconds=timings["load_ms"])
    loading = [] if before == LOADING else [Step("Loading the model", "loading", loaded_at)]
    return [*loading, Step("Reading", "running", ran_at)]


def taken_from(events: Iterable[Happening], number: int) -> UUID | None:
    """Return the job whose result the page has, or None if it was run or got the result by a retry."""
    for event in events:
        if event.data.get("page") == number and event.data.get("cached"):
            return UUID(str(event.data["from_job"]))
    return None


def is_loading(events: Sequence[Happening], number: int) -> bool:
    """Return whether the page's last event says that it waits for its model."""
    own = [event.type for event in events if event.data.get("page") == number]
    return bool(own) and own[-1] == LOADING


def shares(events: Iterable[Happening], number: int) -> list[Share]:
    """Return the parts of the time that a page took to be read. Return an empty list if they were not recorded."""
    timings: Mapping[str, int] = {}
    for event in events:
        if event.type == "page.succeeded" and event.data.get("page") == number:
            timings = event.data.get("timings") or {}
    named = (("Opening the page", "read_ms"), ("Loading the model", "load_ms"), ("Reading", "run_ms"))
    return [Share(title, timings[key], duration(timings[key] / 1000)) for title, key in named if timings.get(key)]


def _loading(event: Happening) -> Step:
    return Step(f"Loading the model {event.data.get('model', '')}".strip(), "loading", event.created_at)


def _detail(data: Mapping[str, Any]) -> str:
    error = data.get("error")
    if isinstance(error, Mapping):
        # The page itself has the full message, right above.
        return state_words(str(error.get("code", "")))
    attempt = data.get("attempt")
    if error:
        return f"{state_words(str(error))}" + (f", attempt {attempt}" if attempt else "")
    return f"attempt {attempt}" if attempt and int(attempt) > 1 else ""


def _with_durations(steps: Sequence[Step]) -> list[Step]:
    return [
        Step(step.words, step.kind, step.at, step.detail, _until(step, next_))
        for step, next_ in zip(steps, [*steps[1:], None], strict=False)
    ]


def _until(step: Step, next_: Step | None) -> str:
    return duration((next_.at - step.at).total_seconds()) if next_ and next_.at != step.at else ""
