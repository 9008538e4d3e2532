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
    "documents:write": Meaning("upload documents", "Upload documents, and delete them."),
    "documents:read": Meaning("read documents", "List documents, and fetch them and their page pictures."),
    "jobs:write": Meaning(
        "run jobs", "Run models on documents and texts, cancel and retry. This costs money."
    ),
    "jobs:read": Meaning("read results", "Read jobs with their pages and results."),
    "models:read": Meaning("see models", "See which models there are and what they cost."),
    "events:read": Meaning("follow events", "Follow events over the websocket."),
    "webhooks:write": Meaning(
        "manage webhooks", "Say where jobs' ends are told, and replace the secrets that sign it."
    ),
    "webhooks:read": Meaning("see webhooks", "See where jobs' ends are told, and how each try went."),
    "usage:read": Meaning("see usage", "See what was used and what it cost, of all keys of this account."),
    "billing:read": Meaning("see bills", "See invoices and payments, and fetch them as files."),
    "billing:write": Meaning("pay", "Begin payments of invoices and of credit. No card is shown or changed."),
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
        "All but usage, costs, bills and the audit log: for a program of your own.",
        SCOPES,
    ),
    Preset(
        "send",
        "Send and forget",
        "Uploads documents and runs jobs, and reads no result: for a scanner or an inbox.",
        ("documents:write", "jobs:write", "models:read"),
    ),
    Preset(
        "read",
        "Read only",
        "Reads documents, jobs and results and changes nothing: for reports and dashboards.",
        ("documents:read", "jobs:read", "models:read", "events:read"),
    ),
    Preset(
        "all",
        "Everything",
        "All that a key can do, with usage, costs, bills, payments and the audit log.",
        KEY_SCOPES,
    ),
)
CUSTOM = "custom"


def presets_within(scopes: Collection[str]) -> list[Preset]:
    """Return the presets whose every scope is in `scopes`. The first of them is the form's default."""
    return [preset for preset in PRESETS if set(preset.scopes) <= set(scopes)]


def in_words(scopes: list[str]) -> str:
    """Describe scopes by the title of a preset if they are equal to it, otherwise by what they allow, in the order of
    the catalog.
    """
    for preset in PRESETS:
        if set(preset.scopes) == set(scopes):
            return preset.title
    said = [MEANINGS[scope].short for scope in MEANINGS if scope in scopes]
    return ", ".join(said).capitalize() if said else "Nothing"
