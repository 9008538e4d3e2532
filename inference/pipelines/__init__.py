"""Models made of other models, whose steps call each other in one process."""
