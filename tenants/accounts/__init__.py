"""People's own accounts: how they come, prove who they are, and belong to tenants."""
