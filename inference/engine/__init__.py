"""The common way to run a model version of any kind."""
