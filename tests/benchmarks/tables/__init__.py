"""Measures how well tables are found, against hand-made and generated truth."""
