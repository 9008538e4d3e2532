"""The scheduler's duties for models."""

from inference.registry.collecting import collect_artifacts, collect_strays
from inference.registry.orders import order_replays
from inference.registry.pausing import notify_of_pauses
from tenants.core.duties import Duty

DUTIES = (
    Duty(300, collect_artifacts),
    Duty(3600, collect_strays),
    Duty(300, order_replays),
    Duty(60, notify_of_pauses),
)
