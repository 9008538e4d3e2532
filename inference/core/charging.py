"""How much of what was done is charged: never more than was set aside for it."""

from django.conf import settings

from inference.core.contracts import Units
from tenants.plans.prices import Meter


def charged(units: Units, meter: Meter) -> int:
    """How many of what a price is for."""
    counted = units.counted(meter)
    return min(counted, settings.MAAS_HOLD_GPU_MS_PER_PAGE) if meter == "gpu_second" else counted


def charged_beside(units: Units, meter: Meter, quantity: int) -> int:
    """The same, where so many of it are charged for another part of the same call."""
    both = charged(units, meter)
    return min(both, settings.MAAS_HOLD_GPU_MS_PER_PAGE - quantity) if meter == "gpu_second" else both
