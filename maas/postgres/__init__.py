"""Django's database backend, as this product needs it."""
