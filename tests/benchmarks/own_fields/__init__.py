"""Generated documents of kinds that are not invoices, with the values that a clerk would want from them."""
