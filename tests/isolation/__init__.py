"""Test that nothing of one tenant is visible to another, through any address."""
