"""Paying: invoices, credit, and the card that is saved."""
