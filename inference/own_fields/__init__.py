"""The fields that a tenant defines for its documents: learned from values pointed at, and found on other documents."""
