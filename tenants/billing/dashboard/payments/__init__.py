"""Dashboard views for paying: invoices, credit, and the saved card."""
