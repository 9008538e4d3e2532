"""Tests of the files in deploy/: what is written there, and what runs by it."""
