"""Contracts that all parts of inference share: inputs, outputs and errors."""
