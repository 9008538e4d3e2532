"""The tiers that a plan or a tenant has: names for the workers that serve it."""
