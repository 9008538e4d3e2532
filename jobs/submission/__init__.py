"""Makes jobs: what is refused, what is held, and where their pages go."""
