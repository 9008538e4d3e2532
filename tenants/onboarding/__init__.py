"""How an account begins: its first member, its plan and its first key."""
