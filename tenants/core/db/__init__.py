"""Database work for one tenant, for an operator, or for neither."""
