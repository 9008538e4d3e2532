"""What people and programs do with the fields of documents: correct them, filter by them, write them as tables."""
