"""A tenant's own classes: sets of examples, the versions that were trained on them, and the classes of jobs."""
