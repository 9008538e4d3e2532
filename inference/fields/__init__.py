"""Fields of a page: pairs of keys and values, and the typed fields of invoices and receipts, with check sums."""
