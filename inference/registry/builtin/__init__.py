"""The models that are served from the first minute, built out of installed packages without a network."""
