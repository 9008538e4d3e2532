"""API endpoints about money."""
