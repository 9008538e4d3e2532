"""Hosting: the hours in which models of accounts are in memory, and what they cost."""
