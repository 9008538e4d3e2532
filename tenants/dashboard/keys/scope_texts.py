"""Descriptions of the scopes of a key, and the sets of scopes that most keys are created with."""

from collections.abc import Collection
from dataclasses import dataclass

from tenants.identity.identity import KEY_SCOPES, SCOPES, Scope


@dataclass(frozen=True)
class Meaning:
    short: str
    """The description in the list of keys."""
    long: str
    """The description in the form."""


MEANINGS: dict[Scope, Meaning] = {
    "documents:write": Meaning("upload documents", "Upload and delete documents."),
    "documents:read": Meaning("read documents", "List documents, and download them and their page images."),
    "jobs:write": Meaning("run jobs", "Run models on documents and texts, cancel and retry. This costs money."),
    "jobs:read": Meaning("read results", "Read jobs with their pages and results."),
    "models:read": Meaning("see models", "List models and their prices."),
    "events:read": Meaning("receive events", "Receive events over the WebSocket."),
    "webhooks:write": Meaning("manage webhooks", "Set up webhooks, and replace their signing secrets."),
    "webhooks:read": Meaning("see webhooks", "List webhooks and their deliveries."),
    "usage:read": Meaning("see usage", "See usage and costs of all keys of this account."),
    "billing:read": Meaning("see bills", "List and download invoices and payments."),
    "billing:write": Meaning("pay", "Start payments of invoices and credit. Saved cards are not accessible."),
    "audit:read": Meaning("read the audit log", "Read who changed what in the account."),
}


@dataclass(frozen=True)
class Preset:
    name: str
    title: str
    explanation: str
    scopes: tuple[Scope, ...]


PRESETS = (
    Preset(
        "work",
        "Documents, jobs and webhooks",
        "All permissions except usage, billing and the audit log. For your own programs.",
        SCOPES,
    ),
    Preset(
        "send",
        "Upload only",
        "Uploads documents and runs jobs, but cannot read results. For scanners and inboxes.",
        ("documents:write", "jobs:write", "models:read"),
    ),
    Preset(
        "read",
        "Read only",
        "Reads documents, jobs and results, but changes nothing. For reports and dashboards.",
        ("documents:read", "jobs:read", "models:read", "events:read"),
    ),
    Preset(
        "all",
        "Everything",
        "All permissions, including usage, billing, payments and the audit log.",
        KEY_SCOPES,
    ),
)
CUSTOM = "custom"


def presets_within(scopes: Collection[str]) -> list[Preset]:
    """Return the presets whose every scope is in `scopes`. The first of them is the form's default."""
    return [preset for preset in PRESETS if set(preset.scopes) <= set(scopes)]


def in_words(scopes: list[str]) -> str:
    """Describe scopes by the title of the preset that is equal to them, otherwise by what they allow."""
    for preset in PRESETS:
        if set(preset.scopes) == set(scopes):
            return preset.title
    texts = [MEANINGS[scope].short for scope in MEANINGS if scope in scopes]
    return ", ".join(texts).capitalize() if texts else "None"
