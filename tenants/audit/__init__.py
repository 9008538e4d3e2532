"""The log of changes in an account: the change, its author, the origin and the time. Rows are added and never
changed.
"""
