"""The one way to run a model version, whatever its kind."""
