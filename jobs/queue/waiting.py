"""Why a job waits, and about how long still: decided from what is known of its next page, its model and the others."""

import math
from dataclasses import dataclass

TENANT_SUSPENDED = "tenant_suspended"
BACKING_OFF = "backing_off"
NO_WORKER = "no_worker"
MODEL_LOADING = "model_loading"
TENANT_CAP = "tenant_cap"
BEHIND_OWN = "queued_behind_own"
BEHIND_OTHERS = "queued_behind_others"
STARTING = "starting"
REASONS = (
    TENANT_SUSPENDED,
    BACKING_OFF,
    NO_WORKER,
    MODEL_LOADING,
    TENANT_CAP,
    BEHIND_OWN,
    BEHIND_OTHERS,
    STARTING,
)


@dataclass(frozen=True, slots=True)
class NextPage:
    """Of a job that waits: the first of its pages that does."""

    suspended: bool
    """Its tenant is."""
    due: bool
    """False while it waits for another try, or for the same page of another job."""
    told: bool
    """A message for it is under way to the workers."""
    at_cap: bool
    """As many pages of its tenant are under way as may."""
    own_before: int
    """Pages of its own tenant that are released first, whatever their priority."""
    before: int | None
    """Pages that are released first, its own tenant's included; None where nobody can tell."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Of those who take pages of the model."""

    workers: bool
    """Any lives, whatever models it takes."""
    served: bool
    slots: int = 1
    window: int = 1
    service_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Standing:
    """What a job is told about its waiting; all None where it does not wait, or nobody can tell."""

    position: int | None = None
    eta_seconds: int | None = None
    reason_waiting: str | None = None


def standing(page: NextPage, speed: Speed) -> Standing:
    reason = _reason(page, speed)
    position = 0 if page.told else page.before
    held_up = reason in (TENANT_SUSPENDED, BACKING_OFF)
    if held_up:
        return Standing(reason_waiting=reason)
    eta_s = None if reason in (NO_WORKER, MODEL_LOADING, TENANT_CAP) else _eta_s(position, speed)
    return Standing(position, eta_s, reason)


def _reason(page: NextPage, speed: Speed) -> str:
    if page.suspended:
        return TENANT_SUSPENDED
    if not page.due:
        return BACKING_OFF
    if not speed.served:
        return MODEL_LOADING if speed.workers else NO_WORKER
    return _reason_in_line(page)


def _reason_in_line(page: NextPage) -> str:
    if page.at_cap and not page.told:
        return TENANT_CAP
    if page.told or page.before == 0:
        return STARTING
    return BEHIND_OWN if page.before is not None and page.before <= page.own_before else BEHIND_OTHERS


def _eta_s(position: int | None, speed: Speed) -> int | None:
    """Until it begins: what is before it, and what lies ready at the workers."""
    if position is None or speed.service_s <= 0:
        return None
    pages = position + max(0, speed.window - speed.slots)
    return math.ceil(pages * speed.service_s / max(1, speed.slots))
