"""What two records of the same money say, held against each other: pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True, order=True)
class Compared:
    """`expected` is what the finer record comes to, `found` what the other says."""

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
    return sorted(one for one in compared if one.expected_micros != one.found_micros)
