"""Money in the API."""
