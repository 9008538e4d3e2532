"""Deletion of an account: asked for by an owner, taken back for a while, and then carried out."""
