"""The models that are served from the start, built from installed packages without a network."""
