"""The number of rows that a model has shown it can take at once, if that is fewer than its limits allow."""

from dataclasses import dataclass

TRY_AGAIN_AFTER = 64


@dataclass(slots=True)
class BatchSize:
    """The current batch size. Some graphs hold only one row, or memory is short, and cutting every batch is slow."""

    max_rows: int | None = None
    full_batches: int = 0

    def failed_whole(self, largest_rows: int) -> None:
        """Record that a batch failed but every part of it ran. The largest of these parts had `largest_rows` rows."""
        self.max_rows, self.full_batches = largest_rows, 0

    def ran(self, rows: int) -> None:
        if self.max_rows is None or rows < self.max_rows:
            return
        self.full_batches += 1
        if self.full_batches >= TRY_AGAIN_AFTER:
            self.max_rows, self.full_batches = 2 * self.max_rows, 0

    def of(self, max_rows: int) -> int:
        if self.max_rows is not None and self.max_rows >= max_rows:
            self.max_rows = None
        return self.max_rows or max_rows
