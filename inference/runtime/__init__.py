"""Models in memory: which device runs them, which sessions are held, and how each kind of model is called."""
