"""The log of changes in an account, with author, origin and time. Rows are added and never changed."""
