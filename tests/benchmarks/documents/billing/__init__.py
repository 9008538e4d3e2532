"""Generate invoices, credit notes and receipts in six languages, with the truth of every field."""
