"""Money: what a tenant may spend, what is set aside for work under way, and what was charged; double entry."""
