"""Notifications of pages for workers, and which of them go before others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Notification:
    page_id: UUID
    tenant_id: UUID
    newcomer: int | None = None
    """The priority of the page if it may pass what lies at hand: its tenant has nothing else under way."""

    @property
    def first(self) -> bool:
        return self.newcomer is not None


def newcomers_first(wakes: Sequence[Notification]) -> list[Notification]:
    """Put one page of each newcomer first, the most urgent before the others. The rest follows in its order."""
    firsts: dict[UUID, Notification] = {}
    for wake in sorted((wake for wake in wakes if wake.first), key=lambda wake: wake.newcomer or 0):
        firsts.setdefault(wake.tenant_id, wake)
    passing = {wake.page_id for wake in firsts.values()}
    rest = [replace(wake, newcomer=None) for wake in wakes if wake.page_id not in passing]
    return [*firsts.values(), *rest]
