"""Finds tick boxes on pictures, and the labels of tick boxes."""
