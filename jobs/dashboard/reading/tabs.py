"""The tabs beside a page's picture. The open one is named in the address. This module makes no queries."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Tab:
    name: str
    title: str

    @property
    def query(self) -> Mapping[str, str]:
        """Return what the address needs to open the tab. The first tab is open without it."""
        return {} if self is TABS[0] else {"tab": self.name}

    @property
    def address(self) -> str:
        return f"&tab={self.name}" if self.query else ""


TEXT, TABLES, FIELDS = Tab("text", "Text"), Tab("tables", "Tables"), Tab("fields", "Fields")
TABS = (TEXT, TABLES, FIELDS, Tab("json", "JSON"))


def tabs_of(*, has_tables: bool, has_fields: bool) -> list[Tab]:
    """Return the tabs of a page: that of tables for a page with tables, that of fields for a document with fields."""
    there = {"tables": has_tables, "fields": has_fields}
    return [tab for tab in TABS if there.get(tab.name, True)]


def tab_of(name: str) -> Tab:
    return next((tab for tab in TABS if tab.name == name), TABS[0])
