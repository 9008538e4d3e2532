"""The accounts of people: how they are created, authenticated, and connected with tenants."""
