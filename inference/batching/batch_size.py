"""How many rows at once a model has shown that it can take, where that is fewer than its limits allow."""

from dataclasses import dataclass

TRY_AGAIN_AFTER = 64


@dataclass(slots=True)
class BatchSize:
    """Some graphs hold one row whatever they declare, and memory may be short: cutting every batch is no way to run."""

    most_rows: int | None = None
    full_batches: int = 0

    def failed_whole(self, largest_rows: int) -> None:
        """A batch failed, and every part of it ran, the largest of which had so many rows."""
        self.most_rows, self.full_batches = largest_rows, 0

    def ran(self, rows: int) -> None:
        if self.most_rows is None or rows < self.most_rows:
            return
        self.full_batches += 1
        if self.full_batches >= TRY_AGAIN_AFTER:
            self.most_rows, self.full_batches = 2 * self.most_rows, 0

    def of(self, max_rows: int) -> int:
        if self.most_rows is not None and self.most_rows >= max_rows:
            self.most_rows = None
        return self.most_rows or max_rows
