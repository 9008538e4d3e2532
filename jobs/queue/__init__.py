"""Which pages are run next, by whom, and how they end."""
