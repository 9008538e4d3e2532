"""Runs the product's processes on one machine: starts, watches, restarts and stops them."""
