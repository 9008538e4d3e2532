"""Payments from tenants, through providers. Bank transfers are one of these. All payments are posted to the ledger."""
