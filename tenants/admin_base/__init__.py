"""The basis of every list in the operator's admin."""
