"""Paired comparison of the answers of a model and its variant, pure: arrays in, figures out."""
