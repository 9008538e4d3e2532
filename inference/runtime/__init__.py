"""Models in memory: the device that runs them, the sessions that are held, and the way to call each kind of model."""
