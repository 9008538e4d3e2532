"""A database of millions of pages, for measuring the product at that size."""
