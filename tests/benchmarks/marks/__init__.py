"""Generates pages with tick boxes and codes, and measures how many of them are found."""
