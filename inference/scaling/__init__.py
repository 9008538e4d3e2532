"""Decides how many replicas a pool needs, by seconds of work. Nothing here reads a clock."""
