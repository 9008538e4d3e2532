"""Work with the database in the name of one tenant, of an operator, or of nobody."""
