"""How a file is cut into parts, and which of them are missing."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenants.core.errors import InvalidRequest

PART_BYTES = 16 * 2**20
_STEP = 2**20
MOST_PARTS = 10_000
"""S3 takes no more, and but the last none below 5 MiB."""
MOST_URLS = 100
"""In one answer."""


def part_bytes_of(size_bytes: int) -> int:
    least = -(-size_bytes // MOST_PARTS)
    return max(PART_BYTES, -(-least // _STEP) * _STEP)


@dataclass(frozen=True)
class Layout:
    size_bytes: int
    part_bytes: int

    @property
    def count(self) -> int:
        return -(-self.size_bytes // self.part_bytes)

    def bytes_of(self, number: int) -> int:
        """The first is number 1."""
        return min(self.part_bytes, self.size_bytes - (number - 1) * self.part_bytes)

    def missing(self, stored: Mapping[int, int]) -> list[int]:
        """Those that are not there, or have other than their bytes."""
        return [number for number in range(1, self.count + 1) if stored.get(number) != self.bytes_of(number)]

    def wanted(self, numbers: object) -> list[int]:
        """What a client asks for, as far as these are its parts."""
        if not isinstance(numbers, list) or not 1 <= len(numbers) <= MOST_URLS:
            raise InvalidRequest(
                f'Send {{"numbers": [1, 2, 3]}}: 1 to {MOST_URLS} of the parts that are to be sent.'
            )
        for number in numbers:
            if type(number) is not int or not 1 <= number <= self.count:
                raise InvalidRequest(
                    f"There is no part {str(number)[:20]!r}: this upload's are 1 to {self.count}."
                )
        return list(dict.fromkeys(numbers))
