"""Fit and measure the classes of documents on generated pages and on documents written by hand."""
