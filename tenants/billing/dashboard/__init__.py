"""Money in the dashboard."""
