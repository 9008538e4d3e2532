"""Invoices as PDF, made from facts that never change, so the bytes are the same each time."""
