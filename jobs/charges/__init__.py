"""The money that jobs hold and are charged, and the check of the books against it."""
