"""The control channel of this process."""

from functools import cache
from uuid import UUID

from django.conf import settings

from inference.core.control import ControlChannel

CANCEL = "cancel"


@cache
def control_channel() -> ControlChannel:
    return ControlChannel(settings.MAAS_REDIS_URL)


def notify_canceled(job_id: UUID) -> None:
    """Notify workers after commit. One that misses it finds out when it renews the lease of the page."""
    control_channel().tell(CANCEL, job=str(job_id))
