"""The choice of recent requests that a person wants to see. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from tenants.request_log.entries import LogEntry

STATUSES = (("", "Any status"), ("ok", "Succeeded"), ("4xx", "Refused (4xx)"), ("5xx", "Failed (5xx)"))
PEOPLE = "people"
"""The value in place of a key's id that stands for the requests of signed-in people on the dashboard."""
FIRST_ROWS, ALL_ROWS = 100, 500


@dataclass(frozen=True)
class LogFilter:
    status: str = ""
    key: str = ""
    path: str = ""
    all_rows: bool = False

    @classmethod
    def read(cls, values: "dict[str, str]") -> Self:
        return cls(
            status=values.get("status", ""),
            key=values.get("key", ""),
            path=values.get("path", "").strip()[:200],
            all_rows=values.get("rows") == "all",
        )

    @property
    def narrows(self) -> bool:
        return bool(self.status or self.key or self.path)

    @property
    def max_rows(self) -> int:
        return ALL_ROWS if self.all_rows else FIRST_ROWS

    @property
    def query(self) -> str:
        """Return the filter as the query of a URL. It is empty if nothing is filtered."""
        values = {"status": self.status, "key": self.key, "path": self.path}
        values["rows"] = "all" if self.all_rows else ""
        return urlencode({name: value for name, value in values.items() if value})

    def chosen(self, entries: Sequence[LogEntry]) -> list[LogEntry]:
        return [entry for entry in entries if self._wants(entry)]

    def _wants(self, entry: LogEntry) -> bool:
        return (
            self._wants_status(entry.status)
            and (not self.key or entry.key_id == ("" if self.key == PEOPLE else self.key))
            and self.path.lower() in entry.path.lower()
        )

    def _wants_status(self, status: int) -> bool:
        match self.status:
            case "ok":
                return status < 400
            case "4xx":
                return 400 <= status < 500
            case "5xx":
                return status >= 500
        return True
