"""A tenant's own classes of documents, learned from a few examples of each, and the splitting of stacks."""
