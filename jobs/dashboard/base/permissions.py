"""What a person may do on the pages about jobs."""

from tenants.identity.identity import Identity


def may_write(identity: Identity) -> bool:
    return {"documents:write", "jobs:write"} <= identity.scopes
