"""Plans as operators see them: their prices are for models, so they are edited where models are known."""
