"""What an operator sells: plans with their prices, limits and included units, and who has which."""
