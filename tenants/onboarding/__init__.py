"""The start of an account: its first member, its plan and its first key."""
