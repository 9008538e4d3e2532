"""Monthly budgets that an account sets for itself and its keys."""
