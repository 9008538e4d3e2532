"""Serve synchronous inference over HTTP: these calls come from machines in very large numbers and are answered before
they reach Django.
"""
