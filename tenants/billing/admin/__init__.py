"""Admin pages of the operator that are about money."""
