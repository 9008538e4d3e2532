"""Calculates how a file is cut into parts, and which of them are missing."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenants.core.errors import InvalidRequest

PART_BYTES = 16 * 2**20
_STEP = 2**20
MAX_PARTS = 10_000
"""The highest number of parts. S3 takes no more, and no part below 5 MiB except the last."""
MAX_URLS = 100
"""The highest number of URLs in one response."""


def part_bytes_of(size_bytes: int) -> int:
    least = -(-size_bytes // MAX_PARTS)
    return max(PART_BYTES, -(-least // _STEP) * _STEP)


@dataclass(frozen=True)
class Layout:
    size_bytes: int
    part_bytes: int

    @property
    def count(self) -> int:
        return -(-self.size_bytes // self.part_bytes)

    def bytes_of(self, number: int) -> int:
        """Return the size of this part. The first part has number 1."""
        return min(self.part_bytes, self.size_bytes - (number - 1) * self.part_bytes)

    def missing(self, stored: Mapping[int, int]) -> list[int]:
        """Return the numbers of the parts that are missing or have the wrong size."""
        return [number for number in range(1, self.count + 1) if stored.get(number) != self.bytes_of(number)]

    def wanted(self, numbers: object) -> list[int]:
        """Return the part numbers that a client asks for, without duplicates. Raises InvalidRequest for numbers that
        are no parts of this upload.
        """
        if not isinstance(numbers, list) or not 1 <= len(numbers) <= MAX_URLS:
            raise InvalidRequest(
                f'Send {{"numbers": [1, 2, 3]}}: 1 to {MAX_URLS} numbers of the parts to send.'
            )
        for number in numbers:
            if type(number) is not int or not 1 <= number <= self.count:
                raise InvalidRequest(
                    f"There is no part {str(number)[:20]!r}. This upload has parts 1 to {self.count}."
                )
        return list(dict.fromkeys(numbers))
