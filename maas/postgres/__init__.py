"""The database backend of Django, adapted to this product."""
