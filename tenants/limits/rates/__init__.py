"""How much a key, a tenant, and a tenant's use of one model may do: in a minute, and at once."""
