"""Carries out the deletion of accounts: everything of a tenant is erased, wherever it is stored."""
