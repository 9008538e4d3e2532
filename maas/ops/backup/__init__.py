"""Copies everything that must not be lost into one folder, and builds an installation from such a folder."""
