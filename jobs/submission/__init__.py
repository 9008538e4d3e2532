"""Creates jobs: decides what is refused, what money is held, and where their pages go."""
