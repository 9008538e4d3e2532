"""Decides why a job waits and about how long, from its next page, its model and the other jobs that wait."""

import math
from dataclasses import dataclass

TENANT_SUSPENDED = "tenant_suspended"
RETRY_PENDING = "retry_pending"
NO_WORKER = "no_worker"
MODEL_LOADING = "model_loading"
CONCURRENCY_LIMIT = "concurrency_limit"
BEHIND_OWN = "queued_behind_own"
BEHIND_OTHERS = "queued_behind_others"
STARTING = "starting"
REASONS = (
    TENANT_SUSPENDED,
    RETRY_PENDING,
    NO_WORKER,
    MODEL_LOADING,
    CONCURRENCY_LIMIT,
    BEHIND_OWN,
    BEHIND_OTHERS,
    STARTING,
)


@dataclass(frozen=True, slots=True)
class NextPage:
    """The first page that waits, of a job that waits."""

    suspended: bool
    """Set if its tenant is suspended."""
    due: bool
    """Set unless it waits for another try, or for the same page of another job."""
    published: bool
    """Set if a message for it is under way to the workers."""
    at_cap: bool
    """Set if its tenant has as many pages under way as it may have."""
    own_before: int
    """The pages of its own tenant that are released first, whatever their priority."""
    before: int | None
    """The pages that are released first, including those of its own tenant. None if this cannot be determined."""


@dataclass(frozen=True, slots=True)
class Speed:
    """The pace of the workers that take pages of the model."""

    workers: bool
    """Set if any worker is alive, whatever models it takes."""
    served: bool
    slots: int = 1
    window: int = 1
    service_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Standing:
    """The waiting of a job, for its owner. All fields are None if it does not wait or nothing is known."""

    position: int | None = None
    eta_seconds: int | None = None
    reason_waiting: str | None = None


def standing(page: NextPage, speed: Speed) -> Standing:
    reason = _reason(page, speed)
    position = 0 if page.published else page.before
    held_up = reason in (TENANT_SUSPENDED, RETRY_PENDING)
    if held_up:
        return Standing(reason_waiting=reason)
    eta_s = None if reason in (NO_WORKER, MODEL_LOADING, CONCURRENCY_LIMIT) else _eta_s(position, speed)
    return Standing(position, eta_s, reason)


def _reason(page: NextPage, speed: Speed) -> str:
    if page.suspended:
        return TENANT_SUSPENDED
    if not page.due:
        return RETRY_PENDING
    if not speed.served:
        return MODEL_LOADING if speed.workers else NO_WORKER
    return _reason_in_line(page)


def _reason_in_line(page: NextPage) -> str:
    if page.at_cap and not page.published:
        return CONCURRENCY_LIMIT
    if page.published or page.before == 0:
        return STARTING
    return BEHIND_OWN if page.before is not None and page.before <= page.own_before else BEHIND_OTHERS


def _eta_s(position: int | None, speed: Speed) -> int | None:
    """Estimate the time until the page begins, from the pages before it and those that lie ready at the workers."""
    if position is None or speed.service_s <= 0:
        return None
    pages = position + max(0, speed.window - speed.slots)
    return math.ceil(pages * speed.service_s / max(1, speed.slots))
