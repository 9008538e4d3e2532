"""Money in the operator's admin."""
