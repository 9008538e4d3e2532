"""Compares two records of the same money. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True, order=True)
class Compared:
    """A pair of sums: `expected` comes from the finer record, and `found` from the other."""

    tenant_id: UUID
    compared: str
    currency: str
    subject: str
    expected_micros: int
    found_micros: int

    @property
    def subject_of_all(self) -> tuple[UUID, str, str, str]:
        return (self.tenant_id, self.compared, self.currency, self.subject)


def differences(compared: Iterable[Compared]) -> list[Compared]:
    return sorted(comparison for comparison in compared if comparison.expected_micros != comparison.found_micros)
