"""The kept minutes of pools: for a scheduler that begins to lead, and for charts."""

import time
from collections.abc import Iterable

from inference.registry.models import ScalingMinute
from inference.scaling.traffic import KEPT, MINUTE_S
from tenants.core.db.unit_of_work import operator_work


def minutes_before(pool: str, now_s: float) -> Iterable[tuple[int, int, int]]:
    """Return what came in each minute and what was wanted then, the oldest first."""
    known = ScalingMinute.objects.filter(pool=pool, minute__gte=_minute(now_s) - KEPT).order_by("minute")
    return known.values_list("minute", "came", "wanted")


def minutes_of(pool: str, last: int, now_s: float) -> list[ScalingMinute]:
    """Return the last minutes of a pool, the oldest first."""
    return list(ScalingMinute.objects.filter(pool=pool, minute__gte=_minute(now_s) - last).order_by("minute"))


def forget_old_minutes() -> None:
    """Delete the minutes that no decision and no chart looks at any more."""
    with operator_work():
        ScalingMinute.objects.filter(minute__lt=_minute(time.time()) - KEPT).delete()


def _minute(at_s: float) -> int:
    return int(at_s // MINUTE_S)
