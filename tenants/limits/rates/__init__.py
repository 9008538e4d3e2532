"""Limit what a key, a tenant, and a tenant's use of one model may do, per minute and at the same time."""
