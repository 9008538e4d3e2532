"""The cells of an installation: whole products in several regions that share only names, addresses and keys."""
