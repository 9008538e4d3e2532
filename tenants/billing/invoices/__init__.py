"""Invoices and credit notes. Invoices are computed from usage, numbered without gaps and never changed. A credit note
takes back an amount that was wrong.
"""
