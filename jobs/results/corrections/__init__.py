"""Corrections that people make to what a model read. They are kept beside the result, which stays as it is."""
