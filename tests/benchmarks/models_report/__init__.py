"""Repeats the measurements by which the quantized built-in models are offered or refused, and writes their reports."""
