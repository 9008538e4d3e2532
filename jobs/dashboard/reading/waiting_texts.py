"""Texts that say on a job's page why the job waits."""

from jobs.queue import waiting
from jobs.queue.waiting import Standing
from tenants.core.durations import age

_WORDS = {
    waiting.TENANT_SUSPENDED: "Waiting: the account is suspended",
    waiting.BACKING_OFF: "Waiting to try again",
    waiting.NO_WORKER: "Waiting: no worker is running",
    waiting.MODEL_LOADING: "Waiting for a worker to load the model",
    waiting.TENANT_CAP: "Waiting: your account has reached its limit of pages at once",
    waiting.BEHIND_OWN: "Queued behind {pages} of your account",
    waiting.BEHIND_OTHERS: "Queued behind {pages}",
    waiting.STARTING: "Queued",
}


def waiting_words(standing: Standing) -> str:
    """Return the text, or an empty string if the job does not wait."""
    if standing.reason_waiting is None:
        return ""
    words = _WORDS[standing.reason_waiting].format(pages=_pages(standing.position))
    if standing.eta_seconds:
        return f"{words}, about {age(standing.eta_seconds)}"
    return words


def _pages(position: int | None) -> str:
    if position is None:
        return "many pages"
    return "1 page" if position == 1 else f"{position:,} pages"
