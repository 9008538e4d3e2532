"""Tests of the pages of own models."""
