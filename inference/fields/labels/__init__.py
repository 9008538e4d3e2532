"""Labels of the fields of invoices and receipts, in six languages."""
