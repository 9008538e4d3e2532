"""How much an account, a key and a model may do."""
