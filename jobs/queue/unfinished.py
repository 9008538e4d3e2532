"""The unfinished work on versions of models, for those who want to delete one."""

from collections.abc import Sequence

from jobs.batches import states as batch_states
from jobs.batches.models import Batch
from jobs.core import states
from jobs.core.models import Job


def unfinished_work(version_ids: Sequence[int]) -> Sequence[str]:
    """Return what has not ended on these versions, for people, such as `3 unfinished jobs`."""
    jobs = Job.objects.filter(model_version__in=version_ids, state__in=states.UNFINISHED).count()
    batches = Batch.objects.filter(model_version__in=version_ids).filter(status__in=batch_states.UNFINISHED).count()
    counted = ((jobs, "job"), (batches, "batch"))
    return [f"{count} unfinished {name}{_plural(name, count)}" for count, name in counted if count]


def _plural(name: str, count: int) -> str:
    return "" if count == 1 else "es" if name.endswith("h") else "s"
