"""The plans that an operator sells, with their prices, limits and included units, and the plan of each tenant."""
