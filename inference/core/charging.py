"""The quantity that is charged for work: never more than was reserved for it."""

from django.conf import settings

from inference.core.contracts import Units
from tenants.plans.prices import Meter


def charged(units: Units, meter: Meter) -> int:
    """Return the quantity to charge for a price with this meter."""
    counted = units.counted(meter)
    return min(counted, settings.MAAS_HOLD_GPU_MS_PER_PAGE) if meter == "gpu_second" else counted


def charged_beside(units: Units, meter: Meter, quantity: int) -> int:
    """Return the same if `quantity` is charged for another part of the same call."""
    both = charged(units, meter)
    return min(both, settings.MAAS_HOLD_GPU_MS_PER_PAGE - quantity) if meter == "gpu_second" else both
