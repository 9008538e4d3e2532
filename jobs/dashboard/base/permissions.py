"""A person's permissions on the dashboard's pages about jobs."""

from tenants.identity.identity import Identity


def may_write(identity: Identity) -> bool:
    return {"documents:write", "jobs:write"} <= identity.scopes
