"""Tests of tiers: which pools may serve work, and which of them does."""
