"""Dashboard views about money."""
