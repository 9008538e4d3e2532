"""Pages about the meaning of each error code, at the addresses that a problem's `type` names."""
