"""The choice of the worker that serves a model. Each worker computes it by the same rules from the reports of all."""
