"""The fields that a tenant defines for its own documents, learned from values that a person pointed at."""
