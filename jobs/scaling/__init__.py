"""Watches the work of each pool of workers, and decides how many workers it is to have."""
