"""Invoices and credit notes. Invoices are computed from usage, numbered without gaps and never changed."""
