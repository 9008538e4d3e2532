"""The queue of pages: which pages run next, which worker runs them, and how they end."""
